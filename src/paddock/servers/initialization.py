"""What a server does once, when it starts, before the first call.

It runs as the server's lifespan is entered for the first time, so never for a definition that is
only created, listed or shown. Clients can list what there is while it runs, and calls wait for it.
Its failure is told in place of the result of every call.
"""

from __future__ import annotations

import copy
from _thread import start_new_thread
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Any, NoReturn

from paddock.authoring.entries import tool_entry
from paddock.authoring.failures import ToolError, log_failure
from paddock.authoring.signature import is_coroutine_function
from paddock.extensions.initialization import initialization_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

    from paddock.authoring.offering import Offering
    from paddock.authoring.tool import Tool
    from paddock.extensions.initialization import Initialization as ToolInitialization


class Initialization:
    """What is done once for a server, also when that is loaded anew, and what became of it."""

    def __init__(self) -> None:
        self._function: Callable[[], Any] | None = None
        self._is_begun = False
        self._failure: str | None = None

    def attach(self, offering: Offering, function: Callable[[], Any] | None) -> None:
        """Have a function run when the server starts, and what its tools want done after it.

        A server that is loaded anew has been started already, and failed if it did so then.
        """
        self._function = function
        if function is not None:
            offering.lists_early = True
            self._refuse_calls(offering)
        elif not any(initialization_of(tool) for tool in offering.tools):
            return
        is_async = function is not None and is_coroutine_function(function)
        offering.own_lifespan = self._async_lifespan if is_async else self._lifespan

    @contextmanager
    def _lifespan(self, offering: Offering) -> Iterator[None]:
        function = self._first()
        if function is not None:
            try:
                function()
            except (Exception, SystemExit) as error:  # noqa: BLE001 - told to every caller
                self._failed(offering, error)
        self._begin_tools(offering)
        yield

    @asynccontextmanager
    async def _async_lifespan(self, offering: Offering) -> AsyncIterator[None]:
        function = self._first()
        if function is not None:
            try:
                await function()
            except (Exception, SystemExit) as error:  # noqa: BLE001 - told to every caller
                self._failed(offering, error)
        self._begin_tools(offering)
        yield

    def _first(self) -> Callable[[], Any] | None:
        """The function, the first time that it is asked for."""
        is_begun, self._is_begun = self._is_begun, True
        return None if is_begun else self._function

    def _begin_tools(self, offering: Offering) -> None:
        """Do what single tools want done; a tool that is called meanwhile waits for its own."""
        wanted = {tool.name: initialization_of(tool) for tool in offering.tools}
        found = {name: one for name, one in wanted.items() if one is not None}
        if found and self._failure is None:
            start_new_thread(_run_all, (found,))

    def _failed(self, offering: Offering, error: BaseException) -> None:
        self._failure = f"The server's initialization failed: {type(error).__name__}: {error}"
        log_failure(error, self._failure)
        self._refuse_calls(offering)

    def _refuse_calls(self, offering: Offering) -> None:
        if self._failure is not None:
            offering.register([_refusing(tool, self._failure) for tool in offering.tools])


def _run_all(found: dict[str, ToolInitialization]) -> None:
    for name, initialization in found.items():
        try:
            initialization.run()
        except (Exception, SystemExit) as error:  # noqa: BLE001 - the next call tries again
            log_failure(error, f"Tool {name!r}: its initialization failed")


def _refusing(tool: Tool, text: str) -> Tool:
    """A tool that looks the same in lists, and answers every call with a text."""

    def refuse(_arguments: dict[str, Any]) -> NoReturn:
        raise ToolError(text)

    entry = tool_entry(tool)
    stand_in = copy.copy(tool)
    stand_in.handler = refuse
    stand_in.description = entry.get("description")
    stand_in.input_schema = entry["inputSchema"]
    stand_in.output_schema = entry.get("outputSchema")
    stand_in.return_type = stand_in.parameters = None
    return stand_in
