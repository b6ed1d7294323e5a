"""Paddock over HTTP, on its own server."""

from benchmarks.servers.paddock_server import server
from benchmarks.servers.workload import HOST, PORT

server.run(http=f"{HOST}:{PORT}")
