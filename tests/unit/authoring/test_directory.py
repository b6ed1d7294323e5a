"""Registering what the files of a directory define."""

import logging
import textwrap
from pathlib import Path

import pytest

from paddock import PaddockError, Server
from tests.behaviour.wire import STATELESS
from tests.conftest import Connect


def write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(textwrap.dedent(text), encoding="utf-8")


def names(server: Server) -> list[str]:
    return [tool.name for tool in server.tools]


def test_one_or_several_items_a_file_are_registered(connect: Connect, tmp_path: Path) -> None:
    write(
        tmp_path / "tools" / "one.py",
        """
        from paddock import Tool

        tool = Tool("one", lambda: "1")
        """,
    )
    write(
        tmp_path / "tools" / "several.py",
        """
        from paddock import Tool

        first = Tool("first", lambda: "a")
        second = Tool("second", lambda: "b")
        again = first
        _hidden = Tool("hidden", lambda: "c")
        """,
    )
    write(
        tmp_path / "prompts" / "greet.py",
        """
        from paddock import Prompt

        prompt = Prompt("greet", "Hello {name}")
        """,
    )
    write(
        tmp_path / "resources" / "notes.py",
        """
        from paddock import Resource, ResourceTemplate

        notes = Resource("notes://all", lambda: "all")
        note = ResourceTemplate("notes://{name}", lambda name: name)
        """,
    )
    server = Server("s", auto_register_dir=tmp_path)
    line = connect(server, STATELESS)
    assert names(server) == ["one", "first", "second"]
    assert line.text("second") == "b"
    assert [prompt["name"] for prompt in line.result("prompts/list")["prompts"]] == ["greet"]
    assert len(line.result("resources/list")["resources"]) == 1
    assert len(line.result("resources/templates/list")["resourceTemplates"]) == 1


def test_a_list_of_items_is_registered(tmp_path: Path) -> None:
    write(
        tmp_path / "tools" / "many.py",
        """
        from paddock import Tool

        tools = [Tool(f"tool_{number}", lambda: "") for number in range(3)]
        """,
    )
    assert names(Server("s", auto_register_dir=tmp_path)) == ["tool_0", "tool_1", "tool_2"]


def test_functions_count_where_there_are_no_items(connect: Connect, tmp_path: Path) -> None:
    write(
        tmp_path / "tools" / "math.py",
        '''
        from __future__ import annotations

        from dataclasses import dataclass
        from os.path import join

        @dataclass
        class Pair:
            left: int
            right: int

        def add(pair: Pair) -> int:
            """Adds."""
            return pair.left + pair.right

        async def twice(number: int) -> int:
            return _double(number)

        def _double(number):
            return 2 * number
        ''',
    )
    write(
        tmp_path / "prompts" / "ask.py",
        """
        def ask(what: str) -> str:
            return f"Ask {what}"
        """,
    )
    server = Server("s", auto_register_dir=tmp_path)
    line = connect(server, STATELESS)
    assert names(server) == ["add", "twice"]
    assert line.text("add", {"pair": {"left": 1, "right": 2}}) == "3"
    assert line.text("twice", {"number": 2}) == "4"
    (prompt,) = line.result("prompts/list")["prompts"]
    assert prompt["arguments"] == [{"name": "what", "required": True}]


BROKEN = {
    "syntax.py": "def broken(:",
    "raising.py": "raise LookupError('no such thing')",
    "leaving.py": "raise SystemExit(3)",
    "importing.py": "import nowhere_to_be_found",
    "empty.py": "",
    "wrong.py": "from paddock import Tool\ntool = Tool('not a name', lambda: '')",
    "bytes.py": "x = '\udcff'",
}


def test_a_file_that_cannot_be_used_is_reported_and_never_stops_the_others(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    tools = tmp_path / "tools"
    write(tools / "a_good.py", "def a_good() -> str:\n    return ''\n")
    write(tools / "z_good.py", "def z_good() -> str:\n    return ''\n")
    for name, text in BROKEN.items():
        (tools / name).write_bytes(text.encode("utf-8", "surrogateescape"))
    server = Server("s", auto_register_dir=tmp_path)
    assert names(server) == ["a_good", "z_good"]
    reported = [
        record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING
    ]
    for name in BROKEN:
        assert any(name in message for message in reported), name
    assert any("no such thing" in message for message in reported)
    assert any("nowhere_to_be_found" in message for message in reported)


def test_other_files_are_left_alone(tmp_path: Path) -> None:
    for name in ("_private.py", "notes.txt", "__init__.py", "sub/deep.py"):
        write(tmp_path / "tools" / name, "raise AssertionError")
    write(tmp_path / "other.py", "raise AssertionError")
    write(tmp_path / "tools" / "good.py", "def good() -> str:\n    return ''\n")
    assert names(Server("s", auto_register_dir=tmp_path)) == ["good"]


def test_an_empty_directory_is_not_a_fault(tmp_path: Path) -> None:
    assert names(Server("s", auto_register_dir=tmp_path)) == []


def test_a_directory_that_is_not_there_is_refused_with_its_path(tmp_path: Path) -> None:
    with pytest.raises(PaddockError, match="nowhere"):
        Server("s", auto_register_dir=tmp_path / "nowhere")


@pytest.mark.parametrize(
    "program",
    [
        "server = Server('s', auto_register_dir='parts')",
        "server = Server('s').auto_register('parts')",
    ],
)
def test_a_relative_path_counts_from_the_file_that_makes_the_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str
) -> None:
    write(tmp_path / "project" / "parts" / "tools" / "hi.py", "def hi() -> str:\n    return ''\n")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    file = tmp_path / "project" / "app.py"
    made: dict[str, object] = {"__file__": str(file), "Server": Server}
    code = compile(program, str(file), "exec")
    exec(code, made)  # noqa: S102 - the test's own program
    server = made["server"]
    assert isinstance(server, Server)
    assert names(server) == ["hi"]


def test_two_directories_with_files_of_one_name_do_not_disturb_each_other(
    connect: Connect, tmp_path: Path
) -> None:
    for place in ("one", "two"):
        write(
            tmp_path / place / "tools" / "where.py",
            f"""
            from dataclasses import dataclass

            HERE = {place!r}

            def where() -> str:
                return HERE
            """,
        )
    one = Server("s", auto_register_dir=tmp_path / "one")
    two = Server("s", auto_register_dir=tmp_path / "two")
    assert connect(one, STATELESS).text("where") == "one"
    assert connect(two, STATELESS).text("where") == "two"


def test_a_file_knows_where_it_is(connect: Connect, tmp_path: Path) -> None:
    write(
        tmp_path / "tools" / "use.py",
        """
        from pathlib import Path

        HERE = Path(__file__).parent.name

        def use() -> str:
            return HERE
        """,
    )
    server = Server("s", auto_register_dir=tmp_path)
    assert connect(server, STATELESS).text("use") == "tools"


def test_directories_and_objects_in_skills_are_registered(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    good = "---\nname: good\ndescription: d\n---\n"
    write(tmp_path / "skills" / "good" / "SKILL.md", good)
    write(tmp_path / "skills" / "bad" / "SKILL.md", good)
    write(tmp_path / "skills" / "plain" / "README.md", "no skill")
    write(
        tmp_path / "skills" / "written.py",
        """
        from paddock import Skill

        skill = Skill("written", "d", "# Body")
        """,
    )
    with caplog.at_level(logging.ERROR, "paddock"):
        server = Server("s", auto_register_dir=tmp_path)
    assert server.skills.names() == ["written", "good"]
    (record,) = caplog.records
    assert "the name 'good' (expected 'bad'" in record.getMessage()
