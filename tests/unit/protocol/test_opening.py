"""The first answer, given before the library is loaded, is the one that the library gives."""

import json
from typing import Any

import pytest

from paddock import Server
from paddock.protocol.connection import ServerConnection
from paddock.protocol.early_handshake import answer_handshake
from tests.behaviour.line import CLIENT, Line
from tests.behaviour.wire import META_KEY, SESSION, STATELESS
from tests.conftest import Connect

SERVER = Server(
    "sérver",
    version="1.2",
    title='"Quoted"',
    instructions="Two\nlines",
    icons=[{"src": "https://example.org/i.png", "sizes": ["48x48"]}],
    capabilities={"tools": {"listChanged": True}, "experimental": {"x": {"n": [1, "a"]}}},
    cache_ttl_ms=5,
    cache_scope="public",
)
ENVELOPE = {f"{META_KEY}protocolVersion": STATELESS, f"{META_KEY}clientCapabilities": {}}
HELLO = {"protocolVersion": SESSION, "capabilities": {"roots": {}}, "clientInfo": CLIENT}


def opened(message: Any) -> tuple[Any, ServerConnection]:
    sent: list[bytes] = []
    connection = ServerConnection(sent.append)
    found = answer_handshake(json.dumps(message).encode(), connection, SERVER.metadata)
    assert sent == []
    return (None if found is None else json.loads(found)), connection


def request(method: str, params: Any, key: Any = 1) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": key, "method": method, "params": params}


@pytest.mark.parametrize(
    "message",
    [
        request("initialize", HELLO),
        request("initialize", HELLO, "é\n"),
        request("initialize", {**HELLO, "protocolVersion": "2024-11-05"}),
        request("initialize", {**HELLO, "protocolVersion": "nonsense"}),
        request("initialize", {**HELLO, "_meta": {"progressToken": 1}}),
        request("server/discover", {"_meta": ENVELOPE}),
        request("server/discover", {"_meta": {**ENVELOPE, f"{META_KEY}clientInfo": CLIENT}}),
    ],
)
def test_the_first_answer_is_the_same_as_any_later_one(
    connect: Connect, message: dict[str, Any]
) -> None:
    found, _ = opened(message)
    line: Line = connect.silent(SERVER)
    line.send(message)
    assert found == line.answer(message["id"])


def test_initialize_opens_the_session() -> None:
    _, connection = opened(request("initialize", HELLO))
    assert connection.version == SESSION
    assert connection.client_capabilities == {"roots": {}}
    assert connection.client_info == CLIENT
    assert not connection.is_initialized


@pytest.mark.parametrize(
    "message",
    [
        1,
        [],
        {},
        request("ping", {}),
        request("tools/list", {}),
        request("initialize", {}),
        request("initialize", []),
        request("initialize", None),
        request("initialize", HELLO, None),
        request("initialize", HELLO, 1.5),
        request("initialize", HELLO, True),
        request("initialize", {**HELLO, "protocolVersion": 5}),
        request("initialize", {**HELLO, "capabilities": []}),
        request("initialize", {**HELLO, "_meta": ENVELOPE}),
        {**request("initialize", HELLO), "jsonrpc": "1.0"},
        {"jsonrpc": "2.0", "method": "initialize", "params": HELLO},
        request("server/discover", {}),
        request("server/discover", {"_meta": {}}),
        request("server/discover", {"_meta": {**ENVELOPE, f"{META_KEY}protocolVersion": SESSION}}),
        request("server/discover", {"_meta": {f"{META_KEY}protocolVersion": STATELESS}}),
    ],
)
def test_what_is_not_plain_is_left_to_the_dispatcher(message: Any) -> None:
    found, connection = opened(message)
    assert found is None
    assert connection.version is None
