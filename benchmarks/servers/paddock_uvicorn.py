"""Paddock over HTTP, on uvicorn."""

from benchmarks.servers.on_uvicorn import serve
from benchmarks.servers.paddock_server import server
from paddock import http_app

serve(http_app(server))
