"""Spans of OpenTelemetry, one for each request, with the real SDK at the other end."""

import asyncio
import json
import subprocess
import sys
import threading
import time
from collections.abc import MutableMapping
from typing import Any

import pytest
from opentelemetry import baggage, trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from paddock import CallToolResult, Context, Server, ToolError, http_app
from tests.behaviour.line import PATIENCE, Json
from tests.behaviour.wire import META_KEY, SESSION, STATELESS
from tests.conftest import Connect, Start

TRACE, SPAN = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
PARENT = f"00-{TRACE}-{SPAN}-01"


class Spans:
    """What was recorded: the spans that have ended."""

    def __init__(self) -> None:
        self._exporter = InMemorySpanExporter()
        self.provider = TracerProvider(shutdown_on_exit=False)
        self.provider.add_span_processor(SimpleSpanProcessor(self._exporter))
        self.tracer = self.provider.get_tracer("test")

    def named(self, name: str) -> ReadableSpan:
        (found,) = (span for span in self._exporter.get_finished_spans() if span.name == name)
        return found

    def wait_for(self, name: str) -> ReadableSpan:
        """The span of this name, which may have yet to end."""
        pause, deadline = threading.Event(), time.monotonic() + PATIENCE
        while name not in self.names():
            assert time.monotonic() < deadline, f"no span {name!r}, only {self.names()}"
            pause.wait(0.005)
        return self.named(name)

    def clear(self) -> None:
        self._exporter.clear()

    def names(self) -> set[str]:
        return {span.name for span in self._exporter.get_finished_spans()}


@pytest.fixture
def spans() -> Spans:
    return Spans()


def attributes(span: ReadableSpan) -> Json:
    return dict(span.attributes or {})


def exceptions(span: ReadableSpan) -> list[object]:
    return [(event.attributes or {})["exception.type"] for event in span.events]


def parent_of(span: ReadableSpan) -> tuple[str, str] | None:
    parent = span.parent
    return None if parent is None else (f"{parent.trace_id:032x}", f"{parent.span_id:016x}")


def test_a_call_is_a_span_with_the_names_of_the_conventions(
    connect: Connect, era: str, spans: Spans
) -> None:
    server = Server("s", tracing=spans.provider)

    @server.tool
    def add(a: int, b: int) -> int:
        return a + b

    line = connect(server, era)
    request_id = line.begin_call("add", {"a": 1, "b": 2})
    assert "result" in line.answer(request_id)
    span = spans.named("tools/call add")
    assert (span.kind, span.status.status_code, span.parent) == (
        SpanKind.SERVER,
        StatusCode.UNSET,
        None,
    )
    assert attributes(span) == {
        "mcp.method.name": "tools/call",
        "mcp.protocol.version": era,
        "jsonrpc.request.id": str(request_id),
        "gen_ai.tool.name": "add",
        "gen_ai.operation.name": "execute_tool",
        "network.transport": "pipe",
        "paddock.outcome": "ok",
    }


@pytest.mark.parametrize("kind", ["plain", "inline", "async", "slow"])
def test_a_handler_runs_in_its_span_which_is_the_child_of_the_clients(
    connect: Connect, era: str, spans: Spans, kind: str
) -> None:
    server, pause = Server("s", tracing=spans.provider), threading.Event()

    def work() -> str:
        if kind == "slow":  # long enough for another thread to take over the reading
            pause.wait(0.05)
        with spans.tracer.start_as_current_span("inside"):
            return str(baggage.get_baggage("user"))

    async def async_work() -> str:
        await asyncio.sleep(0)
        return work()

    server.tool(name="work", inline=kind == "inline")(async_work if kind == "async" else work)
    line = connect(server, era)
    for _ in range(2):
        meta = {"traceparent": PARENT, "tracestate": "rojo=1", "baggage": "user=ada"}
        assert line.text("work", {}, **meta) == "ada"
        outer, inner = spans.named("tools/call work"), spans.named("inside")
        assert parent_of(outer) == (TRACE, SPAN)
        assert outer.context.trace_state.get("rojo") == "1"
        assert parent_of(inner) == (TRACE, f"{outer.context.span_id:016x}")
        spans.clear()


def test_a_call_leaves_nothing_of_its_context_to_the_next(
    connect: Connect, era: str, spans: Spans
) -> None:
    server = Server("s", tracing=spans.provider)
    server.tool(name="user")(lambda: str(baggage.get_baggage("user")))
    line = connect(server, era)
    assert line.text("user", traceparent=PARENT, baggage="user=ada") == "ada"
    spans.clear()
    assert line.text("user") == "None"
    assert spans.named("tools/call user").parent is None


def test_prompts_and_resources_are_spans_too(connect: Connect, era: str, spans: Spans) -> None:
    server = Server("s", tracing=spans.provider)

    @server.prompt
    def greet(name: str) -> str:
        with spans.tracer.start_as_current_span("in the prompt"):
            return f"Say hello to {name}"

    @server.resource("memo://today")
    async def memo() -> str:
        with spans.tracer.start_as_current_span("in the resource"):
            return "Nothing"

    line = connect(server, era)
    line.result("prompts/get", {"name": "greet", "arguments": {"name": "Ada"}})
    line.result("resources/read", {"uri": "memo://today"})
    line.result("tools/list")
    prompt, resource = spans.named("prompts/get greet"), spans.named("resources/read")
    assert attributes(prompt)["gen_ai.prompt.name"] == "greet"
    assert attributes(resource)["mcp.resource.uri"] == "memo://today"
    assert parent_of(spans.named("in the prompt")) == ids(prompt)
    assert parent_of(spans.named("in the resource")) == ids(resource)
    assert attributes(spans.named("tools/list"))["paddock.outcome"] == "ok"


def ids(span: ReadableSpan) -> tuple[str, str]:
    return f"{span.context.trace_id:032x}", f"{span.context.span_id:016x}"


def test_a_tool_that_fails_is_an_error_with_its_exception(
    connect: Connect, era: str, spans: Spans
) -> None:
    server = Server("s", tracing=spans.provider)

    @server.tool
    def fail() -> None:
        raise ZeroDivisionError("once more")

    @server.tool
    async def refuse() -> None:
        raise ToolError("Not today")

    @server.tool
    def report() -> CallToolResult:
        return CallToolResult(["It broke"], is_error=True)

    @server.tool
    def quote() -> dict[str, bool]:
        return {"isError": True}

    line = connect(server, era)
    for name in ("fail", "refuse", "report", "quote"):
        line.call(name)
    found = {name: spans.named(f"tools/call {name}") for name in ("fail", "refuse", "report")}
    for span in found.values():
        assert span.status.status_code is StatusCode.ERROR
        assert attributes(span)["error.type"] == "tool_error"
    assert exceptions(found["fail"]) == ["ZeroDivisionError"]
    assert exceptions(found["refuse"]) == ["paddock.authoring.handler_errors.ToolError"]
    assert exceptions(found["report"]) == []
    assert attributes(spans.named("tools/call quote"))["paddock.outcome"] == "ok"


def test_a_protocol_error_has_the_code_and_the_text_of_the_answer(
    connect: Connect, era: str, spans: Spans
) -> None:
    server = Server("s", tracing=spans.provider)
    server.tool(name="known")(lambda: None)

    @server.resource("memo://broken")
    def broken() -> str:
        raise ValueError("torn")

    line = connect(server, era)
    error = line.error("tools/call", {"name": "unknown"})
    span = spans.named("tools/call")  # no name that a client has made up
    assert (span.status.status_code, span.status.description) == (
        StatusCode.ERROR,
        error["message"],
    )
    assert attributes(span)["error.type"] == str(error["code"])
    assert attributes(span)["rpc.response.status_code"] == str(error["code"])
    assert exceptions(span) == ["paddock.protocol.errors.InvalidParamsError"]
    spans.clear()
    error = line.error("resources/read", {"uri": "memo://broken"})
    assert attributes(spans.named("resources/read"))["error.type"] == str(error["code"])
    assert exceptions(spans.named("resources/read")) == ["ValueError"]
    spans.clear()
    error = line.error("resources/read", {"uri": "memo://missing"})
    assert attributes(spans.named("resources/read"))["error.type"] == str(error["code"])


@pytest.mark.parametrize("is_async", [False, True])
def test_the_span_of_a_cancelled_call_ends(
    connect: Connect, era: str, spans: Spans, *, is_async: bool
) -> None:
    server, started = Server("s", tracing=spans.provider), threading.Event()

    def spin() -> None:
        started.set()
        while True:
            pass

    async def wait() -> None:
        started.set()
        await asyncio.Event().wait()

    server.tool(name="endless")(wait if is_async else spin)
    line = connect(server, era)
    request_id = line.begin_call("endless")
    assert started.wait(PATIENCE)
    line.cancel(request_id)
    assert line.close() == []  # the server has ended: nothing is under way any more
    span = spans.wait_for("tools/call endless")
    assert attributes(span)["paddock.outcome"] == "cancelled"
    assert span.status.status_code is StatusCode.UNSET


def test_the_span_of_a_call_that_is_cancelled_before_its_turn_ends(
    connect: Connect, era: str, spans: Spans
) -> None:
    server = Server("s", tracing=spans.provider)
    started, release = threading.Event(), threading.Event()

    @server.tool
    async def block() -> None:
        started.set()
        release.wait(PATIENCE)  # nothing else runs on the event loop

    @server.tool
    async def late() -> None:
        raise AssertionError("it was cancelled")

    line = connect(server, era)
    first = line.begin_call("block")
    assert started.wait(PATIENCE)
    line.cancel(line.begin_call("late"))
    assert line.heard() == []
    release.set()
    line.answer(first)
    assert line.heard() == []
    assert attributes(spans.wait_for("tools/call late"))["paddock.outcome"] == "cancelled"


def test_a_round_that_ends_with_a_question_is_not_an_error(connect: Connect, spans: Spans) -> None:
    server = Server("s", tracing=spans.provider)

    @server.tool
    async def greet(ctx: Context) -> str:
        return f"Hello, {(await ctx.elicit('Who?', str)).data}"

    line = connect(server, STATELESS, capabilities={"elicitation": {}})
    asked = line.ask("tools/call", {"name": "greet"})
    assert asked["result"]["resultType"] == "input_required"
    span = spans.named("tools/call greet")
    assert attributes(span)["paddock.outcome"] == "input_required"
    assert (span.status.status_code, span.events) == (StatusCode.UNSET, ())


@pytest.mark.parametrize("tracing", [None, False])
def test_a_server_that_is_not_traced_makes_no_spans(
    connect: Connect, era: str, *, tracing: bool | None
) -> None:
    server = Server("s", tracing=tracing)
    server.tool(name="is_traced")(lambda: trace.get_current_span().is_recording())
    line = connect(server, era)
    assert line.text("is_traced", traceparent=PARENT) == "false"


def test_a_handler_sees_the_trace_context_without_any_tracing(connect: Connect, era: str) -> None:
    server = Server("s")

    @server.tool
    def passed_on(ctx: Context) -> dict[str, str]:
        return {} if ctx.trace_context is None else ctx.trace_context.headers

    line = connect(server, era)
    whole = {"traceparent": PARENT, "tracestate": "rojo=1", "baggage": "user=ada"}
    assert line.call("passed_on", {}, **whole)["structuredContent"] == whole
    assert line.call("passed_on")["structuredContent"] == {}
    malformed = {"traceparent": 7, "tracestate": ["rojo=1"], "baggage": {"user": "ada"}}
    assert line.call("passed_on", {}, **malformed)["structuredContent"] == {}
    kept = {"traceparent": "00-x", "tracestate": "rojo=1", "baggage": "user=ada"}
    assert line.call("passed_on", {}, **kept)["structuredContent"] == {"baggage": "user=ada"}


# Over HTTP.


def post(server: Server, method: str, params: Json, era: str, **headers: str) -> Json:
    """The answer to one request over HTTP, through the ASGI application."""
    return asyncio.run(Client(server).request(method, params, era, **headers))


class Client:
    """Calls an ASGI application."""

    def __init__(self, server: Server) -> None:
        self.app = http_app(server)

    async def request(self, method: str, params: Json, era: str, **headers: str) -> Json:
        if era == STATELESS:
            meta = {f"{META_KEY}protocolVersion": era, f"{META_KEY}clientCapabilities": {}}
            params = {**params, "_meta": {**meta, **params.get("_meta", {})}}
            headers.update(mcp_protocol_version=era, mcp_method=method)
            if "name" in params:
                headers["mcp_name"] = params["name"]
        else:
            headers["mcp_session_id"] = await self.open(era)
        message = {"id": 7, "method": method, "params": params}
        answer: Json = (await self.post(message, headers))[1]
        return answer

    async def open(self, version: str) -> str:
        hello = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "c"}}
        answer = {"id": 1, "method": "initialize", "params": hello}
        headers, _ = await self.post(answer, {})
        return headers["mcp-session-id"]

    async def post(self, message: Json, headers: dict[str, str]) -> tuple[dict[str, str], Any]:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        whole = {"host": "localhost", "content_type": "application/json", **headers}
        whole["accept"] = "application/json"
        scope = {
            "type": "http",
            "method": "POST",
            "path": "/mcp",
            "client": ("127.0.0.1", 5000),
            "headers": [(k.replace("_", "-").encode(), v.encode()) for k, v in whole.items()],
        }
        sent: list[MutableMapping[str, Any]] = []
        given = [{"type": "http.request", "body": body}]

        async def receive() -> MutableMapping[str, Any]:
            if given:
                return given.pop()
            return await asyncio.Future()

        async def send(message: MutableMapping[str, Any]) -> None:
            sent.append(message)

        await self.app(scope, receive, send)
        pairs = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
        return pairs, json.loads(b"".join(part["body"] for part in sent[1:]))


def traced_server(spans: Spans, kind: str = "plain") -> Server:
    server = Server("s", tracing=spans.provider)

    def work() -> None:
        with spans.tracer.start_as_current_span("inside"):
            pass

    async def async_work() -> None:
        await asyncio.sleep(0)
        work()

    server.tool(name="work", inline=kind == "inline")(async_work if kind == "async" else work)
    return server


@pytest.mark.parametrize("kind", ["plain", "inline", "async"])
def test_over_http_a_handler_runs_in_its_span_too(era: str, spans: Spans, kind: str) -> None:
    server = traced_server(spans, kind)
    params = {"name": "work", "_meta": {"traceparent": PARENT}}
    assert "result" in post(server, "tools/call", params, era)
    span = spans.wait_for("tools/call work")
    assert parent_of(span) == (TRACE, SPAN)
    assert parent_of(spans.named("inside")) == ids(span)
    told = attributes(span)
    session = told.pop("mcp.session.id", None)
    assert (session is not None) == (era == SESSION)
    assert told == {
        "mcp.method.name": "tools/call",
        "mcp.protocol.version": era,
        "jsonrpc.request.id": "7",
        "gen_ai.tool.name": "work",
        "gen_ai.operation.name": "execute_tool",
        "network.transport": "tcp",
        "network.protocol.name": "http",
        "client.address": "127.0.0.1",
        "client.port": 5000,
        "paddock.outcome": "ok",
    }


def test_the_headers_is_in_for_a_trace_context_that_the_message_lacks(
    era: str, spans: Spans
) -> None:
    server = traced_server(spans)
    assert "result" in post(server, "tools/call", {"name": "work"}, era, traceparent=PARENT)
    assert parent_of(spans.wait_for("tools/call work")) == (TRACE, SPAN)


def test_the_message_wins_over_the_headers(era: str, spans: Spans) -> None:
    server = traced_server(spans)
    other = f"00-{TRACE[::-1]}-{SPAN[::-1]}-01"
    params = {"name": "work", "_meta": {"traceparent": PARENT}}
    assert "result" in post(server, "tools/call", params, era, traceparent=other)
    assert parent_of(spans.wait_for("tools/call work")) == (TRACE, SPAN)


def test_a_span_of_the_surrounding_application_is_the_parent_or_a_link(
    era: str, spans: Spans
) -> None:
    server = traced_server(spans)
    params = {"name": "work", "_meta": {"traceparent": PARENT}}
    with spans.tracer.start_as_current_span("carrying") as carrying:
        carrier = carrying.get_span_context()
        post(server, "tools/call", {"name": "work"}, era, traceparent=PARENT)
        alone = spans.wait_for("tools/call work")
        spans.clear()
        post(server, "tools/call", params, era)
    linked = spans.wait_for("tools/call work")
    assert parent_of(alone) == (f"{carrier.trace_id:032x}", f"{carrier.span_id:016x}")
    assert parent_of(linked) == (TRACE, SPAN)
    assert [link.context.span_id for link in linked.links] == [carrier.span_id]


def test_a_call_that_continues_as_a_task_is_one_span(spans: Spans) -> None:
    server = Server("s", tracing=spans.provider)
    release = threading.Event()

    @server.tool(task="required")
    def work() -> str:
        assert release.wait(PATIENCE)
        with spans.tracer.start_as_current_span("inside"):
            return "done"

    params = {"name": "work", "task": {}}
    assert "task" in post(server, "tools/call", params, SESSION)["result"]
    assert "tools/call work" not in spans.names()
    release.set()
    span = spans.wait_for("tools/call work")
    assert parent_of(spans.named("inside")) == ids(span)


# In processes of their own.


SET_UP = """
    import sys

    from opentelemetry import trace
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import ConsoleSpanExporter, SimpleSpanProcessor

    from paddock import Server

    server = Server("s")

    @server.tool
    def add(a: int, b: int) -> int:
        return a + b

    provider = TracerProvider()
    exporter = ConsoleSpanExporter(sys.stderr, formatter=lambda span: span.name + "\\n")
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    trace.set_tracer_provider(provider)
    server.run()
"""


def test_a_program_that_has_set_up_opentelemetry_needs_no_setting(start: Start) -> None:
    process = start(SET_UP)
    line = process.connect()
    line.open()
    assert line.text("add", {"a": 1, "b": 2}) == "3"
    assert line.close() == []
    assert process.wait() == 0
    assert "tools/call add" in process.stderr.split("\n")


def test_tracing_without_opentelemetry_is_refused_at_once() -> None:
    program = (
        "import sys; sys.modules['opentelemetry'] = None; import paddock\n"
        "try: paddock.Server('s', tracing=True)\n"
        "except paddock.DefinitionError as error: print(error)"
    )
    told = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, check=True)
    assert b"OpenTelemetry" in told.stdout
