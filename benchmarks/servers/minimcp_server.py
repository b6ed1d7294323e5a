"""The benchmark's tools on MiniMCP."""

from base64 import b64encode

import anyio
from mcp.types import ImageContent  # type: ignore[import-not-found]
from minimcp import MiniMCP, StdioTransport  # type: ignore[import-not-found]

from benchmarks.servers.pydantic_order import NESTED
from benchmarks.servers.workload import SIMPLE_TOOLS, png, register_generated


def image(n: int) -> ImageContent:
    """An image of n bytes."""
    return ImageContent(type="image", data=b64encode(png(n)).decode(), mimeType="image/png")


server = MiniMCP("bench", version="1")
for tool in (*SIMPLE_TOOLS, NESTED, image):
    server.tool.add(tool)
register_generated(server.tool.add)

if __name__ == "__main__":
    anyio.run(StdioTransport(server).run)
