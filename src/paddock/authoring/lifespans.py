"""Lifespans of a server and of the servers mounted in it, combined for one connection.

They are entered in order and exited in reverse. If one of them is asynchronous, the combination is
asynchronous.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from paddock.authoring.mounted_items import LifespanStates

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.authoring.mounted_items import LifespanOwner


def combine_lifespans(server: LifespanOwner) -> LifespanStack | AsyncLifespanStack:
    """Return a context manager for the lifespans of a server and of those mounted on it.

    It is entered for one connection and yields `LifespanStates`. It is asynchronous if at least
    one of the lifespans is.
    """
    managers = [
        (owner, _to_context_manager(owner.lifespan_function(owner)))
        for owner in _find_lifespan_owners(server)
    ]
    is_async = any(hasattr(manager, "__aenter__") for _, manager in managers)
    return AsyncLifespanStack(server, managers) if is_async else LifespanStack(server, managers)


class LifespanStack:
    """Combined lifespans that are all synchronous."""

    def __init__(self, server: LifespanOwner, managers: list[tuple[LifespanOwner, Any]]) -> None:
        self._mounts = server.mounts
        self._managers = managers
        self._exit_stack = contextlib.ExitStack()

    def __enter__(self) -> LifespanStates:
        states = LifespanStates()
        with contextlib.ExitStack() as stack:
            if self._mounts is not None:
                self._mounts.add_holder(self)
                # The callback runs last, because lifespans may use remote servers until they
                # exit. `is_patient` makes it wait until unused connections are closed.
                stack.callback(self._mounts.remove_holder, self, is_patient=True)
            for server, manager in self._managers:
                states.set_state(server, stack.enter_context(manager))
            self._exit_stack = stack.pop_all()
        return states

    def __exit__(self, *details: object) -> bool | None:
        return self._exit_stack.__exit__(*details)  # type: ignore[arg-type]  # passed through


class AsyncLifespanStack:
    """Combined lifespans of which at least one is asynchronous."""

    def __init__(self, server: LifespanOwner, managers: list[tuple[LifespanOwner, Any]]) -> None:
        self._mounts = server.mounts
        self._managers = managers
        self._exit_stack = contextlib.AsyncExitStack()

    async def __aenter__(self) -> LifespanStates:
        states = LifespanStates()
        async with contextlib.AsyncExitStack() as stack:
            if self._mounts is not None:
                self._mounts.add_holder(self)
                stack.callback(self._mounts.remove_holder, self, is_patient=True)
            for server, manager in self._managers:
                if hasattr(manager, "__aenter__"):
                    states.set_state(server, await stack.enter_async_context(manager))
                else:
                    states.set_state(server, stack.enter_context(manager))
            self._exit_stack = stack.pop_all()
        return states

    async def __aexit__(self, *details: object) -> bool | None:
        return await self._exit_stack.__aexit__(*details)  # type: ignore[arg-type]  # passed through


def _find_lifespan_owners(server: LifespanOwner) -> Iterator[Any]:
    """Return a server and all servers mounted in it, each once, that have a lifespan."""
    servers: dict[LifespanOwner, None] = {}
    pending = [server]
    while pending:
        owner = pending.pop(0)
        if owner not in servers:
            servers[owner] = None
            pending += [] if owner.mounts is None else owner.mounts.get_local_servers()
    return (owner for owner in servers if owner.lifespan_function is not None)


def _to_context_manager(manager: Any) -> Any:
    """Return a context manager for the value of a lifespan function.

    A generator is accepted as well, in case the author has left out `@contextmanager`.
    """
    if hasattr(manager, "__anext__"):
        return contextlib.asynccontextmanager(lambda: manager)()
    if hasattr(manager, "__next__"):
        return contextlib.contextmanager(lambda: manager)()
    return manager
