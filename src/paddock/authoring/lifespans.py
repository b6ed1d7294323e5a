"""The lifespan of a server together with those of the servers that are mounted in it.

They are entered in order, each for its own server, and left in reverse. As soon as one of them is
asynchronous, so are all together.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from paddock.authoring.mounted import States

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.authoring.mounted import Living


def together(offering: Living) -> Lifespans | AsyncLifespans:
    """The context manager for one connection to a server; it yields `States`."""
    managers = [(one, _managed(one.own_lifespan(one))) for one in _with_lifespans(offering)]
    is_async = any(hasattr(manager, "__aenter__") for _, manager in managers)
    return AsyncLifespans(offering, managers) if is_async else Lifespans(offering, managers)


class Lifespans:
    """Lifespans that are all plain."""

    def __init__(self, offering: Living, managers: list[tuple[Living, Any]]) -> None:
        self._mounts = offering.mounts
        self._managers = managers
        self._stack = contextlib.ExitStack()

    def __enter__(self) -> States:
        states = States()
        with contextlib.ExitStack() as stack:
            if self._mounts is not None:
                self._mounts.hold(self)
                stack.callback(self._mounts.release, self, is_patient=True)
            for offering, manager in self._managers:
                states.put(offering, stack.enter_context(manager))
            self._stack = stack.pop_all()
        return states

    def __exit__(self, *details: object) -> bool | None:
        return self._stack.__exit__(*details)  # type: ignore[arg-type]  # as they were given


class AsyncLifespans:
    """Lifespans of which some are asynchronous."""

    def __init__(self, offering: Living, managers: list[tuple[Living, Any]]) -> None:
        self._mounts = offering.mounts
        self._managers = managers
        self._stack = contextlib.AsyncExitStack()

    async def __aenter__(self) -> States:
        states = States()
        async with contextlib.AsyncExitStack() as stack:
            if self._mounts is not None:
                self._mounts.hold(self)
                stack.callback(self._mounts.release, self, is_patient=True)
            for offering, manager in self._managers:
                if hasattr(manager, "__aenter__"):
                    states.put(offering, await stack.enter_async_context(manager))
                else:
                    states.put(offering, stack.enter_context(manager))
            self._stack = stack.pop_all()
        return states

    async def __aexit__(self, *details: object) -> bool | None:
        return await self._stack.__aexit__(*details)  # type: ignore[arg-type]  # as they were given


def _with_lifespans(offering: Living) -> Iterator[Any]:
    """A server and everything mounted in it, each once, as far as they have a lifespan."""
    found: dict[Living, None] = {}
    waiting = [offering]
    while waiting:
        one = waiting.pop(0)
        if one not in found:
            found[one] = None
            waiting += [] if one.mounts is None else one.mounts.offerings()
    return (one for one in found if one.own_lifespan is not None)


def _managed(manager: Any) -> Any:
    """A context manager; a bare generator, whose author forgot the decorator, is made one."""
    if hasattr(manager, "__anext__"):
        return contextlib.asynccontextmanager(lambda: manager)()
    if hasattr(manager, "__next__"):
        return contextlib.contextmanager(lambda: manager)()
    return manager
