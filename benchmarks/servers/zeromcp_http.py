"""zeromcp over HTTP."""

import threading

from benchmarks.servers.workload import HOST, PORT
from benchmarks.servers.zeromcp_server import server

# In the foreground it serves one connection, and the next when that one has been closed.
server.serve(HOST, PORT, background=True)
threading.Event().wait()
