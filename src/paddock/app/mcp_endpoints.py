"""The application's MCP endpoints: one for each named server and zoo owner.

An endpoint is created on its first request, and reloaded when its server's definition changes. The
application authenticates requests before they get here, so an endpoint only has to know the owner
of its calls. For the console, the module also records which clients call the endpoints, in memory
only.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict, defaultdict
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct, structs

from paddock.auth.errors import ForbiddenError
from paddock.connector import connect
from paddock.errors import PaddockError
from paddock.installer.entry_checks import CHECK_CLIENT_NAME
from paddock.named_servers.api import get_server
from paddock.named_servers.names import ServerDefinitionError
from paddock.protocol.principal import Principal
from paddock.serving.http import http_app
from paddock.telemetry.logs import to_printable
from paddock.zoo.timestamps import format_timestamp

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

    from paddock.authoring.base_server import BaseServer
    from paddock.client.peer import Peer
    from paddock.named_servers.named_server import NamedServer
    from paddock.protocol.observers import RequestObserver, RequestOutcome
    from paddock.protocol.request import Request, Result
    from paddock.transports.http.asgi import AsgiApp

    DefinitionVersion = tuple[int, int] | None
    ServerLoader = Callable[[str, str], BaseServer]

PRINCIPAL_ISSUER = "paddock"

# Maximum number of connections per owner. The least recently active one is dropped first.
MAX_CONNECTIONS = 100
# Minimum time between two checks for changes to a server's definition.
RELOAD_CHECK_SECONDS = 1.0
ZOO_SERVER_NAME = "AgentZoo"
"""The server at `/mcp` itself."""
URL_NAME_SEPARATOR = "~"
"""Replaces the slash of a qualified server name in URLs."""
CONSOLE_CLIENT_INFO: dict[str, object] = {
    "name": "paddock-console",
    "title": "Paddock console",
    "version": "1",
}


class OwnerAuthorization:
    """An authorizer that attributes every request to one zoo owner.

    The MCP HTTP transport asks an authorizer for the principal of each call. By then, the
    application has already authenticated the request, so this authorizer only returns the owner.
    """

    # There is no OAuth metadata, because clients sign in to the application instead.
    resource = ""
    metadata_url = ""

    def __init__(self, owner: str) -> None:
        self._principal = Principal(owner, issuer=PRINCIPAL_ISSUER)

    def bind(self, resource: str) -> None:
        """Do nothing, because the principal does not depend on the endpoint's URL."""

    async def authenticate(self, _values: list[str], /) -> Principal:
        """Return the owner."""
        return self._principal

    def insufficient(self, scopes: Iterable[str], principal: Principal) -> Exception:
        """Return the error for a request that needs OAuth scopes, which a zoo owner never has."""
        return ForbiddenError(f"needs {', '.join(scopes)}", status=403)

    def metadata(self) -> dict[str, object]:
        """Return no metadata."""
        return {}


class Connection(Struct, rename="camel", kw_only=True, frozen=True):
    """A client that has called a server over MCP."""

    server: str
    client: str
    """The name that the client reports."""
    version: str
    era: str
    """The protocol version of the client's latest request."""
    at: str
    """Time of the latest request."""
    tool: str | None = None
    """The tool that was called last."""


class ClientActivityLog:
    """The latest requests from MCP clients to this process, by owner. Thread-safe."""

    def __init__(self, publish: Callable[[str, Connection], None]) -> None:
        self._publish = publish
        self._lock = Lock()
        self._connections_by_owner: dict[str, OrderedDict[tuple[str, str, str], Connection]] = {}

    def list_connections(self, owner: str) -> list[Connection]:
        """Return an owner's connections, most recently active first."""
        with self._lock:
            return list(reversed(self._connections_by_owner.get(owner, OrderedDict()).values()))

    def create_observer(self, owner: str, server: str) -> ActivityObserver:
        """Return an observer for a server's endpoint."""
        return ActivityObserver(self, owner, server)

    def record_connection(self, owner: str, connection: Connection) -> None:
        """Record a client's latest request, replacing its previous one.

        If the client is new or has called a tool, the connection is also published to the owner's
        event feed.
        """
        client_key = (connection.server, connection.client, connection.version)
        is_call = connection.tool is not None
        with self._lock:
            connections = self._connections_by_owner.setdefault(owner, OrderedDict())
            previous = connections.pop(client_key, None)
            if previous is not None and not is_call:
                connection = structs.replace(connection, tool=previous.tool)
            connections[client_key] = connection
            while len(connections) > MAX_CONNECTIONS:
                connections.popitem(last=False)
        # The lock is released first, because a subscriber may call `list_connections`.
        if previous is None or is_call:
            self._publish(owner, connection)


class ActivityObserver:
    """An observer that records which clients send requests to one MCP endpoint.

    It implements the telemetry observer interface, but only needs the start of each request.
    """

    def __init__(self, activity_log: ClientActivityLog, owner: str, server: str) -> None:
        self._activity_log = activity_log
        self._owner = owner
        self._server = server

    def begin(self, request: Request, received_ns: int, *, is_known: bool) -> NullObservation:
        """Record the client that sent a request, and the tool if the request calls one.

        Args:
            request: The request. Its era (the protocol generation) determines where the client
                gives its name and version.
            received_ns: The time of the request, in nanoseconds since the epoch.
            is_known: Whether the tool or prompt that the request names exists.
        """
        client_info = request.era.get_client_info(request) or {}
        # Paddock itself sends requests to check that an endpoint answers. It is not a client.
        if client_info.get("name") == CHECK_CLIENT_NAME:
            return NullObservation()
        is_call = is_known and request.method == "tools/call"
        self._activity_log.record_connection(
            self._owner,
            Connection(
                server=self._server,
                client=to_printable(
                    client_info.get("title") or client_info.get("name") or "unknown"
                ),
                version=to_printable(client_info.get("version") or ""),
                era=request.era.get_version(request),
                at=format_timestamp(datetime.fromtimestamp(received_ns / 1e9, UTC)),
                tool=to_printable(getattr(request.params, "name", "")) if is_call else None,
            ),
        )
        return NullObservation()


class NullObservation:
    """A request observation that measures nothing.

    The server reports each request's progress to an observation. `ActivityObserver` returns this
    one, because it only needs to know that a request has arrived.
    """

    def run(self, work: Callable[[], Result]) -> Result:
        """Handle the request by calling `work`, and return its result."""
        return work()

    async def run_async(self, work: Callable[[], Awaitable[Result]]) -> Result:
        """Handle the request by awaiting `work`, and return its result."""
        return await work()

    def record_exception(self, error: BaseException) -> None:
        """Do nothing."""

    def end(self, outcome: RequestOutcome) -> None:
        """Do nothing."""


class EndpointKey(NamedTuple):
    """A server and the owner of the zoo that its calls belong to."""

    owner: str
    server: str


class McpEndpoint(NamedTuple):
    """A named server that is served over HTTP, with its definition's version."""

    app: AsgiApp
    server: BaseServer
    definition_version: DefinitionVersion
    checked_at: float
    """The monotonic time at which the definition was last checked."""


class TrialSession(NamedTuple):
    """The console's connection to a server."""

    peer: Peer
    definition_version: DefinitionVersion


def make_url_name(name: str) -> str:
    """Return a server's name in the form used in URLs."""
    return name.replace("/", URL_NAME_SEPARATOR)


def get_server_by_url_name(name: str) -> NamedServer:
    """Return the server with a name from a URL.

    In URLs, `~` replaces a slash in a server's name. Because a name may also contain a literal `~`,
    the unchanged name is looked up first.

    Raises:
        ServerNotFoundError: There is no such server.
    """
    try:
        return get_server(name)
    except PaddockError:
        if URL_NAME_SEPARATOR not in name:
            raise
    return get_server(name.replace(URL_NAME_SEPARATOR, "/"))


class McpEndpointRegistry:
    """The endpoints of this process, and the console's connections to servers.

    Args:
        load: Loads a server for an owner, by name.
        create_observer: Creates the observer of an endpoint, for an owner and a server.
        allowed_hosts: Passed to `paddock.http_app`.
        allowed_origins: Passed to `paddock.http_app`.
    """

    def __init__(
        self,
        load_server: ServerLoader,
        create_observer: Callable[[str, str], RequestObserver],
        *,
        allowed_hosts: Iterable[str] = (),
        allowed_origins: Iterable[str] = (),
    ) -> None:
        self._load_server = load_server
        self._create_observer = create_observer
        self._allowed_hosts = list(allowed_hosts)
        self._allowed_origins = list(allowed_origins)
        self._endpoints: dict[EndpointKey, McpEndpoint] = {}
        self._trial_sessions: dict[EndpointKey, TrialSession] = {}
        self._lock = Lock()
        self._endpoint_locks: defaultdict[EndpointKey, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._exit_stack = AsyncExitStack()

    async def get_endpoint(self, owner: str, name: str, path: str) -> AsgiApp:
        """Return the MCP endpoint of a named server. The first request creates it.

        Args:
            owner: The owner of the zoo that the server's tools work with.
            name: The name of the server, in the form used in URLs.
            path: The path where clients reach a new endpoint, such as `/mcp/weather`.

        Raises:
            PaddockError: The server does not exist or cannot be loaded.
        """
        key = EndpointKey(owner, name)
        endpoint = self._endpoints.get(key)
        if endpoint is not None and monotonic() - endpoint.checked_at < RELOAD_CHECK_SECONDS:
            return endpoint.app
        # Loading is slow, and concurrent first requests must not load the server twice.
        async with self._endpoint_locks[key]:
            return await self._refresh_endpoint(key, path)

    async def _refresh_endpoint(self, key: EndpointKey, path: str) -> AsgiApp:
        """Create an endpoint, or reload its server if the definition file has changed.

        The caller must hold the lock of this endpoint. A changed definition updates the running
        server in place, so its HTTP app stays the same.
        """
        endpoint = self._endpoints.get(key)
        version = await asyncio.to_thread(_get_definition_version, key.server)
        if endpoint is not None:
            if endpoint.definition_version != version:
                endpoint.server.update_from(await asyncio.to_thread(self._load_server, *key))
            self._endpoints[key] = endpoint._replace(
                definition_version=version, checked_at=monotonic()
            )
            return endpoint.app
        server = await asyncio.to_thread(self._load_server, *key)
        app = http_app(
            server,
            path=path,
            allowed_hosts=self._allowed_hosts,
            allowed_origins=self._allowed_origins,
            authorization=OwnerAuthorization(key.owner) if key.owner else None,
            observers=[self._create_observer(*key)],
        )
        # The lifespan of the server lasts until `close`, not just for this request.
        await self._exit_stack.enter_async_context(app.lifespan())
        self._endpoints[key] = McpEndpoint(app, server, version, monotonic())
        return app

    def get_trial_client(self, owner: str, name: str) -> Peer:
        """Return the connection that the web app's console uses to call a server's tools.

        The server runs in this process. The connection is kept until the server's definition
        changes, and can be used from any thread.

        Raises:
            PaddockError: The server does not exist or cannot be loaded.
        """
        # The console is for the machine's servers. It must not access a user's zoo.
        if owner and name == ZOO_SERVER_NAME:
            raise ServerDefinitionError(
                f"the console cannot call the tools of {name} on your zoo",
                hint="call them over MCP with one of your tokens",
            )
        key = EndpointKey(owner, name)
        with self._lock:
            session = self._trial_sessions.get(key)
            version = _get_definition_version(name)
            if session is not None and session.definition_version == version:
                return session.peer
            if session is not None:
                session.peer.close()
            peer = connect(self._load_server(owner, name), client_info=CONSOLE_CLIENT_INFO)
            self._trial_sessions[key] = TrialSession(peer, version)
            return peer

    def close_streams(self) -> None:
        """End the event streams, which would otherwise never finish."""
        for endpoint in self._endpoints.values():
            endpoint.app.close_streams()

    async def close(self) -> None:
        """Close all endpoints and connections."""
        sessions, self._trial_sessions = self._trial_sessions, {}
        for session in sessions.values():
            await asyncio.to_thread(session.peer.close)
        self._endpoints = {}
        await self._exit_stack.aclose()


def _get_definition_version(name: str) -> DefinitionVersion:
    """Return the mtime and size of a server's definition file, or None if it has no file.

    Callers reload the server when either changes.
    """
    try:
        location = get_server_by_url_name(name).location
    except PaddockError:  # loading the server reports the error
        return None
    if isinstance(location, str):
        return None
    try:
        status = location.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size
