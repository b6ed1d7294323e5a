"""`PythonSymbolDefinition` finds symbols, and runs nothing unless it is reported to."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from paddock import Server, connect
from paddock.directories import DATA_DIRECTORY_VARIABLE
from paddock.toolkits.python.interpreters import ACTIVE_ENVIRONMENT_VARIABLES
from paddock.toolkits.python.tools import python_symbol_definition_tool as tool

SEAS = '''\
"""Seas and their tides."""

from pathlib import Path

Path("IMPORTED").touch()

HEIGHT = 2.5
"""Metres, at springs."""


def memo(function):
    return function


@memo
def tide(
    hour: int,
    *,
    height: float = HEIGHT,
) -> float:
    """The height of the water.

    In metres.
    """
    return height * hour


class Sea:
    """A sea."""

    def depth(self) -> float:
        """How deep it is."""
        return 3.0


class Bay(Sea):
    pass


globals()["made_while_running"] = lambda hour: hour
'''
TIDE = SEAS[SEAS.index("@memo") : SEAS.index("\n\n\nclass Sea")]


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project, whose code must not run."""
    place = tmp_path / "project"
    (place / "src/seas/north").mkdir(parents=True)
    (place / "src/seas/__init__.py").write_text('"""All seas."""\nfrom seas.tides import tide\n')
    (place / "src/seas/tides.py").write_text(SEAS)
    (place / "src/seas/north/__init__.py").write_text("def strait(): pass\n")
    monkeypatch.chdir(place)
    monkeypatch.setenv(DATA_DIRECTORY_VARIABLE, str(tmp_path / "data"))
    for variable in ACTIVE_ENVIRONMENT_VARIABLES:
        monkeypatch.delenv(variable, raising=False)
    return place


@pytest.fixture
def look(project: Path) -> Iterator[Callable[..., str]]:
    with connect(Server("s", tools=[tool])) as peer:

        def call(symbols: str, **more: object) -> str:
            answer = peer.call("PythonSymbolDefinition", {"symbols": symbols, **more})
            assert not answer.is_error, answer.text
            return answer.text

        yield call
    has_run = (project / "IMPORTED").exists()
    assert has_run is False


def test_a_function_is_shown_with_its_place_and_decorators(
    look: Callable[..., str], project: Path
) -> None:
    assert look("seas.tides.tide") == (
        "# tide\n\n**Name:** `seas.tides.tide` (function)\n\n"
        f"**Location:** `{project / 'src/seas/tides.py'}:15`\n\n"
        f"## Definition\n\n```py\n{TIDE}\n```"
    )


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("seas.tide", "`seas.tides.tide` (function)"),
        ("tide", "`seas.tides.tide` (function)"),
        ("seas.tides.Bay.depth", "`seas.tides.Sea.depth` (function)"),
        ("seas.tides.HEIGHT", '```py\nHEIGHT = 2.5\n"""Metres, at springs."""\n```'),
        ("seas.north.strait", "def strait(): pass"),
        ("json.dumps", "def dumps(obj, *, skipkeys=False"),
        ("math.sqrt", "**Location:** built in"),
        ("str.removeprefix", "def removeprefix("),
    ],
)
def test_names_are_followed_to_where_they_are_defined(
    look: Callable[..., str], name: str, told: str
) -> None:
    assert told in look(name)


def test_a_module_is_shown_by_what_it_consists_of(look: Callable[..., str]) -> None:
    assert look("seas.tides").partition("## Documentation")[2] == (
        "\n\n```text\nSeas and their tides.\n```\n\n## Members\n\n```py\n"
        "HEIGHT  # Metres, at springs.\n"
        "def memo(function)\n"
        "def tide(hour: int, *, height: float = HEIGHT) -> float  # The height of the water.\n"
        "class Sea  # A sea.\n    def depth() -> float  # How deep it is.\n"
        "class Bay(Sea)\n```"
    )


def test_names_of_a_file_are_those_that_it_knows(look: Callable[..., str], project: Path) -> None:
    (project / "use.py").write_text("from seas.tides import Sea as Water\nown = Water()\n")
    text = look("Water, own, tide", file="use.py")
    assert "# Water\n\n**Name:** `seas.tides.Sea` (class)" in text
    assert "own = Water()" in text
    assert "# tide\n\nError: The symbol `tide` was not found" in text


def test_what_is_longer_than_wanted_is_cut_off_and_that_is_reported(
    look: Callable[..., str],
) -> None:
    text = look("seas.tides.tide", maxLength=20)
    assert f"{TIDE[:20]}\n... [truncated, showing 20/{len(TIDE)} characters]\n```" in text


def test_what_is_missing_is_reported_with_what_might_be_meant(
    look: Callable[..., str], project: Path
) -> None:
    (project / "other.py").write_text("def strait(): pass\nif True:\n    def gone(): pass\n")
    text = look("strait, seas.gone, a b, nowhere")
    assert "Did you mean one of these?\n\n```py\nother.strait\nseas.north.strait\n```" in text
    assert "`seas.gone` was not found in the project or its packages.\n\nDid you mean" in text
    assert "# a b\n\nError: `a b` is not a valid Python name" in text
    assert text.endswith(
        "Error: The symbol `nowhere` was not found in the project or its packages."
    )


def test_packages_of_the_projects_environment_are_known_without_starting_it(
    look: Callable[..., str], project: Path
) -> None:
    packages = project / ".venv/lib/python3.12/site-packages"
    (packages / "installed").mkdir(parents=True)
    (packages / "installed/__init__.py").write_text("def there(): pass\n")
    (packages / "more.pth").write_text("import os; open('IMPORTED', 'w')\n../added\n")
    (packages / "../added").mkdir()
    (packages / "../added/editable.py").write_text("def here(): pass\n")
    (project / ".venv/pyvenv.cfg").write_text("home = /nowhere/bin\nversion = 3.12.1\n")
    (project / ".venv/bin").mkdir()
    (project / ".venv/bin/python").write_text("#!/bin/sh\ntouch IMPORTED\n")
    (project / ".venv/bin/python").chmod(0o755)
    text = look("installed.there, editable.here, nbformat")
    assert "def there(): pass" in text
    assert "def here(): pass" in text
    assert "The symbol `nbformat` was not found" in text


def test_files_that_links_lead_elsewhere_to_are_not_shown(
    look: Callable[..., str], project: Path, tmp_path: Path
) -> None:
    (tmp_path / "secret.py").write_text("password = 'swordfish'\n")
    (project / "linked.py").symlink_to(tmp_path / "secret.py")
    assert "swordfish" not in look("linked.password")


def test_names_of_compiled_code_are_not_taken_for_the_module_that_imports_them(
    look: Callable[..., str], project: Path
) -> None:
    package = project / "deep"
    package.mkdir()
    (package / "__init__.py").write_text(
        '"""Of the deep."""\n\nfrom ._compiled import dive, rise\n'
    )
    (package / "_compiled.so").touch()
    (package / "__init__.pyi").write_text("def dive(metres: float) -> None: ...\n")
    found = look("deep.dive")
    assert "def dive(metres: float) -> None" in found
    assert "Of the deep" not in found
    assert look("deep.rise") == (
        "# rise\n\nError: The symbol `deep.rise` was not found in the project or its packages."
    )


def test_a_module_under_another_name_is_shown_as_what_it_is(look: Callable[..., str]) -> None:
    assert "posixpath.py:1`" in look("os.path")


def test_broken_code_does_not_keep_the_rest_from_being_found(
    look: Callable[..., str], project: Path
) -> None:
    (project / "broken.py").write_text("def good():\n    return 1\n\ndef bad(:\n")
    assert "def good():\n    return 1" in look("broken.good")


def test_what_only_importing_finds_is_imported_when_that_is_wanted(project: Path) -> None:
    with connect(Server("s", tools=[tool])) as peer:
        name = "seas.tides.made_while_running"
        unknown = peer.call("PythonSymbolDefinition", symbols=name)
        assert "was not found" in unknown.text
        found = peer.call("PythonSymbolDefinition", symbols=f"{name}, seas.nothing", live=True)
    assert f"**Name:** `{name}` (function, imported)" in found.text
    assert 'globals()["made_while_running"] = lambda hour: hour' in found.text
    assert "`seas.nothing` could not be looked up: AttributeError" in found.text
    assert (project / "IMPORTED").exists()
    assert "seas" not in sys.modules


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"symbols": " , "}, "`symbols` contains no names"),
        ({"symbols": "x", "file": "gone.py"}, "the file does not exist: gone.py"),
        ({"symbols": "x", "file": "/etc/passwd"}, "is outside the folders"),
    ],
)
def test_what_cannot_be_looked_up_is_reported(arguments: dict[str, object], told: str) -> None:
    with connect(Server("s", tools=[tool])) as peer:
        answer = peer.call("PythonSymbolDefinition", arguments)
    assert answer.is_error
    assert told in answer.text
