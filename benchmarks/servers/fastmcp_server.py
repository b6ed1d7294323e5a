"""The benchmark's tools on FastMCP."""

from fastmcp import FastMCP  # type: ignore[import-not-found]
from fastmcp.utilities.types import Image  # type: ignore[import-not-found]

from benchmarks.servers.pydantic_order import NESTED
from benchmarks.servers.workload import SIMPLE_TOOLS, png, register_generated


def image(n: int) -> Image:
    """An image of n bytes."""
    return Image(data=png(n), format="png")


server = FastMCP("bench", version="1")
for tool in (*SIMPLE_TOOLS, NESTED, image):
    server.tool(tool)
register_generated(server.tool)

if __name__ == "__main__":
    server.run(show_banner=False)
