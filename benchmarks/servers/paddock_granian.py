"""Paddock over HTTP, on granian: a process that starts one worker, which imports `app`."""

from granian import Granian
from granian.constants import Interfaces, Loops

from benchmarks.servers.paddock_server import server
from benchmarks.servers.workload import HOST, PORT
from paddock import http_app

app = http_app(server)

if __name__ == "__main__":
    Granian(
        "benchmarks.servers.paddock_granian:app",
        address=HOST,
        port=PORT,
        interface=Interfaces.ASGI,
        loop=Loops.uvloop,
        websockets=False,
        log_enabled=False,
    ).serve()
