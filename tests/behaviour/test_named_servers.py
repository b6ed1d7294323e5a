"""Servers with a name: created, listed, changed and served, from Python and by a command."""

import json
import os
import subprocess
import sys
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import pytest

import paddock
from paddock import (
    BuiltInServerError,
    DefinitionError,
    LoadError,
    Parameter,
    Peer,
    Prompt,
    PromptArgument,
    ServerDefinitionError,
    ServerExistsError,
    ServerNotFoundError,
    Tool,
    create_server,
    default_servers,
    edit_server,
    get_server,
    list_servers,
)
from paddock.directories import DATA_DIRECTORY_VARIABLE
from paddock.named_servers.api import rewrite_server
from paddock.named_servers.names import OPTIONS_VARIABLE
from paddock.named_servers.store import delete_definition
from paddock.testing import connect
from tests.behaviour.line import PATIENCE
from tests.behaviour.serving import served

GARDEN = '''
from paddock import Context, Option, Prompt, Tool

started = []

def setup():
    started.append(1)

def broken_setup():
    raise OSError("no water")

async def async_setup():
    started.append(2)

def plants() -> list[str]:
    """What grows here."""
    return ["rose", "oak"]

def starts() -> list[int]:
    """How often it was set up."""
    return started

def grow(ctx: Context, days: int = 1) -> float:
    """How much a plant grows."""
    return days * ctx.options["speed"]

def grow_dictionary(arguments):
    return arguments["days"] * 10

def greet(name: str) -> str:
    return f"Greet the {name}."

grower = Tool("grow", grow, options={"speed": Option(1.5, float)})
tour = Prompt("tour", "Show the garden.")
'''


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data directory of its own, also for the processes that are started."""
    place = tmp_path / "data"
    monkeypatch.setenv(DATA_DIRECTORY_VARIABLE, str(place))
    return place


@pytest.fixture
def garden(tmp_path: Path) -> str:
    """The path of a file with tools, before the colon of a reference."""
    file = tmp_path / "garden.py"
    file.write_text(GARDEN, encoding="utf-8")
    return str(file)


def result(peer: Peer, tool: str, arguments: dict[str, object] | None = None) -> object:
    """What a tool has returned."""
    structured = peer.call(tool, arguments or {}).structured
    assert isinstance(structured, dict)
    return structured["result"]


def text_of(name: str) -> str:
    location = get_server(name).location
    assert isinstance(location, Path)
    return location.read_text(encoding="utf-8")


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "paddock", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)


def test_a_server_that_was_created_is_served_by_its_name(garden: str) -> None:
    create_server(
        "Garden",
        tools=[f"{garden}:plants", "DemoGreet"],
        prompts=[f"{garden}:tour", "DemoTour"],
        resources=["paddock.toolkits.demo.tools:about_resource"],
        instructions="Water them.\nEvery day.",
        version="2.1.0",
        title="The garden",
    )
    with served("Garden") as peer:
        assert [tool.name for tool in peer.tools()] == ["plants", "greet"]
        assert result(peer, "plants") == ["rose", "oak"]
        assert [prompt.name for prompt in peer.prompts()] == ["tour"]
        assert [resource.uri for resource in peer.resources()] == ["demo://about"]
        assert peer.instructions == "Water them.\nEvery day."
        info = {"name": "Garden", "version": "2.1.0", "title": "The garden"}
        assert peer.server_info.items() >= info.items()


@pytest.mark.parametrize("name", ["my server", "größe/✓", "CON", ".x", "100%", "a:b", "-x", "x.py"])
def test_a_name_with_odd_characters_is_served_and_listed(name: str) -> None:
    create_server(name, tools=["DemoGreet"])
    assert [server.name for server in list_servers(include_built_in=False)] == [name]
    with served("--named", name) as peer:
        assert peer.server_info["name"] == name
        assert peer.call("greet", {"name": "Ada"}).text == "Hello, Ada!"


def test_properties_of_a_server(garden: str, data: Path) -> None:
    create_server(
        "acme/Tools",
        {"Temperature": 0.3},
        tools=[f"{garden}:plants"],
        prompts=[f"{garden}:greet"],
        initialization=f"{garden}:broken_setup",
        options={},
    )
    server = get_server("acme/Tools")
    assert (server.name, server.key, server.version) == ("acme/Tools", "Tools", "1.0.0")
    assert (server.transport, server.problem, server.title) == ("stdio", None, None)
    assert server.location == data / "servers" / "acme%2FTools.toml"
    assert (server.tool_names, server.prompt_names) == (["plants"], ["greet"])
    assert server["tool_names"] == ["plants"]
    assert (server["ToolNames"], server["ServerVersion"]) == (["plants"], "1.0.0")
    assert server["Temperature"] == 0.3
    assert (server.resources, server["ResourceNames"]) == ([], [])
    assert server.installations == []
    with pytest.raises(KeyError):
        server["Nothing"]
    entry = json.loads(server.json_configuration)["mcpServers"]["Tools"]
    assert entry == server.configuration["mcpServers"]["Tools"]
    assert entry["env"] == {DATA_DIRECTORY_VARIABLE: str(data)}
    command = [entry["command"], *entry["args"]]
    with connect(command) as peer:
        assert peer.server_info["name"] == "acme/Tools"


def test_a_built_in_server_is_there_and_stays() -> None:
    demo = get_server("Demo")
    assert (demo.location, demo.version) == ("built-in", paddock.__version__)
    assert "greet" in demo.tool_names
    assert "Demo" in default_servers()
    assert get_server("paddock/Demo").tool_names == demo.tool_names
    with pytest.raises(BuiltInServerError):
        edit_server("Demo", title="Mine")
    with pytest.raises(BuiltInServerError):
        rewrite_server("Demo", "")


def test_a_server_of_the_users_shadows_a_built_in_one() -> None:
    create_server("Demo", tools=["DemoDice"])
    assert get_server("Demo").tool_names == ["roll_dice"]
    assert [server.name for server in list_servers()].count("Demo") == 1
    with served("Demo") as peer:
        assert [tool.name for tool in peer.tools()] == ["roll_dice"]
    built_in = default_servers()["Demo"].configuration["mcpServers"]["Demo"]
    with connect([built_in["command"], *built_in["args"]]) as peer:
        assert "greet" in [tool.name for tool in peer.tools()]
    delete_definition("Demo")
    assert get_server("Demo").location == "built-in"


def test_overwriting_has_to_be_asked_for() -> None:
    create_server("one", tools=["DemoGreet"])
    with pytest.raises(ServerExistsError):
        create_server("one", tools=["DemoDice"])
    assert get_server("one").tool_names == ["greet"]
    create_server("one", tools=["DemoDice"], overwrite=True)
    assert get_server("one").tool_names == ["roll_dice"]


def test_names_that_differ_by_case_only_are_refused() -> None:
    create_server("one", tools=["DemoGreet"])
    with pytest.raises(ServerExistsError, match="differs from 'ONE' only in case"):
        create_server("ONE", tools=["DemoGreet"], overwrite=True)


@pytest.mark.parametrize(
    "wrong",
    [
        {"tools": ["NoSuchTool"]},
        {"tools": 3},
        {"tools": [{"name": "x"}]},
        {"prompts": ["NoSuchPrompt"]},
        {"resources": ["nowhere.py:x"]},
        {"tools": ["no_such_module:tool"]},
        {"initialization": "json:nothing"},
        {"initialization": "json.decoder:NaN"},
        {"options": {"greet": {"no_such_option": 1}}},
        {"options": {"NoSuchTool": {"x": 1}}},
        {"PromptData": []},
        {"tools": [lambda: 1]},
    ],
)
def test_an_invalid_definition_never_destroys_the_old_one(
    wrong: dict[str, Any], data: Path
) -> None:
    create_server("one", tools=["DemoGreet"], instructions="Keep me.")
    before = {file: file.read_bytes() for file in (data / "servers").rglob("*")}
    with pytest.raises((DefinitionError, LoadError)):
        create_server("one", {"tools": ["DemoDice"], **wrong}, overwrite=True)
    with pytest.raises((DefinitionError, LoadError)):
        edit_server("one", **wrong)
    assert {file: file.read_bytes() for file in (data / "servers").rglob("*")} == before


def test_an_invalid_definition_of_a_new_name_leaves_nothing(data: Path) -> None:
    with pytest.raises(DefinitionError):
        create_server("new", tools=["NoSuchTool"], pickle=True)
    assert list_servers(include_built_in=False) == []
    assert list(data.rglob("*.toml")) == []


def test_two_processes_that_create_at_once_lose_nothing() -> None:
    program = (
        "import sys; from paddock import create_server, ServerExistsError\n"
        "for number in range(10):\n"
        "    create_server(f'{sys.argv[1]}{number}', tools=['DemoGreet'])\n"
        "    try: create_server(f'shared{number}', tools=['DemoGreet'], title=sys.argv[1])\n"
        "    except ServerExistsError: print('late')\n"
    )
    started = [
        subprocess.Popen([sys.executable, "-c", program, name], stdout=subprocess.PIPE, text=True)
        for name in ("left", "right")
    ]
    said = [process.communicate(timeout=PATIENCE)[0] for process in started]
    assert [process.returncode for process in started] == [0, 0]
    assert "".join(said).count("late") == 10
    assert len(list_servers(include_built_in=False)) == 30
    assert {server.problem for server in list_servers()} == {None}


def test_broken_definitions_are_listed_with_the_reason(data: Path) -> None:
    create_server("good", tools=["DemoGreet"])
    servers = data / "servers"
    (servers / "bad.toml").write_text("name = ", encoding="utf-8")
    (servers / "typo.toml").write_text('tools = []\ntitel = "x"\n', encoding="utf-8")
    (servers / "other.toml").write_text('name = "good"\n', encoding="utf-8")
    (servers / "two words.toml").write_text("tools = []\n", encoding="utf-8")
    (servers / "binary.toml").write_bytes(b"\xff\xfe")
    found = {server.name: server.problem or "" for server in list_servers(include_built_in=False)}
    assert list(found) == ["bad", "binary", "good", "other", "two words", "typo"]
    assert found["good"] == ""
    assert "not valid TOML" in found["bad"]
    assert f"{servers / 'typo.toml'}:2: unknown property 'titel'" in found["typo"]
    assert "the name in the file is 'good'" in found["other"]
    assert "two%20words.toml" in found["two words"]
    assert "is not UTF-8" in found["binary"]


def test_a_broken_definition_answers_the_handshake_and_tells_the_reason(data: Path) -> None:
    (data / "servers").mkdir(parents=True)
    (data / "servers" / "bad.toml").write_text("tools = [", encoding="utf-8")
    with served("bad") as peer, pytest.raises(paddock.PeerError, match="not valid TOML"):
        peer.tools()


def test_listing_takes_globs() -> None:
    for name in ("alpha", "beta", "album"):
        create_server(name, tools=["DemoGreet"])
    assert [server.name for server in list_servers("al*")] == ["album", "alpha"]
    assert [server.name for server in list_servers("[!a]*", include_built_in=False)] == ["beta"]
    assert list_servers("gamma") == []


def test_a_name_that_no_server_has_suggests_others() -> None:
    create_server("calculator", tools=["DemoGreet"])
    with pytest.raises(ServerNotFoundError) as missing:
        get_server("Calculater")
    assert missing.value.hint == "did you mean calculator?"
    ended = run("serve", "Calculater")
    assert ended.returncode == 2
    assert "did you mean calculator?" in ended.stderr


def test_what_shares_a_name_gets_numbers(garden: str) -> None:
    table = {"name": "greet", "function": f"{garden}:grow_dictionary", "parameters": {}}
    create_server("many", tools=["DemoGreet", table, "DemoGreet"])
    with served("many") as peer:
        assert [tool.name for tool in peer.tools()] == ["greet1", "greet2", "greet3"]
        assert peer.call("greet3", {"name": "Ada"}).text == "Hello, Ada!"


def test_initialization_runs_once_when_the_server_starts(garden: str) -> None:
    for function, kept in (("setup", [1]), ("async_setup", [2])):
        create_server(
            "once",
            tools=[f"{garden}:starts"],
            initialization=f"{garden}:{function}",
            overwrite=True,
        )
        assert get_server("once").tool_names == ["starts"]
        with served("once") as peer:
            assert result(peer, "starts") == kept
            assert result(peer, "starts") == kept


def test_lists_are_answered_while_initialization_runs_and_calls_wait_for_it(
    tmp_path: Path,
) -> None:
    slow = tmp_path / "slow.py"
    slow.write_text(
        "import pathlib, time\n"
        "gate = pathlib.Path(__file__).with_name('gate')\n"
        "def wait():\n"
        "    while not gate.exists(): time.sleep(0.01)\n"
        "def is_open() -> bool:\n"
        "    return gate.exists()\n",
        encoding="utf-8",
    )
    create_server("slow", tools=[f"{slow}:is_open"], initialization=f"{slow}:wait")
    with served("slow") as peer:
        assert [tool.name for tool in peer.tools()] == ["is_open"]
        call = peer.start("tools/call", {"name": "is_open", "arguments": {}})
        assert [tool.name for tool in peer.tools()] == ["is_open"]
        assert not call.is_done
        (tmp_path / "gate").touch()
        assert call.result()["structuredContent"] == {"result": True}


def test_what_a_tool_wants_done_first_is_done_when_the_server_starts(garden: str) -> None:
    table = {
        "name": "starts",
        "function": f"{garden}:starts",
        "initialization": f"{garden}:setup",
    }
    create_server("ready", tools=[table])
    with served("ready") as peer:
        assert result(peer, "starts") == [1]


def test_a_failed_initialization_is_reported_by_every_call_and_on_stderr(garden: str) -> None:
    create_server(
        "dry", tools=[f"{garden}:grower", "DemoDice"], initialization=f"{garden}:broken_setup"
    )
    reader, writer = os.pipe()
    command = [sys.executable, "-m", "paddock", "serve", "dry"]
    with connect(command, stderr=writer) as peer:
        os.close(writer)
        healthy = create_server("wet", tools=[f"{garden}:grower", "DemoDice"]).load()
        with connect(healthy) as other:
            assert peer.tools() == other.tools()
        for tool in ("grow", "roll_dice"):
            answer = peer.call(tool)
            assert answer.is_error
            assert answer.text == "The server's initialization failed: OSError: no water"
    with os.fdopen(reader, encoding="utf-8") as stderr:
        said = stderr.read()
    assert "The server's initialization failed: OSError: no water" in said
    assert "garden.py" in said


def test_an_item_that_is_gone_is_reported_and_the_others_are_served(
    garden: str, tmp_path: Path
) -> None:
    other = tmp_path / "other.py"
    other.write_text("def gone(): ...", encoding="utf-8")
    create_server("rest", tools=[f"{garden}:plants", f"{other}:gone"])
    other.unlink()
    reader, writer = os.pipe()
    with connect([sys.executable, "-m", "paddock", "serve", "rest"], stderr=writer) as peer:
        os.close(writer)
        assert [tool.name for tool in peer.tools()] == ["plants"]
    with os.fdopen(reader, encoding="utf-8") as stderr:
        assert "tools[1]: there is no file" in stderr.read()
    with pytest.raises(LoadError):
        get_server("rest").load()


def test_when_nothing_is_left_the_client_is_reported_why(garden: str) -> None:
    create_server("gone", tools=[f"{garden}:plants"])
    Path(garden).unlink()
    with served("gone") as peer, pytest.raises(paddock.PeerError, match="there is no file"):
        peer.tools()


def test_options_come_from_the_definition_and_the_environment(
    garden: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    create_server("fast", tools=[f"{garden}:grower"], options={"grow": {"speed": 3.0}})
    with served("fast") as peer:
        assert result(peer, "grow", {"days": 2}) == 6.0
    monkeypatch.setenv(OPTIONS_VARIABLE, '{"grow": {"speed": "4.5", "nonsense": 1}}')
    reader, writer = os.pipe()
    with connect([sys.executable, "-m", "paddock", "serve", "fast"], stderr=writer) as peer:
        os.close(writer)
        assert result(peer, "grow", {"days": 2}) == 9.0
    with os.fdopen(reader, encoding="utf-8") as stderr:
        assert "no option 'nonsense'" in stderr.read()


def test_options_can_be_set_by_the_name_in_the_list_of_tools() -> None:
    create_server("one", tools=["DemoDice", "DemoDice"], options={"DemoDice": {"most_dice": 1}})
    with served("one") as peer:
        for tool in ("roll_dice1", "roll_dice2"):
            assert peer.call(tool, {"count": 2}).text == "2 dice are too many: at most 1"


def test_two_who_edit_at_once_lose_nothing() -> None:
    create_server("one", tools=["DemoGreet"])
    program = (
        "import sys; from paddock import edit_server\n"
        "for number in range(10): edit_server('one', **{f'{sys.argv[1]}{number}': number})\n"
    )
    started = [
        subprocess.Popen([sys.executable, "-c", program, name]) for name in ("left", "right")
    ]
    assert [process.wait(timeout=PATIENCE) for process in started] == [0, 0]
    assert len(get_server("one").definition.extra) == 20


def test_functions_of_a_file_are_stored_by_reference(garden: str) -> None:
    program = f"""
{GARDEN}
import paddock
paddock.create_server("mine", tools=[plants, starts, grower], prompts=[tour, greet],
    initialization=setup, overwrite=True)
print("created")
"""
    file = Path(garden).with_name("mine.py")
    file.write_text(program, encoding="utf-8")
    ended = subprocess.run(
        [sys.executable, file.name], cwd=file.parent, capture_output=True, text=True, check=False
    )
    assert (ended.stdout, ended.stderr) == ("created\n", "")
    assert get_server("mine").definition.tools == [
        *(f"{file}:plants", f"{file}:starts", f"{file}:grower"),
    ]
    before = text_of("mine")
    with served("mine") as peer:
        assert result(peer, "starts") == [1]
        assert [prompt.name for prompt in peer.prompts()] == ["tour", "greet"]
    assert text_of("mine") == before


def test_a_function_of_an_installed_module_is_stored_by_the_name_of_the_module() -> None:
    create_server("json", tools=[json.dumps])
    assert get_server("json").definition.tools == ["json:dumps"]


def local() -> Tool:
    def inner(text: str) -> str:
        return text.upper()

    return Tool("shout", inner)


@pytest.mark.parametrize(
    ("tool", "reason"),
    [
        (lambda text: text, "a lambda has no name"),
        (local(), "inner cannot be stored by reference: it is defined inside"),
        (local().handler, "defined inside a function"),
    ],
)
def test_a_function_without_a_source_is_refused_with_the_reason(tool: Tool, reason: str) -> None:
    with pytest.raises(ServerDefinitionError, match=reason) as refusal:
        create_server("no", tools=[{"name": "x", "function": tool}] if callable(tool) else [tool])
    assert "pickle=True" in str(refusal.value.hint)


def test_a_function_typed_in_is_refused_or_stored_as_it_is() -> None:
    program = (
        "import paddock, sys\n"
        "def shout(text: str) -> str:\n"
        "    return text.upper() + sys.argv[0]\n"
        "try: paddock.create_server('typed', tools=[shout])\n"
        "except paddock.ServerDefinitionError as error: print(error)\n"
        "paddock.create_server('typed', tools=[shout], pickle=True)\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert "it was defined interactively, not in a file" in ended.stdout, ended.stderr
    with served("typed") as peer:
        assert str(peer.call("shout", {"text": "hey"}).text).startswith("HEY")


def test_stored_functions_go_when_no_definition_names_them(data: Path) -> None:
    def kept() -> list[Path]:
        return sorted((data / "servers").glob("*.pickle/*"))

    create_server("p", tools=[local()], initialization=lambda: None, pickle=True)
    first = kept()
    assert len(first) == 2
    assert get_server("p").tool_names == ["shout"]
    with pytest.raises(DefinitionError):
        create_server("p", tools=["NoSuchTool"], pickle=True, overwrite=True)
    assert kept() == first
    edit_server("p", initialization=None)
    assert len(kept()) == 1
    create_server("p", tools=["DemoGreet"], overwrite=True)
    assert kept() == []


def test_tools_made_on_the_spot_become_tables(garden: str) -> None:
    parameters = [Parameter("left", "integer", "one", required=True), Parameter("right", "integer")]
    tool = Tool("sum", json.dumps, description="Adds.", parameters=parameters)
    prompt = {
        "name": "ask",
        "arguments": [{"name": "what", "required": True}],
        "content": paddock.Template("What is {what}?"),
    }
    create_server("inline", tools=[tool], prompts=[prompt])
    assert "[[tools]]" in text_of("inline")
    with served("inline") as peer:
        assert peer.call("sum", {"left": 1, "right": 2}).text == '{"left": 1, "right": 2}'
        schema = peer.tools()[0].input_schema
        assert schema["required"] == ["left"]
        message = peer.prompt("ask", {"what": "this"}).messages[0]
        assert message.content.text == "What is this?"  # type: ignore[union-attr]  # a text


def test_objects_that_a_table_cannot_describe_are_refused() -> None:
    prompt = Prompt("ask", "What is {what}?", arguments=[PromptArgument("what")])
    with pytest.raises(ServerDefinitionError, match="no module has it at its top level"):
        create_server("inline", prompts=[prompt])


def test_relative_paths_count_from_where_the_server_was_created(
    garden: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    create_server("here", tools=["garden.py:plants"])
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    with served("here") as peer:
        assert result(peer, "plants") == ["rose", "oak"]


def test_editing_keeps_what_a_person_has_written(data: Path) -> None:
    text = (
        "# My own server.\n"
        'version = "1.0.0"   # for now\n'
        "\n"
        "tools = [\n"
        '    "DemoGreet",  # says hello\n'
        "\n"
        "    # dice\n"
        '    "DemoDice",\n'
        "]\n"
        "mood = 'fine'\n"
        "\n"
        "[options.roll_dice]\n"
        "most_dice = 3  # not more\n"
    )
    (data / "servers").mkdir(parents=True)
    (data / "servers" / "mine.toml").write_text(text, encoding="utf-8")
    edit_server("mine", version="1.1.0", tools=["DemoGreet", "DemoDice", "DemoFail"], title="Mine")
    edited = text_of("mine")
    for line in text.splitlines():
        assert line.replace("1.0.0", "1.1.0") in edited.splitlines()
    server = get_server("mine")
    assert (server.version, server.title, server["mood"]) == ("1.1.0", "Mine", "fine")
    assert server.tool_names == ["greet", "roll_dice", "fail"]
    edit_server("mine", options=None, title=None, tools=["DemoGreet"])
    server = get_server("mine")
    assert (server.options, server.title, server.tool_names) == ({}, None, ["greet"])


def test_the_name_of_a_server_cannot_be_edited() -> None:
    create_server("one", tools=["DemoGreet"])
    with pytest.raises(ServerDefinitionError, match="cannot be changed"):
        edit_server("one", name="two")


def test_a_text_is_put_in_place_only_when_it_is_right(data: Path) -> None:
    create_server("one", tools=["DemoGreet"])
    before = text_of("one")
    for wrong in ("tools = [", 'name = "two"', 'tools = ["NoSuchTool"]'):
        with pytest.raises(DefinitionError):
            rewrite_server("one", wrong)
        assert text_of("one") == before
    rewrite_server("one", '# mine\ntools = ["DemoDice"]\n')
    assert text_of("one") == '# mine\ntools = ["DemoDice"]\n'
    (data / "servers" / "one.toml").write_text("broken", encoding="utf-8")
    rewrite_server("one", before)
    assert get_server("one").tool_names == ["greet"]


def test_a_definition_file_anywhere_can_be_served(garden: str, tmp_path: Path) -> None:
    file = tmp_path / "thing.toml"
    file.write_text('title = "T"\ntools = ["garden.py:plants"]\n', encoding="utf-8")
    with served(str(file)) as peer:
        assert peer.server_info["name"] == "thing"
        assert result(peer, "plants") == ["rose", "oak"]
    server = get_server(file)
    assert (server.name, server.title, server.location) == ("thing", "T", file)
    assert server.tool_names == ["plants"]


def test_a_name_wins_over_a_directory_and_a_path_over_a_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    tools = tmp_path / "Demo" / "tools"
    tools.mkdir(parents=True)
    (tools / "one.py").write_text("def one() -> int:\n    return 1\n", encoding="utf-8")
    with served("Demo") as peer:
        assert "greet" in [tool.name for tool in peer.tools()]
    with served(f".{os.sep}Demo") as peer:
        assert [tool.name for tool in peer.tools()] == ["one"]
    (tmp_path / "Demo").rename(tmp_path / "Other")
    with served("Other") as peer:
        assert [tool.name for tool in peer.tools()] == ["one"]


def test_a_definition_that_changes_is_picked_up(garden: str) -> None:
    create_server("live", tools=[f"{garden}:plants"])
    heard: SimpleQueue[str] = SimpleQueue()
    command = [sys.executable, "-m", "paddock", "serve", "--reload", "live"]
    with connect(
        command,
        era="2025-11-25",
        stderr=subprocess.DEVNULL,
        on_notification=lambda method, _: heard.put(method),
    ) as peer:
        assert [tool.name for tool in peer.tools()] == ["plants"]
        edit_server("live", tools=[f"{garden}:plants", f"{garden}:greet"])
        assert heard.get(timeout=PATIENCE) == "notifications/tools/list_changed"
        assert [tool.name for tool in peer.tools()] == ["plants", "greet"]
        changed = GARDEN.replace('"oak"', '"elm"')
        Path(garden).write_text(changed, encoding="utf-8")
        assert heard.get(timeout=PATIENCE) == "notifications/tools/list_changed"
        assert result(peer, "plants") == ["rose", "elm"]


def test_without_a_name_the_environment_says_which(monkeypatch: pytest.MonkeyPatch) -> None:
    create_server("mine", tools=["DemoGreet"])
    program = [sys.executable, "-c", "import paddock; paddock.serve()"]
    with connect(program) as peer:
        assert peer.server_info["name"] == "Demo"
    monkeypatch.setenv("PADDOCK_SERVER", "mine")
    with connect(program) as peer:
        assert peer.server_info["name"] == "mine"
