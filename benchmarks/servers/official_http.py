"""The official Python SDK over HTTP."""

from benchmarks.servers.official_server import server
from benchmarks.servers.on_uvicorn import serve
from benchmarks.servers.workload import JSON_ANSWERS

serve(server.streamable_http_app(json_response=JSON_ANSWERS))
