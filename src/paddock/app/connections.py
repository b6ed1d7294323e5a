"""Who has called an MCP endpoint of this process lately.

Kept in memory only, and only what clients say of themselves: it is what the console's light goes
on by, and no log.
"""

from __future__ import annotations

from collections import OrderedDict
from datetime import UTC, datetime
from threading import Lock
from typing import TYPE_CHECKING

from msgspec import Struct

from paddock.clients.checking import CHECK_CLIENT_NAME
from paddock.telemetry.identities import to_printable

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from paddock.protocol.observing import RequestOutcome
    from paddock.protocol.request import Request, Result

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
        if info.get("name") == CHECK_CLIENT_NAME:  # an installation that tries whether the endpoint is there
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
