"""The benchmark's tools on turbomcp, which knows no model types and validates nothing."""

from turbomcp import TurboMCP  # type: ignore[import-not-found]
from turbomcp.mcp_stdio import serve_stdio  # type: ignore[import-not-found]

from benchmarks.servers.plain_order import NESTED
from benchmarks.servers.workload import SIMPLE_TOOLS, register_generated

server = TurboMCP("bench", version="1")
for tool in (*SIMPLE_TOOLS, NESTED):
    server.register(tool)
register_generated(server.register)
serve_stdio(server)
