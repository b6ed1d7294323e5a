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

from paddock.clients.checking import CHECKER
from paddock.telemetry.identities import printable

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from paddock.protocol.observing import Ending
    from paddock.protocol.request import Request, Result

MOST = 100
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


class Connections:
    """The clients of this process. Told by any thread, asked by any thread."""

    def __init__(self, tell: Callable[[str, Connection], None]) -> None:
        self._tell = tell
        self._lock = Lock()
        self._known: dict[str, OrderedDict[tuple[str, str, str], Connection]] = {}

    def of(self, owner: str) -> list[Connection]:
        """Those of one owner of a zoo, the latest first."""
        with self._lock:
            return list(reversed(self._known.get(owner, OrderedDict()).values()))

    def watching(self, owner: str, server: str) -> Watch:
        """An observer of the endpoint of a server."""
        return Watch(self, owner, server)

    def note(self, owner: str, connection: Connection) -> None:
        """Remember that a client is there, and tell of it when it is new or has called a tool."""
        key = (connection.server, connection.client, connection.version)
        with self._lock:
            known = self._known.setdefault(owner, OrderedDict())
            before = known.pop(key, None)
            if connection.tool is None and before is not None:
                is_news = False
                connection = _with_tool(connection, before.tool)
            else:
                is_news = True
            known[key] = connection
            while len(known) > MOST:
                known.popitem(last=False)
        if is_news:
            self._tell(owner, connection)


class Watch:
    """Sees the requests to one endpoint."""

    def __init__(self, connections: Connections, owner: str, server: str) -> None:
        self._connections = connections
        self._owner = owner
        self._server = server

    def begin(self, request: Request, received: int, *, is_known: bool) -> Unwatched:
        """A request is worked on: note who has sent it."""
        info = request.era.client_info(request) or {}
        if info.get("name") == CHECKER:  # an installation that tries whether the endpoint is there
            return Unwatched()
        is_call = is_known and request.method == "tools/call"
        self._connections.note(
            self._owner,
            Connection(
                server=self._server,
                client=printable(info.get("title") or info.get("name") or "unknown"),
                version=printable(info.get("version") or ""),
                era=request.era.version(request),
                at=_moment(received),
                tool=printable(getattr(request.params, "name", "")) if is_call else None,
            ),
        )
        return Unwatched()


class Unwatched:
    """What is made of a request beyond that it was there: nothing."""

    def run(self, work: Callable[[], Result]) -> Result:
        """Do the work in this thread."""
        return work()

    async def run_async(self, work: Callable[[], Awaitable[Result]]) -> Result:
        """Do the work in this task."""
        return await work()

    def failed(self, fault: BaseException) -> None:
        """Nothing."""

    def end(self, ending: Ending) -> None:
        """Nothing."""


def _with_tool(connection: Connection, tool: str | None) -> Connection:
    return Connection(
        server=connection.server,
        client=connection.client,
        version=connection.version,
        era=connection.era,
        at=connection.at,
        tool=tool,
    )


def _moment(nanoseconds: int) -> str:
    then = datetime.fromtimestamp(nanoseconds / 1e9, UTC)
    return then.isoformat(timespec="milliseconds").replace("+00:00", "Z")
