"""The check that every other test relies on finds what is wrong."""

import json

import pytest

from tests.behaviour.line import Json
from tests.behaviour.wire import META_KEY, STATELESS, Transcript

ENVELOPE = {f"{META_KEY}protocolVersion": STATELESS, f"{META_KEY}clientCapabilities": {}}
INFO = {f"{META_KEY}serverInfo": {"name": "s", "version": "1"}}
COMPLETE: Json = {"resultType": "complete", "_meta": INFO}
TEXT = [{"type": "text", "text": "hi"}]


def request(method: str, key: object = 1, **params: object) -> Json:
    return {"jsonrpc": "2.0", "id": key, "method": method, "params": params}


def stateless(method: str, key: object = 1, **params: object) -> Json:
    return request(method, key, **params, _meta={**ENVELOPE, "progressToken": "t"})


def result(value: Json, key: object = 1) -> Json:
    return {"jsonrpc": "2.0", "id": key, "result": value}


def error(code: int, **more: object) -> Json:
    return {"jsonrpc": "2.0", "error": {"code": code, "message": "m"}, **more}


def notification(method: str, **params: object) -> Json:
    return {"jsonrpc": "2.0", "method": f"notifications/{method}", "params": params}


def faults(said: list[Json], heard: list[object]) -> list[str]:
    transcript = Transcript()
    for message in said:
        transcript.said(json.dumps(message).encode())
    for answer in heard:
        transcript.heard(json.dumps(answer).encode())
    return transcript.faults()


PING, CALL, LIST = request("ping"), stateless("tools/call"), stateless("tools/list")
PROGRESS = notification("progress", progressToken="t", progress=1)

RIGHT: list[tuple[list[Json], list[object]]] = [
    ([PING], [result({})]),
    ([CALL], [PROGRESS, result({"content": TEXT, **COMPLETE})]),
    ([CALL], [error(-32602, id=1)]),
    ([PING], [error(-32700), result({})]),
    ([LIST], [result({"tools": [], "ttlMs": 0, "cacheScope": "private", **COMPLETE})]),
    ([PING, request("ping", "1")], [[result({}), result({}, "1")]]),
]


@pytest.mark.parametrize(("said", "heard"), RIGHT)
def test_a_right_conversation_has_no_faults(said: list[Json], heard: list[object]) -> None:
    assert faults(said, heard) == []


TOOL = {"name": "t", "inputSchema": {"type": "object", "properties": {"x": {"$ref": "#/$defs/y"}}}}
CACHED = {"ttlMs": 0, "cacheScope": "private", **COMPLETE}

WRONG: list[tuple[str, list[Json], list[object]]] = [
    ("an answer to nothing", [], [result({})]),
    ("a second answer", [PING], [result({}), result({})]),
    ("an id of null", [PING], [error(-32700, id=None)]),
    ("text instead of a message", [PING], ["hello"]),
    ("a result without its type", [CALL], [result({"content": TEXT, "_meta": INFO})]),
    ("a result without its server", [CALL], [result({"content": TEXT, "resultType": "complete"})]),
    ("a result without content", [CALL], [result(COMPLETE)]),
    ("a result type in a session", [PING], [result(COMPLETE)]),
    ("a list without its lifetime", [LIST], [result({"tools": [], **COMPLETE})]),
    ("a call with a lifetime", [CALL], [result({"content": TEXT, **CACHED})]),
    ("a code of the older era", [CALL], [error(-32002, id=1)]),
    ("a schema that leads nowhere", [LIST], [result({"tools": [TOOL], **CACHED})]),
    ("progress without a token", [PING], [PROGRESS]),
    ("progress that does not grow", [CALL], [PROGRESS, PROGRESS]),
    ("progress after the answer", [CALL], [error(-1, id=1), PROGRESS]),
    ("a question without a session", [CALL], [request("roots/list", 5)]),
    ("a malformed question", [PING], [request("elicitation/create", 5, message="m")]),
    ("an unknown notification", [PING], [notification("gossip")]),
    ("an unrequested change", [PING], [notification("tools/list_changed")]),
    ("invalid questions", [CALL], [result({**COMPLETE, "resultType": "input_required"})]),
]


@pytest.mark.parametrize(("said", "heard"), [row[1:] for row in WRONG], ids=[r[0] for r in WRONG])
def test_a_wrong_conversation_has_faults(said: list[Json], heard: list[object]) -> None:
    assert faults(said, heard) != []
