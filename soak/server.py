"""The server that is put under load: `python -m soak.server --carrier own --port 0`."""

import argparse
import asyncio
import gc
import os
import socket
import sys
import threading
from collections import Counter
from typing import Any

from paddock import Context, Limits, Server, http_app

COUNTED = (
    *("Exchange", "SessionExchange", "Session", "Stream", "Wire", "Outbox", "Request"),
    *("Listener", "Task"),
)
"""Objects of which none may stay behind when their clients are gone."""
JOB_LIFE_MS = 3000

server = Server("soak", version="1.0.0")
waiting: Counter[str] = Counter()


@server.tool
def plain(token: str, number: int) -> dict[str, Any]:
    """Answer from a worker thread."""
    return {"token": token, "next": number + 1}


@server.tool(inline=True)
def inline(token: str, number: int) -> dict[str, Any]:
    """Answer from the event loop."""
    return {"token": token, "next": number + 1}


@server.tool(name="async")
async def asynchronous(token: str, number: int) -> dict[str, Any]:
    """Answer from a coroutine that waits."""
    await asyncio.sleep(0)
    return {"token": token, "next": number + 1}


@server.tool
async def steps(token: str, count: int, ctx: Context, pause: float = 0) -> dict[str, Any]:
    """Tell of each step, from a coroutine."""
    for number in range(1, count + 1):
        ctx.progress(number, count, token)
        await asyncio.sleep(pause)
    return {"token": token, "next": count + 1}


@server.tool
def plain_steps(token: str, count: int, ctx: Context, pause: float = 0) -> dict[str, Any]:
    """Tell of each step, from a worker thread."""
    done = threading.Event()
    for number in range(1, count + 1):
        ctx.progress(number, count, token)
        if pause:
            done.wait(pause)
    return {"token": token, "next": count + 1}


@server.tool
async def flood(token: str, count: int, size: int, ctx: Context) -> dict[str, Any]:
    """Send more than a slow client takes."""
    for number in range(1, count + 1):
        ctx.progress(number, count, token + "x" * size)
        await asyncio.sleep(0)
    return {"token": token, "next": count + 1}


@server.tool
def large(token: str, size: int) -> str:
    """Answer with a text of a certain size."""
    return token + "x" * (size - len(token))


@server.tool
async def wait(token: str, ctx: Context) -> str:
    """Wait until it is cancelled, in a coroutine."""
    waiting["async"] += 1
    try:
        ctx.progress(1, message=token)
        await asyncio.Event().wait()
    finally:
        waiting["async"] -= 1
    return token


@server.tool
def plain_wait(token: str, ctx: Context) -> str:
    """Wait until it is cancelled, in a worker thread."""
    waiting["plain"] += 1
    try:
        number = 1
        done = threading.Event()
        while True:  # it is the cancellation that ends this
            ctx.progress(number, message=token)
            number += 1
            done.wait(0.01)
    finally:
        waiting["plain"] -= 1


@server.tool
async def nap(token: str, seconds: float) -> dict[str, Any]:
    """Answer after a while."""
    await asyncio.sleep(seconds)
    return {"token": token, "next": 1}


@server.tool(task="optional", task_from_handler=True)
async def job(token: str, seconds: float, ctx: Context) -> dict[str, Any]:
    """Go on as a task."""
    ctx.detach(ttl_ms=JOB_LIFE_MS)
    await asyncio.sleep(seconds)
    return {"token": token, "next": 1}


@server.resource("soak://{name}")
def item(name: str) -> str:
    """Something that can be listened to."""
    return name


@server.tool(inline=True)
def touch(uri: str) -> int:
    """Tell the listeners of a resource that it has changed."""
    return server.resource_updated(uri)


@server.tool(inline=True)
def census() -> dict[str, int]:
    """How many of the objects that belong to clients there are."""
    gc.collect()
    kinds = (type(thing) for thing in gc.get_objects())
    ours = Counter(kind.__name__ for kind in kinds if f"{kind.__module__}".startswith("paddock"))
    found = {name: ours[name] for name in COUNTED}
    return {**found, "waiting": waiting.total()}


LIMITS = Limits(
    session_idle_seconds=float(os.environ.get("SOAK_SESSION_SECONDS", "20")),
    receive_seconds=3,
    idle_seconds=4,
    write_seconds=4,
    keep_alive_seconds=1,
    drain_seconds=10,
)
app = http_app(server, limits=LIMITS)


def main() -> None:
    """Serve by the carrier that the command line names."""
    parser = argparse.ArgumentParser("python -m soak.server", description=__doc__)
    parser.add_argument("--carrier", choices=("own", "uvicorn", "granian"), default="own")
    parser.add_argument("--port", type=int, default=0)
    arguments = parser.parse_args()
    if arguments.carrier == "own":
        server.run(http=f"127.0.0.1:{arguments.port}", limits=LIMITS)
    elif arguments.carrier == "uvicorn":
        _run_uvicorn(arguments.port)
    else:
        _run_granian(arguments.port or _free_port())


def _run_uvicorn(port: int) -> None:
    import uvicorn  # noqa: PLC0415 - only for this carrier

    with socket.socket() as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(("127.0.0.1", port))
        settings = uvicorn.Config(
            app, log_level="warning", timeout_graceful_shutdown=6, lifespan="on"
        )
        _announce(listening.getsockname()[1])
        uvicorn.Server(settings).run([listening])


def _run_granian(port: int) -> None:
    from granian.constants import Interfaces, Loops  # noqa: PLC0415 - only for this carrier
    from granian.server import Server as Granian  # noqa: PLC0415

    _announce(port)
    Granian(
        "soak.server:app",
        address="127.0.0.1",
        port=port,
        interface=Interfaces.ASGI,
        loop=Loops.uvloop,
        log_access=False,
        log_enabled=False,
        workers_kill_timeout=6,
    ).serve()


def _announce(port: int) -> None:
    sys.stderr.write(f"Serving soak at http://127.0.0.1:{port}/mcp\n")
    sys.stderr.flush()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


if __name__ == "__main__":
    main()
