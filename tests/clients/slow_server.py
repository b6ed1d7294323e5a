"""A server that takes longer to load than several clients wait for an answer."""

import os
import time
from pathlib import Path

from paddock import Server

LOAD_SECONDS = 12

time.sleep(LOAD_SECONDS)

server = Server("slow", version="1.0", instructions="Takes its time.")


@server.tool
def ready() -> str:
    """Whether the server is ready."""
    return "ready at last"


record = os.environ.get("PADDOCK_TAP")
if record:
    with Path(record).open("a", encoding="utf-8") as file:
        file.write('{"event": "loaded"}\n')
