"""How an ASGI application is run: on uvicorn at its fastest, with no log of requests."""

from typing import Any

import uvicorn

from benchmarks.servers.workload import HOST, PORT


def serve(app: Any) -> None:
    """Serve an application until the process is told to end."""
    uvicorn.run(
        app,
        host=HOST,
        port=PORT,
        loop="uvloop",
        http="httptools",
        access_log=False,
        log_level="warning",
    )
