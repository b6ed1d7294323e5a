import sys

from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, ConsoleSpanExporter

from paddock import Server

provider = TracerProvider()
provider.add_span_processor(BatchSpanProcessor(ConsoleSpanExporter(out=sys.stderr)))
trace.set_tracer_provider(provider)

server = Server("kitchen")
tracer = trace.get_tracer("kitchen")


@server.tool
def cook(dish: str) -> str:
    """Cook a dish."""
    with tracer.start_as_current_span("heat the oven"):
        return f"{dish} is ready"


if __name__ == "__main__":
    server.run()
