"""Tells an MCP endpoint whose zoo its calls are about.

Who sends a request has been found out before it gets there, and each owner has an endpoint of
their own; so there is nothing left to check.

Who has called an MCP endpoint of this process lately.

Kept in memory only, and only what clients say of themselves: it is what the console's light goes
on by, and no log.

The named servers that this process serves, each loaded when it is first asked for.

A definition that has changed since is loaded anew, so nobody has to restart anything.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict, defaultdict
from contextlib import AsyncExitStack, contextmanager
from datetime import UTC, datetime
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct

from paddock.connector import connect
from paddock.errors import PaddockError
from paddock.installer.entry_checks import CHECK_CLIENT_NAME
from paddock.named_servers.api import get_server
from paddock.named_servers.names import ServerDefinitionError
from paddock.protocol.principal import Principal
from paddock.serving.http import http_app
from paddock.telemetry.logs import to_printable
from paddock.toolkits.zoo.declarations import share_zoo
from paddock.toolkits.zoo.live_lists import bind_owner, remove_project_tools

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

    from paddock.protocol.observers import RequestOutcome
    from paddock.protocol.request import Request, Result


PRINCIPAL_ISSUER = "paddock"


class MissingScopesError(Exception):
    """What was asked for needs rights that nobody has here."""

    def __init__(self, scopes: Iterable[str]) -> None:
        super().__init__(f"needs {', '.join(scopes)}")
        self.status = 403
        self.headers: list[tuple[str, str]] = []
        self.body = b""


class OwnerAuthorization:
    """Takes every request for one of an owner's."""

    def __init__(self, owner: str) -> None:
        self._principal = Principal(owner, issuer=PRINCIPAL_ISSUER)

    @property
    def resource(self) -> str:
        """No document tells of the endpoint."""
        return ""

    @property
    def metadata_url(self) -> str:
        """The same."""
        return ""

    def bind(self, resource: str) -> None:
        """Nothing depends on where the endpoint is."""

    async def authenticate(self, _values: list[str], /) -> Principal:
        """The owner."""
        return self._principal

    def insufficient(self, scopes: Iterable[str], _principal: Principal) -> Exception:
        """The refusal of what needs scopes."""
        return MissingScopesError(scopes)

    def metadata(self) -> dict[str, object]:
        """Nothing."""
        return {}


MAX_CONNECTIONS = 100
"""Connections that are remembered; the one that has been silent longest makes room."""


class Connection(Struct, rename="camel", kw_only=True, frozen=True):
    """A client that uses a server over MCP."""

    server: str
    client: str
    """What the client calls itself."""
    version: str
    era: str
    """The version of the protocol that it speaks."""
    at: str
    """When it last asked for something."""
    tool: str | None = None
    """The tool that it has called last."""


class ClientActivityLog:
    """The clients of this process. Told by any thread, asked by any thread."""

    def __init__(self, tell: Callable[[str, Connection], None]) -> None:
        self._publish = tell
        self._lock = Lock()
        self._connections_by_owner: dict[str, OrderedDict[tuple[str, str, str], Connection]] = {}

    def list_connections(self, owner: str) -> list[Connection]:
        """Those of one owner of a zoo, the latest first."""
        with self._lock:
            return list(reversed(self._connections_by_owner.get(owner, OrderedDict()).values()))

    def create_observer(self, owner: str, server: str) -> ActivityObserver:
        """An observer of the endpoint of a server."""
        return ActivityObserver(self, owner, server)

    def record_connection(self, owner: str, connection: Connection) -> None:
        """Remember that a client is there, and tell of it when it is new or has called a tool."""
        key = (connection.server, connection.client, connection.version)
        with self._lock:
            known = self._connections_by_owner.setdefault(owner, OrderedDict())
            before = known.pop(key, None)
            if connection.tool is None and before is not None:
                is_news = False
                connection = _copy_with_tool(connection, before.tool)
            else:
                is_news = True
            known[key] = connection
            while len(known) > MAX_CONNECTIONS:
                known.popitem(last=False)
        if is_news:
            self._publish(owner, connection)


class ActivityObserver:
    """Sees the requests to one endpoint."""

    def __init__(self, connections: ClientActivityLog, owner: str, server: str) -> None:
        self._activity_log = connections
        self._owner = owner
        self._server = server

    def begin(self, request: Request, received: int, *, is_known: bool) -> NullObservation:
        """A request is worked on: note who has sent it."""
        info = request.era.get_client_info(request) or {}
        if (
            info.get("name") == CHECK_CLIENT_NAME
        ):  # an installation that tries whether the endpoint is there
            return NullObservation()
        is_call = is_known and request.method == "tools/call"
        self._activity_log.record_connection(
            self._owner,
            Connection(
                server=self._server,
                client=to_printable(info.get("title") or info.get("name") or "unknown"),
                version=to_printable(info.get("version") or ""),
                era=request.era.get_version(request),
                at=_format_time(received),
                tool=to_printable(getattr(request.params, "name", "")) if is_call else None,
            ),
        )
        return NullObservation()


class NullObservation:
    """What is made of a request beyond that it was there: nothing."""

    def run(self, work: Callable[[], Result]) -> Result:
        """Do the work in this thread."""
        return work()

    async def run_async(self, work: Callable[[], Awaitable[Result]]) -> Result:
        """Do the work in this task."""
        return await work()

    def record_exception(self, fault: BaseException) -> None:
        """Nothing."""

    def end(self, ending: RequestOutcome) -> None:
        """Nothing."""


def _copy_with_tool(connection: Connection, tool: str | None) -> Connection:
    return Connection(
        server=connection.server,
        client=connection.client,
        version=connection.version,
        era=connection.era,
        at=connection.at,
        tool=tool,
    )


def _format_time(nanoseconds: int) -> str:
    then = datetime.fromtimestamp(nanoseconds / 1e9, UTC)
    return then.isoformat(timespec="milliseconds").replace("+00:00", "Z")


if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from paddock.authoring.base_server import BaseServer
    from paddock.client.peer import Peer
    from paddock.named_servers.named_server import NamedServer
    from paddock.protocol.observers import RequestObserver
    from paddock.transports.http.asgi import AsgiApp
    from paddock.zoo.service import Zoo

    DefinitionVersion = tuple[int, int] | None
    ServerLoader = Callable[[str, str], BaseServer]

RELOAD_CHECK_SECONDS = 1.0
"""Seconds after which a request has the definition of its server looked at again."""
ZOO_SERVER_NAME = "AgentZoo"
"""The server of the zoo, which is at `/mcp` itself."""
URL_NAME_SEPARATOR = "~"
"""Stands in a URL for the slash of a qualified name."""


class EndpointKey(NamedTuple):
    """A server, as one owner of a zoo has it."""

    owner: str
    server: str


class McpEndpoint(NamedTuple):
    """A server that is served over HTTP."""

    app: AsgiApp
    offering: BaseServer
    definition_version: DefinitionVersion
    checked_at: float
    """When its definition was last looked at, on the clock that only goes on."""


class TrialSession(NamedTuple):
    """A server that the console has connected to."""

    peer: Peer
    definition_version: DefinitionVersion


@contextmanager
def share_open_zoo(zoo: Zoo) -> Iterator[None]:
    """Within, the tools of the zoo's server use a zoo that is open already."""
    share_zoo(zoo)
    try:
        yield
    finally:
        share_zoo(None)


def make_url_name(name: str) -> str:
    """How a server is called in a URL."""
    return name.replace("/", URL_NAME_SEPARATOR)


def get_server_by_url_name(name: str) -> NamedServer:
    """The server that a URL means.

    Raises:
        ServerNotFoundError: when there is none.
    """
    try:
        return get_server(name)
    except PaddockError:
        if URL_NAME_SEPARATOR not in name:
            raise
    return get_server(name.replace(URL_NAME_SEPARATOR, "/"))


class McpEndpointRegistry:
    """All of them.

    Args:
        load: Makes a server of its name, for an owner.
        watch: Makes what observes the endpoint of a server.
        allowed_hosts: As for `paddock.http_app`.
        allowed_origins: The same.
    """

    def __init__(
        self,
        load: ServerLoader,
        watch: Callable[[str, str], RequestObserver],
        *,
        allowed_hosts: Iterable[str] = (),
        allowed_origins: Iterable[str] = (),
    ) -> None:
        self._load_server = load
        self._create_observer = watch
        self._allowed_hosts = list(allowed_hosts)
        self._allowed_origins = list(allowed_origins)
        self._endpoints: dict[EndpointKey, McpEndpoint] = {}
        self._trial_sessions: dict[EndpointKey, TrialSession] = {}
        self._lock = Lock()
        self._endpoint_locks: defaultdict[EndpointKey, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._exit_stack = AsyncExitStack()

    async def get_endpoint(self, owner: str, name: str, path: str) -> AsgiApp:
        """The MCP endpoint of a server, below a path.

        Raises:
            PaddockError: when there is no such server, or it cannot be loaded.
        """
        key = EndpointKey(owner, name)
        known = self._endpoints.get(key)
        if known is not None and monotonic() - known.checked_at < RELOAD_CHECK_SECONDS:
            return known.app
        async with self._endpoint_locks[key]:
            return await self._refresh_endpoint(key, path)

    async def _refresh_endpoint(self, key: EndpointKey, path: str) -> AsgiApp:
        known = self._endpoints.get(key)
        stamp = await asyncio.to_thread(_get_definition_version, key.server)
        if known is not None:
            if known.definition_version != stamp:
                known.offering.update_from(await asyncio.to_thread(self._load_server, *key))
            self._endpoints[key] = known._replace(definition_version=stamp, checked_at=monotonic())
            return known.app
        offering = await asyncio.to_thread(self._load_server, *key)
        app = http_app(
            offering,
            path=path,
            allowed_hosts=self._allowed_hosts,
            allowed_origins=self._allowed_origins,
            authorization=OwnerAuthorization(key.owner) if key.owner else None,
            observers=[self._create_observer(*key)],
        )
        await self._exit_stack.enter_async_context(app.lifespan())
        self._endpoints[key] = McpEndpoint(app, offering, stamp, monotonic())
        return app

    def get_trial_client(self, owner: str, name: str) -> Peer:
        """A connection to a server in this process, kept from call to call. In any thread.

        Raises:
            PaddockError: when there is no such server, or it cannot be loaded.
        """
        if owner and name == ZOO_SERVER_NAME:
            raise ServerDefinitionError(
                f"the tools of {name} would work on the zoo of somebody else here",
                hint="call them over MCP, with a token of yours",
            )
        key = EndpointKey(owner, name)
        with self._lock:
            known = self._trial_sessions.get(key)
            stamp = _get_definition_version(name)
            if known is not None and known.definition_version == stamp:
                return known.peer
            if known is not None:
                known.peer.close()
            peer = connect(self._load_server(owner, name), client_info=CONSOLE_CLIENT_INFO)
            self._trial_sessions[key] = TrialSession(peer, stamp)
            return peer

    def close_streams(self) -> None:
        """End the streams that would not end by themselves."""
        for one in self._endpoints.values():
            one.app.close_streams()

    async def close(self) -> None:
        """End all servers."""
        benches, self._trial_sessions = self._trial_sessions, {}
        for bench in benches.values():
            await asyncio.to_thread(bench.peer.close)
        self._endpoints = {}
        await self._exit_stack.aclose()


CONSOLE_CLIENT_INFO: dict[str, object] = {
    "name": "paddock-console",
    "title": "Paddock console",
    "version": "1",
}


def load_named_server(owner: str, name: str) -> BaseServer:
    """A named server; the zoo's has the lists of the owner's agents."""
    server = get_server_by_url_name(name).load()
    if name == ZOO_SERVER_NAME and owner:
        bind_owner(server, owner)
    return server


def make_team_loader(load: ServerLoader) -> ServerLoader:
    """How servers are made for people who share a machine, and have no folders on it.

    Their zoo's server has no tools that write into projects: those would be projects of whoever
    runs this.
    """

    def load_for_team(owner: str, name: str) -> BaseServer:
        server = load(owner, name)
        if name == ZOO_SERVER_NAME:
            remove_project_tools(server)
        return server

    return load_for_team


def _get_definition_version(name: str) -> DefinitionVersion:
    """What changes with the definition of a server; None where there is no file of the user's."""
    try:
        location = get_server_by_url_name(name).location
    except PaddockError:  # loading it says what is wrong
        return None
    if isinstance(location, str):
        return None
    try:
        status = location.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size
