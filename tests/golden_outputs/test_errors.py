"""The codes of errors, and what an `except` catches."""

import paddock
from tests.all_errors import all_errors
from tests.golden_outputs.golden_files import GoldenFiles, dump_json


def test_codes_of_errors(golden: GoldenFiles) -> None:
    codes = {
        error.code: {
            "caught_as": [
                one.code for one in error.__mro__[1:] if issubclass(one, paddock.PaddockError)
            ],
            "public_name": error.__name__ if error.__name__ in paddock.__all__ else None,
        }
        for error in all_errors()
    }
    golden.check("errors", {"codes.json": dump_json(codes)})


def test_public_names(golden: GoldenFiles) -> None:
    golden.check("python_api", {"names.json": dump_json(sorted(paddock.__all__))})
