"""From a text to a Python object."""

import math
import sys
from pathlib import Path

import pytest

from paddock import LoadError
from paddock.extensions.references import is_reference, load_reference
from paddock.serving.loader import unload_modules
from tests.unit.extensions.places import write


@pytest.mark.parametrize(
    "text", ["math:pi", "os.path:join", "a.b:C.d", "tools.py:plot", "/x y/t.py:f", r"C:\a\t.py:f"]
)
def test_these_are_references(text: str) -> None:
    assert is_reference(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Plot",
        "acme/Plot",
        "tools.py",
        "math:",
        ":pi",
        "math:1",
        "https://a.org",
        "a b:c",
        "a:b c",
    ],
)
def test_these_are_not(text: str) -> None:
    assert not is_reference(text)
    with pytest.raises(LoadError):
        load_reference(text, where="here")


def test_a_module_is_imported_for_its_object() -> None:
    assert load_reference("math:pi", where="here") == math.pi


def test_dots_lead_on_to_attributes() -> None:
    assert load_reference("pathlib:Path.cwd", where="here") == Path.cwd


def test_a_file_is_found_from_where_the_reference_stands(tmp_path: Path) -> None:
    write(tmp_path / "shop" / "prices.py", "PRICE = 5")
    assert load_reference("shop/prices.py:PRICE", relative_to=tmp_path, where="here") == 5
    absolute = f"{tmp_path / 'shop' / 'prices.py'}:PRICE"
    assert load_reference(absolute, where="here") == 5


def test_a_file_is_run_once(tmp_path: Path) -> None:
    write(tmp_path / "counted.py", "first = object()\nsecond = object()")
    first, again = (
        load_reference("counted.py:first", relative_to=tmp_path, where="here") for _ in range(2)
    )
    assert first is again
    assert load_reference("counted.py:second", relative_to=tmp_path, where="here") is not first


def test_a_file_that_is_imported_already_is_not_run_again() -> None:
    here = f"{Path(__file__).name}:test_dots_lead_on_to_attributes"
    found = load_reference(here, relative_to=Path(__file__).parent, where="here")
    assert found is test_dots_lead_on_to_attributes


def test_a_file_that_was_forgotten_is_run_again(tmp_path: Path) -> None:
    write(tmp_path / "renewed.py", "value = 'old'")
    assert load_reference("renewed.py:value", relative_to=tmp_path, where="here") == "old"
    write(tmp_path / "renewed.py", "value = 'newer'")
    unload_modules(tmp_path)
    assert load_reference("renewed.py:value", relative_to=tmp_path, where="here") == "newer"


def test_files_of_one_name_are_kept_apart(tmp_path: Path) -> None:
    for place in ("one", "two", "three"):
        write(tmp_path / place / "samename.py", f"place = {place!r}\nkept = object()")
    places = ("one", "two", "three", "one", "two")
    found = [
        load_reference(f"{place}/samename.py:place", relative_to=tmp_path, where="here")
        for place in places
    ]
    assert found == [*places]


def test_a_file_may_import_its_neighbours(tmp_path: Path) -> None:
    write(tmp_path / "neighbour_of_it.py", "word = 'hi'")
    write(tmp_path / "importing_it.py", "from neighbour_of_it import word")
    assert load_reference("importing_it.py:word", relative_to=tmp_path, where="here") == "hi"


def told(text: str, directory: Path) -> LoadError:
    with pytest.raises(LoadError) as raised:
        load_reference(text, relative_to=directory, where="the place")
    return raised.value


def test_a_missing_file_is_reported_with_its_path(tmp_path: Path) -> None:
    error = told("nowhere.py:f", tmp_path)
    assert error.message == f"there is no file {tmp_path / 'nowhere.py'}"
    assert error.where == "the place"


def test_a_missing_module_is_reported_with_the_interpreter_that_misses_it(tmp_path: Path) -> None:
    error = told("no_such_module_here.inner:f", tmp_path)
    assert error.message == "there is no module 'no_such_module_here'"
    assert sys.executable in (error.hint or "")


def test_a_missing_object_is_reported_with_what_is_like_it(tmp_path: Path) -> None:
    write(tmp_path / "plots.py", "def plot(): ...")
    error = told("plots.py:plott", tmp_path)
    assert error.message == "cannot resolve 'plots.py:plott': there is no 'plott'"
    assert error.hint == "did you mean plot?"


def test_a_file_that_fails_is_reported_with_the_line(tmp_path: Path) -> None:
    file = write(tmp_path / "failing_file.py", "x = 1\n\nraise ValueError('no')\n")
    error = told("failing_file.py:x", tmp_path)
    assert (error.message, error.where) == ("ValueError: no", f"{file}:3")


def test_a_file_that_cannot_be_parsed_is_reported_with_the_line(tmp_path: Path) -> None:
    file = write(tmp_path / "unparsed.py", "x = 1\ndef (:\n")
    assert told("unparsed.py:x", tmp_path).where == f"{file}:2"


def test_a_module_that_lacks_another_is_reported_as_failing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write(tmp_path / "module_that_lacks.py", "import no_such_module_there\n")
    monkeypatch.syspath_prepend(tmp_path)
    error = told("module_that_lacks:x", tmp_path)
    assert error.message == "ModuleNotFoundError: No module named 'no_such_module_there'"
    assert error.where == f"{file}:1"
