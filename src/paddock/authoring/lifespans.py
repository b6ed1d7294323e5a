"""Combines the lifespans of a server and its mounted servers for one connection.

Lifespans are entered in order and exited in reverse. If any of them is asynchronous, so is the
combination.
"""

from __future__ import annotations

from contextlib import (
    AbstractAsyncContextManager,
    AbstractContextManager,
    AsyncExitStack,
    ExitStack,
    asynccontextmanager,
    contextmanager,
)
from typing import TYPE_CHECKING, Any

from paddock.authoring.mounted_items import LifespanStates

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from paddock.authoring.mounted_items import LifespanOwner, MountTable

    OwnedManagers = list[tuple[LifespanOwner, Any]]
    LifespanManager = (
        AbstractContextManager[LifespanStates] | AbstractAsyncContextManager[LifespanStates]
    )


def combine_lifespans(server: LifespanOwner) -> LifespanManager | None:
    """Return a context manager that runs the lifespans of a server and its mounted servers.

    A lifespan is an author's function that sets up resources for a connection, such as a database,
    and releases them afterwards. The context manager is entered for one connection and yields
    `LifespanStates`. It is asynchronous if at least one lifespan is.

    Returns:
        The context manager, or None if the server has neither a lifespan nor mounted servers.
    """
    if server.lifespan_function is None and server.mounts is None:
        return None
    managers = [
        (owner, _to_context_manager(owner.lifespan_function(owner)))
        for owner in _find_lifespan_owners(server)
    ]
    is_async = any(hasattr(manager, "__aenter__") for _, manager in managers)
    enter_lifespans = _enter_async_lifespans if is_async else _enter_sync_lifespans
    return enter_lifespans(server.mounts, managers)


@contextmanager
def _enter_sync_lifespans(
    mounts: MountTable | None, managers: OwnedManagers
) -> Iterator[LifespanStates]:
    """Enter lifespans that are all synchronous, and yield their states by server."""
    states = LifespanStates()
    with ExitStack() as stack:
        _keep_mounts_connected(stack, mounts)
        for owner, manager in managers:
            states.set_state(owner, stack.enter_context(manager))
        yield states


@asynccontextmanager
async def _enter_async_lifespans(
    mounts: MountTable | None, managers: OwnedManagers
) -> AsyncIterator[LifespanStates]:
    """Enter lifespans, at least one of which is asynchronous, and yield their states by server."""
    states = LifespanStates()
    async with AsyncExitStack() as stack:
        _keep_mounts_connected(stack, mounts)
        for owner, manager in managers:
            if hasattr(manager, "__aenter__"):
                states.set_state(owner, await stack.enter_async_context(manager))
            else:
                states.set_state(owner, stack.enter_context(manager))
        yield states


def _keep_mounts_connected(stack: ExitStack | AsyncExitStack, mounts: MountTable | None) -> None:
    """Keep the mounted servers connected until the exit stack is closed.

    Callers do this before they enter lifespans, so that the stack releases the servers last.
    Lifespans may use remote servers until they exit.
    """
    if mounts is not None:
        holder = object()
        mounts.add_holder(holder)
        stack.callback(mounts.remove_holder_and_wait, holder)


def _find_lifespan_owners(server: LifespanOwner) -> Iterator[Any]:
    """Return the servers that have a lifespan: this server, and servers mounted in it.

    Indirectly mounted servers are included. A server that is mounted more than once is returned
    once.
    """
    servers: dict[LifespanOwner, None] = {}
    pending = [server]
    while pending:
        owner = pending.pop(0)
        if owner not in servers:
            servers[owner] = None
            pending += [] if owner.mounts is None else owner.mounts.get_local_servers()
    return (owner for owner in servers if owner.lifespan_function is not None)


def _to_context_manager(manager: Any) -> Any:
    """Return a context manager for the value that an author's lifespan function returned.

    A generator is also accepted, in case the author forgot `@contextmanager`.
    """
    if hasattr(manager, "__anext__"):
        return asynccontextmanager(lambda: manager)()
    if hasattr(manager, "__next__"):
        return contextmanager(lambda: manager)()
    return manager
