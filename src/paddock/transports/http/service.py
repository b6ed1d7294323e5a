"""One server behind HTTP: who is let in, what is under way, and how it all ends.

Carriers ask `admit` about the head of a request, then hand the body to `take`. What the posted
messages mean is the business of `receiving`.
"""

from __future__ import annotations

import asyncio
import logging
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, cast
from urllib.parse import urlsplit

from paddock.errors import DefinitionError
from paddock.protocol.errors import ProtocolError
from paddock.protocol.jsonrpc import encode, error_frame
from paddock.protocol.versions import STATELESS_VERSIONS
from paddock.transports.http import access
from paddock.transports.http.contract import JSON_TYPE, LAST_EVENT_ID, SESSION_ID, Response
from paddock.transports.http.events import STREAM_HEADERS
from paddock.transports.http.exchange import RETRY_AFTER
from paddock.transports.http.gate import Gate
from paddock.transports.http.hub import Hub, encoded
from paddock.transports.http.limits import Limits
from paddock.transports.http.media import accepts, is_json
from paddock.transports.http.mirrors import VERSION
from paddock.transports.http.receiving import Receiver
from paddock.transports.http.sessions import Sessions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paddock.protocol.eras.contract import Operations
    from paddock.protocol.observing import Observer
    from paddock.protocol.principal import Principal
    from paddock.transports.http.contract import (
        Authorization,
        Head,
        Headers,
        Outgoing,
        Refusal,
    )
    from paddock.transports.http.guards import Guard

WELL_KNOWN = "/.well-known/oauth-protected-resource"
HEALTH = "/health"
SETTLE = 1.0
"""Seconds that handlers get to clean up once they have been stopped."""
TICK = 1.0
"""Seconds between two looks at what is waiting."""

_STATELESS = frozenset(version.encode() for version in STATELESS_VERSIONS)

log = logging.getLogger("paddock.http")


class Service:
    """Answers HTTP requests from one server's operations."""

    def __init__(
        self,
        operations: Operations,
        guard: Guard,
        *,
        path: str = "/mcp",
        limits: Limits | None = None,
        authorization: Authorization | None = None,
    ) -> None:
        self.limits = limits or Limits()
        self.path = "/" + path.strip("/")
        if self.path == HEALTH or self.path.startswith(WELL_KNOWN):
            raise DefinitionError(f"{self.path} is taken", hint="choose another path")
        self.hub = Hub(operations, guard, self.limits, authorization)
        self.sessions = Sessions(self.hub)
        self.is_draining = False
        self.is_logging = False
        self._receiver = Receiver(self.hub, self.sessions)
        self._gate = Gate(self.limits.concurrent_requests)
        self._failure: str | None = None
        self._ticker: asyncio.TimerHandle | None = None

    def bind(
        self,
        loop: asyncio.AbstractEventLoop,
        state: object = None,
        observers: Sequence[Observer] = (),
    ) -> None:
        """Work on this event loop, which is the running one."""
        self.is_draining = False
        self.hub.bind(loop)
        self.hub.eras.observe(observers)
        self.is_logging = access.is_logged()
        self.hub.connection.state = state
        self._ticker = loop.call_later(TICK, self._tick)

    def hold(self) -> None:
        """Have calls wait for `release`, and answer handshakes and lists meanwhile."""
        self._failure = None
        self._gate.is_shut = True

    def release(self, state: object) -> None:
        """The server is ready, and its lifespan has yielded this: take what has waited."""
        self.hub.connection.state = state
        for session in self.sessions.all():
            session.connection.state = state
        self._gate.open()

    def fail(self, reason: str) -> None:
        """The server will never be ready: refuse what has waited and what would have to."""
        self._failure = reason
        self._dismiss(500, reason)

    def admit(self, head: Head) -> Response | None:
        """The answer to what needs no body, or must not be read any further; else None."""
        path = head.path.rstrip("/") or "/"
        if path == HEALTH:
            return self._health()
        if path.startswith(WELL_KNOWN):  # public, also for pages that may not call us
            return self._document(head, path)
        objection = self.hub.guard.objection(head)
        if objection is not None:
            return self._plain(403, objection, [])
        if path != self.path:
            return self._nothing_here(head)
        if head.method == "OPTIONS":
            return Response(204, self.hub.guard.preflight_headers(head))
        if self.is_draining:
            return self._plain(503, "The server is ending", RETRY_AFTER)
        if head.method == "POST":
            return self._admit_post(head)
        has_session = SESSION_ID in head.headers and head.headers.get(VERSION) not in _STATELESS
        if head.method not in ("GET", "DELETE") or not has_session:
            allowed: Headers = [(b"allow", b"POST")]
            return self._plain(405, "Only POST is possible without a session", allowed, head)
        return None

    def take(self, head: Head, body: bytes, outgoing: Outgoing) -> None:
        """Answer a request that was admitted."""
        if self.hub.authorization is None:
            self._take_safely(head, body, outgoing, None)
        else:
            self.hub.runner.spawn(self._authorize(self.hub.authorization, head, body, outgoing))

    def announce(self, kind: str, uri: str | None = None) -> int:
        """Tell all clients that want to know that something has changed."""
        told = self.hub.eras.listeners.announce(kind, uri)
        for session in self.sessions.all():
            told += self.hub.eras.session.announce(session.connection, kind, uri)
        return told

    def hush(self) -> None:
        """End the streams that would not end by themselves. May be called by any thread."""
        self.hub.post(self._end_streams)

    async def drain(self) -> None:
        """Take nothing new, end the streams that would not end, and wait for the rest."""
        self.is_draining = True
        self._dismiss(503, "The server is ending")
        self._end_streams()
        deadline = monotonic() + self.limits.drain_seconds
        while self.hub.active and monotonic() < deadline:  # noqa: ASYNC110 - once, at the end
            await asyncio.sleep(0.01)

    def close(self) -> None:
        """Break off what is left."""
        if self._ticker is not None:
            self._ticker.cancel()
        self._dismiss(503, "The server is ending")
        for exchange in list(self.hub.active):
            exchange.close()
        for session in self.sessions.all():
            self.sessions.close(session)
        self.hub.operations.tasks.close()
        self.hub.runner.close()

    async def settle(self) -> None:
        """Let what was broken off clean up, before the server's lifespan is left."""
        if self._ticker is not None:  # it has begun at all
            await self.hub.runner.settle(SETTLE)

    def _end_streams(self) -> None:
        self.hub.eras.listeners.close()
        for session in self.sessions.all():
            session.standalone.release()

    def _take_safely(
        self, head: Head, body: bytes, outgoing: Outgoing, principal: Principal | None
    ) -> None:
        """A fault of ours must neither stay unknown nor leave the client waiting."""
        try:
            self._take(head, body, outgoing, principal)
        except Exception:
            log.exception("%s %s could not be answered", head.method, head.path)
            outgoing.abort()

    def _take(
        self, head: Head, body: bytes, outgoing: Outgoing, principal: Principal | None
    ) -> None:
        if head.method == "POST":
            if self._gate.is_shut and self._gate.holds(body):
                self._keep(head, body, outgoing, principal)
            else:
                self._receiver.receive(head, body, outgoing, principal)
            return
        session = self._receiver.session_of(head, outgoing, principal)
        if session is None:
            return
        if head.method == "DELETE":
            self.sessions.close(session)
            outgoing.respond(Response(204, self.hub.guard.cors_headers(head)))
            return
        if not accepts(head.headers.get(b"accept", b"")).events:
            text = "This needs an Accept header that allows text/event-stream"
            outgoing.respond(self._plain(406, text, [], head))
            return
        headers = [
            *STREAM_HEADERS,
            (SESSION_ID, session.id.encode()),
            *self.hub.guard.cors_headers(head),
        ]
        last = head.headers.get(LAST_EVENT_ID)
        if last is None:
            if not session.listen(outgoing, headers):
                outgoing.respond(self._plain(409, "The session has too many streams", [], head))
        elif not session.resume(last.decode("latin-1"), outgoing, headers):
            outgoing.respond(self._plain(400, "Last-Event-ID was never given out", [], head))

    def _keep(
        self, head: Head, body: bytes, outgoing: Outgoing, principal: Principal | None
    ) -> None:
        """Have a message wait until the server is ready, if that can be and there is room."""
        if self._failure is not None:
            outgoing.respond(self._plain(500, self._failure, [], head))
        elif self._gate.is_full:
            outgoing.respond(self._plain(503, "Too many requests wait", RETRY_AFTER, head))
        else:
            take = partial(self._take_safely, head, body, outgoing, principal)
            self._gate.keep(outgoing, take)

    def _dismiss(self, status: int, text: str) -> None:
        self._gate.dismiss(lambda outgoing: outgoing.respond(self._plain(status, text, [])))

    async def _authorize(
        self, authorization: Authorization, head: Head, body: bytes, outgoing: Outgoing
    ) -> None:
        values = [value.decode("latin-1") for value in head.all(b"authorization")]
        try:
            principal = await authorization.authenticate(values)
        except Exception as error:  # noqa: BLE001 - a Refusal, or something that must not let in
            outgoing.respond(self._refused(error, head))
            return
        if not outgoing.is_gone:
            self._take_safely(head, body, outgoing, principal)

    def _refused(self, error: Exception, head: Head) -> Response:
        if not hasattr(error, "status"):
            log.error("The authorization failed", exc_info=error)
            return self._plain(500, "The authorization could not be checked", [], head)
        refusal = cast("Refusal", error)
        headers = [JSON_TYPE, *encoded(refusal.headers), *self.hub.guard.cors_headers(head)]
        return Response(refusal.status, headers, refusal.body)

    def _admit_post(self, head: Head) -> Response | None:
        if not is_json(head.headers.get(b"content-type", b"")):
            return self._plain(415, "Expected Content-Type: application/json", [], head)
        wanted = accepts(head.headers.get(b"accept", b""))
        if not (wanted.json or wanted.events):
            text = "Expected Accept: application/json, text/event-stream"
            return self._plain(406, text, [], head)
        length = head.headers.get(b"content-length", b"0")
        if not length.isdigit() or len(length) > 20 or int(length) > self.limits.body_bytes:
            return self.too_large(head)
        return None

    def too_large(self, head: Head) -> Response:
        """The answer to a body that is longer than the limit."""
        text = f"The body has more than {self.limits.body_bytes} bytes"
        return self._plain(413, text, [], head)

    def _document(self, head: Head, path: str) -> Response:
        """What clients are told about the tokens that we take."""
        authorization = self.hub.authorization
        if authorization is None or path not in self._documents(authorization):
            return self._nothing_here(head)
        public = (b"access-control-allow-origin", b"*")
        if head.method == "OPTIONS":
            return Response(204, [public, (b"access-control-allow-headers", b"*")])
        return Response(200, [JSON_TYPE, public], encode(authorization.metadata()))

    def _nothing_here(self, head: Head) -> Response:
        return self._plain(404, f"There is nothing here; the endpoint is {self.path}", [], head)

    def _documents(self, authorization: Authorization) -> tuple[str, ...]:
        """Where the document about the endpoint is; a proxy may have other paths than we do."""
        told = urlsplit(authorization.metadata_url).path
        return (WELL_KNOWN, WELL_KNOWN + self.path, told)

    def _health(self) -> Response:
        status, said = (503, "draining") if self.is_draining else (200, "ok")
        return Response(status, [JSON_TYPE], encode({"status": said}))

    def _plain(
        self, status: int, text: str, headers: Headers, head: Head | None = None
    ) -> Response:
        cors = [] if head is None else self.hub.guard.cors_headers(head)
        return Response(status, [JSON_TYPE, *headers, *cors], _fault(text))

    def _tick(self) -> None:
        now = monotonic()
        for exchange in list(self.hub.active):
            exchange.check(now)
        self.sessions.sweep(now)
        if "tasks/get" in self.hub.eras.stateless.methods:
            self.hub.operations.tasks.sweep()
        self._ticker = self.hub.runner.loop.call_later(TICK, self._tick)


def _fault(text: str) -> bytes:
    return error_frame(None, ProtocolError(text, rpc_code=-32600)).rstrip(b"\n")
