"""The lifespan of a server together with those of the servers that are mounted in it.

They are entered in order, each for its own server, and left in reverse. As soon as one of them is
asynchronous, so are all together.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from paddock.authoring.mounted_items import LifespanStates

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.authoring.mounted_items import LifespanOwner


def combine_lifespans(offering: LifespanOwner) -> LifespanStack | AsyncLifespanStack:
    """The context manager for one connection to a server; it yields `States`."""
    managers = [
        (one, _to_context_manager(one.lifespan_function(one))) for one in _find_lifespan_owners(offering)
    ]
    is_async = any(hasattr(manager, "__aenter__") for _, manager in managers)
    return AsyncLifespanStack(offering, managers) if is_async else LifespanStack(offering, managers)


class LifespanStack:
    """Lifespans that are all plain."""

    def __init__(self, offering: LifespanOwner, managers: list[tuple[LifespanOwner, Any]]) -> None:
        self._mounts = offering.mounts
        self._managers = managers
        self._exit_stack = contextlib.ExitStack()

    def __enter__(self) -> LifespanStates:
        states = LifespanStates()
        with contextlib.ExitStack() as stack:
            if self._mounts is not None:
                self._mounts.add_holder(self)
                stack.callback(self._mounts.remove_holder, self, is_patient=True)
            for offering, manager in self._managers:
                states.set_state(offering, stack.enter_context(manager))
            self._exit_stack = stack.pop_all()
        return states

    def __exit__(self, *details: object) -> bool | None:
        return self._exit_stack.__exit__(*details)  # type: ignore[arg-type]  # as they were given


class AsyncLifespanStack:
    """Lifespans of which some are asynchronous."""

    def __init__(self, offering: LifespanOwner, managers: list[tuple[LifespanOwner, Any]]) -> None:
        self._mounts = offering.mounts
        self._managers = managers
        self._exit_stack = contextlib.AsyncExitStack()

    async def __aenter__(self) -> LifespanStates:
        states = LifespanStates()
        async with contextlib.AsyncExitStack() as stack:
            if self._mounts is not None:
                self._mounts.add_holder(self)
                stack.callback(self._mounts.remove_holder, self, is_patient=True)
            for offering, manager in self._managers:
                if hasattr(manager, "__aenter__"):
                    states.set_state(offering, await stack.enter_async_context(manager))
                else:
                    states.set_state(offering, stack.enter_context(manager))
            self._exit_stack = stack.pop_all()
        return states

    async def __aexit__(self, *details: object) -> bool | None:
        return await self._exit_stack.__aexit__(*details)  # type: ignore[arg-type]  # as they were given


def _find_lifespan_owners(offering: LifespanOwner) -> Iterator[Any]:
    """A server and everything mounted in it, each once, as far as they have a lifespan."""
    found: dict[LifespanOwner, None] = {}
    waiting = [offering]
    while waiting:
        one = waiting.pop(0)
        if one not in found:
            found[one] = None
            waiting += [] if one.mounts is None else one.mounts.get_local_servers()
    return (one for one in found if one.lifespan_function is not None)


def _to_context_manager(manager: Any) -> Any:
    """A context manager; a bare generator, whose author forgot the decorator, is made one."""
    if hasattr(manager, "__anext__"):
        return contextlib.asynccontextmanager(lambda: manager)()
    if hasattr(manager, "__next__"):
        return contextlib.contextmanager(lambda: manager)()
    return manager
