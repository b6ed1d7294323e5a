"""`validate` finds what is wrong with a server: the user's, a file, or one of an extension."""

from pathlib import Path

import pytest

from paddock import LoadError, PaddockError, create_server, get_server, validate
from tests.command_line.program import Program
from tests.extensions import samples
from tests.extensions.conftest import put_on_path

DEFINITION = """
tools = ["DemoDice", "DemoDise", "plain/Echo", "plain/Nothing", "tools.py:add", "tools.py:sub",
         { name = "inline", function = "tools.py:sub" }]
prompts = ["Nothing"]
"""
FOUND = [
    ("unknown-tool", "tools[1]"),
    ("item-not-declared", "tools[3]"),
    ("reference-not-found", "tools[5]"),
    ("reference-not-found", "function"),
    ("unknown-prompt", "prompts[0]"),
]


@pytest.fixture
def definition(tmp_path: Path) -> Path:
    """A definition file with references to a file beside it."""
    code = "print('hello')\ndef add(a: int) -> int:\n    '''Add.'''\n    return a"
    (tmp_path / "tools.py").write_text(code, encoding="utf-8")
    file = tmp_path / "Mine.toml"
    file.write_text(DEFINITION, encoding="utf-8")
    return file


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("static", [False, True])
def test_names_and_references_in_a_definition_file_are_followed(
    definition: Path, *, static: bool
) -> None:
    found = validate(definition, static=static)
    assert [(one.code, one.place.key) for one in found.findings] == FOUND
    assert found.servers == ("Mine",)
    assert found.tools[0] == "DemoDice"
    assert found.tools[-1] == "inline"


def test_a_definition_that_cannot_be_read_has_its_line(tmp_path: Path) -> None:
    file = tmp_path / "Bad.toml"
    file.write_text('title = "x"\ntoools = []\n', encoding="utf-8")
    (one,) = validate(file).findings
    assert (one.code, one.place.line, one.remedy) == (
        "invalid-server",
        2,
        "did you mean tools?",
    )


@pytest.mark.usefixtures("installed")
def test_named_servers_are_validated_by_their_names() -> None:
    create_server("Mine", tools=["DemoDice"])
    for name in ("Mine", "Demo", "acme/charts/Charts", "acme/charts/Code", "deep/Small"):
        found = validate(name)
        assert found.is_valid, found.findings
        assert found.kind == "server"
        assert found.servers == (name,)
    assert validate("mines/Boom", static=True).is_valid


def test_objects_that_are_stored_with_a_server_are_found_or_missed(tmp_path: Path) -> None:
    table = {"name": "twice", "description": "Twice", "function": lambda text: text * 2}
    create_server("Kept", tools=[table], pickle=True)
    assert validate("Kept").findings == ()
    for file in (tmp_path / "data").rglob("*.pkl"):
        file.unlink()
    assert [one.code for one in validate("Kept").findings] == ["reference-not-found"]
    assert validate("Kept", static=True).findings == ()


def test_what_comes_with_paddock_has_no_faults() -> None:
    assert validate("paddock").findings == ()


def test_what_is_nothing_is_not_a_finding_but_an_error(tmp_path: Path) -> None:
    (tmp_path / "note.txt").touch()
    for target in ("", "Nothing", "no/where.whl", tmp_path / "note.txt"):
        with pytest.raises(LoadError):
            validate(target)
    with pytest.raises(PaddockError) as caught:
        validate("acme/nothing/Nothing")
    assert caught.value.code == "extension-not-installed"


HOSTILE = "import pathlib; pathlib.Path('touched').touch()"


@pytest.fixture
def namesake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with Python in what is called like an extension and a distribution."""
    monkeypatch.chdir(tmp_path)
    for place in (tmp_path / "acme" / "charts", tmp_path / "acme-charts"):
        (place / "agenttools" / "tools").mkdir(parents=True)
        (place / "paddock.toml").write_text('tools = ["Own"]', encoding="utf-8")
        (place / "agenttools" / "tools" / "Own.py").write_text(HOSTILE, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("name", ["acme/charts", "acme-charts", "Acme_Charts"])
def test_a_name_is_never_a_path(namesake: Path, installed: Path, name: str) -> None:
    found = validate(name)
    assert found.servers == ("acme/charts/Charts", "acme/charts/Code")
    assert found.places == (str(installed / "acme_charts"),)
    assert found.beside == (name if (namesake / name).exists() else None)
    assert not (namesake / "touched").exists()


def test_a_path_is_what_is_written_as_one(namesake: Path) -> None:
    for text in ("./acme/charts", "acme/charts/", str(namesake / "acme" / "charts")):
        found = validate(text)
        assert found.tools == ("charts/Own",)
        assert found.places == (str(namesake / "acme" / "charts"),)
        (namesake / "touched").unlink()


def test_a_path_that_is_not_written_as_one_is_pointed_out(namesake: Path) -> None:
    with pytest.raises(LoadError) as caught:
        validate("acme-charts")
    assert caught.value.hint == ("to validate acme-charts here, write ./acme-charts")
    assert not (namesake / "touched").exists()


@pytest.mark.usefixtures("installed")
def test_a_qualified_name_that_leads_nowhere_says_why() -> None:
    with pytest.raises(PaddockError) as caught:
        validate("acme/charts/Chart")
    with pytest.raises(PaddockError) as known:
        get_server("acme/charts/Chart")
    assert caught.value.code == "item-not-declared"
    assert (caught.value.message, caught.value.hint) == (known.value.message, known.value.hint)


def test_the_command_says_what_it_has_looked_at(
    paddock: Program, installed: Path, namesake: Path
) -> None:
    lines = paddock.at(namesake)("validate", "acme-charts").out.splitlines()
    assert f"checked    {installed / 'acme_charts'}" in lines
    assert "not acme-charts here: pass ./acme-charts to check that" in lines


def test_the_command_says_what_is_wrong_and_what_to_do(paddock: Program, definition: Path) -> None:
    said = paddock("validate", str(definition))
    assert said.code == 1
    lines = said.out.splitlines()
    assert lines[0] == str(definition)
    assert lines[1] == (
        "  error    2  tools[1]: there is no tool named 'DemoDise', declared here or built in"
        "  [unknown-tool]"
    )
    assert lines[2] == "           did you mean DemoDice?"
    assert lines[-1] == f"{definition} is invalid: 5 errors, 0 warnings"
    assert "hello" not in said.out


def test_the_command_prints_json(paddock: Program, definition: Path) -> None:
    found = paddock("validate", "--json", str(definition)).json
    assert found["is_valid"] is False
    assert [(one["code"], one["place"]["key"]) for one in found["findings"]] == FOUND
    assert set(found["findings"][0]) == {"code", "severity", "place", "message", "remedy"}


def test_warnings_count_only_when_the_command_is_strict(paddock: Program) -> None:
    lenient, strict = (
        paddock("validate", "acme/charts"),
        paddock("validate", "acme/charts", "--strict"),
    )
    assert (lenient.code, strict.code) == (0, 1)
    assert "is valid: 0 errors" in lenient.out
    assert "is invalid: 0 errors" in strict.out
    said = paddock("validate", "acme/charts", "--static").out
    assert "Python definition files read, not run: 3" in said


def test_the_command_says_when_there_is_nothing_to_validate(paddock: Program) -> None:
    said = paddock("validate", "Nothing")
    assert (said.code, said.out) == (2, "")
    assert "nor a server" in said.err


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("static", [False, True])
def test_what_a_server_names_is_looked_at_in_other_extensions(
    tmp_path: Path, *, static: bool
) -> None:
    file = tmp_path / "Mine.toml"
    file.write_text('tools = ["plain/Echo", "plain/Twice", "plain/Lost"]', encoding="utf-8")
    found = validate(file, static=static)
    assert [(one.code, Path(one.place.file).name) for one in found.findings] == [
        ("unreadable-definition", "Twice.py"),
        ("unreadable-definition", "tools.py"),
    ]


def test_a_server_of_an_extension_is_as_good_as_its_items(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {
        "brittle/__init__.py": "",
        "brittle/paddock.toml": 'tools = ["Good", "Bad"]\nservers = [["A", "a"], ["B", "b"]]',
        "brittle/agenttools/tools/Good.py": "def tool() -> str:\n    '''Good.'''",
        "brittle/agenttools/tools/Bad.py": "raise ValueError",
        "brittle/agenttools/servers/A.toml": 'tools = ["Good"]',
        "brittle/agenttools/servers/B.toml": 'tools = ["Good", "Bad"]',
    }
    project = samples.write(tmp_path, "brittle", "brittle = brittle", files)
    put_on_path(monkeypatch, samples.install(samples.build([project], tmp_path), tmp_path / "site"))
    assert validate("brittle/A").findings == ()
    assert [one.code for one in validate("brittle/B").findings] == ["unreadable-definition"]


def test_a_server_of_the_users_may_refer_to_any_file(tmp_path: Path) -> None:
    code = tmp_path / "elsewhere" / "tools.py"
    code.parent.mkdir()
    code.write_text("def add(a: int) -> int:\n    '''Add.'''\n    return a", encoding="utf-8")
    create_server("Stat", tools=[f"{code}:add"])
    assert validate("Stat").findings == validate("Stat", static=True).findings == ()
    code.write_text("", encoding="utf-8")
    (one,) = validate("Stat", static=True).findings
    assert one.code == "reference-not-found"


LOUD = """
import os, sys
os.write(1, b"by number")
sys.__stdout__.write("by another name")
print("as usual")
def tool() -> str:
    '''Be loud.'''
"""


def test_nothing_that_a_definition_prints_disturbs_the_report(
    paddock: Program, tmp_path: Path
) -> None:
    files = {
        "loud/__init__.py": "",
        "loud/paddock.toml": "tools = ['A']",
        "loud/agenttools/tools/A.py": LOUD,
    }
    project = samples.write(tmp_path, "loud", "loud = loud", files)
    said = paddock("validate", "--json", f"{project}")
    assert said.json["is_valid"] is True
    assert [word in said.err for word in ("by number", "by another name", "as usual")] == [True] * 3


@pytest.mark.usefixtures("installed")
def test_json_says_what_strict_makes_of_warnings(paddock: Program) -> None:
    said = [paddock("validate", "--json", *words, "acme/charts") for words in ((), ("--strict",))]
    keys = ("is_valid", "is_strict", "passes")
    assert [tuple(one.json[key] for key in keys) for one in said] == [
        (True, False, True),
        (True, True, False),
    ]
    assert [one.code for one in said] == [0, 1]
