"""The whole product as one ASGI application: web app, REST API and MCP endpoints.

The log of requests: one line each, with what was asked for and how it ended.

The path without its query, never a header or a body.
"""

from __future__ import annotations

import asyncio
import logging
import os
from time import perf_counter
from typing import TYPE_CHECKING, Any

from paddock.app.api import ApiServices, create_api, list_allowed_methods
from paddock.app.authenticators import ANONYMOUS, REQUEST_USER_KEY
from paddock.app.mcp_endpoints import (
    ZOO_SERVER_NAME,
    ClientActivityLog,
    Connection,
    McpEndpointRegistry,
    make_team_loader,
    make_url_name,
)
from paddock.app.request_policy import (
    API_PATH,
    MCP_PATH,
    RequestPolicy,
    is_path_below,
    make_error_response,
)
from paddock.app.static_files import StaticFiles
from paddock.errors import PaddockError
from paddock.named_servers.names import ServerNotFoundError
from paddock.telemetry.logs import LOG_LEVELS, set_up_logging, to_printable
from paddock.telemetry.settings import (
    ACCESS_LOGGER,
    LOGGING_FORMAT_VARIABLE,
    LOGGING_LEVEL_VARIABLE,
)
from paddock.transports.http.messages import HttpResponse, RequestHead
from paddock.transports.http.origin_policy import WILDCARD
from paddock.zoo.rest.events import EventFeed

if TYPE_CHECKING:
    from collections.abc import Iterable, MutableMapping
    from pathlib import Path

    from paddock.app.authenticators import Authenticator, RequestUser
    from paddock.app.instance import InstanceInfo
    from paddock.app.mcp_endpoints import ServerLoader
    from paddock.transports.http.asgi import Receive, Scope, Send
    from paddock.transports.http.messages import Headers
    from paddock.zoo.service import Zoo


LOG_LEVEL_VARIABLE = "LOG_LEVEL"

access_log = logging.getLogger(ACCESS_LOGGER)


def configure_request_log() -> None:
    """Set the log up as the environment says: `LOG_LEVEL`, or Paddock's own variables.

    Raises:
        DefinitionError: when it names a level or a format that does not exist.
    """
    level = (
        os.environ.get(LOGGING_LEVEL_VARIABLE) or os.environ.get(LOG_LEVEL_VARIABLE) or "warning"
    )
    level = {"warn": "warning", "fatal": "critical", "trace": "debug"}.get(level.lower(), level)
    if level.lower() == "silent":
        level = LOG_LEVELS[-1]
    set_up_logging(level, os.environ.get(LOGGING_FORMAT_VARIABLE) or "json")


class ResponseLogger:
    """Sends the answer to one request, with headers that every answer has."""

    def __init__(self, send: Send, head: RequestHead, headers: Headers, *, is_logged: bool) -> None:
        self._send = send
        self._head = head
        self._headers = headers
        self._started = perf_counter()
        self._status: int | None = None
        self._is_finished = not is_logged

    async def __call__(self, message: MutableMapping[str, Any]) -> None:
        """Pass a part of the answer on."""
        if message["type"] == "http.response.start":
            self._status = message["status"]
            own = {name.lower() for name, _ in message.get("headers", ())}
            more = [(name, value) for name, value in self._headers if name not in own]
            message = {**message, "headers": [*message.get("headers", ()), *more]}
        is_last = message["type"] == "http.response.body" and not message.get("more_body")
        await self._send(message)
        if is_last:
            self.finish()

    def finish(self) -> None:
        """Write the line, unless it is there."""
        if self._is_finished:
            return
        self._is_finished = True
        fields = {
            "http_method": to_printable(self._head.method),
            "path": to_printable(self._head.path),
            "status": self._status,
            "duration_ms": round((perf_counter() - self._started) * 1000, 3),
        }
        access_log.info("%s %s %s", *list(fields.values())[:3], extra=fields)


PUBLIC_PATHS = (
    f"{API_PATH}/health",
    f"{API_PATH}/sign-in",
    f"{API_PATH}/sign-out",
    f"{API_PATH}/openapi.json",
)
"""What somebody may use who is not signed in."""

log = logging.getLogger("paddock.app")


class ZooRegistry:
    """The zoos of one database, each with its events."""

    def __init__(self, zoo: Zoo) -> None:
        self._zoo = zoo
        self._feeds: dict[str, EventFeed] = {}

    def get_zoo(self, owner: str) -> Zoo:
        """That of an owner."""
        return self._zoo.for_owner(owner) if owner else self._zoo

    def get_feed(self, owner: str) -> EventFeed:
        """The events of an owner's zoo."""
        if owner not in self._feeds:
            self._feeds[owner] = EventFeed(self.get_zoo(owner))
        return self._feeds[owner]

    def publish_connection(self, owner: str, connection: Connection) -> None:
        """Tell whoever looks at a zoo that a client has called."""
        feed = self._feeds.get(owner)
        if feed is not None:
            feed.publish("connection", connection)

    def close_feeds(self) -> None:
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
        door: Authenticator,
        identity: InstanceInfo,
        load: ServerLoader,
        web_directory: Path,
        allowed_hosts: Iterable[str] = (),
        allowed_origins: Iterable[str] = (),
        requests_a_minute: int | None = None,
        look_again_seconds: float = 15.0,
    ) -> None:
        self._zoo_registry = ZooRegistry(zoo)
        self._authenticator = door
        self._reauthorize_interval_seconds = look_again_seconds
        self._request_policy = RequestPolicy(allowed_hosts, allowed_origins)
        self._static_files = StaticFiles(web_directory)
        connections = ClientActivityLog(self._zoo_registry.publish_connection)
        # Whose page it is has been decided before a request gets there.
        self._endpoints = McpEndpointRegistry(
            make_team_loader(load) if door.is_team else load,
            connections.create_observer,
            allowed_hosts=[WILDCARD],
            allowed_origins=[WILDCARD],
        )
        self._api: Any = create_api(
            ApiServices(
                get_zoo=self._zoo_registry.get_zoo,
                get_feed=self._zoo_registry.get_feed,
                endpoints=self._endpoints,
                activity_log=connections,
                authenticator=door,
                instance=identity,
                accounts=zoo.accounts(),
                requests_a_minute=requests_a_minute,
            )
        )

    def close_streams(self) -> None:
        """End the streams that would not end by themselves: the server is about to."""
        self._zoo_registry.close_feeds()
        self._endpoints.close_streams()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or take part in the life of the server."""
        if scope["type"] == "lifespan":
            await self._run_lifespan(receive, send)
        elif scope["type"] == "http":
            await self._handle_request(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1000})

    async def _handle_request(self, scope: Scope, receive: Receive, send: Send) -> None:
        head = RequestHead.from_pairs(scope["method"], scope["path"], scope["headers"])
        # The endpoints of servers write lines of their own, with what was called.
        is_logged = not is_path_below(head.path, MCP_PATH)
        sending = ResponseLogger(
            send, head, self._request_policy.make_headers(head), is_logged=is_logged
        )
        try:
            response = self._request_policy.check(head) or _reject_nul_characters(head, scope)
            if response is not None:
                await _send_response(response, sending)
            elif is_path_below(head.path, API_PATH) or is_path_below(head.path, MCP_PATH):
                await self._dispatch_request(head, scope, receive, sending)
            else:
                await _send_response(
                    await asyncio.to_thread(self._static_files.get_response, head), sending, head
                )
        finally:
            sending.finish()

    async def _dispatch_request(
        self, head: RequestHead, scope: Scope, receive: Receive, send: Send
    ) -> None:
        visitor: RequestUser | None = await self._authenticate(head)
        if visitor is None and head.path not in PUBLIC_PATHS:
            challenge = [(b"www-authenticate", b'Bearer realm="paddock"')]
            text = "Sign in first, or send a token: Authorization: Bearer …"
            await _send_response(make_error_response(401, "SIGN_IN_NEEDED", text, challenge), send)
            return
        if visitor is not None and self._authenticator.is_team and head.method == "GET":
            receive = self._receive_while_authorized(receive, head)
        visitor = visitor or ANONYMOUS
        if is_path_below(head.path, MCP_PATH):
            await self._serve_mcp(head, visitor, scope, receive, send)
        elif head.method == "OPTIONS" and (known := list_allowed_methods(self._api, head.path)):
            await _send_response(HttpResponse(204, [(b"allow", ", ".join(known).encode())]), send)
        else:
            await self._api({**scope, REQUEST_USER_KEY: visitor}, receive, send)

    async def _authenticate(self, head: RequestHead) -> RequestUser | None:
        if not self._authenticator.is_team:
            return self._authenticator.authenticate(head)
        return await asyncio.to_thread(self._authenticator.authenticate, head)

    def _receive_while_authorized(self, receive: Receive, head: RequestHead) -> Receive:
        """Receive what comes, as long as whoever sent the request is let in: streams last."""

        async def receive_message() -> Any:
            coming = asyncio.ensure_future(receive())
            try:
                while not (
                    await asyncio.wait((coming,), timeout=self._reauthorize_interval_seconds)
                )[0]:
                    if await self._authenticate(head) is None:
                        return {"type": "http.disconnect"}
                return coming.result()
            finally:
                coming.cancel()

        return receive_message

    async def _serve_mcp(
        self, head: RequestHead, visitor: RequestUser, scope: Scope, receive: Receive, send: Send
    ) -> None:
        """Answer as the MCP endpoint of a server."""
        name = head.path.removeprefix(MCP_PATH).strip("/") or ZOO_SERVER_NAME
        if name != ZOO_SERVER_NAME and not visitor.is_admin:
            text = f"Only an administrator may use {name} here; {MCP_PATH} is your zoo"
            await _send_response(make_error_response(403, "NOT_ALLOWED", text), send)
            return
        path = f"{MCP_PATH}/{make_url_name(name)}"
        try:
            endpoint = await self._endpoints.get_endpoint(visitor.owner, name, path)
        except ServerNotFoundError as error:
            await _send_response(make_error_response(404, "SERVER_NOT_FOUND", str(error)), send)
        except PaddockError as error:
            log.warning("The server %s cannot be served: %s", name, error)
            await _send_response(
                make_error_response(503, error.code.upper().replace("-", "_"), str(error)), send
            )
        else:
            await endpoint({**scope, "path": path, "root_path": ""}, receive, send)

    async def _run_lifespan(self, receive: Receive, send: Send) -> None:
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                await send({"type": "lifespan.startup.complete"})
            else:
                self.close_streams()
                await self._endpoints.close()
                await send({"type": "lifespan.shutdown.complete"})
                return


def _reject_nul_characters(head: RequestHead, scope: Scope) -> HttpResponse | None:
    """The answer to an address that nothing here can have."""
    if "\0" not in head.path and b"%00" not in scope.get("query_string", b""):
        return None
    return make_error_response(400, "INVALID_ARGUMENTS", "The address has a NUL character")


async def _send_response(
    response: HttpResponse, send: Send, head: RequestHead | None = None
) -> None:
    """Send a whole answer; of a HEAD request only its head."""
    headers = [*response.headers]
    if response.status not in (204, 304):
        headers.append((b"content-length", b"%d" % len(response.body)))
    is_head = head is not None and head.method == "HEAD"
    await send({"type": "http.response.start", "status": response.status, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if is_head else response.body})
