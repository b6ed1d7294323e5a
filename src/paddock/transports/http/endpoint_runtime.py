"""State shared by all requests to one HTTP endpoint."""

from __future__ import annotations

from _thread import get_ident
from typing import TYPE_CHECKING, Any, cast

from paddock.protocol.connection import ServerConnection
from paddock.protocol.dispatcher import ProtocolEras
from paddock.protocol.eras.subscriptions import SubscriptionRegistry
from paddock.transports.http.executor import RequestExecutor
from paddock.transports.http.sse import EventBudget

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from paddock.protocol.errors import ScopeError
    from paddock.protocol.principal import Principal
    from paddock.protocol.server_operations import ServerOperations
    from paddock.transports.http.exchange import HttpExchange
    from paddock.transports.http.messages import AccessRefusal, Authorizer, Headers, Limits
    from paddock.transports.http.origin_policy import HostOriginPolicy


class EndpointRuntime:
    """The eras, policies, event loop and active requests of one endpoint."""

    executor: RequestExecutor

    def __init__(
        self,
        operations: ServerOperations,
        origin_policy: HostOriginPolicy,
        limits: Limits,
        authorization: Authorizer | None,
    ) -> None:
        """Create the state shared by the requests to an endpoint.

        Args:
            operations: The MCP server's operations.
            origin_policy: Decides which Host and Origin headers to allow.
            limits: The limits on the resources that clients can use.
            authorization: Authenticates requests; None for a server without authentication.
        """
        self.limits = limits
        self.origin_policy = origin_policy
        self.authorization = authorization
        self.operations = operations
        self.eras = ProtocolEras(operations, SubscriptionRegistry(limits.concurrent_requests))
        self.connection = ServerConnection(lambda _: None)
        self.event_budget = EventBudget(limits.all_event_bytes)
        self.active_exchanges: set[HttpExchange] = set()
        self.loop_thread_id = 0

    @property
    def state(self) -> object:
        """The value that the server's lifespan yielded."""
        return self.connection.state

    @property
    def is_full(self) -> bool:
        """Whether the limit on concurrent requests is reached. Subscriptions do not count."""
        return (
            len(self.active_exchanges) - len(self.eras.subscriptions)
            >= self.limits.concurrent_requests
        )

    def bind_loop(self, loop: asyncio.AbstractEventLoop) -> None:
        """Use this event loop, which must be running."""
        self.executor = RequestExecutor(loop)
        self.loop_thread_id = get_ident()

    def call_on_loop(self, function: Callable[..., object], *arguments: Any) -> None:
        """Call a function on the event loop. May be called by any thread.

        In the loop's own thread, the function is called immediately. Other threads post the call,
        and block while too many calls are waiting for the loop.
        """
        if get_ident() == self.loop_thread_id:
            function(*arguments)
        else:
            self.executor.mailbox.wait_for_room()
            self.executor.mailbox.post(function, *arguments)

    def make_challenge_headers(self, error: ScopeError, principal: Principal | None) -> Headers:
        """Return the headers that inform a client which scopes it lacks."""
        if self.authorization is None or principal is None:
            return []
        refusal = cast("AccessRefusal", self.authorization.insufficient(error.scopes, principal))
        return encode_headers(refusal.headers)


def encode_headers(headers: list[tuple[str, str]]) -> Headers:
    """Encode header names and values for ASGI."""
    return [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers]
