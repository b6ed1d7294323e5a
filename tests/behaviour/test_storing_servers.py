"""Server definitions are written to files without loss."""

import functools
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from paddock import (
    LoadError,
    Option,
    Parameter,
    PromptArgument,
    ServerDefinitionError,
    Template,
    Tool,
    create_server,
    edit_server,
    get_server,
)
from paddock.extensions.errors import ToolSpecificationError
from paddock.named_servers.api import rewrite_server
from paddock.testing import connect
from tests.behaviour.line import PATIENCE

pytestmark = pytest.mark.usefixtures("servers")

GARDEN = """
from paddock import Context, Option, Tool

def plants() -> list[str]:
    return ["rose", "oak"]

def trees() -> list[str]:
    return ["oak"]

def grow(ctx: Context, days: int = 1) -> float:
    return days * ctx.options["speed"]

grower = Tool("grow", grow, options={"speed": Option(1.5, float), "kind": Option("tree", str)})
"""


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, with a file of tools."""
    place = tmp_path / "work"
    place.mkdir()
    (place / "garden.py").write_text(GARDEN, encoding="utf-8")
    monkeypatch.chdir(place)
    return place


def program(place: Path, text: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a user's program in its own directory."""
    file = place / "program.py"
    file.write_text(textwrap.dedent(text), encoding="utf-8")
    return subprocess.run(
        [sys.executable, *(arguments or [file.name])],
        cwd=place,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )


def test_editing_leaves_relative_paths_and_comments_as_they_are(servers: Path, work: Path) -> None:
    (servers / "garden.py").write_text(GARDEN, encoding="utf-8")
    text = 'title = "Old"\ntools = [\n    "garden.py:plants",  # beside this file\n]\n'
    (servers / "Garden.toml").write_text(text, encoding="utf-8")
    edit_server("Garden", title="New")
    edited = (servers / "Garden.toml").read_text(encoding="utf-8")
    assert edited == text.replace("Old", "New")
    edit_server("Garden", tools=["garden.py:plants", "garden.py:trees"])
    assert get_server("Garden").definition.tools == [
        *("garden.py:plants", f"{work / 'garden.py'}:trees")
    ]
    assert "# beside this file" in (servers / "Garden.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize("key", ["Type", "type"])
def test_a_template_is_stored_as_a_template_whatever_its_declared_type(key: str) -> None:
    prompt = {
        "Name": "Greet",
        key: "Text",
        "Arguments": [{"Name": "name", "Required": True}],
        "Content": Template("Hello, {name}!"),
    }
    create_server("polite", prompts=[prompt])
    with connect(get_server("polite").load()) as peer:
        message = peer.prompt("Greet", {"name": "Ada"}).messages[0]
        assert message.content.text == "Hello, Ada!"  # type: ignore[union-attr]  # a text


def test_a_function_that_only_the_program_itself_has_is_refused(servers: Path, work: Path) -> None:
    ended = program(
        work,
        """
        import paddock
        if __name__ == "__main__":
            def local() -> int:
                return 1
            try:
                paddock.create_server("no", tools=[local])
            except paddock.LoadError as error:
                print(error.message, error.hint)
        """,
    )
    assert "there is no 'local', when a client starts the server" in ended.stdout, ended.stderr
    assert "at the top level of the file" in ended.stdout
    assert list(servers.iterdir()) == []


def test_a_module_that_only_this_directory_has_is_refused(servers: Path, work: Path) -> None:
    ended = program(
        work,
        """
        import paddock
        try:
            paddock.create_server("no", tools=["garden:plants"])
        except paddock.LoadError as error:
            print(error.message, error.hint)
        """,
    )
    assert "there is no module 'garden', when a client starts the server" in ended.stdout, (
        ended.stderr
    )
    assert "use the path of a file" in ended.stdout
    assert list(servers.iterdir()) == []


def test_a_module_of_a_package_that_is_run_by_its_name_is_refused_unless_it_is_found(
    servers: Path, work: Path
) -> None:
    package = work / "pk"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "words.py").write_text("WORD = 'hello'\n", encoding="utf-8")
    (package / "prog.py").write_text(
        "import paddock\n"
        "from .words import WORD\n"
        "def word() -> str:\n"
        "    return WORD\n"
        "if __name__ == '__main__':\n"
        "    try: paddock.create_server('pk', tools=[word])\n"
        "    except paddock.PaddockError as error: print(error)\n",
        encoding="utf-8",
    )
    ended = program(work, "", "-m", "pk.prog")
    assert "relative import" in ended.stdout, ended.stderr
    assert list(servers.iterdir()) == []


def test_a_function_of_a_package_that_is_not_installed_can_be_stored_as_it_is(work: Path) -> None:
    package = work / "pk"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "words.py").write_text("def word():\n    return 'hello'\n", encoding="utf-8")
    (package / "tools.py").write_text(
        "from pk.words import word\ndef say() -> str:\n    return word()\n", encoding="utf-8"
    )
    ended = program(
        work,
        """
        import paddock
        from pk.tools import say
        paddock.create_server("pickled", tools=[say], pickle=True)
        """,
    )
    assert ended.stderr == ""
    with connect([sys.executable, "-m", "paddock", "serve", "pickled"]) as peer:
        assert peer.call("say").text == "hello"


def test_what_a_client_would_not_find_is_not_left_behind(servers: Path, work: Path) -> None:
    ended = program(
        work,
        """
        import paddock, garden
        class Odd:
            def __reduce__(self):
                return (__import__, ("garden",))
        def odd(value=Odd()) -> int:
            return 1
        try:
            paddock.create_server("no", tools=[paddock.Tool("x", lambda: odd)], pickle=True)
        except paddock.LoadError as error:
            print(error.message)
        """,
    )
    assert "No module named 'garden'" in ended.stdout, ended.stderr
    assert list(servers.iterdir()) == []


def test_values_that_a_tool_was_given_are_stored(work: Path) -> None:
    ended = program(
        work,
        """
        import paddock
        from garden import grower, grow
        fast = grower.with_options({"speed": 3})
        slow = paddock.Tool("grow", grow, options={"speed": 1.0}).with_options({"speed": 0.5})
        paddock.create_server("fast", tools=[grower.with_options({"speed": 3})])
        paddock.create_server("both", tools=[grower.with_options({"speed": 3}), slow, grower])
        """,
    )
    assert ended.stderr == ""
    assert get_server("fast").options == {"grow": {"speed": 3.0}}
    with connect([sys.executable, "-m", "paddock", "serve", "both"]) as peer:
        said = [peer.call(f"grow{n}", {"days": 2}).text for n in (1, 2, 3)]
    assert said == ["6.0", "1.0", "3.0"]


def test_text_for_an_option_is_stored_as_what_the_option_takes(work: Path) -> None:
    tools = [f"{work / 'garden.py'}:grower"]
    given = {"grow": {"speed": "4.5", "kind": "5"}}
    create_server("grown", tools=tools, options=given)
    assert get_server("grown").options == {"grow": {"speed": 4.5, "kind": "5"}}


def test_three_who_add_at_once_while_imports_are_slow_lose_nothing(
    servers: Path, work: Path
) -> None:
    slow = work / "slow.py"
    slow.write_text(
        "import time\ntime.sleep(0.5)\ndef a(): ...\ndef b(): ...\ndef c(): ...\n", encoding="utf-8"
    )
    create_server("shared", tools=["DemoGreet"])
    edits = [
        subprocess.Popen(
            [sys.executable, "-m", "paddock", "edit", "shared", "--add-tool", f"slow.py:{name}"],
            cwd=work,
            stdout=subprocess.DEVNULL,
        )
        for name in "abc"
    ]
    assert [process.wait(PATIENCE) for process in edits] == [0, 0, 0]
    assert sorted(get_server("shared").tool_names) == ["a", "b", "c", "greet"]


def test_a_text_does_not_replace_what_someone_else_has_written(servers: Path) -> None:
    create_server("one", tools=["DemoGreet"])
    file = servers / "one.toml"
    since = file.read_text(encoding="utf-8")
    edit_server("one", title="Theirs")
    with pytest.raises(ServerDefinitionError, match="has been changed since it was opened"):
        rewrite_server("one", since.replace("DemoGreet", "DemoDice"), since)
    assert get_server("one").title == "Theirs"


def test_changes_are_made_of_the_definition_as_it_is() -> None:
    create_server("one", tools=["DemoGreet"])
    edit_server("one", lambda before: {"tools": [*before.tools, "DemoDice"]}, title="Two")
    server = get_server("one")
    assert (server.tool_names, server.title) == (["greet", "roll_dice"], "Two")


class Adder:
    def __call__(self, a: int) -> int:
        return a + 1


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (lambda: 1, "a lambda has no name"),
        (functools.partial(int, "7"), "no module has it at its top"),
        (Adder(), "no module has it at its top"),
    ],
)
def test_a_function_without_a_name_is_refused_for_its_source_and_then_for_its_name(
    function: Callable[..., Any], reason: str
) -> None:
    with pytest.raises(ServerDefinitionError, match=reason):
        create_server("no", tools=[function])
    with pytest.raises(ToolSpecificationError, match="has no name") as refusal:
        create_server("no", tools=[function], pickle=True)
    assert 'Tool("name", …)' in str(refusal.value.hint)
    create_server("yes", tools=[Tool("named", function)], pickle=True)
    assert get_server("yes").tool_names == ["named"]


def test_every_form_that_is_accepted_can_be_stored() -> None:
    def tool(name: str, **more: object) -> dict[str, object]:
        return {"Name": name, "Function": "json:dumps", **more}

    create_server(
        "forms",
        {"Temperature": None, "Sizes": (1, 2)},
        tools=[
            tool("pairs", Parameters=[("x", {"Interpreter": "Integer", "Default": None})]),
            tool("objects", parameters=(Parameter("x", "integer"),)),
            tool(
                "options", parameters=[], options={"n": Option(5, description="how many"), "m": 2}
            ),
            tool("nothing", parameters=[], description=None, annotations={"title": None}),
        ],
        prompts=[
            {"Name": "a", "Content": "A", "Arguments": ({"Name": "x"},)},
            {
                "Name": "b",
                "Content": "B",
                "Arguments": [PromptArgument("x", "what", required=True)],
            },
        ],
        options={"options": {"n": 6}},
    )
    with connect(get_server("forms").load()) as peer:
        assert [tool.name for tool in peer.tools()] == ["pairs", "objects", "options", "nothing"]
        assert "x" in str(peer.tools()[0].input_schema["properties"])
        assert [len(prompt.arguments) for prompt in peer.prompts()] == [1, 1]
    assert get_server("forms")["Sizes"] == [1, 2]


def test_half_a_character_is_refused_and_not_a_traceback() -> None:
    with pytest.raises(ServerDefinitionError, match="unpaired surrogate"):
        create_server("cut", tools=["DemoGreet"], title="caf\udce9")
    with pytest.raises(LoadError):
        create_server("cut", tools=["nowhere_at_all:x"])


def test_editing_keeps_the_marks_and_line_ends_of_a_file(servers: Path) -> None:
    file = servers / "win.toml"
    text = '# mine\r\ntitle = "Old"\r\ntools = ["DemoGreet"]\r\n'
    file.write_bytes(b"\xef\xbb\xbf" + text.encode())
    edit_server("win", title="New", description="Said\nin two lines", version="2")
    data = file.read_bytes()
    assert data.startswith(b"\xef\xbb\xbf# mine\r\n")
    assert data.count(b"\n") == data.count(b"\r\n")
    assert get_server("win").description == "Said\nin two lines"


def test_editing_a_list_of_tables_keeps_their_comments(servers: Path) -> None:
    text = (
        'version = "1.0.0"\n\n'
        '# The first.\n[[prompts]]\nname = "a"  # a name\ncontent = "A"\n\n'
        '# The second.\n[[prompts]]\nname = "b"\ncontent = "B"\n'
    )
    (servers / "asks.toml").write_text(text, encoding="utf-8")
    more = {"name": "c", "content": "C", "arguments": [{"name": "x", "required": True}]}
    edit_server("asks", lambda now: {"prompts": [*now.prompts, more]})
    edited = (servers / "asks.toml").read_text(encoding="utf-8")
    assert edited.startswith(text.rstrip())
    assert get_server("asks").prompt_names == ["a", "b", "c"]
    edit_server("asks", lambda now: {"prompts": [now.prompts[0], now.prompts[2]]})
    edited = (servers / "asks.toml").read_text(encoding="utf-8")
    assert 'name = "a"  # a name' in edited
    assert get_server("asks").prompt_names == ["a", "c"]
