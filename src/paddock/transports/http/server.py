"""Paddock's own HTTP server: listening, signals and graceful shutdown."""

from __future__ import annotations

import asyncio
import errno
import signal
import threading
from contextlib import contextmanager
from email.utils import formatdate
from time import monotonic
from typing import TYPE_CHECKING

from paddock.errors import DefinitionError, PaddockError
from paddock.transports.http.http1_connection import Http1Connection, RequestHeadCache

try:
    from uvloop import new_event_loop as LOOP_FACTORY  # noqa: N812 - a setting, not a function here
except ImportError:  # uvloop is optional, and not available on Windows.
    LOOP_FACTORY = None  # type: ignore[assignment]  # asyncio chooses the loop

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable, Iterator

    from paddock.transports.http.service import HttpService

CHECK_INTERVAL_SECONDS = 1.0
"""Interval between checks for timed-out connections."""
LISTEN_BACKLOG = 2048
MIN_HANG_UP_SECONDS = 0.5
"""Minimum time to send the last responses, even if the drain time is used up."""


class ListenError(PaddockError):
    """The server cannot listen on the address."""

    code = "listen"


class HttpServer:
    """Serves an HTTP service on one address."""

    def __init__(
        self, service: HttpService, host: str, port: int, tls: ssl.SSLContext | None = None
    ) -> None:
        """Prepare a server. `start` opens its socket.

        Args:
            service: Handles the requests.
            host: The host name or IP address to listen on.
            port: The port; 0 means any free port.
            tls: The TLS settings; None for plain HTTP.
        """
        self._service = service
        self._host = host
        self._port = port
        self._tls = tls
        self._connections: set[Http1Connection] = set()
        self._head_cache = RequestHeadCache()
        self._date_line = b""
        self._check_timer: asyncio.TimerHandle | None = None
        self._server: asyncio.Server | None = None
        self._stopped = asyncio.Event()
        self._must_stop_now = False
        self._startup_task: asyncio.Task[object] | None = None

    @property
    def port(self) -> int:
        """The port that the server actually listens on, even if port 0 was requested."""
        sockets = self._server.sockets if self._server is not None else ()
        return int(sockets[0].getsockname()[1]) if sockets else self._port

    async def start(self) -> None:
        """Start listening for connections on the configured address.

        Raises:
            ListenError: The address is in use or not available.
        """
        loop = asyncio.get_running_loop()
        self._check_connections()
        try:
            self._server = await loop.create_server(
                lambda: Http1Connection(
                    self._service, self._connections, self._head_cache, lambda: self._date_line
                ),
                self._host,
                self._port,
                ssl=self._tls,
                backlog=LISTEN_BACKLOG,
            )
        except OSError as error:
            hint = "another program uses this port; choose a different one, or 0 for any free port"
            raise ListenError(
                f"Cannot listen on {self._host}:{self._port}: {error.strerror or error}",
                hint=hint if error.errno == errno.EADDRINUSE else None,
            ) from None

    async def serve(self) -> None:
        """Serve until `stop` is called, then let requests finish and close all connections."""
        deadline = monotonic()
        try:
            await self._stopped.wait()
            # New connections are no longer accepted. Next, the requests in progress finish.
            deadline = monotonic() + self._service.limits.drain_seconds
            if self._server is not None:
                self._server.close()
            for connection in list(self._connections):
                connection.close_after_response()
            await self._drain_service()
        finally:
            self._service.close()
            await self._close_connections(deadline)
            if self._check_timer is not None:
                self._check_timer.cancel()

    @property
    def is_stopped(self) -> bool:
        """Whether `stop` has been called."""
        return self._stopped.is_set()

    def stop(self) -> None:
        """Stop serving once the requests in progress have finished.

        A second call stops without waiting for them. Must be called on the event loop.
        """
        self._must_stop_now = self._stopped.is_set()
        self._stopped.set()
        if self._startup_task is not None:
            self._startup_task.cancel()

    @contextmanager
    def cancel_startup_on_stop(self) -> Iterator[None]:
        """Let `stop` cancel the current task until the server is ready."""
        self._startup_task = asyncio.current_task()
        try:
            yield
        finally:
            self._startup_task = None

    @contextmanager
    def handle_signals(self) -> Iterator[None]:
        """Call `stop` on SIGINT and SIGTERM."""
        restore_handlers = self._install_signal_handlers()
        try:
            yield
        finally:
            restore_handlers()

    async def _drain_service(self) -> None:
        """Wait for the requests in progress, unless `stop` is called a second time."""
        drain_task = asyncio.ensure_future(self._service.drain())
        while not drain_task.done() and not self._must_stop_now:
            await asyncio.wait([drain_task], timeout=0.05)
        drain_task.cancel()

    async def _close_connections(self, deadline: float) -> None:
        """Wait until pending responses have been sent, then close all connections.

        Args:
            deadline: The monotonic time at which the wait ends. It lasts at least
                `MIN_HANG_UP_SECONDS`, unless the server must stop now.
        """
        deadline = max(deadline, monotonic() + MIN_HANG_UP_SECONDS)
        for connection in list(self._connections):
            connection.close_after_response()
        while self._connections and monotonic() < deadline:
            if self._must_stop_now:
                break
            await asyncio.sleep(0.01)
        for connection in list(self._connections):
            connection.abort()

    def _check_connections(self) -> None:
        """Close timed-out connections and format the Date header for the next second.

        Each call schedules the next one.
        """
        self._date_line = f"date: {formatdate(usegmt=True)}\r\n".encode()
        now = monotonic()
        for connection in list(self._connections):
            connection.check_timeouts(now)
        self._check_timer = asyncio.get_running_loop().call_later(
            CHECK_INTERVAL_SECONDS, self._check_connections
        )

    def _install_signal_handlers(self) -> Callable[[], None]:
        """Install signal handlers that call `stop` for SIGINT and SIGTERM.

        Returns:
            A function that removes the handlers.
        """
        # Python allows signal handlers only in the main thread.
        if threading.current_thread() is not threading.main_thread():
            return lambda: None
        loop = asyncio.get_running_loop()
        handled_signals = (signal.SIGINT, signal.SIGTERM)
        try:
            for signal_number in handled_signals:
                loop.add_signal_handler(signal_number, self.stop)
        except NotImplementedError:  # Windows
            for signal_number in handled_signals:
                signal.signal(signal_number, lambda *_: loop.call_soon_threadsafe(self.stop))
            return lambda: None

        def remove_handlers() -> None:
            for signal_number in handled_signals:
                loop.remove_signal_handler(signal_number)

        return remove_handlers


def parse_address(text: str) -> tuple[str, int]:
    """Parse an address into host and port.

    The address can be `127.0.0.1:8642`, `[::1]:8642`, `:8642` or `8642`. The default host is
    `127.0.0.1`.

    Raises:
        DefinitionError: The text is not an address.
    """
    if "://" in text:
        raise DefinitionError(
            f"{text!r} is a URL", hint="use only host:port, such as 127.0.0.1:8642"
        )
    host, _, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]") or "127.0.0.1"
    if not port.isdecimal() or int(port) > 65535:
        raise DefinitionError(f"{text!r} is not an address", hint="use host:port or port")
    return host, int(port)
