"""Whatever comes in: no crash, no hang, one answer for each request."""

import json
from collections import Counter
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from paddock import Context, Prompt, Resource, ResourceTemplate, Server, Tool
from paddock.serving.session import serve_in_memory
from tests.behaviour.line import Line
from tests.behaviour.wire import META_KEY, STATELESS

BATCH_VERSION = "2025-03-26"
METHODS = [
    *("initialize", "ping", "server/discover", "subscriptions/listen", "completion/complete"),
    *("tools/list", "tools/call", "prompts/list", "prompts/get", "resources/list"),
    *("resources/templates/list", "resources/read", "resources/subscribe"),
    *("resources/unsubscribe", "logging/setLevel", "notifications/initialized"),
    *("notifications/progress", "no/such", "", "tools/call\x00"),
]
WORDS = [
    *("add", "ask", "later", "p", "q", "a://b", "a://{x}", "x", "a", "b", "name", "arguments"),
    *("uri", "cursor", "level", "info", "ref", "type", "ref/prompt", "ref/resource", "argument"),
    *("value", "context", "notifications", "toolsListChanged", "resourceSubscriptions", "_meta"),
    *("progressToken", "requestState", "inputResponses", "protocolVersion", "capabilities"),
    *("clientInfo", "2025-11-25", "2025-03-26", STATELESS, "elicitation"),
]
METAS = [
    *("progressToken", f"{META_KEY}protocolVersion", f"{META_KEY}clientCapabilities"),
    *(f"{META_KEY}clientInfo", f"{META_KEY}logLevel", "other"),
]

words = st.sampled_from(WORDS) | st.text(max_size=8)
numbers = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
scalars = st.none() | st.booleans() | numbers | words
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(words, inner, max_size=5),
    max_leaves=12,
)
envelopes = st.just(
    {f"{META_KEY}protocolVersion": STATELESS, f"{META_KEY}clientCapabilities": {"elicitation": {}}}
)
metas = envelopes | st.dictionaries(st.sampled_from(METAS), values, max_size=4)
calls = st.fixed_dictionaries(
    {"name": st.sampled_from(["add", "ask", "later", "p", "q"])},
    optional={
        "arguments": values | st.fixed_dictionaries({"a": values, "b": values}),
        "_meta": metas,
        "uri": st.sampled_from(["a://b", "a://c", ""]),
        "requestState": words,
        "inputResponses": values,
    },
)
params = calls | st.dictionaries(words, values, max_size=5) | values
ids = st.integers(min_value=-(2**63), max_value=2**63 - 1) | st.text(max_size=5)
odd_ids = st.none() | st.booleans() | numbers | st.lists(ids, max_size=2)
frames = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.just("2.0") | values,
        "id": ids | odd_ids,
        "method": st.sampled_from(METHODS) | values,
        "params": params,
        "result": values,
        "error": values,
    },
)
requests = st.fixed_dictionaries(
    {"jsonrpc": st.just("2.0"), "id": ids, "method": st.sampled_from(METHODS) | words},
    optional={"params": params},
)


def busy_server() -> Server:
    server = Server("s", page_size=2)

    @server.tool
    def add(a: int, b: int = 0) -> int:
        return a + b

    @server.tool
    async def later(a: Any, ctx: Context) -> Any:
        ctx.progress(1)
        ctx.error(a)
        return a

    @server.tool
    def ask(ctx: Context) -> str:
        return str(ctx.elicit("Name?", str).wait()) if ctx.client_capabilities else "anonymous"

    server.register([Tool(name, lambda: None) for name in "pqx"])
    server.register([Prompt("p", "{x}", completions={"x": ["a", "b"]}), Prompt("q", "")])
    server.register([Resource("a://b", lambda: b"x"), ResourceTemplate("a://{x}", lambda x: x)])
    return server


SERVER = busy_server()


def converse(lines: list[bytes], version: str = "") -> Line:
    """Say everything on a connection of its own and hear everything that is answered."""
    line = Line(serve_in_memory(SERVER))
    if version:
        line.open(version)
    for text in lines:
        line.write(text + b"\n")
    line.send({"jsonrpc": "2.0", "id": "the last one", "method": "ping"})
    assert line.answer("the last one")["result"] == {}
    line.close()
    assert line.transcript.faults() == []
    return line


def distinct(messages: list[Any], start: int = 1000) -> list[Any]:
    """The messages with ids of the same kind that are theirs alone."""
    found = []
    for index, message in enumerate(messages, start):
        key = message.get("id") if isinstance(message, dict) else None
        if type(key) is int:
            found.append({**message, "id": index})
        elif type(key) is str:
            found.append({**message, "id": f"{index} {key}"})
        else:
            found.append(message)
    return found


def answered(line: Line) -> Counter[object]:
    messages = [
        message
        for speaker, text in line.transcript.lines
        if speaker == "server"
        for message in _several(json.loads(text))
    ]
    return Counter(
        (type(message["id"]).__name__, message["id"])
        for message in messages
        if "method" not in message and "id" in message
    )


def _several(message: Any) -> list[Any]:
    return message if isinstance(message, list) else [message]


def is_request(message: object) -> bool:
    return (
        isinstance(message, dict)
        and message.get("jsonrpc") == "2.0"
        and type(message.get("id")) in (int, str)
        and isinstance(message.get("method"), str)
    )


def asked(messages: list[Any]) -> Counter[object]:
    return Counter(
        (type(message["id"]).__name__, message["id"]) for message in messages if is_request(message)
    )


slow_is_fine = settings(suppress_health_check=[HealthCheck.too_slow], max_examples=150)


@slow_is_fine
@given(st.lists(st.binary(max_size=60).map(lambda data: data.replace(b"\n", b"")), max_size=5))
def test_arbitrary_bytes_do_no_harm(lines: list[bytes]) -> None:
    converse(lines, "2025-11-25")


@slow_is_fine
@given(st.lists(st.text(alphabet='{}[]",:0123456789.eE-+ \\untrfalse', max_size=40), max_size=5))
def test_texts_that_are_almost_json_do_no_harm(lines: list[str]) -> None:
    converse([line.encode() for line in lines])


@slow_is_fine
@given(st.lists(frames | values, max_size=6), st.sampled_from(["", "2025-11-25"]))
def test_arbitrary_frames_are_answered_once_each(messages: list[Any], version: str) -> None:
    messages = distinct(messages)
    line = converse([json.dumps(message).encode() for message in messages], version)
    wanted = asked(messages)
    assert {key: answered(line)[key] for key in wanted} == dict(wanted)


@slow_is_fine
@given(st.lists(requests, max_size=8), st.sampled_from(["", "2025-11-25", BATCH_VERSION]))
def test_every_well_formed_request_has_one_answer(messages: list[Any], version: str) -> None:
    messages = distinct(messages)
    line = converse([json.dumps(message).encode() for message in messages], version)
    wanted = asked(messages)
    assert {key: answered(line)[key] for key in wanted} == dict(wanted)


@slow_is_fine
@given(st.lists(st.lists(requests | frames, max_size=4), max_size=3))
def test_every_request_of_a_batch_has_one_answer(batches: list[list[Any]]) -> None:
    batches = [distinct(batch, 1000 * number) for number, batch in enumerate(batches, 1)]
    line = converse([json.dumps(batch).encode() for batch in batches], BATCH_VERSION)
    wanted = asked([message for batch in batches for message in batch])
    assert {key: answered(line)[key] for key in wanted} == dict(wanted)
