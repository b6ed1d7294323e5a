"""What is known of a server before its file is run."""

from pathlib import Path

import pytest

from paddock import LoadError
from paddock.serving.target import PathTarget


def target_of(directory: Path, source: str, attribute: str = "") -> PathTarget:
    file = directory / "garden.py"
    file.write_text(source, encoding="utf-8")
    return PathTarget(f"{file}{attribute}")


def test_literal_facts_are_read_without_running_the_file(tmp_path: Path) -> None:
    source = 'server = Server("g", version="2", instructions="a" "b")\nraise SystemExit'
    target = target_of(tmp_path, source)
    assert target.has_certain_metadata
    assert target.metadata.to_server_info() == {"name": "g", "version": "2"}
    assert target.metadata.instructions == "ab"


@pytest.mark.parametrize(
    "arguments",
    [
        *("name", '"g", version=VERSION', '"g", instructions=f"{x}"', '"g", icons=[]', "**options"),
        *('"g", skills=()', '"g", auto_register_dir=HERE'),
    ],
)
def test_facts_that_only_the_code_knows_are_not_certain(tmp_path: Path, arguments: str) -> None:
    assert not target_of(tmp_path, f"server = Server({arguments})").has_certain_metadata


def test_a_literal_beside_one_that_is_not_is_used(tmp_path: Path) -> None:
    target = target_of(tmp_path, 'server = paddock.Server("g", instructions=text())')
    assert (target.metadata.name, target.has_certain_metadata) == ("g", False)


def test_the_file_names_a_server_that_does_not_name_itself(tmp_path: Path) -> None:
    target = target_of(tmp_path, "from elsewhere import server")
    assert (target.metadata.name, target.has_certain_metadata) == ("garden", False)


def test_of_several_servers_the_named_one_counts(tmp_path: Path) -> None:
    source = 'server = Server("one")\nother = Server("two")'
    assert target_of(tmp_path, source).metadata.name == "one"
    assert target_of(tmp_path, source, ":other").metadata.name == "two"


def test_a_file_with_a_syntax_error_still_has_a_name(tmp_path: Path) -> None:
    assert target_of(tmp_path, "def").metadata.name == "garden"


def test_a_directory_is_certain_and_has_its_own_name(tmp_path: Path) -> None:
    target = PathTarget(str(tmp_path))
    assert (target.metadata.name, target.has_certain_metadata) == (tmp_path.name, True)


@pytest.mark.parametrize("text", ["nowhere.py", "nowhere.py:server", "nowhere/"])
def test_what_does_not_exist_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(LoadError, match="neither a file nor a directory"):
        PathTarget(str(tmp_path / text))


@pytest.mark.parametrize(
    "line",
    [
        'server.skill("a")',
        'server.skills("a")',
        "server.register(Skill(name, text, body))",
        'server.register(Skill.from_directory("a"))',
        'server.register(AppView("ui://a", ""))',
        '@server.tool(ui="ui://a")\ndef a(): ...',
    ],
)
def test_a_server_that_may_have_an_extension_is_not_certain(tmp_path: Path, line: str) -> None:
    assert not target_of(tmp_path, f'server = Server("g")\n{line}').has_certain_metadata


def test_a_directory_to_register_is_certain_unless_it_has_skills(tmp_path: Path) -> None:
    source = 'server = Server("g", auto_register_dir="parts")'
    assert target_of(tmp_path, source).has_certain_metadata
    (tmp_path / "parts" / "skills").mkdir(parents=True)
    assert not target_of(tmp_path, source).has_certain_metadata
    assert not PathTarget(str(tmp_path / "parts")).has_certain_metadata
