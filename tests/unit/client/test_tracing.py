import subprocess
import sys

import pytest
from opentelemetry import baggage, context, trace
from opentelemetry.sdk.trace import TracerProvider

from paddock import Context, Server, connect

TRACE = {
    "traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    "tracestate": "vendor=1",
}


@pytest.fixture
def server() -> Server:
    made = Server("traced")

    @made.tool
    def meta(ctx: Context) -> dict[str, object]:
        keys = ("traceparent", "tracestate", "baggage", "other")
        return {key: ctx.meta[key] for key in keys if key in ctx.meta}

    return made


def test_the_context_that_the_caller_gives_is_reported_to_the_server(
    server: Server, era: str
) -> None:
    given = {**TRACE, "other": "not for the server"}
    with connect(server, era=era, trace_context=lambda: given) as peer:
        assert peer.call("meta").structured == TRACE


def test_the_current_span_of_opentelemetry_is_reported_to_the_server(server: Server) -> None:
    tracer = TracerProvider().get_tracer("test")
    with connect(server) as peer:
        assert peer.call("meta").structured == {}
        with tracer.start_as_current_span("work") as span:
            token = context.attach(baggage.set_baggage("user", "ada"))
            told = peer.call("meta").structured
            context.detach(token)
    identity = trace.format_trace_id(span.get_span_context().trace_id)
    assert isinstance(told, dict)
    assert told["traceparent"].split("-")[1] == identity
    assert told["baggage"] == "user=ada"


def test_opentelemetry_is_not_imported_for_it() -> None:
    program = """
import sys
from paddock import Server, connect
with connect(Server("plain")) as peer:
    peer.tools()
assert not any(name.startswith("opentelemetry") for name in sys.modules)
"""
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
