"""The named servers that this process serves, each loaded when it is first asked for.

A definition that has changed since is loaded anew, so nobody has to restart anything.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from contextlib import AsyncExitStack, contextmanager
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from paddock.app.owners import OwnerAuthorization
from paddock.connecting import connect
from paddock.errors import PaddockError
from paddock.servers.api import get_server
from paddock.servers.errors import ServerDefinitionError
from paddock.serving.http import http_app
from paddock.toolkits.zoo.living import give_to, leave_out_projects
from paddock.toolkits.zoo.zoos import lend_zoo

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from paddock.authoring.offering import Offering
    from paddock.peer.peer import Peer
    from paddock.protocol.observing import Observer
    from paddock.servers.named_server import NamedServer
    from paddock.transports.http.asgi import AsgiApp
    from paddock.zoo.service import Zoo

    Stamp = tuple[int, int] | None
    Load = Callable[[str, str], Offering]

LOOK_AGAIN = 1.0
"""Seconds after which a request has the definition of its server looked at again."""
ZOO_SERVER = "AgentZoo"
"""The server of the zoo, which is at `/mcp` itself."""
SEPARATOR = "~"
"""Stands in a URL for the slash of a qualified name."""


class Key(NamedTuple):
    """A server, as one owner of a zoo has it."""

    owner: str
    server: str


class Endpoint(NamedTuple):
    """A server that is served over HTTP."""

    app: AsgiApp
    offering: Offering
    stamp: Stamp
    looked_at: float
    """When its definition was last looked at, on the clock that only goes on."""


class Bench(NamedTuple):
    """A server that the console has connected to."""

    peer: Peer
    stamp: Stamp


@contextmanager
def lent(zoo: Zoo) -> Iterator[None]:
    """Within, the tools of the zoo's server use a zoo that is open already."""
    lend_zoo(zoo)
    try:
        yield
    finally:
        lend_zoo(None)


def url_name(name: str) -> str:
    """How a server is called in a URL."""
    return name.replace("/", SEPARATOR)


def named(name: str) -> NamedServer:
    """The server that a URL means.

    Raises:
        ServerNotFoundError: when there is none.
    """
    try:
        return get_server(name)
    except PaddockError:
        if SEPARATOR not in name:
            raise
    return get_server(name.replace(SEPARATOR, "/"))


class Hosting:
    """All of them.

    Args:
        load: Makes a server of its name, for an owner.
        watch: Makes what observes the endpoint of a server.
        allowed_hosts: As for `paddock.http_app`.
        allowed_origins: The same.
    """

    def __init__(
        self,
        load: Load,
        watch: Callable[[str, str], Observer],
        *,
        allowed_hosts: Iterable[str] = (),
        allowed_origins: Iterable[str] = (),
    ) -> None:
        self._load = load
        self._watch = watch
        self._hosts = list(allowed_hosts)
        self._origins = list(allowed_origins)
        self._endpoints: dict[Key, Endpoint] = {}
        self._benches: dict[Key, Bench] = {}
        self._lock = Lock()
        self._opening: defaultdict[Key, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._stack = AsyncExitStack()

    async def endpoint(self, owner: str, name: str, path: str) -> AsgiApp:
        """The MCP endpoint of a server, below a path.

        Raises:
            PaddockError: when there is no such server, or it cannot be loaded.
        """
        key = Key(owner, name)
        known = self._endpoints.get(key)
        if known is not None and monotonic() - known.looked_at < LOOK_AGAIN:
            return known.app
        async with self._opening[key]:
            return await self._renewed(key, path)

    async def _renewed(self, key: Key, path: str) -> AsgiApp:
        known = self._endpoints.get(key)
        stamp = await asyncio.to_thread(_stamp, key.server)
        if known is not None:
            if known.stamp != stamp:
                known.offering.adopt(await asyncio.to_thread(self._load, *key))
            self._endpoints[key] = known._replace(stamp=stamp, looked_at=monotonic())
            return known.app
        offering = await asyncio.to_thread(self._load, *key)
        app = http_app(
            offering,
            path=path,
            allowed_hosts=self._hosts,
            allowed_origins=self._origins,
            authorization=OwnerAuthorization(key.owner) if key.owner else None,
            observers=[self._watch(*key)],
        )
        await self._stack.enter_async_context(app.lifespan())
        self._endpoints[key] = Endpoint(app, offering, stamp, monotonic())
        return app

    def peer(self, owner: str, name: str) -> Peer:
        """A connection to a server in this process, kept from call to call. In any thread.

        Raises:
            PaddockError: when there is no such server, or it cannot be loaded.
        """
        if owner and name == ZOO_SERVER:
            raise ServerDefinitionError(
                f"the tools of {name} would work on the zoo of somebody else here",
                hint="call them over MCP, with a token of yours",
            )
        key = Key(owner, name)
        with self._lock:
            known = self._benches.get(key)
            stamp = _stamp(name)
            if known is not None and known.stamp == stamp:
                return known.peer
            if known is not None:
                known.peer.close()
            peer = connect(self._load(owner, name), client_info=CONSOLE)
            self._benches[key] = Bench(peer, stamp)
            return peer

    def hush(self) -> None:
        """End the streams that would not end by themselves."""
        for one in self._endpoints.values():
            one.app.hush()

    async def close(self) -> None:
        """End all servers."""
        benches, self._benches = self._benches, {}
        for bench in benches.values():
            await asyncio.to_thread(bench.peer.close)
        self._endpoints = {}
        await self._stack.aclose()


CONSOLE: dict[str, object] = {"name": "paddock-console", "title": "Paddock console", "version": "1"}


def load_named(owner: str, name: str) -> Offering:
    """A named server; the zoo's has the lists of the owner's agents."""
    server = named(name).load()
    if name == ZOO_SERVER and owner:
        give_to(server, owner)
    return server


def for_team(load: Load) -> Load:
    """How servers are made for people who share a machine, and have no folders on it.

    Their zoo's server has no tools that write into projects: those would be projects of whoever
    runs this.
    """

    def load_for_team(owner: str, name: str) -> Offering:
        server = load(owner, name)
        if name == ZOO_SERVER:
            leave_out_projects(server)
        return server

    return load_for_team


def _stamp(name: str) -> Stamp:
    """What changes with the definition of a server; None where there is no file of the user's."""
    try:
        location = named(name).location
    except PaddockError:  # loading it says what is wrong
        return None
    if isinstance(location, str):
        return None
    try:
        status = location.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size
