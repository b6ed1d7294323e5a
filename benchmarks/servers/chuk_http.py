"""chuk-mcp-server over HTTP, which chooses uvloop and httptools by itself."""

from benchmarks.servers.chuk_server import server
from benchmarks.servers.workload import HOST, PORT

server.run(host=HOST, port=PORT, debug=False, stdio=False)
