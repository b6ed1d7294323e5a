"""OpenTelemetry spans: one per request, around its handler.

Names and attributes follow OpenTelemetry's semantic conventions for MCP. Only servers with tracing
load this module, because it needs OpenTelemetry's API.
"""

from __future__ import annotations

from contextvars import copy_context
from typing import TYPE_CHECKING

from opentelemetry import context as contexts
from opentelemetry import trace
from opentelemetry.baggage.propagation import W3CBaggagePropagator
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from paddock.protocol.trace_context import get_meta_trace_context, get_trace_context
from paddock.telemetry.logs import get_requested_name, hash_session_id, to_printable
from paddock.version import __version__

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from opentelemetry.context import Context
    from opentelemetry.util.types import AttributeValue

    from paddock.protocol.observers import RequestOutcome
    from paddock.protocol.request import Request, Result

Attributes = dict[str, "AttributeValue"]

# MCP specifies the W3C formats, so the globally configured propagator is not used.
_PROPAGATORS = (TraceContextTextMapPropagator(), W3CBaggagePropagator())


class SpanObserver:
    """An observer that records each request as an OpenTelemetry span.

    Args:
        provider: The tracer provider, or None for the global one.
    """

    def __init__(self, provider: trace.TracerProvider | None = None) -> None:
        self._tracer = trace.get_tracer("paddock", __version__, provider)

    def begin(self, request: Request, received_ns: int, *, is_known: bool) -> SpanObservation:
        """Start the span of a request, such as `tools/call add`.

        Its parent is the client's trace context, or otherwise the current span.
        """
        current_context = contexts.get_current()
        parent_context = _get_parent_context(request, current_context)
        name = get_requested_name(request) if is_known else None
        span = self._tracer.start_span(
            f"{request.method} {name}" if name else request.method,
            context=parent_context,
            kind=trace.SpanKind.SERVER,
            attributes=_collect_attributes(request),
            links=_make_links(current_context, parent_context),
            start_time=received_ns,
        )
        return SpanObservation(span, trace.set_span_in_context(span, parent_context))


class SpanObservation:
    """The span around one request and its handler."""

    __slots__ = ("_context", "_has_exception", "_span")

    def __init__(self, span: trace.Span, context: Context) -> None:
        self._span = span
        self._context = context
        self._has_exception = False

    def run(self, work: Callable[[], Result]) -> Result:
        """Call the function that handles the request with this span as the current one.

        The function runs in a copy of this thread's context, so the span is not current afterwards.
        """
        return copy_context().run(self._run_in_context, work)

    async def run_async(self, work: Callable[[], Awaitable[Result]]) -> Result:
        """Await the coroutine function that handles the request, in its own task's context."""
        contexts.attach(self._context)
        return await work()

    def record_exception(self, error: BaseException) -> None:
        """Record a handler's exception as an event on the span."""
        self._has_exception = True
        self._span.record_exception(error)

    def end(self, outcome: RequestOutcome) -> None:
        """Record the outcome of the request as attributes, and end the span."""
        span = self._span
        if not span.is_recording():
            return
        span.set_attribute("paddock.outcome", outcome.status)
        if outcome.status == "tool_error":
            span.set_attribute("error.type", "tool_error")
            span.set_status(trace.StatusCode.ERROR)
        elif outcome.error is not None:
            span.set_attribute("error.type", str(outcome.code))
            span.set_attribute("rpc.response.status_code", str(outcome.code))
            span.set_status(trace.StatusCode.ERROR, outcome.error.message)
            if not self._has_exception:
                span.record_exception(outcome.error)
        span.end()

    def _run_in_context(self, work: Callable[[], Result]) -> Result:
        contexts.attach(self._context)
        return work()


def _get_parent_context(request: Request, current_context: Context) -> Context:
    """Return the parent of a request's span: the client's trace context or the current one.

    A client can send its trace context in `_meta` or in HTTP headers.
    """
    # An instrumented HTTP server has already created a span from the headers. In that case, they
    # are ignored, so that the new span becomes a child of that span.
    has_current_span = trace.get_current_span(current_context).get_span_context().is_valid
    trace_context = (
        get_meta_trace_context(request) if has_current_span else get_trace_context(request)
    )
    parent_context = current_context
    if trace_context is not None:
        for propagator in _PROPAGATORS:
            parent_context = propagator.extract(trace_context.headers, context=parent_context)
    return parent_context


def _make_links(current_context: Context, parent_context: Context) -> list[trace.Link]:
    """Return a link to the current span if the parent is a different one."""
    current_span = trace.get_current_span(current_context).get_span_context()
    parent_span = trace.get_current_span(parent_context).get_span_context()
    has_other_parent = current_span.is_valid and current_span != parent_span
    return [trace.Link(current_span)] if has_other_parent else []


def _collect_attributes(request: Request) -> Attributes:
    """Return the attributes of a request's span, such as `{"mcp.method.name": "tools/call"}`."""
    attributes: Attributes = {
        "mcp.method.name": request.method,
        "jsonrpc.request.id": to_printable(request.id),
        "mcp.protocol.version": request.era.get_version(request),
        "network.transport": "pipe",
    }
    name = get_requested_name(request)
    if name is not None and request.method == "tools/call":
        attributes["gen_ai.tool.name"] = name
        attributes["gen_ai.operation.name"] = "execute_tool"
    elif name is not None:
        attributes["gen_ai.prompt.name"] = name
    uri = getattr(request.params, "uri", None)
    if isinstance(uri, str):
        attributes["mcp.resource.uri"] = uri
    return {**attributes, **_collect_http_attributes(request)}


def _collect_http_attributes(request: Request) -> Attributes:
    """Return the HTTP network attributes of a request, or nothing for other transports."""
    exchange = request.exchange
    if exchange is None:
        return {}
    attributes: Attributes = {"network.transport": "tcp", "network.protocol.name": "http"}
    session = hash_session_id(exchange.session_id)
    if session is not None:
        attributes["mcp.session.id"] = session
    if exchange.client_address is not None:
        attributes["client.address"], attributes["client.port"] = exchange.client_address
    return attributes
