"""`paddock up` as a process: addresses, authentication and shutdown."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from paddock import connect
from paddock.version import __version__
from tests.app.events import listening
from tests.app.serving import PATIENCE

COMMAND = [sys.executable, "-m", "paddock", "up", "--no-browser"]
TOKEN = "a-secret-of-some-length"  # noqa: S105 - of no use anywhere else


@dataclass
class Up:
    """A running `paddock up`."""

    process: subprocess.Popen[str]
    url: str
    said: list[str]
    """What it has written so far, line by line."""

    @property
    def port(self) -> int:
        return int(self.url.rstrip("/").rpartition(":")[2])

    def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(PATIENCE)


def environment(directory: Path, **variables: str) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
    own = {"HOME": str(directory), "PADDOCK_DATA_DIR": str(directory / "data")}
    return {**kept, **own, **variables}


@contextmanager
def up(directory: Path, *arguments: str, **variables: str) -> Iterator[Up]:
    """Start it, and wait until it says where it is."""
    process = subprocess.Popen(
        [*COMMAND, *arguments],
        env=environment(directory, **variables),
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    said: list[str] = []
    is_up = threading.Event()

    def read() -> None:
        assert process.stderr is not None
        for line in process.stderr:
            said.append(line.rstrip("\n"))
            if line.startswith("Paddock is at"):
                is_up.set()
        is_up.set()

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    try:
        assert is_up.wait(PATIENCE)
        found = re.search(r"Paddock is at (\S+)", "\n".join(said))
        assert found is not None, said
        yield Up(process, found[1], said)
    finally:
        process.kill()
        process.wait(PATIENCE)
        reader.join(PATIENCE)
        assert process.stderr is not None
        process.stderr.close()


def refused(directory: Path, *arguments: str, **variables: str) -> tuple[int, str]:
    """What it says, and its exit code, when it does not stay."""
    done = subprocess.run(
        [*COMMAND, *arguments],
        check=False,
        env=environment(directory, **variables),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    return done.returncode, done.stderr


@pytest.fixture
def taken() -> Iterator[int]:
    """A port that another program listens on, and says nothing of use."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def test_everything_is_on_one_port(tmp_path: Path) -> None:
    with (
        up(tmp_path, "--port", "0") as running,
        httpx.Client(base_url=running.url, timeout=PATIENCE) as http,
    ):
        health = http.get("/api/health").json()
        assert (health["product"], health["version"]) == ("paddock", __version__)
        assert (health["database"], health["needsSignIn"]) == ("sqlite", False)
        assert http.get("/api/agents").json() == []
        assert http.get("/").headers["Content-Type"].startswith("text/html")
        with connect(f"{running.url}mcp/Demo") as peer:
            assert peer.call("greet", name="Ada").text == "Hello, Ada!"
        http.post("/api/agents", json={"name": "Grace"})
        with connect(f"{running.url}mcp") as peer:
            assert '"grace"' in peer.call("agent_zoo_list_agents").text
            assert "agent_zoo_use_grace" in [prompt.name for prompt in peer.prompts()]
        assert f"{running.url}mcp" in "\n".join(running.said)
        assert (tmp_path / "data" / "zoo" / "zoo.db").exists()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signal_ends_it_cleanly_under_open_streams(tmp_path: Path, number: signal.Signals) -> None:
    with (
        up(tmp_path, "--port", "0") as running,
        httpx.Client(base_url=running.url, timeout=PATIENCE) as http,
    ):
        with listening(http) as events, connect(f"{running.url}mcp/Demo") as peer:
            peer.tools()
            http.post("/api/agents", json={"name": "Ada"})
            assert any(event.kind == "agent:created" for event in events)
            assert running.end(number) == 0
            assert list(events) == []
        assert "Traceback" not in "\n".join(running.said)


def test_zoo_is_as_it_was_after_a_restart(tmp_path: Path) -> None:
    for names in ([], ["Ada"]):
        with (
            up(tmp_path, "--port", "0") as running,
            httpx.Client(base_url=running.url, timeout=PATIENCE) as http,
        ):
            assert [one["name"] for one in http.get("/api/agents").json()] == names
            http.post("/api/agents", json={"name": "Ada"})
            running.end()


def test_second_one_leads_to_the_first(tmp_path: Path) -> None:
    with up(tmp_path, "--port", "0") as running:
        code, said = refused(tmp_path, "--port", str(running.port))
    assert code == 0
    assert f"Paddock is already running with this zoo: {running.url}" in said


def test_a_paddock_with_another_zoo_is_named_as_the_owner_of_the_port(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    with up(tmp_path, "--port", "0") as running:
        code, said = refused(other, "--port", str(running.port))
    assert code == 2
    assert f"Port {running.port} is in use by Paddock {__version__} with another database" in said
    assert "--port" in said.splitlines()[-1]


def test_another_program_is_named_as_the_owner_of_the_port(tmp_path: Path, taken: int) -> None:
    code, said = refused(tmp_path, "--port", str(taken))
    assert code == 2
    by = f"process {os.getpid()}" if Path("/proc/net/tcp").exists() else "another program"
    assert f"Port {taken} is in use by {by}" in said


def test_another_port_is_taken_where_no_one_has_named_one(tmp_path: Path) -> None:
    with socket.socket() as holder:
        try:
            holder.bind(("127.0.0.1", 3912))
            holder.listen()
        except OSError:
            pass  # someone else has it, which does as well
        with up(tmp_path) as running:
            assert running.port != 3912
            assert any(line.startswith("Port 3912 is in use by ") for line in running.said)


def test_port_may_be_a_variable(tmp_path: Path, taken: int) -> None:
    code, said = refused(tmp_path, PORT=str(taken))
    assert (code, f"Port {taken} is in use" in said) == (2, True)


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])  # noqa: S104 - refused
def test_address_that_others_reach_is_refused_without_a_token(tmp_path: Path, host: str) -> None:
    code, said = refused(tmp_path, "--host", host, "--allowed-host", "*", "--port", "0")
    assert code == 2
    assert "PADDOCK_TOKEN" in said
    assert not (tmp_path / "data").exists()


def test_address_of_every_network_has_to_have_a_name(tmp_path: Path) -> None:
    anywhere = "0.0.0.0"  # noqa: S104 - refused
    code, said = refused(tmp_path, "--host", anywhere, "--port", "0", PADDOCK_TOKEN=TOKEN)
    assert (code, "--allowed-host" in said) == (2, True)


def test_token_that_can_be_guessed_is_refused(tmp_path: Path) -> None:
    code, said = refused(tmp_path, "--port", "0", PADDOCK_TOKEN="1234")  # noqa: S106 - as weak as can be
    assert (code, "16" in said) == (2, True)


def test_a_file_that_is_not_a_database_is_not_touched(tmp_path: Path) -> None:
    file = tmp_path / "zoo.db"
    file.write_text("a letter to a friend")
    code, said = refused(tmp_path, "--port", "0", "--database", str(file))
    assert (code, str(file) in said) == (2, True)
    assert file.read_text() == "a letter to a friend"


def test_requests_are_logged_as_json_without_what_was_in_them(tmp_path: Path) -> None:
    with up(tmp_path, "--port", "0", LOG_LEVEL="info") as running:
        with httpx.Client(base_url=running.url, timeout=PATIENCE) as http:
            http.post("/api/agents?text=hidden", json={"name": "hidden"})
            http.get("/api/agents/none")
        running.end()
    lines = [json.loads(line) for line in running.said if line.startswith("{")]
    asked = [line for line in lines if line["logger"] == "paddock.http.access"]
    assert [(one["http_method"], one["path"], one["status"]) for one in asked] == [
        ("POST", "/api/agents", 201),
        ("GET", "/api/agents/none", 404),
    ]
    assert all(one["duration_ms"] >= 0 for one in asked)
    assert "hidden" not in "\n".join(running.said)


def test_nothing_is_logged_of_requests_unless_asked_for(tmp_path: Path) -> None:
    with up(tmp_path, "--port", "0") as running:
        httpx.get(f"{running.url}api/agents", timeout=PATIENCE)
        running.end()
    assert [line for line in running.said if line.startswith("{")] == []


def test_processes_share_one_zoo(tmp_path: Path) -> None:
    with (
        up(tmp_path, "--port", "0") as first,
        up(tmp_path, "--port", "0") as second,
        httpx.Client(base_url=first.url, timeout=PATIENCE) as http,
        listening(http) as events,
    ):
        httpx.post(f"{second.url}api/agents", timeout=PATIENCE, json={"name": "Ada"})
        assert next(events).data["agentId"] == "ada"
        assert [one["id"] for one in http.get("/api/agents").json()] == ["ada"]


def users(directory: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """A run of `paddock users`."""
    return subprocess.run(
        [sys.executable, "-m", "paddock", "users", *arguments],
        check=False,
        env=environment(directory, **variables),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )


def test_a_team_is_served_once_it_has_an_administrator(tmp_path: Path) -> None:
    code, said = refused(tmp_path, "--team", "--port", "0")
    assert (code, "paddock users add NAME --admin" in said) == (2, True)
    needed = users(tmp_path, "add", "ada", "--admin")
    assert (needed.returncode, "PADDOCK_PASSWORD" in needed.stderr) == (2, True)
    secret = {"PADDOCK_PASSWORD": "long enough for all"}
    assert users(tmp_path, "add", "ada", "--admin", **secret).returncode == 0
    assert users(tmp_path, "add", "Eve", **secret).returncode == 0
    listed = json.loads(users(tmp_path, "--json").stdout)
    assert [(one["name"], one["isAdmin"]) for one in listed] == [("ada", True), ("eve", False)]
    token = users(tmp_path, "token", "eve").stdout.strip()
    with up(tmp_path, "--team", "--port", "0") as running:
        assert httpx.get(f"{running.url}api/agents", timeout=PATIENCE).status_code == 401
        headers = {"Authorization": f"Bearer {token}"}
        assert httpx.get(f"{running.url}api/agents", timeout=PATIENCE, headers=headers).json() == []
        # Another process revokes their access, and this one notices at once.
        assert users(tmp_path, "delete", "eve").returncode == 0
        assert (
            httpx.get(f"{running.url}api/agents", timeout=PATIENCE, headers=headers).status_code
            == 401
        )
    assert users(tmp_path, "delete", "ada").returncode == 2
