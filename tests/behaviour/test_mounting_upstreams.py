"""Servers elsewhere that are mounted: what passes through, and what one that fails does."""

import base64
import sys
import threading
import time
from pathlib import Path

import pytest

import paddock
from paddock import DefinitionError, Server, Tool
from tests.behaviour.line import Json, Line
from tests.behaviour.process import ServerProcess
from tests.behaviour.test_mounting import names
from tests.behaviour.upstreams import Upstreams, is_running, keepers, upstream, wait_for_the_end
from tests.behaviour.wire import META_KEY, SESSION, STATELESS
from tests.conftest import Connect, Start

__all__ = ["upstream"]

pytestmark = pytest.mark.usefixtures("upstream")


@pytest.fixture(params=[SESSION, STATELESS], ids=lambda era: f"upstream-{era}")
def theirs(request: pytest.FixtureRequest) -> str:
    """The era that the upstream is connected to in."""
    value: str = request.param
    return value


def local(name: str = "s", **options: object) -> Server:
    """A server with a tool of its own."""
    return Server(name, tools=Tool("own", lambda: "ours"), **options)  # type: ignore[arg-type]


def mounted(target: object, era: str | None = None, **options: object) -> Server:
    return local().mount(target, "u", era=era, **options)  # type: ignore[arg-type]


def test_lists_of_an_upstream_pass_through(
    connect: Connect, upstream: Upstreams, era: str, theirs: str
) -> None:
    line = connect(mounted(upstream(), theirs), era)
    tools = {tool["name"]: tool for tool in line.result("tools/list")["tools"]}
    assert list(tools)[:3] == ["own", "u_add", "u_pid"]
    add = tools["u_add"]
    assert add["description"] == "Add two numbers."
    assert add["annotations"] == {"readOnlyHint": True}
    assert add["_meta"]["example/colour"] == "red"
    assert set(add["inputSchema"]["properties"]) == {"a", "b"}
    assert names(line.result("prompts/list")["prompts"]) == ["u_greet"]
    assert names(line.result("resources/list")["resources"], "uri") == ["notes://today"]
    templates = line.result("resources/templates/list")["resourceTemplates"]
    assert names(templates, "uriTemplate") == ["notes://{day}/summary"]


def test_calls_of_an_upstream_pass_through_unchanged(
    connect: Connect, upstream: Upstreams, era: str, theirs: str
) -> None:
    line = connect(mounted(upstream(), theirs), era)
    assert line.call("u_add", {"a": 1, "b": 2})["structuredContent"] == {"result": 3}
    result = line.call("u_everything", None, **{"example/given": "yes"})
    assert result == {
        "content": [
            {"type": "text", "text": "one"},
            {
                "type": "image",
                "data": base64.b64encode(b"picture").decode(),
                "mimeType": "image/png",
            },
        ],
        "structuredContent": {"big": 2**70},
        "_meta": {"example/given": "yes"},
    }
    assert line.call("u_fail") == {
        "content": [{"type": "text", "text": "No such luck"}],
        "isError": True,
    }
    assert line.error("tools/call", {"name": "u_unknown"})["code"] == -32602
    assert line.call("u_add", {"a": "x"})["isError"]


def test_prompts_resources_and_completions_pass_through(
    connect: Connect, upstream: Upstreams, era: str, theirs: str
) -> None:
    line = connect(mounted(upstream(), theirs), era)
    prompt = line.result("prompts/get", {"name": "u_greet", "arguments": {"name": "Ada"}})
    assert prompt["messages"][0]["content"]["text"] == "Hello Ada"
    for uri, text in (
        ("notes://today", "sunny"),
        ("u+notes://today", "sunny"),
        ("notes://monday/summary", "monday was fine"),
    ):
        assert line.result("resources/read", {"uri": uri})["contents"][0]["text"] == text
    missing = line.error("resources/read", {"uri": "u+notes://nothing"})
    assert missing["code"] == (-32002 if era == SESSION else -32602)
    for ref, values in (
        ({"type": "ref/prompt", "name": "u_greet"}, ["Ada", "Alan"]),
        ({"type": "ref/resource", "uri": "notes://{day}/summary"}, []),
    ):
        argument = {"name": "name", "value": "A"}
        found = line.result("completion/complete", {"ref": ref, "argument": argument})
        assert found["completion"]["values"] == values


def test_progress_and_log_messages_pass_through(
    connect: Connect, upstream: Upstreams, era: str, theirs: str
) -> None:
    line = connect(mounted(upstream(), theirs), era)
    meta: Json = {"progressToken": "mine"}
    if era == STATELESS:
        meta[f"{META_KEY}logLevel"] = "warning"
    else:
        line.result("logging/setLevel", {"level": "warning"})
    assert line.text("u_steps", None, **meta) == "done"
    heard = line.heard()
    progress = [m["params"] for m in heard if m["method"] == "notifications/progress"]
    assert [one["progress"] for one in progress] == [1, 2, 3]
    assert {one["progressToken"] for one in progress} == {"mine"}
    logs = [m["params"] for m in heard if m["method"] == "notifications/message"]
    assert [one["data"] for one in logs] == ["warning 0", "warning 1", "warning 2"]


def test_cancelling_a_call_stops_it_upstream(
    connect: Connect, upstream: Upstreams, era: str, theirs: str
) -> None:
    line = connect(mounted(upstream(), theirs), era)
    hanging = line.begin_call("u_hang", None, progressToken=1)
    line.notification("notifications/progress")
    line.cancel(hanging)
    assert line.text("u_was_stopped") == "true"


def test_changes_of_an_upstream_are_reported_and_seen(
    connect: Connect, upstream: Upstreams, theirs: str
) -> None:
    line = connect(mounted(upstream(), theirs))
    assert "u_grown" not in names(line.result("tools/list")["tools"])
    assert line.text("u_grow") == "grown"
    line.notification("notifications/tools/list_changed")
    assert "u_grown" in names(line.result("tools/list")["tools"])
    assert line.text("u_grown") == "new"


def touch_until_heard(line: Line, uri: str) -> Json:
    """Subscribing upstream takes a moment, so updates are repeated until one is reported."""
    deadline = time.monotonic() + 5
    while line.call("u_touch", {"uri": uri})["structuredContent"] == {"result": 0}:
        assert time.monotonic() < deadline
    return line.notification("notifications/resources/updated")


def test_updates_of_an_upstreams_resource_reach_its_subscribers(
    connect: Connect, upstream: Upstreams, theirs: str
) -> None:
    line = connect(mounted(upstream(), theirs))
    line.result("tools/list")
    line.result("resources/subscribe", {"uri": "notes://today"})
    assert touch_until_heard(line, "notes://today") == {"uri": "notes://today"}


def test_updates_of_an_upstreams_resource_reach_listeners(
    connect: Connect, upstream: Upstreams, theirs: str
) -> None:
    line = connect(mounted(upstream(), theirs), STATELESS)
    line.result("tools/list")
    wanted = {"notifications": {"resourceSubscriptions": ["u+notes://today"]}}
    line.request("subscriptions/listen", wanted)
    line.notification("notifications/subscriptions/acknowledged")
    assert touch_until_heard(line, "notes://today")["uri"] == "u+notes://today"


def test_an_upstream_that_cannot_be_started_takes_nothing_down(connect: Connect, era: str) -> None:
    server = mounted(["/nonexistent/program"])
    line = connect(server, era)
    assert names(line.result("tools/list")["tools"]) == ["own"]
    assert line.text("own") == "ours"
    result = line.call("u_add", {"a": 1, "b": 2})
    text = result["content"][0]["text"]
    assert result["isError"]
    assert "'u'" in text
    assert "/nonexistent/program" in text
    error = line.error("prompts/get", {"name": "u_greet"})
    assert "/nonexistent/program" in error["message"]


def test_why_an_upstream_failed_is_kept_from_clients_of_a_server_that_masks_errors(
    connect: Connect,
) -> None:
    line = connect(local(mask_errors=True).mount(["/nonexistent/program"], "u"))
    text = line.call("u_add")["content"][0]["text"]
    assert text == "The upstream 'u' is not available"


HANGING = """
import signal
import time

signal.signal(signal.SIGINT, signal.SIG_IGN)
time.sleep(3600)
"""


def test_an_upstream_that_hangs_when_it_starts_holds_up_no_one(
    connect: Connect, upstream: Upstreams, era: str
) -> None:
    program = [sys.executable, upstream(HANGING)]
    server = local().mount(program, "u", list_timeout=0.1, timeout=600).mount(upstream(), "v")
    line = connect(server, era)
    hanging = line.begin_call("u_add")
    assert line.text("v_add", {"a": 1, "b": 2}) == "3"
    assert line.text("own") == "ours"
    assert "u_add" not in names(line.result("tools/list")["tools"])
    line.cancel(hanging)
    assert line.text("own") == "ours"


def test_connecting_to_an_upstream_has_a_time_limit(connect: Connect, upstream: Upstreams) -> None:
    program = [sys.executable, upstream(HANGING)]
    line = connect(local().mount(program, "u", list_timeout=0.1, timeout=0.3))
    text = line.call("u_add")["content"][0]["text"]
    assert "within 0.3 s" in text


SLOW_LIST = """
import json
import os
import sys
import time

GO = sys.argv[1]
for line in sys.stdin:
    message = json.loads(line)
    method, result = message.get("method"), None
    if method == "initialize":
        result = {
            "protocolVersion": "2025-11-25",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "slow", "version": "1"},
        }
    elif method == "tools/list":
        while not os.path.exists(GO):
            time.sleep(0.01)
        result = {"tools": [{"name": "late", "inputSchema": {"type": "object"}}]}
    if result is not None:
        answer = {"jsonrpc": "2.0", "id": message["id"], "result": result}
        print(json.dumps(answer), flush=True)
"""


def test_an_upstream_whose_list_is_slow_is_left_out_until_the_list_is_here(
    connect: Connect, upstream: Upstreams, tmp_path: Path
) -> None:
    go = tmp_path / "go"
    program = [sys.executable, upstream(SLOW_LIST), str(go)]
    line = connect(mounted(program, SESSION, list_timeout=0.1))
    assert names(line.result("tools/list")["tools"]) == ["own"]
    go.touch()
    line.notification("notifications/tools/list_changed")
    assert names(line.result("tools/list")["tools"]) == ["own", "u_late"]


def test_a_call_without_a_sign_of_life_is_given_up(
    connect: Connect, upstream: Upstreams, era: str, theirs: str
) -> None:
    line = connect(mounted(upstream(), theirs, call_timeout=1.0), era)
    hanging = line.begin_call("u_hang", None, progressToken=1)
    line.notification("notifications/progress")
    result = line.answer(hanging)["result"]
    assert result["isError"]
    assert "no answer to tools/call within 1 s" in result["content"][0]["text"]
    assert line.text("u_was_stopped") == "true"


def test_many_calls_that_hang_hold_up_no_one(
    connect: Connect, upstream: Upstreams, era: str, theirs: str
) -> None:
    server = mounted(upstream(), theirs)
    slow = threading.Event()
    server.tool(name="plain")(lambda: slow.wait(0.05))
    line = connect(server, era)
    hanging = [line.begin_call("u_hang") for _ in range(200)]
    for _ in range(3):
        assert line.text("plain") == "false"
        assert line.text("own") == "ours"
        assert line.text("u_add", {"a": 1, "b": 2}) == "3"
    for request_id in hanging:
        line.cancel(request_id)


def test_an_upstream_that_dies_during_a_call_says_so_and_comes_back(
    connect: Connect, upstream: Upstreams, era: str, theirs: str
) -> None:
    line = connect(mounted(upstream(), theirs), era)
    first = line.text("u_pid")
    waiting = line.begin_call("u_hang")
    result = line.call("u_die")
    assert result["isError"]
    assert "'u'" in result["content"][0]["text"]
    assert "exit code 7" in result["content"][0]["text"]
    assert line.answer(waiting)["result"]["isError"]
    assert line.text("own") == "ours"
    assert line.text("u_pid") != first


def test_a_dead_upstreams_tools_stay_in_the_list_as_they_were_last_seen(
    connect: Connect, upstream: Upstreams
) -> None:
    file = upstream()
    line = connect(mounted(file))
    before = names(line.result("tools/list")["tools"])
    Path(file).write_text("import os; os._exit(9)", encoding="utf-8")
    assert line.call("u_die")["isError"]
    assert line.call("u_add", {"a": 1, "b": 2})["isError"]
    assert names(line.result("tools/list")["tools"]) == before


def test_two_clients_share_one_upstream(connect: Connect, upstream: Upstreams, era: str) -> None:
    server = mounted(upstream())
    one, two = connect(server, era), connect(server, era)
    assert one.text("u_pid") == two.text("u_pid")
    one.close()
    assert two.text("u_add", {"a": 1, "b": 2}) == "3"


def test_an_upstream_ends_with_the_last_connection_and_begins_with_the_next(
    connect: Connect, upstream: Upstreams
) -> None:
    server = mounted(upstream())
    line = connect(server)
    first = int(line.text("u_pid"))
    line.close()
    wait_for_the_end()
    assert not is_running(first)
    assert int(connect(server).text("u_pid")) != first


def test_unmounting_ends_the_upstream(connect: Connect, upstream: Upstreams) -> None:
    server = mounted(upstream())
    line = connect(server)
    pid = int(line.text("u_pid"))
    server.unmount("u")
    assert not is_running(pid)
    assert keepers() == []
    assert line.error("tools/call", {"name": "u_pid"})["code"] == -32602


def test_nothing_is_started_before_someone_connects(upstream: Upstreams) -> None:
    mounted(upstream())
    assert keepers() == []


def test_an_open_peer_can_be_mounted_and_stays_open(connect: Connect, upstream: Upstreams) -> None:
    with paddock.connect(upstream()) as peer:
        server = Server("s").mount(peer, "p")
        line = connect(server)
        assert line.text("p_add", {"a": 1, "b": 2}) == "3"
        line.close()
        wait_for_the_end()
        assert peer.call("add", a=2, b=2).text == "4"
        assert connect(server).text("p_add", {"a": 3, "b": 2}) == "5"


def test_a_mounted_peer_that_has_ended_is_reported_so(
    connect: Connect, upstream: Upstreams
) -> None:
    with paddock.connect(upstream()) as peer:
        server = Server("s").mount(peer, "p")
    text = connect(server).call("p_add", {"a": 1, "b": 2})["content"][0]["text"]
    assert "The mounted peer has ended" in text


def test_names_of_an_upstream_that_collide_are_left_out_and_logged(
    connect: Connect, upstream: Upstreams, caplog: pytest.LogCaptureFixture
) -> None:
    server = Server("s", tools=Tool("u_add", lambda: "ours")).mount(upstream(), "u")
    line = connect(server)
    listed = names(line.result("tools/list")["tools"])
    assert listed.count("u_add") == 1
    assert line.text("u_add") == "ours"
    assert "add of the upstream 'u' is left out" in caplog.text


def test_questions_and_notifications_are_not_for_the_mounting_server() -> None:
    with pytest.raises(DefinitionError, match="on_elicit"):
        Server("s").mount("server.py", "u", on_elicit=lambda _: None)


ITSELF = """
from paddock import Server

server = Server("itself")


@server.tool
def ping() -> str:
    return "pong"


server.mount(__file__, "again")
"""


def test_a_program_that_mounts_itself_is_stopped_after_one_round(
    connect: Connect, upstream: Upstreams
) -> None:
    line = connect(mounted(upstream(ITSELF), list_timeout=10))
    assert line.text("u_ping") == "pong"
    assert names(line.result("tools/list")["tools"]) == ["own", "u_ping"]


MOUNTING = """
import sys

from paddock import Server

server = Server("s")
server.mount([sys.executable, "-m", "paddock", "serve", {path!r}], "u")
server.mount([sys.executable, {hanging!r}], "h")
server.run()
"""


@pytest.mark.parametrize("is_served", [True, False])
def test_a_process_that_ends_takes_its_upstreams_with_it(
    start: Start, upstream: Upstreams, *, is_served: bool
) -> None:
    program = MOUNTING.format(path=upstream(), hanging=upstream(HANGING))
    process = start(program, is_served=is_served)
    line = process.connect()
    line.open()
    pid = int(line.text("u_pid"))
    assert process.hang_up() == 0
    assert not is_running(pid)


def test_servers_can_be_mounted_on_the_command_line(start: Start, upstream: Upstreams) -> None:
    own = "from paddock import Server\nserver = Server('s')\n"
    command = [sys.executable, "-m", "paddock", "serve", upstream(own)]
    process = start.command([*command, "--mount", f"u={upstream()}", "--mount", f"v={upstream()}"])
    line = process.connect(STATELESS)
    assert line.text("u_add", {"a": 1, "b": 2}) == "3"
    assert line.text("v_add", {"a": 1, "b": 2}) == "3"


RELOADED = """
from paddock import Context, Server

child = Server("child", lifespan=lambda server: iter(["state"]))


@child.tool
def {name}(ctx: Context) -> str:
    return str(ctx.state)


server = Server("s")
server.mount(child, "c")
server.mount({path!r}, "u")
"""


def test_a_reload_keeps_upstreams_and_the_state_of_children(
    start: Start, upstream: Upstreams
) -> None:
    path = upstream()
    file = upstream(RELOADED.format(name="before", path=path))
    process = start.command([sys.executable, "-m", "paddock", "serve", "--reload", file])
    line = process.connect()
    line.open()
    pid = line.text("u_pid")
    assert line.text("c_before") == "state"
    Path(file).write_text(RELOADED.format(name="after_it", path=path), encoding="utf-8")
    line.notification("notifications/tools/list_changed")
    assert line.text("c_after_it") == "state"
    assert line.error("tools/call", {"name": "c_before"})["code"] == -32602
    assert line.text("u_pid") == pid


class Web:
    """A server behind a URL, which can be ended and begun again."""

    def __init__(self, start: Start, file: str) -> None:
        self._start = start
        self._file = file
        self._process = self._begun("127.0.0.1:0")
        self._process.wait_for_stderr("/mcp\n")
        self.url = self._process.stderr.split()[-1]

    def restart(self) -> None:
        self.end()
        self._process = self._begun(self.url.split("/")[2])
        self._process.wait_for_stderr("/mcp\n")

    def end(self) -> None:
        self._process.process.kill()
        self._process.wait()

    def _begun(self, address: str) -> ServerProcess:
        command = [sys.executable, "-m", "paddock", "serve", self._file, "--http", address]
        return self._start.command(command)


def test_a_server_behind_a_url_can_be_mounted_and_comes_back(
    connect: Connect, start: Start, upstream: Upstreams, era: str, theirs: str
) -> None:
    web = Web(start, upstream())
    line = connect(mounted(web.url, theirs), era)
    assert "u_add" in names(line.result("tools/list")["tools"])
    assert line.text("u_steps", None, progressToken=1) == "done"
    assert line.notification("notifications/progress")["progress"] == 1
    web.end()
    result = line.call("u_add", {"a": 1, "b": 2})
    assert result["isError"]
    assert web.url in result["content"][0]["text"]
    assert line.text("own") == "ours"
    web.restart()
    deadline = time.monotonic() + 20
    while line.call("u_add", {"a": 1, "b": 2}).get("isError"):
        assert time.monotonic() < deadline


def test_options_of_urls_are_not_for_commands() -> None:
    with pytest.raises(DefinitionError, match="headers"):
        Server("s").mount("server.py", "u", headers={"X-Key": "value"})
