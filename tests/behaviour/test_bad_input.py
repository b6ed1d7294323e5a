"""Invalid messages get an error where the protocol requires one, and the connection survives."""

import json
from typing import Any

import pytest

from paddock import Server, Tool
from tests.behaviour.line import Json
from tests.conftest import Connect


@pytest.mark.parametrize(
    "data",
    [
        b"nonsense",
        b"{",
        b'{"jsonrpc":"2.0","id":1,"method":"ping"',
        b'{"jsonrpc":"2.0","id":1,"method":"ping"}}',
        b'{"jsonrpc":"2.0","id":1,"method":"ping"} {}',
        b"{'jsonrpc':'2.0'}",
        b'{"jsonrpc":"2.0","id":NaN,"method":"ping"}',
        b'{"jsonrpc":"2.0","id":1,"method":"ping",}',
        b'{"a":1,"b":}',
        b'"\\x"',
        b'{"jsonrpc":"2.0","id":1,"method":"\xff\xfe"}',
        b"\xff\xfe{\x00}\x00",
        b"\x00",
        b"\xef\xbb\xbf{}",
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"\x01"}}',
        b"01",
        b"tru",
    ],
)
def test_what_is_not_json_is_a_parse_error_without_an_id(
    connect: Connect, era: str, data: bytes
) -> None:
    line = connect(Server("s"), era)
    line.write(data + b"\n", recorded={})
    answer = line.take(lambda _: True)
    assert answer["error"]["code"] == -32700
    assert "id" not in answer
    assert line.heard() == []


@pytest.mark.parametrize(
    "message",
    [
        1,
        "text",
        None,
        True,
        {},
        {"jsonrpc": "2.0"},
        {"jsonrpc": "2.0", "params": {}},
        {"id": None, "jsonrpc": "2.0", "method": "ping"},
        {"id": 1.5, "jsonrpc": "2.0", "method": "ping"},
        {"id": True, "jsonrpc": "2.0", "method": "ping"},
        {"id": [], "jsonrpc": "2.0", "method": "ping"},
        {"id": {}, "jsonrpc": "2.0", "method": "ping"},
    ],
)
def test_what_is_not_a_request_is_invalid_and_its_answer_has_no_id(
    connect: Connect, era: str, message: object
) -> None:
    line = connect(Server("s"), era)
    line.send(message)
    answer = line.take(lambda _: True)
    assert answer["error"]["code"] == -32600
    assert "id" not in answer
    assert line.heard() == []


@pytest.mark.parametrize("key", [7, "seven"])
@pytest.mark.parametrize(
    "wrong",
    [
        {"method": "ping"},
        {"jsonrpc": "1.0", "method": "ping"},
        {"jsonrpc": 2.0, "method": "ping"},
        {"jsonrpc": None, "method": "ping"},
        {"jsonrpc": "2.0", "method": 5},
        {"jsonrpc": "2.0", "method": None},
        {"jsonrpc": "2.0"},
    ],
)
def test_a_malformed_request_is_invalid_and_answered_with_its_id(
    connect: Connect, era: str, key: object, wrong: Json
) -> None:
    line = connect(Server("s"), era)
    line.write(
        json.dumps({"id": key, **wrong}).encode() + b"\n", recorded={"id": key, "method": "ping"}
    )
    assert line.answer(key)["error"]["code"] == -32600
    assert line.heard() == []


@pytest.mark.parametrize(
    "message",
    [
        {"jsonrpc": "2.0", "method": "notifications/unknown"},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": []},
        {"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progress": "x"}},
        {"jsonrpc": "2.0", "method": "tools/call"},
        {"jsonrpc": "1.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "method": 5},
        {"jsonrpc": "2.0", "method": "notifications/initialized", "params": "x"},
        {"jsonrpc": "2.0", "method": "notifications/roots/list_changed"},
    ],
)
def test_a_notification_is_never_answered(connect: Connect, era: str, message: Json) -> None:
    line = connect(Server("s"), era)
    line.send(message)
    assert line.heard() == []


@pytest.mark.parametrize("params", [[], [1], "x", 5, True])
@pytest.mark.parametrize(
    "method", ["ping", "tools/list", "tools/call", "initialize", "server/discover"]
)
def test_parameters_that_are_not_an_object_are_invalid_params(
    connect: Connect, method: str, params: object
) -> None:
    line = connect(Server("s"))
    line.send({"jsonrpc": "2.0", "id": "wrong", "method": method, "params": params})
    assert line.answer("wrong")["error"]["code"] == -32602
    assert line.heard() == []


@pytest.mark.parametrize("data", [b"\n", b"\n\n\n", b"\r\n", b"   \n", b"\t\r\n"])
def test_blank_lines_are_ignored(connect: Connect, era: str, data: bytes) -> None:
    line = connect(Server("s"), era)
    line.write(data)
    assert line.heard() == []


def test_lines_may_end_as_on_windows(connect: Connect, era: str) -> None:
    line = connect(Server("s"), era)
    frame = line.frame("tools/list")
    line.write(json.dumps(frame).encode() + b"\r\n")
    assert "result" in line.answer(frame["id"])


def test_a_message_may_arrive_in_pieces_and_several_at_once(connect: Connect, era: str) -> None:
    line = connect(Server("s"), era)
    frames = [line.frame("tools/list") for _ in range(3)]
    data = b"".join(json.dumps(frame).encode() + b"\n" for frame in frames)
    for frame in frames:
        line.transcript.said(json.dumps(frame).encode())
    pieces = [data[start : start + 7] for start in range(0, len(data), 7)]
    for piece in pieces:
        line.write(piece, recorded={})
    for frame in frames:
        assert "result" in line.answer(frame["id"])


def test_json_may_be_written_in_any_way(connect: Connect) -> None:
    line = connect(Server("s"))
    line.write(b' { "params" : {},\t"method":"p\\u0069ng" , "id":\r"\\u00e9" ,"jsonrpc":"2.0"} \n')
    assert line.answer("é")["result"] == {}


def test_unknown_members_are_ignored(connect: Connect, era: str) -> None:
    line = connect(Server("s"), era)
    frame = {**line.frame("tools/list", {"more": [1]}, other={"x": 1}), "extra": {"a": 1}}
    line.send(frame)
    assert "result" in line.answer(frame["id"])


@pytest.mark.parametrize("open_, close", [("[", "]"), ('{"a":', "}")])
def test_nesting_a_hundred_thousand_deep_is_refused(
    connect: Connect, era: str, open_: str, close: str
) -> None:
    server = Server("s", tools=Tool("hi", lambda: "hello"))
    line = connect(server, era)
    frame = line.frame("tools/call", {"name": "hi", "arguments": {"a": 5}})
    nested = open_ * 100_000 + ("1" if close == "}" else "") + close * 100_000
    data = json.dumps(frame).replace('"a": 5', f'"a": {nested}').encode()
    line.write(data + b"\n", recorded=frame)
    assert line.take(lambda _: True)["error"]["code"] in (-32600, -32700)
    assert line.text("hi") == "hello"


def test_nesting_is_not_a_problem_anywhere_short_of_the_limit(connect: Connect, era: str) -> None:
    """Some depth is too much for the frame, a smaller one for the arguments, a smaller one fits."""
    server = Server("s")

    @server.tool
    def depth(data: Any) -> int:
        count = 0
        while isinstance(data, list):
            count, data = count + 1, data[0] if data else None
        return count

    line = connect(server, era)
    for deep in range(860, 1010, 2):
        frame = line.frame("tools/call", {"name": "depth", "arguments": {"data": 5}})
        nested = "[" * deep + "]" * deep
        text = json.dumps(frame).replace('"data": 5', f'"data": {nested}')
        line.write(text.encode() + b"\n", recorded=frame)
        answer = line.take(lambda _: True)
        assert answer.keys() & {"result", "error"}
    assert line.heard() == []


@pytest.mark.parametrize("number", [2**63, 2**64, 10**40, -(10**40)])
def test_an_id_beyond_64_bits_is_answered_once(connect: Connect, era: str, number: int) -> None:
    line = connect(Server("s"), era)
    line.write(json.dumps({**line.frame("tools/list"), "id": number}).encode() + b"\n")
    answer = line.take(lambda _: True)
    assert answer.get("id", number) == number
    assert line.heard() == []


@pytest.mark.parametrize("number", ["1e400", "-1e400", "1" * 400, "1" * 5000, "0.1e-999"])
def test_numbers_beyond_all_limits_are_answered(connect: Connect, era: str, number: str) -> None:
    server = Server("s")

    @server.tool
    def take(value: Any) -> str:
        return type(value).__name__

    @server.tool
    def whole(value: int) -> int:
        return value

    @server.tool
    def real(value: float) -> float:
        return value

    line = connect(server, era)
    for tool in ("take", "whole", "real"):
        frame = line.frame("tools/call", {"name": tool, "arguments": {"value": "here"}})
        text = json.dumps(frame).replace('"here"', number)
        line.write(text.encode() + b"\n", recorded=frame)
        assert line.take(lambda _: True).keys() & {"result", "error"}
    assert line.heard() == []


def test_of_a_key_written_twice_the_last_counts(connect: Connect) -> None:
    line = connect(Server("s"))
    line.write(b'{"jsonrpc":"2.0","id":"a","id":"b","method":"no","method":"ping"}\n')
    assert line.answer("b")["result"] == {}


@pytest.mark.parametrize(
    "text", ["\\ud800", "\\udc00\\ud800", "\\u0000", "\\ud83d\\ude00", "\\ud83d"]
)
def test_every_escape_in_an_argument_is_answered(connect: Connect, era: str, text: str) -> None:
    server = Server("s")

    @server.tool
    def echo(text: str) -> str:
        return text

    line = connect(server, era)
    frame = line.frame("tools/call", {"name": "echo", "arguments": {"text": "here"}})
    line.write(json.dumps(frame).replace("here", text).encode() + b"\n", recorded=frame)
    assert line.take(lambda _: True).keys() & {"result", "error"}
    assert line.heard() == []


@pytest.mark.parametrize("data", [b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xf8\x88\x80\x80\x80"])
def test_an_argument_that_is_not_utf_8_never_reaches_a_handler(
    connect: Connect, era: str, data: bytes
) -> None:
    server, taken = Server("s"), []

    @server.tool
    def echo(text: str) -> str:
        taken.append(text)
        return "taken"

    line = connect(server, era)
    frame = line.frame("tools/call", {"name": "echo", "arguments": {"text": "here"}})
    line.write(json.dumps(frame).encode().replace(b"here", data) + b"\n", recorded=frame)
    answer = line.take(lambda _: True)
    assert "error" in answer or answer["result"]["isError"]
    assert taken == []


def test_two_requests_with_one_id_at_once_are_both_answered(connect: Connect, era: str) -> None:
    server = Server("s", tools=Tool("hi", lambda: "hello"))
    line = connect(server, era)
    frame = line.frame("tools/call", {"name": "hi"})
    line.send(frame)
    line.send(frame)
    assert "result" in line.answer(frame["id"])
    assert "result" in line.answer(frame["id"])


def test_a_message_of_ten_megabytes_comes_back_whole(connect: Connect, era: str) -> None:
    server = Server("s")

    @server.tool
    def echo(text: str) -> str:
        return text

    text = "ä" * 5_000_000
    assert connect(server, era).text("echo", {"text": text}) == text


def test_input_that_ends_in_the_middle_of_a_line_ends_the_connection(
    connect: Connect, era: str
) -> None:
    line = connect(Server("s"), era)
    line.write(b'{"jsonrpc":"2.0","id":5,"method":', recorded={})
    assert line.close() == []
