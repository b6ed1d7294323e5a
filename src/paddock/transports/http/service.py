"""HTTP service for one MCP server: routing, authorization, start-up and shutdown.

HTTP servers call `answer_head` with the head of each request and, if that returns None, pass the
body to `handle_request`. Posted messages are handled by `post_handler`.
"""

from __future__ import annotations

import asyncio
import logging
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, cast
from urllib.parse import urlsplit

from msgspec import UNSET

from paddock.errors import DefinitionError
from paddock.protocol.errors import INVALID_REQUEST, ProtocolError
from paddock.protocol.jsonrpc import (
    DECODE_ERRORS,
    decode_frame,
    encode_error,
    encode_json,
    is_batch,
)
from paddock.protocol.server_operations import METHODS_OF_AUTHOR_CODE
from paddock.protocol.versions import STATELESS_VERSIONS
from paddock.transports.http import access_log
from paddock.transports.http.endpoint_runtime import EndpointRuntime, encode_headers
from paddock.transports.http.exchange import RETRY_AFTER_HEADERS
from paddock.transports.http.messages import (
    JSON_CONTENT_TYPE,
    LAST_EVENT_ID_FIELD,
    SESSION_ID_FIELD,
    HttpRequest,
    HttpResponse,
    Limits,
    is_json_content_type,
    parse_accept,
)
from paddock.transports.http.post_handler import VERSION_FIELD, PostHandler
from paddock.transports.http.sessions import HttpSessionStore
from paddock.transports.http.sse import EVENT_STREAM_HEADERS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from paddock.protocol.observers import RequestObserver
    from paddock.protocol.server_operations import ServerOperations
    from paddock.transports.http.messages import AccessRefusal, Authorizer, RequestHead, Responder
    from paddock.transports.http.origin_policy import HostOriginPolicy
    from paddock.transports.http.sessions import HttpSession


DEFERRED_METHODS = METHODS_OF_AUTHOR_CODE | {"notifications/cancelled"}
"""Methods that run or stop the author's code. They wait for the server's lifespan."""


class StartupQueue:
    """Holds back calls until the server's lifespan has been entered.

    Handshakes and lists do not need the lifespan and are answered immediately. Calls, and messages
    that may refer to calls, are queued and later handled in order of arrival.
    """

    def __init__(self, max_requests: int) -> None:
        self.is_holding = False
        self._max_requests = max_requests
        self._entries: list[tuple[Responder, Callable[[], None]]] = []

    @property
    def is_full(self) -> bool:
        """Whether the queue has reached its limit."""
        return len(self._entries) >= self._max_requests

    def must_wait(self, body: bytes) -> bool:
        """Return True if a message must wait until the server's own code has been loaded.

        Messages that may run the server author's tools or other handlers have to wait. Batches
        always wait, since any of their members may be such a message.

        Args:
            body: The JSON-RPC message or batch.
        """
        if is_batch(body):
            return True
        try:
            frame = decode_frame(body)
        except DECODE_ERRORS:
            return False  # Malformed messages are rejected immediately.
        return frame.method is UNSET or frame.method in DEFERRED_METHODS

    def add(self, responder: Responder, handle_later: Callable[[], None]) -> None:
        """Queue a request, which `handle_later` will handle."""
        self._entries.append((responder, handle_later))

    def release_all(self) -> None:
        """Handle queued requests whose clients are still connected, and stop holding new ones."""
        self.is_holding = False
        entries, self._entries = self._entries, []
        for responder, handle_later in entries:
            if not responder.is_gone:
                handle_later()

    def refuse_all(self, refuse: Callable[[Responder], None]) -> None:
        """Reject the queued requests. New ones are still queued."""
        entries, self._entries = self._entries, []
        for responder, _ in entries:
            if not responder.is_gone:
                refuse(responder)


RESOURCE_METADATA_PATH = "/.well-known/oauth-protected-resource"
HEALTH_PATH = "/health"
CLEANUP_SECONDS = 1.0
"""Time that cancelled handlers have to clean up."""
CHECK_INTERVAL_SECONDS = 1.0
"""Interval between checks for timeouts and idle sessions."""

_STATELESS_VERSION_VALUES = frozenset(version.encode() for version in STATELESS_VERSIONS)

log = logging.getLogger("paddock.http")


class HttpService:
    """Handles HTTP requests to one MCP server."""

    def __init__(
        self,
        operations: ServerOperations,
        origin_policy: HostOriginPolicy,
        *,
        path: str = "/mcp",
        limits: Limits | None = None,
        authorization: Authorizer | None = None,
    ) -> None:
        """Create the service for an MCP endpoint.

        Args:
            operations: The MCP server's operations.
            origin_policy: Decides which Host and Origin headers to allow.
            path: The endpoint path.
            limits: The limits on the resources that clients can use.
            authorization: Authenticates requests; None for a server without authentication.

        Raises:
            DefinitionError: The path is reserved for health checks or metadata.
        """
        self.limits = limits or Limits()
        self.path = "/" + path.strip("/")
        if self.path == HEALTH_PATH or self.path.startswith(RESOURCE_METADATA_PATH):
            raise DefinitionError(f"the path {self.path} is reserved", hint="choose another path")
        self.runtime = EndpointRuntime(operations, origin_policy, self.limits, authorization)
        self.sessions = HttpSessionStore(self.runtime)
        self.is_draining = False
        self.is_logging = False
        self._post_handler = PostHandler(self.runtime, self.sessions)
        self._startup_queue = StartupQueue(self.limits.concurrent_requests)
        self._startup_error: str | None = None
        self._check_timer: asyncio.TimerHandle | None = None

    def bind_loop(
        self,
        loop: asyncio.AbstractEventLoop,
        state: object = None,
        observers: Sequence[RequestObserver] = (),
    ) -> None:
        """Attach the service to a running event loop. Must be called before the first request.

        Args:
            loop: The loop that reads requests and writes responses.
            state: The value that the server's lifespan yielded, for `ctx.state`.
            observers: Observers of every request, for logs and tracing.
        """
        self.is_draining = False
        self.runtime.bind_loop(loop)
        self.runtime.eras.set_observers(observers)
        self.is_logging = access_log.is_access_log_enabled()
        self.runtime.connection.state = state
        self._check_timer = loop.call_later(CHECK_INTERVAL_SECONDS, self._run_checks)

    def hold_calls(self) -> None:
        """Queue calls until `release_calls`. Handshakes and lists are answered in the meantime."""
        self._startup_error = None
        self._startup_queue.is_holding = True

    def release_calls(self, state: object) -> None:
        """Handle the queued calls. `state` is the value that the server's lifespan yielded."""
        self.runtime.connection.state = state
        for session in self.sessions.list_sessions():
            session.connection.state = state
        self._startup_queue.release_all()

    def fail_startup(self, reason: str) -> None:
        """Reject all calls with this reason because the lifespan could not be entered."""
        self._startup_error = reason
        self._refuse_queued(500, reason)

    def answer_head(self, head: RequestHead) -> HttpResponse | None:
        """Return the response to a request if it depends only on the head, or None otherwise.

        Health checks, CORS preflight requests and rejections need no body. HTTP servers call this
        as soon as the head is complete, so that the bodies of rejected requests are not read.
        """
        path = head.path.rstrip("/") or "/"
        if path == HEALTH_PATH:
            return self._make_health_response()
        # The metadata is public, so it is served before the origin is checked.
        if path.startswith(RESOURCE_METADATA_PATH):
            return self._answer_metadata_request(head, path)
        violation = self.runtime.origin_policy.find_violation(head)
        if violation is not None:
            return self._make_error_response(403, violation)
        if path != self.path:
            return self._make_not_found_response(head)
        if head.method == "OPTIONS":
            return HttpResponse(204, self.runtime.origin_policy.make_preflight_headers(head))
        if self.is_draining:
            text = "The server is stopping"
            return self._make_error_response(503, text, headers=RETRY_AFTER_HEADERS)
        if head.method == "POST":
            return self._check_post_head(head)
        has_session = (
            SESSION_ID_FIELD in head.headers
            and head.headers.get(VERSION_FIELD) not in _STATELESS_VERSION_VALUES
        )
        if head.method not in ("GET", "DELETE") or not has_session:
            text = "Without a session, only POST is allowed"
            return self._make_error_response(405, text, head, [(b"allow", b"POST")])
        return None

    def handle_request(self, head: RequestHead, body: bytes, responder: Responder) -> None:
        """Handle a request for which `answer_head` returned None.

        Args:
            head: The request line and headers.
            body: The complete body.
            responder: The connection to write the response to, now or later.
        """
        # Authorization may have to fetch keys, so it runs as a coroutine. Without authorization,
        # the request is handled immediately.
        http_request = HttpRequest(head, body, responder)
        if self.runtime.authorization is None:
            self._handle_safely(http_request)
        else:
            self.runtime.executor.spawn_task(
                self._authorize_and_handle(self.runtime.authorization, http_request)
            )

    def announce_change(self, kind: str, uri: str | None = None) -> int:
        """Notify subscribed clients of a change, and return the number of these clients.

        Args:
            kind: The kind of change.
            uri: The URI of the changed resource, if the change concerns one.
        """
        notified_count = self.runtime.eras.subscriptions.announce_change(kind, uri)
        for session in self.sessions.list_sessions():
            notified_count += self.runtime.eras.session.announce_change(
                session.connection, kind, uri
            )
        return notified_count

    def close_streams(self) -> None:
        """End the streams that stay open until the client disconnects. Any thread may call this."""
        self.runtime.call_on_loop(self._end_streams)

    async def drain(self) -> None:
        """Prepare for shutdown by rejecting new requests and waiting for those in progress.

        Streams that would stay open indefinitely are ended. Waits for at most
        `Limits.drain_seconds`.
        """
        self.is_draining = True
        self._refuse_queued(503, "The server is stopping")
        self._end_streams()
        deadline = monotonic() + self.limits.drain_seconds
        while self.runtime.active_exchanges and monotonic() < deadline:  # noqa: ASYNC110 - only at shutdown
            await asyncio.sleep(0.01)

    def close(self) -> None:
        """Cancel all requests and close all sessions because the server has stopped."""
        if self._check_timer is not None:
            self._check_timer.cancel()
        self._refuse_queued(503, "The server is stopping")
        for exchange in list(self.runtime.active_exchanges):
            exchange.close()
        for session in self.sessions.list_sessions():
            self.sessions.close_session(session)
        self.runtime.operations.tasks.close()
        self.runtime.executor.close()

    async def wait_for_cleanup(self) -> None:
        """Wait for cancelled handlers to clean up before the server's lifespan ends."""
        if self._check_timer is not None:  # Otherwise it was never bound to a loop.
            await self.runtime.executor.cancel_and_wait(CLEANUP_SECONDS)

    def _end_streams(self) -> None:
        self.runtime.eras.subscriptions.close()
        for session in self.sessions.list_sessions():
            session.standalone_stream.release_readers()

    def _handle_safely(self, http_request: HttpRequest) -> None:
        """Handle a request, aborting its response if an unexpected error occurs.

        Such an error is a server bug. It is logged, and the client does not have to wait for a
        timeout.
        """
        try:
            self._handle(http_request)
        except Exception:
            head = http_request.head
            log.exception("%s %s could not be answered", head.method, head.path)
            http_request.responder.abort()

    def _handle(self, http_request: HttpRequest) -> None:
        """Handle an authorized request according to its method.

        POST sends a message, GET opens a session's event stream, and DELETE closes a session.
        """
        head = http_request.head
        if head.method == "POST":
            if self._startup_queue.is_holding and self._startup_queue.must_wait(http_request.body):
                self._queue_request(http_request)
            else:
                self._post_handler.handle(http_request)
            return
        session = self._post_handler.find_session(http_request)
        if session is None:
            return
        if head.method == "DELETE":
            self.sessions.close_session(session)
            cors_headers = self.runtime.origin_policy.make_cors_headers(head)
            http_request.responder.respond(HttpResponse(204, cors_headers))
            return
        error_response = self._open_session_stream(session, head, http_request.responder)
        if error_response is not None:
            http_request.responder.respond(error_response)

    def _open_session_stream(
        self, session: HttpSession, head: RequestHead, responder: Responder
    ) -> HttpResponse | None:
        """Answer a GET request with an event stream, or return an error response.

        A request with `Last-Event-ID` resumes the stream that the event belongs to. Any other
        request opens the standalone stream, which carries messages that do not belong to a request.
        """
        if not parse_accept(head.headers.get(b"accept", b"")).events:
            text = "A stream needs an Accept header that allows text/event-stream"
            return self._make_error_response(406, text, head)
        headers = [
            *EVENT_STREAM_HEADERS,
            (SESSION_ID_FIELD, session.id.encode()),
            *self.runtime.origin_policy.make_cors_headers(head),
        ]
        last_event_id = head.headers.get(LAST_EVENT_ID_FIELD)
        if last_event_id is None:
            if not session.attach_standalone_reader(responder, headers):
                return self._make_error_response(409, "The session has too many open streams", head)
        elif not session.resume_stream(last_event_id.decode("latin-1"), responder, headers):
            return self._make_error_response(400, "Last-Event-ID is unknown to this session", head)
        return None

    def _queue_request(self, http_request: HttpRequest) -> None:
        """Queue a message until the server is ready, or reject it if the queue is full.

        If the server failed to start, messages are rejected with the reason.
        """
        head, responder = http_request.head, http_request.responder
        if self._startup_error is not None:
            responder.respond(self._make_error_response(500, self._startup_error, head))
        elif self._startup_queue.is_full:
            text = "Too many requests are queued"
            responder.respond(self._make_error_response(503, text, head, RETRY_AFTER_HEADERS))
        else:
            self._startup_queue.add(responder, partial(self._handle_safely, http_request))

    def _refuse_queued(self, status: int, text: str) -> None:
        response = self._make_error_response(status, text)
        self._startup_queue.refuse_all(lambda responder: responder.respond(response))

    async def _authorize_and_handle(
        self, authorization: Authorizer, http_request: HttpRequest
    ) -> None:
        """Authenticate the sender of a request and handle the request if access is granted."""
        head, responder = http_request.head, http_request.responder
        values = [value.decode("latin-1") for value in head.get_all(b"authorization")]
        try:
            principal = await authorization.authenticate(values)
        except Exception as error:  # noqa: BLE001 - a RefusalError, or a defect that must deny too
            responder.respond(self._make_refusal_response(error, head))
            return
        # Authentication may take seconds, so the client may have disconnected in the meantime.
        if not responder.is_gone:
            http_request.principal = principal
            self._handle_safely(http_request)

    def _make_refusal_response(self, error: Exception, head: RequestHead) -> HttpResponse:
        """Return the response to a request that was denied authorization.

        An error without a status is a bug in the authorization code. It is logged and hidden from
        the client, but access is still denied.
        """
        if not hasattr(error, "status"):
            log.error("The authorization failed", exc_info=error)
            return self._make_error_response(500, "The authorization could not be checked", head)
        refusal = cast("AccessRefusal", error)
        headers = [
            JSON_CONTENT_TYPE,
            *encode_headers(refusal.headers),
            *self.runtime.origin_policy.make_cors_headers(head),
        ]
        return HttpResponse(refusal.status, headers, refusal.body)

    def _check_post_head(self, head: RequestHead) -> HttpResponse | None:
        """Return the error response to a POST request with unacceptable headers, otherwise None.

        The content type, the accepted types and the content length are checked.
        """
        if not is_json_content_type(head.headers.get(b"content-type", b"")):
            return self._make_error_response(415, "Expected Content-Type: application/json", head)
        accepted = parse_accept(head.headers.get(b"accept", b""))
        if not (accepted.json or accepted.events):
            text = "Expected Accept: application/json, text/event-stream"
            return self._make_error_response(406, text, head)
        content_length = head.headers.get(b"content-length", b"0")
        # `int` raises an exception for strings of thousands of digits, so the length is limited.
        is_length = content_length.isdigit() and len(content_length) <= 20
        if not is_length or int(content_length) > self.limits.body_bytes:
            return self.make_too_large_response(head)
        return None

    def make_too_large_response(self, head: RequestHead) -> HttpResponse:
        """Return the response to a body that exceeds the limit."""
        text = f"The body is larger than {self.limits.body_bytes} bytes"
        return self._make_error_response(413, text, head)

    def _answer_metadata_request(self, head: RequestHead, path: str) -> HttpResponse:
        """Return the protected resource metadata (RFC 9728) if the endpoint requires tokens."""
        authorization = self.runtime.authorization
        if authorization is None or path not in self._list_metadata_paths(authorization):
            return self._make_not_found_response(head)
        allow_origin = (b"access-control-allow-origin", b"*")
        if head.method == "OPTIONS":
            return HttpResponse(204, [allow_origin, (b"access-control-allow-headers", b"*")])
        return HttpResponse(
            200, [JSON_CONTENT_TYPE, allow_origin], encode_json(authorization.metadata())
        )

    def _make_not_found_response(self, head: RequestHead) -> HttpResponse:
        return self._make_error_response(404, f"Not found; the MCP endpoint is {self.path}", head)

    def _list_metadata_paths(self, authorization: Authorizer) -> tuple[str, ...]:
        """Return the metadata paths. Behind a proxy, the public path may differ."""
        public_path = urlsplit(authorization.metadata_url).path
        return (RESOURCE_METADATA_PATH, RESOURCE_METADATA_PATH + self.path, public_path)

    def _make_health_response(self) -> HttpResponse:
        status, state_name = (503, "draining") if self.is_draining else (200, "ok")
        return HttpResponse(status, [JSON_CONTENT_TYPE], encode_json({"status": state_name}))

    def _make_error_response(
        self,
        status: int,
        text: str,
        head: RequestHead | None = None,
        headers: Sequence[tuple[bytes, bytes]] = (),
    ) -> HttpResponse:
        """Return a response whose body is a JSON-RPC error.

        Args:
            status: The HTTP status.
            text: The error message.
            head: The head of the request. If it is given, web pages of allowed origins can read
                the response.
            headers: Additional headers.
        """
        cors_headers = [] if head is None else self.runtime.origin_policy.make_cors_headers(head)
        all_headers = [JSON_CONTENT_TYPE, *headers, *cors_headers]
        error_body = encode_error(None, ProtocolError(text, rpc_code=INVALID_REQUEST))
        return HttpResponse(status, all_headers, error_body.rstrip(b"\n"))

    def _run_checks(self) -> None:
        """Stop overdue requests, close idle sessions and remove expired tasks.

        Each call schedules the next one.
        """
        now = monotonic()
        for exchange in list(self.runtime.active_exchanges):
            exchange.check_timeout(now)
        self.sessions.close_idle_sessions(now)
        if "tasks/get" in self.runtime.eras.stateless.methods:
            self.runtime.operations.tasks.remove_expired()
        self._check_timer = self.runtime.executor.loop.call_later(
            CHECK_INTERVAL_SECONDS, self._run_checks
        )
