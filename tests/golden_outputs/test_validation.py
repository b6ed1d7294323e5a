"""What `paddock validate` finds in all samples, and where."""

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.extensions import samples
from tests.extensions.faulty import FAULTY, files_of
from tests.golden_outputs.golden_files import REPOSITORY, GoldenFiles, split_files
from tests.golden_outputs.program import Program

PACLETS = REPOSITORY / "tests" / "samples" / "paclets"
DOCUMENTED = {
    "definitions": "docs_src/definitions",
    "weather": "docs_src/paclets/Weather",
    "garden": "docs_src/how_to/named/garden.toml",
    "library": "docs_src/how_to/library.toml",
}
REASON = re.compile(r"\b(SyntaxError|cannot be read): .*", re.S)
"""What parsers say, which differs between versions of Python and of libraries."""


def validate(paddock: Program, target: Path, *options: str) -> Any:
    """Validate a copy in the working directory, so that places do not depend on the checkout."""
    copy = Path(target.name)
    if target.is_dir():
        shutil.copytree(target, copy, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        shutil.copytree(target.parent, copy.stem)
        copy = Path(copy.stem) / copy
    return run_validate(paddock, copy, *options)


def run_validate(paddock: Program, target: Path, *options: str) -> Any:
    result = paddock("validate", f"./{target.as_posix()}", "--json", *options)
    document = {"exit_code": result.code, **result.json}
    for finding in document["findings"]:
        finding["message"] = REASON.sub(r"\1: REASON", finding["message"])
    return document


def test_findings_in_paclets(golden: GoldenFiles, paddock: Program) -> None:
    files: dict[str, str] = {}
    for directory in sorted(one for one in PACLETS.iterdir() if one.is_dir()):
        files |= split_files(directory.name, validate(paddock, directory))
    golden.check("validation/paclets", files)


def test_findings_in_the_documentation(golden: GoldenFiles, paddock: Program) -> None:
    files: dict[str, str] = {}
    for name, place in DOCUMENTED.items():
        files |= split_files(name, validate(paddock, REPOSITORY / place))
    golden.check("validation/documentation", files)


@pytest.mark.parametrize("options", [(), ("--static",)], ids=["run", "static"])
def test_findings_in_faulty_distributions(
    golden: GoldenFiles, paddock: Program, options: tuple[str, ...]
) -> None:
    files: dict[str, str] = {}
    for package in FAULTY:
        samples.write(Path(), package, f"{package} = {package}", files_of(package))
        files |= split_files(package, run_validate(paddock, Path(package), *options))
    golden.check(f"validation/distributions_{'static' if options else 'run'}", files)
