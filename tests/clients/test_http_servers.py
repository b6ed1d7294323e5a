"""Our peer against servers of others over HTTP, in each era and each form of answers."""

import filecmp
import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from external.python_sdks import OFFICIAL
from paddock import Peer, connect
from paddock.client.connect_options import Json
from paddock.testing import accept
from tests.clients.environments import TYPESCRIPT_HTTP
from tests.ports import free_port
from tests.workers import shared_lock

SERVERS = Path(__file__).parent / "servers"
SESSION, STATELESS = "2025-11-25", "2026-07-28"
PATIENCE = 60.0


def official(mode: str, port: int, _: Path) -> list[str]:
    return [str(OFFICIAL.prepare()), str(SERVERS / "official_http.py"), mode, str(port)]


def typescript(mode: str, port: int, _: Path) -> list[str]:
    # Node looks for packages beside the program.
    script = TYPESCRIPT_HTTP.prepare() / "typescript_http.mjs"
    with shared_lock(script.name):  # another worker may be starting it
        if not script.exists() or not filecmp.cmp(SERVERS / script.name, script, shallow=False):
            shutil.copy(SERVERS / script.name, script)
    return [TYPESCRIPT_HTTP.node(), str(script), mode, str(port)]


KINDS = {
    "official-json": (official, "json"),
    "official-sse": (official, "sse"),
    "typescript-json": (typescript, "auto"),
    "typescript-sse": (typescript, "sse"),
}


@pytest.fixture(scope="module", params=KINDS)
def url(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where a server is, once it takes connections."""
    make, mode = KINDS[request.param]
    port = free_port()
    process = subprocess.Popen(make(mode, port, tmp_path_factory.mktemp("server")))
    try:
        wait_for(port, process)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.kill()
        process.wait()


def wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    pause = threading.Event()
    for _ in range(int(PATIENCE * 10)):
        assert process.poll() is None
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except ConnectionError:
            pause.wait(0.1)
        else:
            return
    raise AssertionError("the server does not listen")


@pytest.fixture(params=[None, SESSION, STATELESS])
def asked_era(request: pytest.FixtureRequest) -> str | None:
    era: str | None = request.param
    return era


@pytest.fixture
def progress() -> list[Json]:
    return []


@pytest.fixture
def peer(url: str, asked_era: str | None, progress: list[Json]) -> Iterator[Peer]:
    before = set(threading.enumerate())
    with connect(url, era=asked_era, on_progress=progress.append, record=True) as opened:
        yield opened
    left = set(threading.enumerate()) - before
    assert [thread.name for thread in left if thread.name.startswith("paddock")] == []


def test_the_newest_version_is_found(peer: Peer, asked_era: str | None) -> None:
    assert peer.protocol_version == (asked_era or STATELESS)
    assert peer.instructions == "Try everything."


def test_everything_can_be_used(peer: Peer) -> None:
    assert {"echo", "fail", "count", "wait"} <= {tool.name for tool in peer.tools()}
    assert peer.call("echo", text="größer\n✓").text == "größer\n✓"
    assert peer.call("fail").is_error
    assert [prompt.name for prompt in peer.prompts()] == ["greeting"]
    (message,) = peer.prompt("greeting", name="Ada").messages
    assert getattr(message.content, "text", None) == "Say hello to Ada"
    assert [resource.uri for resource in peer.resources()] == ["memo://rules"]
    assert peer.read("memo://rules").text == "Be kind."


def test_many_threads_share_a_connection(peer: Peer) -> None:
    answers: list[bool] = []

    def work(name: int) -> None:
        answers.extend(
            peer.call("echo", text=f"{name}-{turn}").text == f"{name}-{turn}" for turn in range(10)
        )

    threads = [threading.Thread(target=work, args=(name,)) for name in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert answers == [True] * 80


def test_a_long_call_holds_up_no_other_and_can_be_cancelled(peer: Peer) -> None:
    slow = peer.start("tools/call", {"name": "wait", "arguments": {"seconds": 60}})
    assert peer.call("echo", text="quick").text == "quick"
    assert not slow.is_done
    slow.cancel()
    assert peer.call("echo", text="still here").text == "still here"


def test_progress_comes_before_the_answer(
    peer: Peer, progress: list[Json], request: pytest.FixtureRequest
) -> None:
    assert peer.call("count", to=3).text == "counted"
    is_streamed = b"notifications/progress" in b"".join(peer.received)
    steps = [step["progress"] for step in progress]
    assert steps == ([1, 2, 3] if is_streamed else [])
    assert is_streamed or "json" in request.node.name


@pytest.mark.parametrize("url", ["official-sse"], indirect=True)
def test_a_form_is_filled_in_within_a_session(url: str) -> None:
    with connect(url, era=SESSION, on_elicit=lambda _: accept(name="Ada")) as peer:
        assert peer.call("ask").text == "Ada"
