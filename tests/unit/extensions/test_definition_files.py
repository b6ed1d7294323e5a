"""Which file holds an item, and what it holds."""

import tomllib
from pathlib import Path

import pytest

from paddock import LoadError, Prompt, Server, Tool
from paddock.extensions.definition_files import find_definition_file
from paddock.extensions.manifest import ItemKind
from tests.unit.extensions.places import write


def load(root: Path, kind: ItemKind = "tools", item: str = "Plot") -> object:
    file = find_definition_file(root, kind, item)
    assert file is not None
    return file.load()


def test_an_item_without_a_file_has_no_definition(tmp_path: Path) -> None:
    assert find_definition_file(tmp_path, "tools", "Plot") is None


def test_python_is_looked_for_before_toml_and_toml_before_json(tmp_path: Path) -> None:
    write(tmp_path / "tools" / "Plot.json", '{"name": "from json"}')
    assert load(tmp_path) == {"name": "from json"}
    write(tmp_path / "tools" / "Plot.toml", 'name = "from toml"')
    assert load(tmp_path) == {"name": "from toml"}
    write(tmp_path / "tools" / "Plot.py", 'tool = {"name": "from python"}')
    assert load(tmp_path) == {"name": "from python"}


def test_a_file_of_its_own_wins_over_a_combined_one(tmp_path: Path) -> None:
    write(tmp_path / "tools.toml", '[Plot]\nname = "combined"\n[Table]\nname = "table"')
    assert load(tmp_path) == {"name": "combined"}
    write(tmp_path / "tools" / "Plot.json", '{"name": "own"}')
    assert load(tmp_path) == {"name": "own"}
    assert load(tmp_path, item="Table") == {"name": "table"}


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("tools/Plot.py", "tool ="),
        ("tools/Plot.py", "import no_such_module_here"),
        ("tools/Plot.toml", "name ="),
        ("tools/Plot.json", "{"),
    ],
)
def test_a_broken_file_of_its_own_is_an_error_all_the_same(
    tmp_path: Path, file: str, text: str
) -> None:
    write(tmp_path / "tools.toml", '[Plot]\nname = "combined"')
    broken = write(tmp_path / file, text)
    with pytest.raises(LoadError) as raised:
        load(tmp_path)
    assert str(raised.value.where).startswith(str(broken))


@pytest.mark.parametrize(
    "text",
    [
        "tool = Tool('plot', print)",
        "tool = Tool('plot', print); other = Tool('other', print)",
        "Plot = Tool('plot', print); other = Tool('other', print)",
        "anything = Tool('plot', print)",
        "anything = Tool('plot', print); again = anything; table = {}",
    ],
)
def test_a_python_file_holds_an_item_by_a_known_name_or_as_the_only_one(
    tmp_path: Path, text: str
) -> None:
    write(tmp_path / "tools" / "Plot.py", f"from paddock import Tool\n{text}")
    found = load(tmp_path)
    assert isinstance(found, Tool)
    assert found.name == "plot"


def test_a_python_file_may_hold_a_table_or_a_function(tmp_path: Path) -> None:
    write(tmp_path / "tools" / "Plot.py", "table = {'name': 'plot'}")
    assert load(tmp_path) == {"name": "plot"}
    write(tmp_path / "tools" / "Table.py", "from textwrap import dedent\ndef table(): ...")
    assert getattr(load(tmp_path, item="Table"), "__name__", None) == "table"


def test_prompts_and_servers_are_found_in_the_same_way(tmp_path: Path) -> None:
    write(
        tmp_path / "prompts" / "Explain.py",
        "from paddock import Prompt\nprompt = Prompt('explain', 'Explain it')",
    )
    write(tmp_path / "servers" / "Charts.py", "from paddock import Server\nmine = Server('charts')")
    assert isinstance(load(tmp_path, "prompts", "Explain"), Prompt)
    assert isinstance(load(tmp_path, "servers", "Charts"), Server)


@pytest.mark.parametrize(
    "text",
    [
        "tools = {'Plot': {'name': 'plot'}, 'Table': {'name': 'table'}}",
        "Plot = {'name': 'plot'}; Table = {'name': 'table'}",
    ],
)
def test_a_combined_python_file_holds_items_by_their_names(tmp_path: Path, text: str) -> None:
    write(tmp_path / "tools.py", text)
    assert load(tmp_path) == {"name": "plot"}


@pytest.mark.parametrize(
    "text",
    [
        "tools = [Tool('Table', print), Tool('Plot', print)]",
        "a = Tool('Table', print); b = Tool('Plot', print)",
    ],
)
def test_a_combined_python_file_holds_objects_of_these_names(tmp_path: Path, text: str) -> None:
    write(tmp_path / "tools.py", f"from paddock import Tool\n{text}")
    found = load(tmp_path)
    assert isinstance(found, Tool)
    assert found.name == "Plot"


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("tools/Plot.py", "x = 1"),
        ("tools/Plot.py", "a = {'name': 'a'}; b = {'name': 'b'}"),
        ("tools.py", "tools = {'Table': {}}"),
        ("tools.toml", '[Table]\nname = "table"'),
        ("tools.json", "[]"),
    ],
)
def test_a_file_without_the_item_is_reported(tmp_path: Path, file: str, text: str) -> None:
    place = write(tmp_path / file, text)
    with pytest.raises(LoadError) as raised:
        load(tmp_path)
    assert raised.value.message == "contains no definition of the tool 'Plot'"
    assert raised.value.where == str(place)


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every text that the parser of the standard library is given."""
    given: list[str] = []
    parse = tomllib.loads

    def loads(text: str) -> dict[str, object]:
        given.append(text)
        return parse(text)

    monkeypatch.setattr(tomllib, "loads", loads)
    return given


def test_a_combined_file_is_parsed_once_for_all_its_items(
    tmp_path: Path, parsed: list[str]
) -> None:
    text = "\n".join(f'[T{number}]\nname = "t{number}"' for number in range(20))
    write(tmp_path / "tools.toml", text)
    found = [load(tmp_path, item=f"T{number}") for number in range(20)]
    assert found == [{"name": f"t{number}"} for number in range(20)]
    assert len(parsed) == 1


def test_a_combined_file_that_has_changed_is_parsed_again(tmp_path: Path) -> None:
    write(tmp_path / "tools.toml", '[Plot]\nname = "first"')
    assert load(tmp_path) == {"name": "first"}
    write(tmp_path / "tools.toml", '[Plot]\nname = "the second"')
    assert load(tmp_path) == {"name": "the second"}


def test_what_a_combined_file_gives_is_not_shared(tmp_path: Path) -> None:
    write(tmp_path / "tools.toml", '[Plot]\nname = "plot"')
    found = load(tmp_path)
    assert isinstance(found, dict)
    found.clear()
    assert load(tmp_path) == {"name": "plot"}


@pytest.mark.parametrize("file", ["tools/Plot.toml", "tools/Plot.json", "tools.toml"])
def test_a_definition_that_is_too_long_is_not_read(tmp_path: Path, file: str) -> None:
    write(tmp_path / file, "#" * 2_000_001)
    with pytest.raises(LoadError, match="longer than 2,000,000 bytes"):
        load(tmp_path)
