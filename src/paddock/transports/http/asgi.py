"""The service as a plain ASGI application, for other servers and inside other applications."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Protocol

from paddock.transports.http.access import Logged
from paddock.transports.http.contract import Head, Response

if TYPE_CHECKING:
    from paddock.transports.http.contract import Headers
    from paddock.transports.http.service import Service

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]


_ENDING = Response(503, [(b"retry-after", b"1")])
_TOO_SLOW = Response(408, [(b"connection", b"close")])


class Outbox:
    """The answer to one request, on its way to an ASGI server."""

    __slots__ = (
        "_backlog",
        "_has_begun",
        "_limit",
        "_size",
        "_wake",
        "client",
        "is_complete",
        "is_cut_off",
        "is_gone",
        "on_close",
        "pumping",
    )

    def __init__(self, limit: int, client: tuple[str, int] | None) -> None:
        self._limit = limit
        self.client = client
        self._backlog: deque[MutableMapping[str, Any]] = deque()
        self._size = 0
        self._wake: asyncio.Future[None] | None = None
        self._has_begun = False
        self.is_complete = False
        self.is_cut_off = False
        self.is_gone = False
        self.pumping: asyncio.Future[None] | None = None
        self.on_close: Callable[[], None] | None = None

    def respond(self, response: Response) -> None:
        """Send a whole answer."""
        headers = response.headers
        if response.status not in (204, 304):
            headers = [*headers, (b"content-length", b"%d" % len(response.body))]
        self._put(_start(response.status, headers))
        self._put({"type": "http.response.body", "body": response.body})
        self.is_complete = True
        self._rouse()

    def open_stream(self, headers: Headers) -> None:
        """Begin an answer of unknown length."""
        self._put(_start(200, headers))

    def write(self, chunk: bytes) -> bool:
        """Send a part of a stream; False when the client reads too slowly."""
        if self._size > self._limit:
            return False
        self._size += len(chunk)
        self._put({"type": "http.response.body", "body": chunk, "more_body": True})
        return True

    def end(self) -> None:
        """A stream is complete."""
        self._put({"type": "http.response.body", "body": b""})
        self.is_complete = True
        self._rouse()

    def abort(self) -> None:
        """Break off; where nothing was sent yet there is time for a word."""
        self.on_close = None
        if not self._has_begun:
            self.respond(_ENDING)
            return
        self.is_complete = self.is_cut_off = self.is_gone = True
        self._backlog.clear()
        if self.pumping is not None:  # it may wait for a client that does not read
            self.pumping.cancel()

    async def pump(self, send: Send) -> None:
        """Hand the answer to the server until it is complete."""
        while True:
            while self._backlog:
                message = self._backlog.popleft()
                self._size -= len(message.get("body", b"")) if "more_body" in message else 0
                await send(message)
            if self.is_complete:
                return
            self._wake = asyncio.get_running_loop().create_future()
            await self._wake

    def leave(self) -> None:
        """The client is gone."""
        self.is_gone = True
        on_close, self.on_close = self.on_close, None
        if on_close is not None:
            on_close()

    def _put(self, message: MutableMapping[str, Any]) -> None:
        self._has_begun = True
        self._backlog.append(message)
        self._rouse()

    def _rouse(self) -> None:
        wake, self._wake = self._wake, None
        if wake is not None and not wake.done():
            wake.set_result(None)


class Life(Protocol):
    """What has to be done before the first request and after the last."""

    async def begin(self) -> None:
        """Called on the event loop before the first request."""

    async def end(self) -> None:
        """Called on the same loop after the last one."""


class AsgiApp:
    """An ASGI application that serves one MCP server.

    It takes part in the lifespan protocol. Where an application that it is mounted in does not
    pass that on (Starlette, FastAPI), use `lifespan` there; without either, the server's own
    lifespan is entered with the first request.
    """

    def __init__(self, service: Service, life: Life) -> None:
        self._service = service
        self._life = life
        self._loop: asyncio.AbstractEventLoop | None = None
        self._beginning: asyncio.Lock = asyncio.Lock()

    @asynccontextmanager
    async def lifespan(self, _app: object = None) -> AsyncIterator[None]:
        """Frame the life of the application that this one is mounted in."""
        await self._start()
        try:
            yield
        finally:
            await self._stop()

    def hush(self) -> None:
        """End the streams that would not end by themselves: nothing more will come."""
        if self._loop is not None:
            self._service.hush()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or take part in the life of the server."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "http":
            if self._loop is not asyncio.get_running_loop():
                await self._start()
            await self._answer(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1000})

    async def _start(self) -> None:
        loop = asyncio.get_running_loop()
        if self._loop is not None and self._loop is not loop:  # it runs no more
            self._beginning = asyncio.Lock()
        async with self._beginning:
            if self._loop is not loop:
                await self._life.begin()
                self._loop = loop

    async def _stop(self) -> None:
        if self._loop is not None:
            self._loop = None
            await self._life.end()

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        head = Head.of(scope["method"], _path(scope), scope["headers"])
        outbox = Outbox(self._service.limits.backlog_bytes, _client(scope))
        outgoing = Logged(outbox, head) if self._service.is_logging else outbox
        response = self._service.admit(head)
        body: bytes | None = b""
        if response is None:
            try:
                async with asyncio.timeout(self._service.limits.receive_seconds * 2):
                    body = await self._body(receive)
            except TimeoutError:
                response = _TOO_SLOW
            else:
                response = self._service.too_large(head) if body is None else None
        if response is not None:
            outgoing.respond(response)
        elif body is not None:
            self._service.take(head, body, outgoing)
            if not outbox.is_complete:
                await asyncio.sleep(0)  # most answers are there in a moment
        if outbox.is_complete:
            await outbox.pump(send)
        else:
            await self._accompany(outbox, receive, send)

    async def _body(self, receive: Receive) -> bytes | None:
        """The whole body; None when it is too long or the client has left."""
        parts: list[bytes] = []
        size = 0
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                return None
            parts.append(message.get("body", b""))
            size += len(parts[-1])
            if size > self._service.limits.body_bytes:
                return None
            if not message.get("more_body"):
                return parts[0] if len(parts) == 1 else b"".join(parts)

    async def _accompany(self, outbox: Outbox, receive: Receive, send: Send) -> None:
        """Send the answer as it comes, and notice when the client leaves."""
        pumping = outbox.pumping = asyncio.ensure_future(outbox.pump(send))
        leaving = asyncio.ensure_future(_left(receive))
        try:
            await asyncio.wait((pumping, leaving), return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            # Servers tell us of the end only when all streams have ended, and lose patience then.
            self._service.hush()
            if not outbox.is_complete:
                raise
            await pumping
        finally:
            outbox.pumping = None
            outbox.leave()  # which nobody minds when the answer is complete
            leaving.cancel()
            pumping.cancel()
        if not pumping.done():
            await asyncio.wait((pumping,))
        if not pumping.cancelled() and not isinstance(pumping.exception(), OSError | None):
            pumping.result()

    async def _live(self, receive: Receive, send: Send) -> None:
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                try:
                    await self._start()
                except Exception as error:  # noqa: BLE001 - whatever it is, the server must be told
                    await send({"type": "lifespan.startup.failed", "message": str(error)})
                    return
                await send({"type": "lifespan.startup.complete"})
            else:
                await self._stop()
                await send({"type": "lifespan.shutdown.complete"})
                return


async def _left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        continue


def _start(status: int, headers: Headers) -> MutableMapping[str, Any]:
    return {"type": "http.response.start", "status": status, "headers": headers}


def _client(scope: Scope) -> tuple[str, int] | None:
    client = scope.get("client")
    return (str(client[0]), int(client[1])) if client else None


def _path(scope: Scope) -> str:
    """The path within this application, wherever it is mounted."""
    path, root = str(scope["path"]), str(scope.get("root_path") or "").rstrip("/")
    if root and path.startswith(root + "/"):
        return path[len(root) :]
    return "/" if root and path == root else path
