"""Named servers from the command line: made, listed, shown, called, changed, deleted."""

import json
from pathlib import Path

import pytest

from tests.command_line.program import Program

TOOLS = '''
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


def shout(text: str) -> str:
    """Say it louder."""
    return text.upper()
'''


@pytest.fixture
def tools(paddock: Program) -> Path:
    file = paddock.work / "tools.py"
    file.write_text(TOOLS, encoding="utf-8")
    return file


def test_a_server_of_ones_own_function_can_be_called_at_once(paddock: Program, tools: Path) -> None:
    made = paddock("create", "Mine", "--tool", "tools.py:add")
    definition = paddock.data / "servers" / "Mine.toml"
    assert (made.code, made.out) == (0, f"Created Mine: {definition}\n")
    assert f'"{tools}:add"' in definition.read_text(encoding="utf-8")
    called = paddock("call", "Mine", "add", "a=1", "b=2")
    assert (called.code, called.out, called.err) == (0, "3\n", "")


def test_every_option_of_create_is_in_the_server(paddock: Program, tools: Path) -> None:
    (paddock.work / "read.me").write_text("Be kind.\n", encoding="utf-8")
    (paddock.work / "start.py").write_text("def begin():\n    pass\n", encoding="utf-8")
    made = paddock(
        *("create", "Mine", "--tool", f"{tools}:add", "--tool", "DemoDice", "--prompt", "DemoTour"),
        *("--resource", "paddock.toolkits.demo.tools:about_resource"),
        *("--instructions", "@read.me", "--initialization", "start.py:begin", "--version", "2.1"),
        *("--title", "My own", "--description", "All mine", "--key", "mine"),
        *("--option", "roll_dice.most_dice=3"),
    )
    assert (made.code, made.err.count("Error")) == (0, 0)
    shown = paddock("show", "Mine", "--json").json
    wanted = {
        "name": "Mine",
        "title": "My own",
        "description": "All mine",
        "version": "2.1",
        "key": "mine",
        "instructions": "Be kind.",
        "initialization": f"{paddock.work}/start.py:begin",
        "options": {"roll_dice": {"most_dice": 3}},
        "tool_names": ["add", "roll_dice"],
        "prompt_names": ["tour"],
        "resource_names": ["demo://about"],
        "installations": [],
        "problem": None,
    }
    assert {key: shown[key] for key in wanted} == wanted


def test_a_definition_file_counts_its_paths_from_where_it_is(paddock: Program, tools: Path) -> None:
    (paddock.work / "mine.toml").write_text('tools = ["tools.py:add"]\n', encoding="utf-8")
    (paddock.work / "mine.json").write_text('{"Tools": ["tools.py:add"]}', encoding="utf-8")
    for ending in ("toml", "json"):
        file = f"work/mine.{ending}"
        elsewhere = paddock.at(paddock.work.parent)
        made = elsewhere("create", ending, "--from", file, "--tool", "work/tools.py:shout")
        assert (made.code, made.err.count("Error")) == (0, 0)
        names = paddock("show", ending, "--property", "tool_names").json
        assert names == ["add", "shout"]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--tool", "tools.py:ad"], "Hint: did you mean add?"),
        (["--tool", "DemoDie"], "Hint: did you mean DemoDice"),
        (["--option", "add"], "Error: --option: Expected TOOL.OPTION=VALUE, got 'add'"),
        (["--instructions", "@missing"], "Error: --instructions: Cannot read missing"),
        (["--from", "missing.toml"], "Hint: paddock create --help describes the command"),
    ],
)
def test_what_cannot_be_made_is_refused_and_leaves_nothing(
    paddock: Program, tools: Path, words: list[str], complaint: str
) -> None:
    said = paddock("create", "Mine", *words)
    assert (said.code, said.out) == (2, "")
    assert complaint in said.err
    assert not (paddock.data / "servers" / "Mine.toml").exists()


def test_a_server_is_overwritten_only_when_that_is_asked_for(paddock: Program, tools: Path) -> None:
    paddock("create", "Mine", "--tool", "tools.py:add")
    again = ("create", "Mine", "--tool", "tools.py:shout")
    refused = paddock(*again)
    assert refused.code == 2
    assert "Hint: add --overwrite" in refused.err
    assert paddock("show", "Mine", "--property", "tool_names").json == ["add"]
    assert paddock("create", "Mine", "--tool", "nowhere:x", "--overwrite").code == 2
    assert paddock("show", "Mine", "--property", "tool_names").json == ["add"]
    assert paddock(*again, "--overwrite").code == 0
    assert paddock("show", "Mine", "--property", "tool_names").json == ["shout"]


def test_a_list_has_broken_servers_too(paddock: Program, tools: Path) -> None:
    paddock("create", "Mine", "--tool", "tools.py:add", "--tool", "DemoDice")
    broken = paddock.data / "servers" / "Wreck.toml"
    broken.write_text("tools = [", encoding="utf-8")
    said = paddock("servers", "--no-built-in")
    assert said.code == 0
    assert said.err.startswith(f"Warning: Wreck is broken: {broken}: not valid TOML")
    assert [line.split() for line in said.out.splitlines()] == [
        ["SERVER", "VERSION", "TOOLS", "PROMPTS", "FROM", "INSTALLED", "IN"],
        ["Mine", "1.0.0", "2", "0", str(paddock.data / "servers" / "Mine.toml")],
        ["Wreck", "broken", str(broken)],
    ]
    listed = paddock("servers", "Wr*", "--json").json
    assert [one["name"] for one in listed] == ["Wreck"]
    assert str(broken) in listed[0]["problem"]
    shown = paddock("show", "Wreck")
    assert (shown.code, "Broken: " in shown.out) == (1, True)


def test_the_built_in_servers_are_listed_and_nothing_else_at_first(paddock: Program) -> None:
    assert [one["name"] for one in paddock("servers", "--json").json] == [
        *(
            "AgentZoo",
            "Demo",
            "Python",
            "PythonDevelopment",
            "Wolfram",
            "WolframAlpha",
            "WolframLanguage",
            "WolframPacletDevelopment",
        ),
    ]
    nothing = paddock("servers", "X*")
    assert (nothing.code, nothing.out, nothing.err) == (0, "", "No server matches 'X*'\n")
    assert paddock("servers", "X*", "--json").json == []


def test_a_property_is_text_or_json(paddock: Program) -> None:
    assert paddock("show", "Demo", "--property", "location").out == "built-in\n"
    assert paddock("show", "Demo", "--property", "location", "--json").out == '"built-in"\n'
    assert paddock("show", "Demo", "--property", "prompt_names").json == ["tour"]
    wrong = paddock("show", "Demo", "--property", "promt_names")
    assert wrong.code == 2
    assert wrong.err.splitlines() == [
        "Error: --property: The server has no property 'promt_names'",
        "Hint: did you mean prompt_names?",
    ]


def test_the_configuration_to_paste_starts_the_server(paddock: Program) -> None:
    pasted = paddock("show", "Demo", "--config").json["mcpServers"]["Demo"]
    called = paddock("call", "greet", "name=Ada", "--", pasted["command"], *pasted["args"])
    assert (called.code, called.out) == (0, "Hello, Ada!\n")


def test_an_unknown_server_is_answered_with_the_nearest(paddock: Program) -> None:
    plain = (["show", "Dmo"], ["inspect", "Dmo"], ["delete", "Dmo"], ["serve", "Dmo"])
    for words in (*plain, ["call", "Dmo", "greet"], ["serve", "--named", "Dmo"]):
        said = paddock(*words)
        assert (said.code, said.out) == (2, "")
        assert said.err.splitlines()[-1] == "Hint: did you mean Demo?"


def test_a_named_server_can_be_inspected(paddock: Program) -> None:
    found = paddock("inspect", "Demo", "--json").json
    assert found["serverInfo"]["name"] == "Demo"
    assert "greet" in [tool["name"] for tool in found["tools"]]


def test_options_change_a_server_and_keep_its_comments(paddock: Program, tools: Path) -> None:
    paddock("create", "Mine", "--tool", "tools.py:add", "--tool", "DemoDice", "--title", "Old")
    file = paddock.data / "servers" / "Mine.toml"
    file.write_text("# Do not touch.\n" + file.read_text(encoding="utf-8"), encoding="utf-8")
    said = paddock(
        *("edit", "Mine", "--add-tool", "tools.py:shout", "--remove-tool", "add"),
        *("--add-prompt", "DemoTour", "--option", "roll_dice.most_dice=3", "--title", ""),
        *("--version", "2"),
    )
    assert (said.code, said.out, said.err) == (0, f"Changed Mine: {file}\n", "")
    assert file.read_text(encoding="utf-8").startswith("# Do not touch.\n")
    shown = paddock("show", "Mine", "--json").json
    assert (shown["tool_names"], shown["prompt_names"]) == (["roll_dice", "shout"], ["tour"])
    assert (shown["version"], shown["title"]) == ("2", None)
    assert shown["options"] == {"roll_dice": {"most_dice": 3}}
    assert paddock("edit", "Mine", "--remove-option", "roll_dice.most_dice").code == 0
    assert paddock("show", "Mine", "--property", "options").json == {}


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["Mine", "--remove-tool", "ad"], "Hint: it has"),
        (["Mine", "--remove-option", "add.x"], "Hint: it sets none"),
        (["Mine", "--add-tool", "tools.py:nothing"], "there is no 'nothing'"),
        (["Demo", "--title", "x"], "cannot be changed"),
    ],
)
def test_a_change_that_cannot_be_made_changes_nothing(
    paddock: Program, tools: Path, words: list[str], complaint: str
) -> None:
    paddock("create", "Mine", "--tool", "tools.py:add")
    file = paddock.data / "servers" / "Mine.toml"
    before = file.read_bytes()
    said = paddock("edit", *words)
    assert (said.code, said.out) == (2, "")
    assert complaint in said.err
    assert file.read_bytes() == before


def test_an_editor_changes_a_server(paddock: Program, tools: Path) -> None:
    paddock("create", "Mine", "--tool", "tools.py:add")
    said = paddock("edit", "Mine", environment={"VISUAL": "sed -i s/1.0.0/3.0.0/"})
    assert said.code == 0
    assert paddock("show", "Mine", "--property", "version").out == "3.0.0\n"
    same = paddock("edit", "Mine", environment={"EDITOR": "true"})
    assert (same.code, same.out, same.err) == (1, "", "Nothing was changed\n")


def test_what_an_editor_gets_wrong_is_kept_and_the_server_stays(
    paddock: Program, tools: Path
) -> None:
    paddock("create", "Mine", "--tool", "tools.py:add")
    before = (paddock.data / "servers" / "Mine.toml").read_bytes()
    said = paddock("edit", "Mine", environment={"EDITOR": "sed -i s/^tools/toolz/"})
    assert said.code == 2
    complaint, hint = said.err.splitlines()
    assert "unknown property 'toolz'" in complaint
    draft = Path(hint.removeprefix("Hint: your draft is kept in "))
    assert "toolz = " in draft.read_text(encoding="utf-8")
    assert (paddock.data / "servers" / "Mine.toml").read_bytes() == before
    draft.unlink()


def test_an_editor_that_cannot_be_started_is_an_error(paddock: Program) -> None:
    paddock("create", "Mine", "--tool", "DemoDice")
    said = paddock("edit", "Mine", environment={"EDITOR": "no-such-editor"})
    assert (said.code, said.out) == (2, "")
    assert said.err.endswith("Hint: name an editor in the environment variable VISUAL or EDITOR\n")


def test_a_server_is_deleted_only_when_someone_says_so(paddock: Program, tools: Path) -> None:
    paddock("create", "Mine", "--tool", "tools.py:add")
    refused = paddock("delete", "Mine")
    assert (refused.code, refused.err.splitlines()[-1]) == (2, "Hint: pass --yes")
    assert paddock("delete", "Mine", "--yes").out == "Deleted Mine\n"
    assert paddock("show", "Mine").code == 2
    assert paddock("delete", "Demo", "--yes").code == 2


def test_what_servers_can_be_made_of_is_listed(paddock: Program) -> None:
    listed = paddock("tools", "demod*", "--json").json
    assert [one["name"] for one in listed] == ["DemoDice"]
    assert listed[0]["qualified_name"] == "paddock/DemoDice"
    assert paddock("tools", "DemoDice").out.splitlines()[1].startswith("DemoDice  Roll dice")
    prompts = [one["name"] for one in paddock("prompts", "--json").json]
    assert prompts == [
        *("DemoTour", "Notebook", "PythonSearch"),
        *("WolframAlphaSearch", "WolframLanguageSearch", "WolframSearch"),
    ]


HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


def served_name(paddock: Program, *words: str, **environment: str) -> str:
    said = paddock("serve", *words, text=json.dumps(HELLO) + "\n", environment=environment)
    assert (said.code, said.err) == (0, "")
    name: str = said.json["result"]["serverInfo"]["name"]
    return name


def test_serve_finds_a_server_by_name_variable_or_file(paddock: Program, tools: Path) -> None:
    paddock("create", "Mine", "--tool", "tools.py:add")
    (paddock.work / "other.toml").write_text('tools = ["tools.py:add"]\n', encoding="utf-8")
    (paddock.work / "Mine").mkdir()
    assert served_name(paddock) == "Demo"
    assert served_name(paddock, PADDOCK_SERVER="Mine") == "Mine"
    assert served_name(paddock, "Mine") == "Mine"
    assert served_name(paddock, "--named", "Mine", "--log-level", "error") == "Mine"
    assert served_name(paddock, "other.toml") == "other"


def test_options_of_tools_come_from_the_command_line_and_the_environment(paddock: Program) -> None:
    command = [*paddock.command, "serve", "Demo"]
    few = paddock(
        "call", "roll_dice", "count=5", "--", *command, "--option", "roll_dice.most_dice=3"
    )
    assert few.code == 1
    variable = {"PADDOCK_TOOL_OPTIONS": '{"roll_dice": {"most_dice": 3}}'}
    assert paddock("call", "Demo", "roll_dice", "count=5", environment=variable).code == 1
    assert paddock("call", "Demo", "roll_dice", "count=5").code == 0


OPTIONAL = """
from paddock import Context, Server, Tool

server = Server("optional", version="1")


def look(ctx: Context) -> str:
    return str(ctx.options["limit"])


server.register([Tool("look", look, options={"limit": 1})])
"""


def test_a_secret_option_is_kept_and_not_shown(paddock: Program) -> None:
    options = ("--option", "WolframAlpha.AppID=SECRET-1", "--option", "WolframAlpha.Units=metric")
    paddock("create", "Mine", "--tool", "WolframAlpha", *options)
    assert "SECRET-1" in (paddock.data / "servers" / "Mine.toml").read_text()
    shown = paddock("show", "Mine", "--json").json["options"]["WolframAlpha"]
    assert shown == {"AppID": "\u2022\u2022\u2022", "Units": "metric"}
    for more in ((), ("--property", "options")):
        assert "SECRET-1" not in paddock("show", "Mine", *more).out


def test_a_file_takes_options_of_tools_too(paddock: Program) -> None:
    (paddock.work / "optional.py").write_text(OPTIONAL, encoding="utf-8")
    variable = {"PADDOCK_TOOL_OPTIONS": '{"look": {"limit": 2}}'}
    assert paddock("call", "optional.py", "look").out == "1\n"
    assert paddock("call", "optional.py", "look", environment=variable).out == "2\n"
    command = [*paddock.command, "serve", "optional.py", "--option", "look.limit=3"]
    assert paddock("call", "look", "--", *command, environment=variable).out == "3\n"


def test_a_definition_file_can_be_called(paddock: Program, tools: Path) -> None:
    (paddock.work / "mine.toml").write_text('tools = ["tools.py:add"]\n', encoding="utf-8")
    assert paddock("call", "mine.toml", "add", "a=1", "b=2").out == "3\n"


def test_a_broken_server_says_why_in_a_list_and_can_be_shown_and_deleted(paddock: Program) -> None:
    (paddock.data / "servers").mkdir(parents=True)
    (paddock.data / "servers" / "my server.toml").write_text("tools = []\n", encoding="utf-8")
    said = paddock("servers", "--no-built-in")
    assert "my server is broken: " in said.err
    assert "my%20server.toml" in said.err
    assert "my%20server.toml" in paddock("show", "my server").out
    inspected = paddock("inspect", "my server")
    assert (inspected.code, "my%20server.toml" in inspected.err) == (2, True)
    assert paddock("delete", "my server", "--yes").code == 0
    assert paddock("servers", "--no-built-in").err == "There are no servers\n"


def test_a_tool_goes_by_the_name_that_clients_see_and_its_options_go_with_it(
    paddock: Program,
) -> None:
    for name, option in (("roll_dice", "roll_dice"), ("DemoDice", "DemoDice")):
        paddock(
            *("create", "Mine", "--overwrite", "--tool", "DemoDice", "--tool", "DemoGreet"),
            *("--option", f"{option}.most_dice=3"),
        )
        said = paddock("edit", "Mine", "--remove-tool", name)
        assert (said.code, said.err) == (0, "")
        shown = paddock("show", "Mine", "--json").json
        assert (shown["tool_names"], shown["options"]) == (["greet"], {})


def test_a_name_that_differs_by_case_is_not_to_be_overwritten(paddock: Program) -> None:
    paddock("create", "Mine", "--tool", "DemoDice")
    said = paddock("create", "mine", "--tool", "DemoDice")
    assert (said.code, "Hint: choose another name" in said.err) == (2, True)


def test_a_server_can_be_inspected_by_its_qualified_name(paddock: Program) -> None:
    paddock("create", "Demo", "--tool", "DemoDice")
    found = paddock("inspect", "paddock/Demo", "--json").json
    assert "greet" in [tool["name"] for tool in found["tools"]]
    mine = paddock("inspect", "Demo", "--json").json
    assert [tool["name"] for tool in mine["tools"]] == ["roll_dice"]


def test_patterns_match_names_in_either_case(paddock: Program) -> None:
    for pattern in ("d*", "D*", "[a-e]EMO"):
        assert [one["name"] for one in paddock("servers", pattern, "--json").json] == ["Demo"]


def test_what_a_terminal_would_obey_is_not_printed(paddock: Program) -> None:
    paddock(
        *("create", "Mine", "--tool", "DemoDice", "--title", "A\x1b[31mB"),
        *("--instructions", "C\x07\u202eD\nE"),
    )
    for words in (["show", "Mine"], ["inspect", "Mine"]):
        said = paddock(*words)
        assert "A\ufffd[31mB" in said.out
        assert not {"\x1b", "\x07", "\u202e"} & set(said.out)
        assert "E" in said.out.split()


def test_a_data_directory_that_cannot_be_used_is_not_a_traceback(paddock: Program) -> None:
    (paddock.work / "file").touch()
    nowhere = {"PADDOCK_DATA_DIR": str(paddock.work / "file")}
    for words in (["create", "Mine", "--tool", "DemoDice"], ["servers"], ["show", "Demo"]):
        said = paddock(*words, environment=nowhere)
        assert "Traceback" not in said.err
    said = paddock("create", "Mine", "--tool", "DemoDice", environment=nowhere)
    assert said.code == 2
    assert "Hint: set PADDOCK_DATA_DIR to a writable directory" in said.err
