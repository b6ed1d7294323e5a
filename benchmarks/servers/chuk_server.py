"""The benchmark's tools on chuk-mcp-server, which builds no models from arguments."""

from base64 import b64encode

from chuk_mcp_server import ChukMCPServer  # type: ignore[import-not-found]
from chuk_mcp_server.types import ImageContent  # type: ignore[import-not-found]

from benchmarks.servers.plain_order import NESTED
from benchmarks.servers.workload import SIMPLE_TOOLS, png, register_generated


def image(n: int) -> ImageContent:
    """An image of n bytes."""
    return ImageContent(type="image", data=b64encode(png(n)).decode(), mimeType="image/png")


server = ChukMCPServer("bench", version="1")
for tool in (*SIMPLE_TOOLS, NESTED, image):
    server.register_function_as_tool(tool)
register_generated(server.register_function_as_tool)

if __name__ == "__main__":
    server.run_stdio()
