"""What everything that is under way on one server has in common."""

from __future__ import annotations

from _thread import get_ident
from typing import TYPE_CHECKING, Any, cast

from paddock.protocol.connection import Connection
from paddock.protocol.dispatch import Eras
from paddock.protocol.eras.v2026_07_28.listening import Listeners
from paddock.transports.http.events import Memory
from paddock.transports.http.runner import Runner

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from paddock.protocol.eras.contract import Operations
    from paddock.protocol.errors import ScopeError
    from paddock.protocol.principal import Principal
    from paddock.transports.http.contract import Authorization, Headers, Refusal, Waiting
    from paddock.transports.http.guards import Guard
    from paddock.transports.http.limits import Limits


class Hub:
    """The server's eras, rules and event loop, and the requests that are being answered."""

    runner: Runner

    def __init__(
        self,
        operations: Operations,
        guard: Guard,
        limits: Limits,
        authorization: Authorization | None,
    ) -> None:
        self.limits = limits
        self.guard = guard
        self.authorization = authorization
        self.operations = operations
        self.eras = Eras(operations, Listeners(limits.concurrent_requests))
        self.operations = operations
        self.connection = Connection(lambda _: None)
        self.events = Memory(limits.all_event_bytes)
        self.active: set[Waiting] = set()
        self.thread = 0

    @property
    def state(self) -> object:
        """What the server's lifespan has yielded."""
        return self.connection.state

    @property
    def is_full(self) -> bool:
        """Whether as many requests as may be are being worked on; those who listen do not count."""
        return len(self.active) - len(self.eras.listeners) >= self.limits.concurrent_requests

    def bind(self, loop: asyncio.AbstractEventLoop) -> None:
        """Work on this event loop, which is the running one."""
        self.runner = Runner(loop)
        self.thread = get_ident()

    def post(self, function: Callable[..., object], *arguments: Any) -> None:
        """Call a function on the event loop: at once if this is its thread, else soon."""
        if get_ident() == self.thread:
            function(*arguments)
        else:
            self.runner.mailbox.wait_for_room()
            self.runner.mailbox.post(function, *arguments)

    def challenge(self, fault: ScopeError, principal: Principal | None) -> Headers:
        """What a client that lacks scopes is told to get."""
        if self.authorization is None or principal is None:
            return []
        refusal = cast("Refusal", self.authorization.insufficient(fault.scopes, principal))
        return encoded(refusal.headers)


def encoded(headers: list[tuple[str, str]]) -> Headers:
    """Headers as they travel."""
    return [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers]
