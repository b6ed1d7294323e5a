"""How named servers behave when they are served: what was prepared, set, loaded and refused."""

import os
import subprocess
import sys
from pathlib import Path
from queue import SimpleQueue

import pytest

from paddock import (
    DefinitionError,
    PaddockError,
    PeerError,
    ServerDefinitionError,
    create_server,
    default_servers,
    get_server,
    list_servers,
)
from paddock.directories import DATA_DIRECTORY_VARIABLE
from paddock.named_servers.names import OPTIONS_VARIABLE
from paddock.named_servers.store import delete_definition
from paddock.testing import connect
from tests.behaviour.line import PATIENCE
from tests.behaviour.serving import served

pytestmark = pytest.mark.usefixtures("servers")


def written(file: Path, text: str) -> str:
    """The path of a file, before the colon of a reference, once it is written."""
    file.parent.mkdir(exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return str(file)


def test_a_failed_initialization_is_reported_by_prompts_and_resources_too(tmp_path: Path) -> None:
    file = written(
        tmp_path / "dry.py",
        "from paddock import Resource, ResourceTemplate\n"
        "def setup(): raise OSError('no water')\n"
        "def tour(guest: str) -> str:\n"
        "    '''Show the garden.'''\n"
        "    return guest\n"
        "rose = Resource('garden://rose', lambda: 'red')\n"
        "plant = ResourceTemplate('plant://{name}', lambda name: name)\n",
    )
    items = {
        "prompts": [f"{file}:tour"],
        "resources": [f"{file}:rose", f"{file}:plant"],
    }
    healthy = create_server("wet", items).load()
    create_server("dry", items, initialization=f"{file}:setup")
    reason = "The server's initialization failed: OSError: no water"
    with served("dry") as peer, connect(healthy) as other:
        for read in (
            lambda: peer.prompt("tour", {"guest": "Ada"}),
            lambda: peer.read("garden://rose"),
            lambda: peer.read("plant://oak"),
        ):
            with pytest.raises(PeerError, match=reason):
                read()
        assert peer.prompts() == other.prompts()
        assert peer.resources() == other.resources()
        assert peer.templates() == other.templates()


def test_an_initialization_that_takes_the_server_is_its_lifespan(tmp_path: Path) -> None:
    file = written(
        tmp_path / "pond.py",
        "from contextlib import contextmanager\n"
        "from pathlib import Path\n"
        "from paddock import Context, Prompt\n"
        f"drained = Path({str(tmp_path / 'drained')!r})\n"
        "@contextmanager\n"
        "def fill(server):\n"
        "    server.register(Prompt('swim', 'Swim.'))\n"
        "    yield 'water'\n"
        "    drained.touch()\n"
        "def what_is_in_it(ctx: Context) -> str:\n"
        "    '''Look into the pond.'''\n"
        "    return ctx.state\n",
    )
    create_server("pond", tools=[f"{file}:what_is_in_it"], initialization=f"{file}:fill")
    with served("pond") as peer:
        assert [prompt.name for prompt in peer.prompts()] == ["swim"]
        assert peer.call("what_is_in_it").text == "water"
        assert not (tmp_path / "drained").exists()
    with connect(get_server("pond").load()) as peer:
        assert peer.call("what_is_in_it").text == "water"
    assert (tmp_path / "drained").exists()


@pytest.mark.parametrize("kind", ["def", "async def"])
def test_initialization_runs_again_when_its_module_is_loaded_again(
    tmp_path: Path, kind: str
) -> None:
    text = (
        "started = []\n"
        f"{kind} setup():\n"
        "    started.append('once')\n"
        "def starts() -> str:\n"
        "    return ','.join(started)\n"
    )
    file = written(tmp_path / "live.py", text)
    create_server("live", tools=[f"{file}:starts"], initialization=f"{file}:setup")
    heard: SimpleQueue[str] = SimpleQueue()
    with connect(
        [sys.executable, "-m", "paddock", "serve", "--reload", "live"],
        era="2025-11-25",
        stderr=subprocess.DEVNULL,
        on_notification=lambda method, _: heard.put(method),
    ) as peer:
        assert peer.call("starts").text == "once"
        Path(file).write_text(text.replace("once", "again"), encoding="utf-8")
        assert heard.get(timeout=PATIENCE) == "notifications/tools/list_changed"
        assert peer.call("starts").text == "again"


def test_files_of_two_directories_each_have_their_own_neighbours(tmp_path: Path) -> None:
    files = []
    for name in ("a", "b"):
        written(tmp_path / name / "helper.py", f"WORD = {name!r}\n")
        text = f"import helper\ndef {name}() -> str:\n    return helper.WORD\n"
        files.append(written(tmp_path / name / "tools.py", text))
    create_server("both", tools=[f"{files[0]}:a", f"{files[1]}:b"])
    with served("both") as peer:
        assert [peer.call(name).text for name in ("a", "b")] == ["a", "b"]


@pytest.mark.parametrize("run", ["server.run()", "paddock.serve('Demo')", "server.run(http=':0')"])
def test_a_file_that_runs_its_server_can_be_referred_to(tmp_path: Path, run: str) -> None:
    file = written(
        tmp_path / "self_running.py",
        "import paddock\n"
        "server = paddock.Server('itself')\n"
        "@server.tool\n"
        "def one() -> int:\n"
        "    return 1\n"
        f"{run}\n",
    )
    create_server("other", tools=[f"{file}:one"])
    assert get_server("other").tool_names == ["one"]
    with served("other") as peer:
        assert peer.call("one").text == "1"
    with served(file) as peer:
        assert peer.call("one").text == "1"


def test_a_later_source_of_options_wins_whatever_name_it_uses(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    create_server("dice", tools=["DemoDice"], options={"roll_dice": {"most_dice": 1}})
    monkeypatch.setenv(OPTIONS_VARIABLE, '{"DemoDice": {"most_dice": 2}}')
    with served("dice") as peer:
        assert peer.call("roll_dice", {"count": 5}).text == "5 dice are too many: at most 2"
    with served("dice", "--option", "DemoDice.most_dice=3") as peer:
        assert peer.call("roll_dice", {"count": 5}).text == "5 dice are too many: at most 3"


def test_an_option_of_text_takes_what_looks_like_a_number(tmp_path: Path) -> None:
    file = written(
        tmp_path / "texts.py",
        "from paddock import Context, Option, Tool\n"
        "def f(ctx: Context) -> str:\n"
        "    return repr((ctx.options['s'], ctx.options['n'], ctx.options['a']))\n"
        "f = Tool('f', f, options={'s': 'x', 'n': 1, 'a': None})\n",
    )
    create_server("texts", tools=[f"{file}:f"])
    options = ["--option", "f.s=5", "--option", "f.n=6", "--option", "f.a=seven"]
    with served("texts", *options) as peer:
        assert peer.call("f").text == "('5', 6, 'seven')"


def test_a_reference_to_a_decorated_function_means_what_the_decorator_says(
    tmp_path: Path,
) -> None:
    file = written(
        tmp_path / "decorated.py",
        "from paddock import Context, Server\n"
        "server = Server('s')\n"
        "@server.tool(name='better', description='Does it.', options={'n': 3})\n"
        "def impl(ctx: Context) -> int:\n"
        "    return ctx.options['n']\n"
        "@server.prompt(name='ask', title='Ask')\n"
        "def impl_ask() -> str:\n"
        "    return 'What?'\n"
        "@server.resource('notes://today', title='Today')\n"
        "def today() -> str:\n"
        "    return 'Sunny.'\n",
    )
    create_server(
        "decorated",
        tools=[f"{file}:impl"],
        prompts=[f"{file}:impl_ask"],
        resources=[f"{file}:today"],
        options={"better": {"n": 4}},
    )
    with served("decorated") as peer:
        assert [(tool.name, tool.description) for tool in peer.tools()] == [("better", "Does it.")]
        assert peer.call("better").text == "4"
        assert [(prompt.name, prompt.title) for prompt in peer.prompts()] == [("ask", "Ask")]
        assert peer.read("notes://today").text == "Sunny."


def test_options_for_another_server_do_not_break_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = written(
        tmp_path / "plain.py",
        "from paddock import Server\n"
        "server = Server('plain')\n"
        "@server.tool\n"
        "def one() -> int:\n"
        "    return 1\n",
    )
    monkeypatch.setenv(OPTIONS_VARIABLE, '{"roll_dice": {"most_dice": 2}}')
    reader, writer = os.pipe()
    with connect([sys.executable, "-m", "paddock", "serve", file], stderr=writer) as peer:
        os.close(writer)
        assert peer.call("one").text == "1"
    with os.fdopen(reader, encoding="utf-8") as stderr:
        assert "plain: there is no tool 'roll_dice' to set options of" in stderr.read()


def test_servers_that_are_listed_as_broken_can_be_looked_at_and_deleted(servers: Path) -> None:
    (servers / "my server.toml").write_text("tools = []\n", encoding="utf-8")
    (servers / "Gone.toml").symlink_to(servers / "nowhere.toml")
    (servers / "Dir.toml").mkdir()
    listed = {server.name: server.problem or "" for server in list_servers(include_built_in=False)}
    for name, part in {"my server": "my%20server", "Gone": "No such", "Dir": "directory"}.items():
        assert part in listed[name]
        server = get_server(name)
        assert server.problem == listed[name]
        with pytest.raises(ServerDefinitionError, match=part):
            server.load()
        with served("--named", name) as peer, pytest.raises(PeerError, match=part):
            peer.tools()
    delete_definition("my server")
    delete_definition("Gone")
    with pytest.raises(ServerDefinitionError, match="cannot be deleted"):
        delete_definition("Dir")
    assert [server.name for server in list_servers(include_built_in=False)] == ["Dir"]


@pytest.mark.parametrize("is_file", [True, False])
def test_a_data_directory_that_cannot_be_used_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_file: bool
) -> None:
    place = tmp_path / "file" if is_file else Path("/proc/nope")
    if is_file:
        place.touch()
    monkeypatch.setenv(DATA_DIRECTORY_VARIABLE, str(place))
    with pytest.raises(PaddockError, match="cannot be used") as refusal:
        create_server("one", tools=["DemoGreet"])
    assert DATA_DIRECTORY_VARIABLE in str(refusal.value.hint)
    assert [server.name for server in list_servers()] == list(default_servers())
    assert get_server("Demo").installations == []


@pytest.mark.parametrize("kind", ["def", "async def"])
def test_an_initialization_with_parameters_is_refused(tmp_path: Path, kind: str) -> None:
    file = written(
        tmp_path / "start.py", f"{kind} needs(a, b=1): ...\n{kind} takes(a=1, *b, **c): ...\n"
    )
    with pytest.raises(DefinitionError, match="the function requires a"):
        create_server("one", initialization=f"{file}:needs")
    create_server("one", initialization=f"{file}:takes")


def test_a_prompt_given_as_a_function_without_a_docstring_has_an_empty_description(
    tmp_path: Path,
) -> None:
    file = written(tmp_path / "asks.py", "def ask() -> str:\n    return 'What?'\n")
    with connect(create_server("asks", prompts=[f"{file}:ask"]).load()) as peer:
        assert peer.request("prompts/list")["prompts"] == [{"name": "ask", "description": ""}]
