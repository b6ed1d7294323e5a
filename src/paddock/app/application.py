"""The whole product as one ASGI application: web app, REST API and MCP endpoints."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any

from paddock.app.api import Parts, allowed_methods, make_api
from paddock.app.connections import Connection, Connections
from paddock.app.doors import STRANGER
from paddock.app.gate import API, MCP, Gate, is_below
from paddock.app.hosting import ZOO_SERVER, Hosting, for_team, url_name
from paddock.app.refusing import refusal
from paddock.app.request_log import Sending
from paddock.app.visiting import VISITOR
from paddock.app.web_files import WebFiles
from paddock.errors import PaddockError
from paddock.servers.errors import ServerNotFoundError
from paddock.transports.http.contract import Head, Response
from paddock.transports.http.guards import ANY
from paddock.zoo.rest.feed import Feed

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from paddock.app.doors import Door, Visitor
    from paddock.app.hosting import Load
    from paddock.app.identity import Identity
    from paddock.transports.http.asgi import Receive, Scope, Send
    from paddock.zoo.service import Zoo

PUBLIC = (f"{API}/health", f"{API}/sign-in", f"{API}/sign-out", f"{API}/openapi.json")
"""What somebody may use who is not signed in."""

log = logging.getLogger("paddock.app")


class Zoos:
    """The zoos of one database, each with its events."""

    def __init__(self, zoo: Zoo) -> None:
        self._zoo = zoo
        self._feeds: dict[str, Feed] = {}

    def zoo(self, owner: str) -> Zoo:
        """That of an owner."""
        return self._zoo.for_owner(owner) if owner else self._zoo

    def feed(self, owner: str) -> Feed:
        """The events of an owner's zoo."""
        if owner not in self._feeds:
            self._feeds[owner] = Feed(self.zoo(owner))
        return self._feeds[owner]

    def tell_connection(self, owner: str, connection: Connection) -> None:
        """Tell whoever looks at a zoo that a client has called."""
        feed = self._feeds.get(owner)
        if feed is not None:
            feed.tell("connection", connection)

    def hush(self) -> None:
        """End all streams of events."""
        for feed in self._feeds.values():
            feed.close()


class Application:
    """Answers every request that Paddock gets on its port.

    Args:
        zoo: The zoo, or in a team the one from which each owner's is made.
        door: Who may come in.
        identity: What others may know of this Paddock.
        load: Makes an MCP server of its name.
        web_directory: Where the files of the web app are.
        allowed_hosts: Hosts that requests may name, besides this machine's own.
        allowed_origins: Origins whose web pages may use the API, besides the app's own.
        requests_a_minute: How many requests one client may make of the API; None: any number.
        look_again_seconds: How often a stream asks whether its reader may still come in.
    """

    def __init__(
        self,
        zoo: Zoo,
        *,
        door: Door,
        identity: Identity,
        load: Load,
        web_directory: Path,
        allowed_hosts: Iterable[str] = (),
        allowed_origins: Iterable[str] = (),
        requests_a_minute: int | None = None,
        look_again_seconds: float = 15.0,
    ) -> None:
        self._zoos = Zoos(zoo)
        self._door = door
        self._look_again_seconds = look_again_seconds
        self._gate = Gate(allowed_hosts, allowed_origins)
        self._web = WebFiles(web_directory)
        connections = Connections(self._zoos.tell_connection)
        # Whose page it is has been decided before a request gets there.
        self._hosting = Hosting(
            for_team(load) if door.is_team else load,
            connections.watching,
            allowed_hosts=[ANY],
            allowed_origins=[ANY],
        )
        self._api: Any = make_api(
            Parts(
                zoo_of=self._zoos.zoo,
                feed_of=self._zoos.feed,
                hosting=self._hosting,
                connections=connections,
                door=door,
                identity=identity,
                accounts=zoo.accounts(),
                requests_a_minute=requests_a_minute,
            )
        )

    def hush(self) -> None:
        """End the streams that would not end by themselves: the server is about to."""
        self._zoos.hush()
        self._hosting.hush()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or take part in the life of the server."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "http":
            await self._answer(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1000})

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        head = Head.of(scope["method"], scope["path"], scope["headers"])
        # The endpoints of servers write lines of their own, with what was called.
        is_logged = not is_below(head.path, MCP)
        sending = Sending(send, head, self._gate.headers(head), is_logged=is_logged)
        try:
            response = self._gate.objection(head) or _unusable(head, scope)
            if response is not None:
                await _send(response, sending)
            elif is_below(head.path, API) or is_below(head.path, MCP):
                await self._let_in(head, scope, receive, sending)
            else:
                await _send(await asyncio.to_thread(self._web.answer, head), sending, head)
        finally:
            sending.end()

    async def _let_in(self, head: Head, scope: Scope, receive: Receive, send: Send) -> None:
        visitor: Visitor | None = await self._visitor(head)
        if visitor is None and head.path not in PUBLIC:
            challenge = [(b"www-authenticate", b'Bearer realm="paddock"')]
            text = "Sign in first, or send a token: Authorization: Bearer …"
            await _send(refusal(401, "SIGN_IN_NEEDED", text, challenge), send)
            return
        if visitor is not None and self._door.is_team and head.method == "GET":
            receive = self._receiving(receive, head)
        visitor = visitor or STRANGER
        if is_below(head.path, MCP):
            await self._serve(head, visitor, scope, receive, send)
        elif head.method == "OPTIONS" and (known := allowed_methods(self._api, head.path)):
            await _send(Response(204, [(b"allow", ", ".join(known).encode())]), send)
        else:
            await self._api({**scope, VISITOR: visitor}, receive, send)

    async def _visitor(self, head: Head) -> Visitor | None:
        if not self._door.is_team:
            return self._door.visitor(head)
        return await asyncio.to_thread(self._door.visitor, head)

    def _receiving(self, receive: Receive, head: Head) -> Receive:
        """Receive what comes, as long as whoever sent the request is let in: streams last."""

        async def received() -> Any:
            coming = asyncio.ensure_future(receive())
            try:
                while not (await asyncio.wait((coming,), timeout=self._look_again_seconds))[0]:
                    if await self._visitor(head) is None:
                        return {"type": "http.disconnect"}
                return coming.result()
            finally:
                coming.cancel()

        return received

    async def _serve(
        self, head: Head, visitor: Visitor, scope: Scope, receive: Receive, send: Send
    ) -> None:
        """Answer as the MCP endpoint of a server."""
        name = head.path.removeprefix(MCP).strip("/") or ZOO_SERVER
        if name != ZOO_SERVER and not visitor.is_admin:
            text = f"Only an administrator may use {name} here; {MCP} is your zoo"
            await _send(refusal(403, "NOT_ALLOWED", text), send)
            return
        path = f"{MCP}/{url_name(name)}"
        try:
            endpoint = await self._hosting.endpoint(visitor.owner, name, path)
        except ServerNotFoundError as error:
            await _send(refusal(404, "SERVER_NOT_FOUND", str(error)), send)
        except PaddockError as error:
            log.warning("The server %s cannot be served: %s", name, error)
            await _send(refusal(503, error.code.upper().replace("-", "_"), str(error)), send)
        else:
            await endpoint({**scope, "path": path, "root_path": ""}, receive, send)

    async def _live(self, receive: Receive, send: Send) -> None:
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                await send({"type": "lifespan.startup.complete"})
            else:
                self.hush()
                await self._hosting.close()
                await send({"type": "lifespan.shutdown.complete"})
                return


def _unusable(head: Head, scope: Scope) -> Response | None:
    """The answer to an address that nothing here can have."""
    if "\0" not in head.path and b"%00" not in scope.get("query_string", b""):
        return None
    return refusal(400, "INVALID_ARGUMENTS", "The address has a NUL character")


async def _send(response: Response, send: Send, head: Head | None = None) -> None:
    """Send a whole answer; of a HEAD request only its head."""
    headers = [*response.headers]
    if response.status not in (204, 304):
        headers.append((b"content-length", b"%d" % len(response.body)))
    is_head = head is not None and head.method == "HEAD"
    await send({"type": "http.response.start", "status": response.status, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if is_head else response.body})
