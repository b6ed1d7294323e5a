"""The benchmark's tools on the official Python SDK."""

from mcp.server.mcpserver import Image, MCPServer  # type: ignore[import-not-found]

from benchmarks.servers.pydantic_order import NESTED
from benchmarks.servers.workload import SIMPLE_TOOLS, png, register_generated


def image(n: int) -> Image:
    """An image of n bytes."""
    return Image(data=png(n), format="png")


server = MCPServer("bench", version="1", log_level="WARNING")
for tool in (*SIMPLE_TOOLS, NESTED, image):
    server.add_tool(tool)
register_generated(server.add_tool)

if __name__ == "__main__":
    server.run()
