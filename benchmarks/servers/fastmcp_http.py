"""FastMCP over HTTP."""

from benchmarks.servers.fastmcp_server import server
from benchmarks.servers.on_uvicorn import serve
from benchmarks.servers.workload import JSON_ANSWERS

serve(server.http_app(path="/mcp", json_response=JSON_ANSWERS))
