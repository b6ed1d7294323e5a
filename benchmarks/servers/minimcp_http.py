"""MiniMCP over HTTP, by the transport of the two that always answers in JSON."""

from minimcp import HTTPTransport  # type: ignore[import-not-found]

from benchmarks.servers.minimcp_server import server
from benchmarks.servers.on_uvicorn import serve

serve(HTTPTransport(server).as_starlette(path="/mcp"))
