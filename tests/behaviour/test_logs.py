"""What a server says to the people who run it: on standard error, as much as they ask for."""

import json
import os
import subprocess
import sys
from http.client import HTTPConnection
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import pytest

from tests.behaviour.line import PATIENCE, Json
from tests.behaviour.process import ServerProcess
from tests.behaviour.wire import META_KEY, STATELESS
from tests.conftest import Start

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
PARENT = f"00-{TRACE}-00f067aa0ba902b7-01"

PROGRAM = """
    import logging

    from paddock import Server

    server = Server("s")

    @server.tool
    def shout(word: str) -> str:
        if word == "fail":
            raise ValueError("hoarse")
        if word == "warn":
            logging.getLogger("shop").warning("Loud", extra={"volume": 11})
        return word.upper()
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    file = tmp_path / "shop.py"
    file.write_text(PROGRAM.replace("\n    ", "\n"), encoding="utf-8")
    return file


def serve(program: Path, *options: str) -> list[str]:
    return [sys.executable, "-m", "paddock", "serve", str(program), *options]


def lines_of(process: ServerProcess) -> list[Json]:
    return [json.loads(line) for line in process.stderr.splitlines()]


def said(process: ServerProcess, logger: str) -> list[Json]:
    return [line for line in lines_of(process) if line["logger"] == logger]


def called(process: ServerProcess, *words: str) -> ServerProcess:
    """A process that has served a client who called its tool, and has ended."""
    line = process.connect(STATELESS)
    for word in words:
        line.call("shout", {"word": word}, traceparent=PARENT)
    assert line.close() == []
    assert process.wait() == 0
    return process


def test_nothing_is_stated_of_what_goes_well(start: Start, program: Path) -> None:
    assert called(start.command(serve(program)), "hey").stderr == ""


def test_each_call_is_a_line_of_json_at_level_debug(start: Start, program: Path) -> None:
    options = ("--log-level", "debug", "--log-format", "json")
    process = called(start.command(serve(program, *options)), "hey", "fail")
    calls = said(process, "paddock.calls")
    times = [(call.pop("time"), call.pop("duration_ms")) for call in calls]
    common = {
        "level": "debug",
        "logger": "paddock.calls",
        "method": "tools/call",
        "tool": "shout",
        "trace_id": TRACE,
    }
    assert calls == [
        {**common, "message": "tools/call shout: ok", "request_id": 1, "outcome": "ok"},
        {
            **common,
            "message": "tools/call shout: tool_error",
            "request_id": 2,
            "outcome": "tool_error",
        },
    ]
    assert all(time.endswith("Z") and duration >= 0 for time, duration in times)


def test_a_failing_handler_has_its_traceback_in_the_line(start: Start, program: Path) -> None:
    process = called(start.command(serve(program, "--log-format", "json")), "fail")
    (failure,) = lines_of(process)
    assert (failure["level"], failure["message"]) == ("error", "Tool 'shout' failed")
    assert failure["exception"].endswith("ValueError: hoarse")


def test_lines_of_the_authors_own_have_the_same_form(start: Start, program: Path) -> None:
    process = called(start.command(serve(program, "--log-format", "json")), "warn")
    (own,) = lines_of(process)
    own.pop("time")
    assert own == {"level": "warning", "logger": "shop", "message": "Loud", "volume": 11}


def test_text_says_the_same_on_one_line(start: Start, program: Path) -> None:
    process = called(start.command(serve(program, "--log-level", "debug")), "hey")
    (line,) = process.stderr.splitlines()
    assert " debug paddock.calls: tools/call shout: ok (method=tools/call request_id=1" in line


def test_the_environment_says_it_too_and_the_options_win(
    start: Start, program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PADDOCK_LOG_LEVEL", "debug")
    monkeypatch.setenv("PADDOCK_LOG_FORMAT", "json")
    assert len(said(called(start.command(serve(program)), "hey"), "paddock.calls")) == 1
    quiet = called(start.command(serve(program, "--log-level", "info")), "hey")
    assert quiet.stderr == ""
    alone = start(PROGRAM + "\n    server.run()\n")
    assert len(said(called(alone, "hey"), "paddock.calls")) == 1


def test_a_program_sets_up_its_logs_itself(start: Start) -> None:
    setting = "\n    import paddock\n    paddock.configure_logging('debug', 'json')\n"
    process = called(start(PROGRAM + setting + "    server.run()\n"), "hey")
    assert [call["outcome"] for call in said(process, "paddock.calls")] == ["ok"]


def test_the_authors_own_setup_of_logging_wins(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PADDOCK_LOG_LEVEL", "debug")
    monkeypatch.setenv("PADDOCK_LOG_FORMAT", "json")
    setting = "\n    logging.basicConfig(format='%(name)s|%(message)s|%(tool)s', level='DEBUG')\n"
    own = start(PROGRAM + setting, is_served=True)
    assert called(own, "hey").stderr == "paddock.calls|tools/call shout: ok|shout\n"
    quiet = "\n    logging.getLogger('paddock').setLevel('WARNING')\n    server.run()\n"
    assert called(start(PROGRAM + quiet), "hey").stderr == ""


@pytest.mark.parametrize("option", ["--log-level", "--log-format"])
def test_an_unknown_setting_is_refused(program: Path, option: str) -> None:
    told = subprocess.run(serve(program, option, "loud"), stderr=subprocess.PIPE, check=False)
    assert told.returncode == 2
    variable = f"PADDOCK_{option[2:].replace('-', '_').upper()}"
    told = subprocess.run(
        serve(program),
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env={**os.environ, variable: "loud"},
        check=False,
    )
    assert told.returncode == 2
    assert b"'loud'" in told.stderr


def test_a_name_that_a_client_made_up_cannot_forge_a_line(start: Start, program: Path) -> None:
    process = start.command(serve(program, "--log-level", "debug"))
    line = process.connect(STATELESS)
    line.error("tools/call", {"name": "x\n2026 info forged"})
    assert line.close() == []
    assert process.wait() == 0
    assert len(process.stderr.splitlines()) == 1


# Over HTTP.


def address_of(process: ServerProcess) -> str:
    process.wait_for_stderr("/mcp")
    return process.stderr[process.stderr.index("http://") :].split("/mcp")[0] + "/mcp"


class Answer(NamedTuple):
    """An answer over HTTP."""

    status: int
    headers: dict[str, str]
    body: bytes


def send(url: str, message: Json | None = None, *, method: str = "POST", **headers: str) -> Answer:
    """One HTTP request; underscores in the names of headers means hyphens."""
    place = urlsplit(url)
    whole = {name.replace("_", "-"): value for name, value in headers.items()}
    if message is not None:
        whole |= {"content-type": "application/json", "accept": "application/json"}
    body = None if message is None else json.dumps({"jsonrpc": "2.0", **message})
    connection = HTTPConnection(place.netloc, timeout=PATIENCE)
    try:
        connection.request(method, f"{place.path}?{place.query}", body, whole)
        answer = connection.getresponse()
        names = {name.lower(): value for name, value in answer.headers.items()}
        return Answer(answer.status, names, answer.read())
    finally:
        connection.close()


def call(url: str, word: str, **headers: str) -> Answer:
    meta = {f"{META_KEY}protocolVersion": STATELESS, f"{META_KEY}clientCapabilities": {}}
    params = {"name": "shout", "arguments": {"word": word}, "_meta": meta}
    message = {"id": "a b", "method": "tools/call", "params": params}
    names = {"mcp_protocol_version": STATELESS, "mcp_method": "tools/call", "mcp_name": "shout"}
    return send(url, message, **names, **headers)


def test_each_http_request_is_a_line_at_level_info(start: Start, program: Path) -> None:
    options = ("--http", "127.0.0.1:0", "--log-level", "info", "--log-format", "json")
    process = start.command(serve(program, *options))
    url = address_of(process)
    answer = call(url, "hey", traceparent=PARENT)
    assert send(url.replace("/mcp", "/else"), method="GET").status == 404
    assert process.terminate() == 0
    found, absent = said(process, "paddock.http.access")
    assert found.pop("duration_ms") > 0
    assert found.pop("time") <= absent.pop("time")
    assert found == {
        "level": "info",
        "logger": "paddock.http.access",
        "message": "POST /mcp 200",
        "http_method": "POST",
        "path": "/mcp",
        "status": 200,
        "bytes": len(answer.body),
        "client": "127.0.0.1",
        "method": "tools/call",
        "request_id": "a b",
        "tool": "shout",
        "outcome": "ok",
        "trace_id": TRACE,
    }
    assert (absent["message"], absent["outcome"]) == ("GET /else 404", "error")


def test_http_requests_are_not_logged_unless_asked_for(start: Start, program: Path) -> None:
    process = start.command(serve(program, "--http", "127.0.0.1:0"))
    call(address_of(process), "hey")
    assert process.terminate() == 0
    assert len(process.stderr.splitlines()) == 1


def test_no_secret_is_in_any_line_at_any_level(start: Start, program: Path) -> None:
    options = ("--http", "127.0.0.1:0", "--log-level", "debug", "--log-format", "json")
    process = start.command(serve(program, *options))
    url = address_of(process)
    call(f"{url}?token=hush-1", "hush-2", authorization="Bearer hush-3", cookie="a=hush-4")
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "hush-5"}}
    opened = send(url, {"id": 1, "method": "initialize", "params": hello})
    session = opened.headers["mcp-session-id"]
    assert send(url, method="DELETE", mcp_session_id=session).status == 204
    assert process.terminate() == 0
    assert len(said(process, "paddock.calls")) == 2
    assert len(said(process, "paddock.http.access")) == 3
    text = process.stderr.lower()
    assert "hush" not in text
    assert session.lower() not in text
    opening, closed = said(process, "paddock.http.access")[1:]
    assert opening["session"] == closed["session"]


def test_a_line_says_who_is_behind_a_request_and_not_their_token(start: Start) -> None:
    process = start(
        """
        from paddock import Authorization, Server, StaticTokens, configure_logging

        server = Server("s", authorization=Authorization(StaticTokens({"hush-token": "ada"})))

        @server.tool
        def shout(word: str) -> str:
            return word.upper()

        configure_logging("debug", "json")
        server.run(http="127.0.0.1:0")
        """
    )
    url = address_of(process)
    assert call(url, "hey", authorization="Bearer hush-token").status == 200
    assert call(url, "hey", authorization="Bearer hush-other").status == 401
    assert process.terminate() == 0
    known, unknown = said(process, "paddock.http.access")
    assert (known["principal"], known["status"]) == ("ada", 200)
    assert ("principal" in unknown, unknown["status"]) == (False, 401)
    assert [line["principal"] for line in said(process, "paddock.calls")] == ["ada"]
    assert "hush" not in process.stderr
