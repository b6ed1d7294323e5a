"""Servers on real sockets in this process: our own, and those of others around our application."""

import asyncio
import socket
import threading
import time
from collections.abc import Callable
from typing import Any, Protocol

import uvicorn
from granian.constants import Interfaces
from granian.server.embed import Server as Granian
from hypercorn.asyncio import serve as hypercorn_serve
from hypercorn.config import Config as HypercornConfig

import paddock
from tests.http.endpoint import Endpoint
from tests.http.raw import PATIENCE
from tests.ports import free_port

PADDOCK, UVICORN, HYPERCORN, GRANIAN = "paddock", "uvicorn", "hypercorn", "granian"
CARRIERS = (PADDOCK, UVICORN, HYPERCORN, GRANIAN)

App = Any


class Carrier(Protocol):
    """Whatever listens on the socket."""

    def run(self, port: int) -> None:
        """Serve until it is reported to stop."""

    def stop(self) -> None:
        """End. May be called by any thread."""


class OwnCarrier:
    """`server.run(http=…)`."""

    def __init__(self, server: paddock.Server, **options: Any) -> None:
        self._server = server
        self._options = options

    def run(self, port: int) -> None:
        self._server.run(http=f"127.0.0.1:{port}", **self._options)

    def stop(self) -> None:
        self._server.stop()


class UvicornCarrier:
    def __init__(self, app: App, **settings: Any) -> None:
        self._app = app
        self._settings = settings
        self._server: uvicorn.Server | None = None

    def run(self, port: int) -> None:
        config = uvicorn.Config(
            self._app, host="127.0.0.1", port=port, log_level="error", **self._settings
        )
        self._server = uvicorn.Server(config)
        self._server.run()

    def stop(self) -> None:
        if self._server is not None:
            self._server.should_exit = True


class LoopCarrier:
    """A carrier that is a coroutine."""

    def __init__(self, serve: Callable[[int, asyncio.Event], Any]) -> None:
        self._serve = serve
        self._loop: asyncio.AbstractEventLoop | None = None
        self._end: asyncio.Event | None = None

    def run(self, port: int) -> None:
        async def main() -> None:
            self._loop, self._end = asyncio.get_running_loop(), asyncio.Event()
            await self._serve(port, self._end)

        asyncio.run(main())

    def stop(self) -> None:
        if self._loop is not None and self._end is not None:
            self._loop.call_soon_threadsafe(self._end.set)


def hypercorn_carrier(app: App) -> LoopCarrier:
    async def serve(port: int, end: asyncio.Event) -> None:
        config = HypercornConfig()
        config.bind = [f"127.0.0.1:{port}"]
        config.graceful_timeout = 0.1
        config.errorlog = None

        async def wait_for_end() -> None:
            await end.wait()

        await hypercorn_serve(app, config, shutdown_trigger=wait_for_end)

    return LoopCarrier(serve)


def granian_carrier(app: App) -> LoopCarrier:
    async def serve(port: int, end: asyncio.Event) -> None:
        server = Granian(
            app, port=port, interface=Interfaces.ASGI, log_enabled=False, websockets=False
        )
        serving = asyncio.ensure_future(server.serve())
        await end.wait()
        server.stop()  # type: ignore[no-untyped-call]  # it has no types
        await serving

    return LoopCarrier(serve)


def carrier(name: str, server: paddock.Server, **options: Any) -> Carrier:
    """A way to serve a server over HTTP."""
    if name == PADDOCK:
        return OwnCarrier(server, **options)
    return around(name, paddock.http_app(server, **options))


def around(name: str, app: App) -> Carrier:
    """One of the other servers around an application."""
    if name == UVICORN:
        return UvicornCarrier(app)
    return hypercorn_carrier(app) if name == HYPERCORN else granian_carrier(app)


class Host:
    """Runs servers in threads, and ends them."""

    def __init__(self) -> None:
        self._running: list[tuple[Carrier, threading.Thread]] = []
        self._servers: list[paddock.Server] = []
        self.endpoints: list[Endpoint] = []

    def __call__(
        self, server: paddock.Server, on: str = PADDOCK, *, path: str = "/mcp", **options: Any
    ) -> Endpoint:
        """Serve a server; where it is."""
        self._servers.append(server)
        return self.run(carrier(on, server, path=path, **options), path)

    def run(self, carrier: Carrier, path: str = "/mcp") -> Endpoint:
        """Have a carrier serve on a free port."""
        port = free_port()
        thread = threading.Thread(target=carrier.run, args=(port,), daemon=True)
        thread.start()
        self._running.append((carrier, thread))
        wait_until(lambda: _listens(port, thread))
        self.endpoints.append(Endpoint(port, path))
        return self.endpoints[-1]

    def stop(self) -> None:
        """End them all."""
        for endpoint in self.endpoints:
            endpoint.hang_up()
        for server in self._servers:
            server.stop()  # ends the streams that others would wait for
        for carrier, thread in self._running:
            carrier.stop()
            thread.join(PATIENCE)
            assert not thread.is_alive(), f"{carrier} does not end"
        self._running.clear()


def wait_until(holds: Callable[[], bool]) -> None:
    """Look again and again until something holds, for what cannot be awaited."""
    pause, deadline = threading.Event(), time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline, "it has not come to pass"
        pause.wait(0.005)


def _listens(port: int, thread: threading.Thread) -> bool:
    assert thread.is_alive(), "the server has ended"
    try:
        socket.create_connection(("127.0.0.1", port)).close()
    except ConnectionRefusedError:
        return False
    return True
