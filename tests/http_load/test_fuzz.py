"""Anything may come over the network: the answer is always a proper one, or the connection ends.

Each example is a conversation of raw bytes on a connection of its own, sent in pieces, to a server
that lives for the whole module. Whatever it was, the server must still answer afterwards.
"""

import itertools
import json
import logging
import socket
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from paddock import Context, Limits, Server
from tests.http_load.live import CARRIERS, Raw, Session

EXAMPLES = 150
LIMITS = Limits(body_bytes=4096, header_bytes=8192, sessions=50)
META = "io.modelcontextprotocol/"
VERSIONS = ("2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "1999-01-01", "")
METHODS = (
    *("tools/call", "tools/list", "initialize", "ping", "server/discover", "resources/read"),
    *("resources/subscribe", "prompts/get", "completion/complete", "logging/setLevel"),
    *("tasks/get", "tasks/result", "tasks/list", "tasks/cancel", "tasks/update"),
    *("subscriptions/listen", "notifications/cancelled", "notifications/initialized", "no/such"),
)


class Live:
    """A server that all examples share."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.session = Session(port).voice.session or ""

    def still_answers(self) -> bool:
        with Raw(self.port) as line:
            text = line.call("add", a=2, b=3)["result"]["content"][0]["text"]
        return bool(text == "5")


def fuzzed_server() -> Server:
    server = Server("fuzzed")

    @server.tool(inline=True)
    def add(a: int, b: int) -> int:
        return a + b

    @server.tool
    async def steps(count: int, ctx: Context) -> int:
        for number in range(min(count, 5)):
            ctx.progress(number + 1)
        return count

    @server.tool(task="optional")
    def echo(text: str) -> str:
        return text

    @server.resource("r://{name}")
    def item(name: str) -> str:
        return name

    @server.prompt
    def greeting(name: str) -> str:
        return f"Greet {name}"

    return server


@pytest.fixture(scope="module", params=CARRIERS)
def live(request: pytest.FixtureRequest) -> Iterator[Live]:
    """The server, by each carrier."""
    with CARRIERS[request.param](fuzzed_server(), LIMITS) as port:
        yield Live(port)


fuzzed = settings(
    max_examples=EXAMPLES,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)

texts = st.text(max_size=12)
scalars = st.one_of(
    *(st.none(), st.booleans(), st.integers(-(2**70), 2**70), texts),
    *(st.floats(allow_nan=False, allow_infinity=False), st.sampled_from(VERSIONS)),
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
names = st.sampled_from(("add", "steps", "echo", "r://x", "greeting", "none", "")) | texts


@st.composite
def metas(draw: st.DrawFn) -> object:
    """A `_meta`, right or nearly so."""
    if draw(st.integers(0, 9)) == 0:
        return draw(values)
    meta: dict[str, object] = draw(st.dictionaries(texts, values, max_size=2))
    if draw(st.booleans()):
        meta[META + "protocolVersion"] = draw(st.sampled_from(VERSIONS) | values)
    if draw(st.booleans()):
        capabilities = st.just({}) | st.just({"extensions": {META + "tasks": {}}}) | values
        meta[META + "clientCapabilities"] = draw(capabilities)
    if draw(st.booleans()):
        meta["progressToken"] = draw(values)
    return meta


@st.composite
def params(draw: st.DrawFn) -> object:
    """Parameters that fit some method, more or less."""
    if draw(st.integers(0, 9)) == 0:
        return draw(values)
    found: dict[str, object] = draw(st.dictionaries(texts, values, max_size=1))
    known: dict[str, st.SearchStrategy[object]] = {
        "name": names | values,
        "uri": names | values,
        "arguments": st.just({"a": 1, "b": 2}) | st.just({"count": 3}) | values,
        "protocolVersion": st.sampled_from(VERSIONS) | values,
        "capabilities": st.just({}) | values,
        "clientInfo": st.just({"name": "f", "version": "1"}) | values,
        "requestId": values,
        "taskId": names | values,
        "task": st.just({}) | st.just({"ttl": 1}) | values,
        "cursor": values,
        "level": st.just("info") | values,
        "ref": st.just({"type": "ref/prompt", "name": "greeting"}) | values,
        "notifications": st.just({"toolsListChanged": True}) | values,
        "inputResponses": values,
    }
    for key in draw(st.sets(st.sampled_from(sorted(known)), max_size=4)):
        found[key] = draw(known[key])
    if draw(st.booleans()):
        found["_meta"] = draw(metas())
    return found


@st.composite
def messages(draw: st.DrawFn) -> object:
    """A JSON-RPC message, right or nearly so."""
    if draw(st.integers(0, 14)) == 0:
        return draw(values)
    message: dict[str, object] = {"jsonrpc": draw(st.sampled_from(("2.0",) * 9 + ("1.0", 2)))}
    if draw(st.integers(0, 9)):
        message["method"] = draw(st.sampled_from(METHODS) | values)
    if draw(st.integers(0, 4)):
        message["id"] = draw(st.integers(0, 3) | texts | values)
    if draw(st.integers(0, 4)):
        message["params"] = draw(params())
    for key in ("result", "error"):
        if draw(st.integers(0, 9)) == 0:
            message[key] = draw(values)
    return message


@st.composite
def bodies(draw: st.DrawFn) -> bytes:
    """A body: JSON, a batch, JSON cut off, or bytes."""
    kind = draw(st.integers(0, 9))
    if kind == 0:
        return draw(st.binary(max_size=60))
    if kind == 1:
        return json.dumps(draw(st.lists(messages(), max_size=4))).encode()
    body = json.dumps(draw(messages())).encode()
    return body[: draw(st.integers(0, len(body)))] if kind == 2 else body


def quoted(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


@st.composite
def header_lines(draw: st.DrawFn, session: str) -> list[bytes]:
    """Headers of which most are what they should be."""
    ours = st.sampled_from((session, session[:-1], "", "nonsense"))
    known: dict[bytes, st.SearchStrategy[bytes]] = {
        b"Host": st.sampled_from((b"127.0.0.1", b"127.0.0.1", b"localhost:1", b"evil.example")),
        b"Accept": st.sampled_from(
            (
                *(b"application/json, text/event-stream", b"text/event-stream, application/json"),
                *(b"application/json", b"text/event-stream", b"*/*;q=nan", b"text/html", b""),
            )
        ),
        b"Content-Type": st.sampled_from(
            (b"application/json",) * 4 + (b"application/json; charset=utf-8", b"text/plain", b";")
        ),
        b"MCP-Protocol-Version": st.sampled_from([version.encode() for version in VERSIONS]),
        b"Mcp-Method": st.sampled_from([method.encode() for method in METHODS]),
        b"Mcp-Name": names.map(quoted),
        b"Mcp-Session-Id": ours.map(str.encode),
        b"Mcp-Param-a": st.binary(max_size=8),
        b"Last-Event-ID": st.sampled_from((b"0_0", b"1_0", b"9_9", b"0_", b"x", b"1" * 50)),
        b"Origin": st.sampled_from((b"http://localhost", b"https://evil.example", b"null", b"//")),
        b"Expect": st.sampled_from((b"100-continue", b"?")),
        b"Connection": st.sampled_from((b"close", b"keep-alive", b"upgrade", b"Upgrade, x")),
        b"Upgrade": st.sampled_from((b"h2c", b"websocket")),
        b"Authorization": st.binary(max_size=8),
    }
    usual = {b"Host", b"Accept", b"Content-Type"}
    chosen = usual | draw(st.sets(st.sampled_from(sorted(known)), max_size=5))
    lines = [b"%b: %b" % (name, draw(known[name])) for name in sorted(chosen)]
    if draw(st.integers(0, 5)) == 0:
        lines.append(draw(st.sampled_from(lines)))
    if draw(st.integers(0, 5)) == 0:
        odd = (b" folded", b"NoColon", b": empty", b"X\0: y", b"X: \0", b"Y: " + b"y" * 9000)
        lines.insert(draw(st.integers(0, len(lines))), draw(st.sampled_from(odd)))
    return lines


@st.composite
def framings(draw: st.DrawFn, body: bytes) -> tuple[list[bytes], bytes]:
    """Headers that say how long a body is, and the body as it travels."""
    size = len(body)
    kind = draw(st.integers(0, 9))
    if kind < 5:
        return [b"Content-Length: %d" % size], body
    if kind < 8:
        cut = draw(st.integers(0, size))
        parts = [part for part in (body[:cut], body[cut:]) if part]
        chunks = b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in parts)
        return [b"Transfer-Encoding: chunked"], chunks + b"0\r\n\r\n"
    wrong = (
        ([b"Content-Length: %d" % (size + 7)], body),
        ([b"Content-Length: %d" % max(0, size - 7)], body),
        ([b"Content-Length: %d" % size, b"Content-Length: %d" % (size + 1)], body),
        ([b"Content-Length: %d" % size, b"Transfer-Encoding: chunked"], body),
        ([b"Content-Length: -1"], body),
        ([b"Content-Length: " + b"9" * 30], body),
        ([b"Transfer-Encoding: chunked"], b"zz\r\n" + body),
        ([b"Transfer-Encoding: chunked"], b"%x\r\n%b" % (size + 3, body)),
        ([b"Transfer-Encoding: gzip, chunked"], body),
        ([], body),
    )
    return draw(st.sampled_from(wrong))


@st.composite
def requests(draw: st.DrawFn, session: str) -> bytes:
    """One HTTP request, right or nearly so."""
    method = draw(
        st.sampled_from(
            (*(b"POST",) * 8, *(b"GET", b"DELETE", b"OPTIONS", b"HEAD", b"PUT", b"CONNECT", b"x\0"))
        )
    )
    path = draw(
        st.sampled_from(
            (
                *(b"/mcp",) * 8,
                *(b"/", b"/mcp/", b"/mcp?x=1", b"/health", b"*", b"http://[::1", b"//mcp", b"/%zz"),
            )
        )
    )
    version = draw(st.sampled_from((b"HTTP/1.1",) * 8 + (b"HTTP/1.0", b"HTTP/2.0", b"HTTQ")))
    framing, body = draw(framings(draw(bodies())))
    lines = [b"%b %b %b" % (method, path, version), *draw(header_lines(session)), *framing]
    end = draw(st.sampled_from((b"\r\n",) * 12 + (b"\n", b"\r")))
    return end.join([*lines, b"", b""]) + body


def pieces(data: bytes, cuts: list[int]) -> list[bytes]:
    marks = sorted({min(cut, len(data)) for cut in cuts} | {0, len(data)})
    return [data[start:end] for start, end in itertools.pairwise(marks)]


def converse(port: int, parts: list[bytes]) -> bytes:
    """Send the pieces, say that this was all, and take everything that comes."""
    with Raw(port) as line:
        line.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            for part in parts:
                line.send(part)
            line.socket.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # the server has heard enough
        said = b""
        try:
            while part := line.socket.recv(65536):
                said += part
        except ConnectionError:
            pass
        except TimeoutError:
            # A stream may go on, where a server looks for the end of a connection only between
            # requests, as uvicorn does. Everything else is a hang.
            assert b"text/event-stream" in said, said
        return said


def check_answers(said: bytes) -> None:
    """What a server said is a row of HTTP answers, of which the last may be cut off."""
    while said:
        head, mark, rest = said.partition(b"\r\n\r\n")
        status_line, *lines = head.split(b"\r\n")
        assert status_line.startswith(b"HTTP/1.1 "), said
        status = int(status_line.split(b" ")[1])
        assert status not in (500, 501, 502), said
        headers = dict(line.lower().split(b": ", 1) for line in lines) if mark else {}
        if status == 100 or not mark:
            said = rest
            continue
        if headers.get(b"transfer-encoding") == b"chunked":
            said = check_stream(rest)
        else:
            size = int(headers.get(b"content-length", b"0"))
            is_whole = len(rest) >= size and rest[:5] != b"HTTP/"
            if size and is_whole and headers.get(b"content-type") == b"application/json":
                check_json(rest[:size])
            # The answer to a HEAD has no body, whatever its length says.
            said = rest[size:] if is_whole else rest if rest[:5] == b"HTTP/" else b""


def check_stream(rest: bytes) -> bytes:
    """A body in chunks, which may break off; what follows it."""
    events = b""
    while True:
        size, mark, rest = rest.partition(b"\r\n")
        if not mark:
            return b""
        length = int(size, 16)
        events, rest = events + rest[:length], rest[length + 2 :]
        if length == 0:
            break
    for event in events.split(b"\n\n"):
        for line in event.split(b"\n"):
            if line.startswith(b"data: ") and line != b"data: ":
                check_json(line[6:])
    return rest


def check_json(body: bytes) -> None:
    """A JSON-RPC message, an array of them, or the state of health."""
    found = json.loads(body)
    for message in found if isinstance(found, list) else [found]:
        if set(message) == {"status"}:
            continue
        assert message["jsonrpc"] == "2.0", body
        assert ("result" in message) + ("error" in message) + ("method" in message) == 1, body
        if "error" in message:
            assert isinstance(message["error"]["code"], int), body
            assert isinstance(message["error"]["message"], str), body
            assert message["error"]["code"] != -32603, body


cuts = st.lists(st.integers(0, 600), max_size=6)


@fuzzed
@given(data=st.data(), at=cuts)
def test_any_request_gets_a_proper_answer_or_the_connection_ends(
    live: Live, caplog: pytest.LogCaptureFixture, data: st.DataObject, at: list[int]
) -> None:
    row = data.draw(st.lists(requests(live.session), min_size=1, max_size=3))
    check_answers(converse(live.port, pieces(b"".join(row), at)))
    assert live.still_answers()
    assert [record for record in caplog.records if record.levelno >= logging.ERROR] == []


@fuzzed
@given(body=bodies(), data=st.data(), at=cuts)
def test_any_body_gets_a_proper_answer(
    live: Live, caplog: pytest.LogCaptureFixture, body: bytes, data: st.DataObject, at: list[int]
) -> None:
    lines = [
        *(b"POST /mcp HTTP/1.1", b"Host: localhost", b"Content-Type: application/json"),
        *(b"Content-Length: %d" % len(body), b"Connection: close"),
        b"Accept: application/json, text/event-stream",
    ]
    if data.draw(st.booleans()):
        lines.append(b"Mcp-Session-Id: " + live.session.encode())
    with Raw(live.port) as line:
        for part in pieces(b"\r\n".join([*lines, b"", b""]) + body, at):
            line.send(part)
        if b"subscriptions/listen" in body or b"tasks/result" in body:
            line.socket.shutdown(socket.SHUT_WR)  # these need not end by themselves
        said = line.rest()
    assert said or b"subscriptions/listen" in body or b"tasks/result" in body
    check_answers(said)
    assert live.still_answers()
    assert [record for record in caplog.records if record.levelno >= logging.ERROR] == []


@fuzzed
@given(garbage=st.binary(min_size=1, max_size=300), at=cuts)
def test_bytes_without_sense_end_the_connection(live: Live, garbage: bytes, at: list[int]) -> None:
    check_answers(converse(live.port, pieces(garbage, at)))
    assert live.still_answers()
