"""ASGI application for the HTTP service."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Protocol

from paddock.transports.http.access_log import LoggedResponder
from paddock.transports.http.messages import HttpResponse, RequestHead

if TYPE_CHECKING:
    from paddock.transports.http.messages import Headers
    from paddock.transports.http.service import HttpService

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]


_SERVICE_UNAVAILABLE = HttpResponse(503, [(b"retry-after", b"1")])
_REQUEST_TIMEOUT = HttpResponse(408, [(b"connection", b"close")])


class AsgiResponder:
    """The response to one request, queued for an ASGI server.

    The service writes responses with plain calls, but ASGI's `send` is a coroutine. The messages
    are therefore queued here and sent by `send_messages`.
    """

    def __init__(self, max_backlog_bytes: int, client_address: tuple[str, int] | None) -> None:
        """Create the responder for one request.

        Args:
            max_backlog_bytes: The amount of unsent data at which a client is considered too slow.
            client_address: The client's address and port, if known.
        """
        self._max_backlog_bytes = max_backlog_bytes
        self.client_address = client_address
        self._messages: deque[MutableMapping[str, Any]] = deque()
        self._backlog_bytes = 0
        self._wakeup: asyncio.Future[None] | None = None
        self._has_begun = False
        self.is_complete = False
        self.is_gone = False
        self.pump_task: asyncio.Future[None] | None = None
        self.on_close: Callable[[], None] | None = None

    def respond(self, response: HttpResponse) -> None:
        """Queue a complete response for the ASGI server."""
        headers = response.headers
        if response.status not in (204, 304):
            headers = [*headers, (b"content-length", b"%d" % len(response.body))]
        self._queue_start(response.status, headers)
        self._queue_message({"type": "http.response.body", "body": response.body})
        self.is_complete = True
        self._wake_sender()

    def open_stream(self, headers: Headers) -> None:
        """Begin a response of unknown length."""
        self._queue_start(200, headers)

    def write(self, chunk: bytes) -> bool:
        """Send a chunk of the stream. Return False if the client reads too slowly."""
        if self._backlog_bytes > self._max_backlog_bytes:
            return False
        self._backlog_bytes += len(chunk)
        self._queue_message({"type": "http.response.body", "body": chunk, "more_body": True})
        return True

    def end(self) -> None:
        """Complete the stream."""
        self._queue_message({"type": "http.response.body", "body": b""})
        self.is_complete = True
        self._wake_sender()

    def abort(self) -> None:
        """Stop sending the response, or send status 503 if it has not begun."""
        self.on_close = None
        if not self._has_begun:
            self.respond(_SERVICE_UNAVAILABLE)
            return
        self.is_complete = self.is_gone = True
        self._messages.clear()
        # The task that sends the messages may be waiting for a client that does not read.
        if self.pump_task is not None:
            self.pump_task.cancel()

    async def send_messages(self, send: Send) -> None:
        """Send the queued messages to the ASGI server until the response is complete."""
        while True:
            while self._messages:
                message = self._messages.popleft()
                # The backlog contains only the chunks of a stream, which have this key.
                if "more_body" in message:
                    self._backlog_bytes -= len(message["body"])
                await send(message)
            if self.is_complete:
                return
            # Wait until another message is queued.
            self._wakeup = asyncio.get_running_loop().create_future()
            await self._wakeup

    def handle_disconnect(self) -> None:
        """Report that the client has disconnected."""
        self.is_gone = True
        on_close, self.on_close = self.on_close, None
        if on_close is not None:
            on_close()

    def _queue_start(self, status: int, headers: Headers) -> None:
        start = {"type": "http.response.start", "status": status, "headers": headers}
        self._queue_message(start)

    def _queue_message(self, message: MutableMapping[str, Any]) -> None:
        self._has_begun = True
        self._messages.append(message)
        self._wake_sender()

    def _wake_sender(self) -> None:
        wakeup, self._wakeup = self._wakeup, None
        if wakeup is not None and not wakeup.done():
            wakeup.set_result(None)


class LifespanHooks(Protocol):
    """Callbacks for the ASGI application to begin and end the MCP server's lifespan."""

    async def begin(self) -> None:
        """Begin the lifespan. Called on the event loop before the first request."""

    async def end(self) -> None:
        """End the lifespan. Called on the same loop after the last request."""


class AsgiApp:
    """ASGI application that serves one MCP server.

    It supports the ASGI lifespan protocol. Frameworks that do not forward lifespan events to
    mounted applications (Starlette, FastAPI) can use `lifespan` as their own. Without either, the
    server's lifespan is entered on the first request.
    """

    def __init__(self, service: HttpService, hooks: LifespanHooks) -> None:
        self._service = service
        self._lifespan_hooks = hooks
        self._loop: asyncio.AbstractEventLoop | None = None
        self._start_lock: asyncio.Lock = asyncio.Lock()

    @asynccontextmanager
    async def lifespan(self, _app: object = None) -> AsyncIterator[None]:
        """Enter the server's lifespan. Pass this as `lifespan` to the outer application."""
        await self._start()
        try:
            yield
        finally:
            await self._stop()

    def close_streams(self) -> None:
        """End the streams that stay open until the client disconnects."""
        if self._loop is not None:
            self._service.close_streams()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one ASGI connection: an HTTP request or the application's lifespan.

        WebSocket connections are closed, because MCP does not use them.
        """
        if scope["type"] == "lifespan":
            await self._run_lifespan(receive, send)
        elif scope["type"] == "http":
            if self._loop is not asyncio.get_running_loop():
                await self._start()
            await self._answer_request(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1000})

    async def _start(self) -> None:
        """Enter the server's lifespan on the running loop unless that has already happened.

        Multiple first requests may arrive at the same time, so a lock makes all but one wait.
        """
        loop = asyncio.get_running_loop()
        # After a restart on another loop, the old lock is still bound to the loop that ended.
        if self._loop is not None and self._loop is not loop:
            self._start_lock = asyncio.Lock()
        async with self._start_lock:
            if self._loop is not loop:
                await self._lifespan_hooks.begin()
                self._loop = loop

    async def _stop(self) -> None:
        if self._loop is not None:
            self._loop = None
            await self._lifespan_hooks.end()

    async def _answer_request(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Read an HTTP request, pass it to the MCP service, and send the response.

        A request is rejected early if its headers are not acceptable, or if its body is too large
        or arrives too slowly.
        """
        head = RequestHead.from_pairs(scope["method"], _get_path(scope), scope["headers"])
        limits = self._service.limits
        asgi_responder = AsgiResponder(limits.backlog_bytes, _get_client_address(scope))
        is_logging = self._service.is_logging
        responder = LoggedResponder(asgi_responder, head) if is_logging else asgi_responder
        response = self._service.answer_head(head)
        body: bytes | None = b""
        if response is None:
            try:
                async with asyncio.timeout(limits.receive_seconds * 2):
                    body = await self._read_body(receive)
            except TimeoutError:
                response = _REQUEST_TIMEOUT
            else:
                response = self._service.make_too_large_response(head) if body is None else None
        if response is not None:
            responder.respond(response)
        elif body is not None:
            self._service.handle_request(head, body, responder)
            if not asgi_responder.is_complete:
                await asyncio.sleep(0)  # Most responses are complete after one turn of the loop.
        # A complete response is sent directly. While an incomplete one is being sent, the client
        # may disconnect, and waiting for that takes two tasks.
        if asgi_responder.is_complete:
            await asgi_responder.send_messages(send)
        else:
            await self._send_until_disconnect(asgi_responder, receive, send)

    async def _read_body(self, receive: Receive) -> bytes | None:
        """Return the body of a request, or None if it is too large or the client has disconnected.

        Args:
            receive: The ASGI function that returns the request's messages.
        """
        chunks: list[bytes] = []
        body_bytes = 0
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                return None
            chunks.append(message.get("body", b""))
            body_bytes += len(chunks[-1])
            if body_bytes > self._service.limits.body_bytes:
                return None
            if not message.get("more_body"):
                return chunks[0] if len(chunks) == 1 else b"".join(chunks)

    async def _send_until_disconnect(
        self, asgi_responder: AsgiResponder, receive: Receive, send: Send
    ) -> None:
        """Send the response while it is being produced, until it ends or the client disconnects."""
        send_task = asgi_responder.pump_task = asyncio.ensure_future(
            asgi_responder.send_messages(send)
        )
        disconnect_task = asyncio.ensure_future(_wait_for_disconnect(receive))
        try:
            await asyncio.wait((send_task, disconnect_task), return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            # At shutdown, ASGI servers wait for open streams and then cancel them, before they send
            # `lifespan.shutdown`. The stream is ended here so that the client sees its end.
            self._service.close_streams()
            if not asgi_responder.is_complete:
                raise
            await send_task
        finally:
            asgi_responder.pump_task = None
            asgi_responder.handle_disconnect()  # Has no effect on a completed response.
            disconnect_task.cancel()
            send_task.cancel()
        if not send_task.done():
            await asyncio.wait((send_task,))
        # An OSError means that the client has disconnected. Other errors must not be hidden.
        if not send_task.cancelled() and not isinstance(send_task.exception(), OSError | None):
            send_task.result()

    async def _run_lifespan(self, receive: Receive, send: Send) -> None:
        """Begin and end the server's lifespan when the ASGI server's messages request it."""
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                try:
                    await self._start()
                except Exception as error:  # noqa: BLE001 - ASGI reports failures as a message
                    await send({"type": "lifespan.startup.failed", "message": str(error)})
                    return
                await send({"type": "lifespan.startup.complete"})
            else:
                await self._stop()
                await send({"type": "lifespan.shutdown.complete"})
                return


async def _wait_for_disconnect(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        continue


def _get_client_address(scope: Scope) -> tuple[str, int] | None:
    client_address = scope.get("client")
    return (str(client_address[0]), int(client_address[1])) if client_address else None


def _get_path(scope: Scope) -> str:
    """Return the path relative to this application, which may be mounted in another."""
    path, root_path = str(scope["path"]), str(scope.get("root_path") or "").rstrip("/")
    if root_path and path.startswith(root_path + "/"):
        return path[len(root_path) :]
    return "/" if root_path and path == root_path else path
