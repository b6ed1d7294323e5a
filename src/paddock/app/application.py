"""The ASGI application of `paddock up`: web app, REST API and MCP endpoints on a single port.

The request log has one line per request. It contains the path, but not the query, headers or body,
which may contain secrets.
"""

from __future__ import annotations

import asyncio
import logging
import os
from time import perf_counter
from typing import TYPE_CHECKING, Any

from paddock.app.api import (
    UNAUTHENTICATED_PATHS,
    ApiServices,
    create_api,
    list_allowed_methods,
)
from paddock.app.authenticators import ANONYMOUS, REQUEST_USER_KEY
from paddock.app.mcp_endpoints import (
    ZOO_SERVER_NAME,
    ClientActivityLog,
    Connection,
    McpEndpointRegistry,
    get_server_by_url_name,
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
from paddock.toolkits.zoo.live_lists import remove_project_tools, serve_zoo
from paddock.transports.http.messages import HttpResponse, RequestHead
from paddock.transports.http.origin_policy import WILDCARD
from paddock.zoo.errors import get_api_code
from paddock.zoo.rest.events import EventFeed

if TYPE_CHECKING:
    from collections.abc import Iterable, MutableMapping
    from pathlib import Path

    from paddock.app.authenticators import Authenticator, RequestUser
    from paddock.app.instance import InstanceInfo
    from paddock.authoring.base_server import BaseServer
    from paddock.transports.http.asgi import Receive, Scope, Send
    from paddock.transports.http.messages import Headers
    from paddock.zoo.service import Zoo


LOG_LEVEL_VARIABLE = "LOG_LEVEL"

access_log = logging.getLogger(ACCESS_LOGGER)

PUBLIC_PATHS = (*UNAUTHENTICATED_PATHS, f"{API_PATH}/openapi.json")
"""Paths that need no authentication."""
LEVEL_ALIASES = {
    "warn": "warning",
    "fatal": "critical",
    "trace": "debug",
    "silent": LOG_LEVELS[-1],
}
"""Level names of other logging libraries, mapped to Paddock's levels."""


def configure_request_log() -> None:
    """Configure logging from environment variables. The default is level `warning` as JSON lines.

    Paddock's own variables take precedence over `LOG_LEVEL`, which other programs also read.

    Raises:
        DefinitionError: A variable names an unknown level or format.
    """
    level = (
        os.environ.get(LOGGING_LEVEL_VARIABLE) or os.environ.get(LOG_LEVEL_VARIABLE) or "warning"
    )
    level = LEVEL_ALIASES.get(level.lower(), level)
    set_up_logging(level, os.environ.get(LOGGING_FORMAT_VARIABLE) or "json")


class ResponseLogger:
    """Sends the response to a request with the common headers, and logs the request.

    An instance replaces the ASGI `send` callable, so no part of the application needs extra code
    for the headers and the log line.

    `is_logged` is false for MCP endpoints, which write their own log lines.
    """

    def __init__(self, send: Send, head: RequestHead, headers: Headers, *, is_logged: bool) -> None:
        self._send = send
        self._head = head
        self._headers = headers
        self._started_at = perf_counter()
        self._status: int | None = None
        self._is_finished = not is_logged

    async def __call__(self, message: MutableMapping[str, Any]) -> None:
        """Send an ASGI response message, and log the request after the last one.

        The headers that all responses share, such as the security policy, are added to the first
        message. Headers that the handler has already set are kept.
        """
        if message["type"] == "http.response.start":
            self._status = message["status"]
            headers = [*message.get("headers", ())]
            names = {name.lower() for name, _ in headers}
            headers += [(name, value) for name, value in self._headers if name not in names]
            message = {**message, "headers": headers}
        is_last_message = message["type"] == "http.response.body" and not message.get("more_body")
        await self._send(message)
        if is_last_message:
            self.finish()

    def finish(self) -> None:
        """Log the request with its status and duration, unless it has already been logged.

        Called after the last response message, and again when the request ends, because a failing
        handler may never send a last message.
        """
        if self._is_finished:
            return
        self._is_finished = True
        method, path = to_printable(self._head.method), to_printable(self._head.path)
        fields = {
            "http_method": method,
            "path": path,
            "status": self._status,
            "duration_ms": round((perf_counter() - self._started_at) * 1000, 3),
        }
        access_log.info("%s %s %s", method, path, self._status, extra=fields)


log = logging.getLogger("paddock.app")


class ZooRegistry:
    """The zoos of one database, each with its event feed.

    Each team member owns a zoo. The owner of a single-user zoo is the empty string.
    """

    def __init__(self, zoo: Zoo) -> None:
        self._zoo = zoo
        self._feeds: dict[str, EventFeed] = {}

    def get_zoo(self, owner: str) -> Zoo:
        """Return the zoo of an owner."""
        return self._zoo.for_owner(owner) if owner else self._zoo

    def get_feed(self, owner: str) -> EventFeed:
        """Return the event feed of an owner's zoo."""
        if owner not in self._feeds:
            self._feeds[owner] = EventFeed(self.get_zoo(owner))
        return self._feeds[owner]

    def publish_connection(self, owner: str, connection: Connection) -> None:
        """Notify subscribers to an owner's feed that a client has sent a request."""
        feed = self._feeds.get(owner)
        if feed is not None:
            feed.publish("connection", connection)

    def close_feeds(self) -> None:
        """End all event streams."""
        for feed in self._feeds.values():
            feed.close()


class Application:
    """The application that handles all requests on Paddock's port.

    Args:
        zoo: The zoo of the single user, or of the first user of a team.
        authenticator: Authenticates requests.
        instance: The public facts about this Paddock.
        web_directory: The directory with the web app's files.
        allowed_hosts: Allowed values of the Host header besides loopback names.
        allowed_origins: Origins other than the app's own whose web pages may use the API.
        requests_a_minute: The API's rate limit for each client, or None for no limit.
        reauthorize_interval_seconds: The interval at which open streams are reauthorized.
    """

    def __init__(
        self,
        zoo: Zoo,
        *,
        authenticator: Authenticator,
        instance: InstanceInfo,
        web_directory: Path,
        allowed_hosts: Iterable[str] = (),
        allowed_origins: Iterable[str] = (),
        requests_a_minute: int | None = None,
        reauthorize_interval_seconds: float = 15.0,
    ) -> None:
        self._zoo_registry = ZooRegistry(zoo)
        self._authenticator = authenticator
        self._reauthorize_interval_seconds = reauthorize_interval_seconds
        self._request_policy = RequestPolicy(allowed_hosts, allowed_origins)
        self._static_files = StaticFiles(web_directory)
        activity_log = ClientActivityLog(self._zoo_registry.publish_connection)
        # The request policy checks host and origin before a request reaches an endpoint.
        self._endpoints = McpEndpointRegistry(
            self._load_server,
            activity_log.create_observer,
            allowed_hosts=[WILDCARD],
            allowed_origins=[WILDCARD],
        )
        # Litestar's ASGI types differ from those of Paddock's transports.
        self._api: Any = create_api(
            ApiServices(
                get_zoo=self._zoo_registry.get_zoo,
                get_feed=self._zoo_registry.get_feed,
                endpoints=self._endpoints,
                activity_log=activity_log,
                authenticator=authenticator,
                instance=instance,
                accounts=zoo.accounts(),
                requests_a_minute=requests_a_minute,
            )
        )

    def _load_server(self, owner: str, name: str) -> BaseServer:
        """Load a named server for a user who calls it over HTTP.

        The tools of the built-in zoo server work with this user's zoo.
        """
        server = get_server_by_url_name(name).load()
        if name == ZOO_SERVER_NAME:
            serve_zoo(server, self._zoo_registry.get_zoo(owner))
            # Team members have no folders on this machine. The tools that write into projects would
            # change the projects of the user who runs Paddock.
            if self._authenticator.is_team:
                remove_project_tools(server)
        return server

    def close_streams(self) -> None:
        """End the streams that would otherwise never finish, before the server stops."""
        self._zoo_registry.close_feeds()
        self._endpoints.close_streams()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle an HTTP request or the server's lifespan."""
        if scope["type"] == "lifespan":
            await self._run_lifespan(receive, send)
        elif scope["type"] == "http":
            await self._handle_request(scope, receive, send)
        # WebSockets are not supported. Without an answer, a client would wait until it times out.
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1000})

    async def _handle_request(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check a request, then pass it to the REST API, an MCP endpoint or the web app.

        The request policy is applied first. A request from another site's web page therefore
        reaches neither authentication nor a handler.
        """
        head = RequestHead.from_pairs(scope["method"], scope["path"], scope["headers"])
        # MCP endpoints write their own log lines, which name the called tool.
        is_logged = not is_path_below(head.path, MCP_PATH)
        send_logged = ResponseLogger(
            send, head, self._request_policy.make_headers(head), is_logged=is_logged
        )
        try:
            response = self._request_policy.intercept(head) or _reject_nul_characters(head, scope)
            if response is not None:
                await _send_response(response, send_logged)
            elif is_path_below(head.path, API_PATH) or is_path_below(head.path, MCP_PATH):
                await self._dispatch_request(head, scope, receive, send_logged)
            else:
                await _send_response(
                    await asyncio.to_thread(self._static_files.get_response, head),
                    send_logged,
                    head,
                )
        finally:
            send_logged.finish()

    async def _dispatch_request(
        self, head: RequestHead, scope: Scope, receive: Receive, send: Send
    ) -> None:
        """Authenticate a request, and pass it to the REST API or an MCP endpoint.

        A request without valid credentials gets status 401, unless its path is public.
        """
        user: RequestUser | None = await self._authenticate(head)
        if user is None and head.path not in PUBLIC_PATHS:
            # RFC 9110 section 11.6.1: a 401 response must have a challenge.
            challenge = [(b"www-authenticate", b'Bearer realm="paddock"')]
            text = "Sign in, or send a token in the header: Authorization: Bearer …"
            await _send_response(make_error_response(401, "SIGN_IN_NEEDED", text, challenge), send)
            return
        if user is not None and self._authenticator.is_team and head.method == "GET":
            # Event streams are GET requests. They can outlive the credentials that were just
            # checked.
            receive = self._receive_while_authorized(receive, head)
        user = user or ANONYMOUS
        if is_path_below(head.path, MCP_PATH):
            await self._serve_mcp(head, user, scope, receive, send)
        elif head.method == "OPTIONS" and (methods := list_allowed_methods(self._api, head.path)):
            await _send_response(HttpResponse(204, [(b"allow", ", ".join(methods).encode())]), send)
        else:
            await self._api({**scope, REQUEST_USER_KEY: user}, receive, send)

    async def _authenticate(self, head: RequestHead) -> RequestUser | None:
        """Return the user of a request, or None if it has no valid credentials."""
        # Only team accounts need the database. The other authenticators are too fast to be worth a
        # thread.
        if not self._authenticator.is_team:
            return self._authenticator.authenticate(head)
        return await asyncio.to_thread(self._authenticator.authenticate, head)

    def _receive_while_authorized(self, receive: Receive, head: RequestHead) -> Receive:
        """Wrap the ASGI `receive` of a request so that its stream ends when the user loses access.

        Event streams stay open for hours. If the session or token is revoked while a stream is
        open, the handler sees a disconnect, as if the client had left.
        """

        async def receive_message() -> Any:
            """Wait for a message from the client, checking the credentials at regular intervals."""
            next_message = asyncio.ensure_future(receive())
            try:
                while True:
                    await asyncio.wait((next_message,), timeout=self._reauthorize_interval_seconds)
                    if next_message.done():
                        return next_message.result()
                    if await self._authenticate(head) is None:
                        return {"type": "http.disconnect"}
            finally:
                next_message.cancel()

        return receive_message

    async def _serve_mcp(
        self, head: RequestHead, user: RequestUser, scope: Scope, receive: Receive, send: Send
    ) -> None:
        """Pass a request to the MCP endpoint of the server named by its path.

        For example, `/mcp/weather` names the server `weather`, and `/mcp` names the server of the
        user's zoo. Only administrators may use servers other than that of their own zoo.
        """
        name = head.path.removeprefix(MCP_PATH).strip("/") or ZOO_SERVER_NAME
        if name != ZOO_SERVER_NAME and not user.is_admin:
            text = f"Only administrators may use {name}; your zoo is at {MCP_PATH}"
            await _send_response(make_error_response(403, "NOT_ALLOWED", text), send)
            return
        path = f"{MCP_PATH}/{make_url_name(name)}"
        try:
            endpoint = await self._endpoints.get_endpoint(user.owner, name, path)
        except ServerNotFoundError as error:
            await _send_response(make_error_response(404, "SERVER_NOT_FOUND", str(error)), send)
        except PaddockError as error:
            log.warning("Server %s cannot be loaded: %s", name, error)
            await _send_response(make_error_response(503, get_api_code(error), str(error)), send)
        else:
            await endpoint({**scope, "path": path, "root_path": ""}, receive, send)

    async def _run_lifespan(self, receive: Receive, send: Send) -> None:
        """Answer the startup and shutdown messages of the ASGI lifespan protocol.

        On shutdown, event streams are ended before the MCP endpoints are closed. They never end on
        their own and would keep the server waiting.
        """
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
    """Return an error response if the URL contains a NUL character, which no database accepts."""
    if "\0" not in head.path and b"%00" not in scope.get("query_string", b""):
        return None
    return make_error_response(400, "INVALID_ARGUMENTS", "The URL contains a NUL character")


async def _send_response(
    response: HttpResponse, send: Send, head: RequestHead | None = None
) -> None:
    """Send a complete response, omitting the body for HEAD requests."""
    headers = [*response.headers]
    if response.status not in (204, 304):
        headers.append((b"content-length", b"%d" % len(response.body)))
    is_head = head is not None and head.method == "HEAD"
    await send({"type": "http.response.start", "status": response.status, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if is_head else response.body})
