"""What a server does once, when it starts, before the first call.

It runs as the server's lifespan is entered for the first time, so never for a definition that is
only created, listed or shown. Clients can list what there is while it runs, and calls wait for it.
Its failure is told in place of every result. A server that is loaded anew runs it again if its
function was loaded anew too: what that has prepared is gone.

A function that takes the server is the server's lifespan instead: it gives a context manager, which
is entered for each connection and left at its end. Lists wait for it.

Tools, prompts and resources that are listed as ever, and answer with a reason why not.
"""

from __future__ import annotations

import copy
from _thread import start_new_thread
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Any, NoReturn

from paddock.authoring.handler_errors import ToolError, log_failure
from paddock.authoring.prompt import Prompt, PromptArgument
from paddock.authoring.prompt_renderer import PromptRenderer
from paddock.authoring.resource_reader import ResourceReader
from paddock.authoring.signature import is_coroutine_function
from paddock.authoring.tool_invoker import build_tool_entry
from paddock.extensions.references import list_required_parameters
from paddock.extensions.tool_definition import get_initializer

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

    from paddock.authoring.base_server import BaseServer
    from paddock.extensions.tool_definition import OneTimeInitializer


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from paddock.authoring.base_server import BaseServer
    from paddock.authoring.resource import Resource, ResourceTemplate
    from paddock.authoring.tool import Tool

    ResourceLike = Resource | ResourceTemplate


def make_failing_items(offering: BaseServer, text: str) -> Iterator[Tool | Prompt | ResourceLike]:
    """A stand-in for everything that a server has, which answers with a text."""

    def refuse(_arguments: dict[str, Any]) -> NoReturn:
        raise ToolError(text)

    def refuse_reading() -> NoReturn:
        raise ToolError(text)

    for tool in offering.tools:
        yield _make_failing_tool(tool, refuse)
    for prompt in offering.prompts:
        yield _make_failing_prompt(prompt, refuse, offering)
    for item in (*offering.resources, *offering.templates):
        if item.handler is not None:
            yield _make_failing_resource(item, refuse_reading, offering)


def _make_failing_tool(tool: Tool, refuse: Callable[..., Any]) -> Tool:
    entry = build_tool_entry(tool)
    stand_in = copy.copy(tool)
    stand_in.handler = refuse
    stand_in.description = entry.get("description")
    stand_in.input_schema = entry["inputSchema"]
    stand_in.output_schema = entry.get("outputSchema")
    stand_in.return_type = stand_in.parameters = None
    return stand_in


def _make_failing_prompt(
    prompt: Prompt, refuse: Callable[..., Any], offering: BaseServer
) -> Prompt:
    rendering = PromptRenderer(prompt, offering)
    stand_in = copy.copy(prompt)
    stand_in.handler, stand_in.messages, stand_in.takes_dictionary = refuse, None, True
    if prompt.description is None:
        stand_in.description = rendering.description or None
    stand_in.arguments = [
        PromptArgument(
            one["name"],
            one.get("description", ""),
            required=one["required"],
            title=one.get("title"),
        )
        for one in rendering.arguments
    ]
    return stand_in


def _make_failing_resource(
    item: ResourceLike, refuse: Callable[..., Any], offering: BaseServer
) -> ResourceLike:
    stand_in = copy.copy(item)
    stand_in.description = ResourceReader(item, offering).description
    stand_in.handler = refuse
    return stand_in


def is_lifespan_function(function: Callable[..., Any]) -> bool:
    """Whether a function is not called once, but gives a context manager for each connection."""
    return list_required_parameters(function) == ["server"]


class ServerInitialization:
    """What is done once for a server, also when that is loaded anew, and what became of it."""

    def __init__(self) -> None:
        self._function: Callable[[], Any] | None = None
        self._started_function: Callable[[], Any] | None = None
        self._failure_message: str | None = None

    def attach(self, offering: BaseServer, function: Callable[[], Any] | None) -> None:
        """Have a function run when the server starts, and what its tools want done after it."""
        if function is not None and is_lifespan_function(function):
            offering.lifespan_function = self._wrap_lifespan(function)
            return
        self._function = function
        if function is not None:
            offering.can_list_before_lifespan = True
        elif not any(get_initializer(tool) for tool in offering.tools):
            return
        is_async = function is not None and is_coroutine_function(function)
        offering.lifespan_function = self._async_lifespan if is_async else self._lifespan

    def rerun(self, offering: BaseServer) -> None:
        """Run it for a server that is loaded anew and has been started already.

        Nothing is run, and an earlier failure stays, when its function is still the same.
        """
        function = self._take_new_function()
        if function is None and self._function is not None:
            self._refuse_calls(offering)
            return
        self._failure_message = None
        if function is not None:
            try:
                _run_to_completion(function)
            except (Exception, SystemExit) as error:  # noqa: BLE001 - told to every caller
                self._handle_failure(offering, error)
        self._start_tool_initializations(offering)

    @contextmanager
    def _lifespan(self, offering: BaseServer) -> Iterator[None]:
        function = self._take_new_function()
        if function is not None:
            try:
                function()
            except (Exception, SystemExit) as error:  # noqa: BLE001 - told to every caller
                self._handle_failure(offering, error)
        self._start_tool_initializations(offering)
        yield

    @asynccontextmanager
    async def _async_lifespan(self, offering: BaseServer) -> AsyncIterator[None]:
        function = self._take_new_function()
        if function is not None:
            try:
                await function()
            except (Exception, SystemExit) as error:  # noqa: BLE001 - told to every caller
                self._handle_failure(offering, error)
        self._start_tool_initializations(offering)
        yield

    def _wrap_lifespan(self, lifespan: Callable[..., Any]) -> Callable[[Any], Any]:
        def enter(offering: BaseServer) -> Any:
            self._start_tool_initializations(offering)
            return lifespan(offering)

        return enter

    def _take_new_function(self) -> Callable[[], Any] | None:
        """The function, the first time that it is asked for."""
        begun, self._started_function = self._started_function, self._function
        return None if begun is self._function else self._function

    def _start_tool_initializations(self, offering: BaseServer) -> None:
        """Do what single tools want done; a tool that is called meanwhile waits for its own."""
        wanted = {tool.name: get_initializer(tool) for tool in offering.tools}
        found = {name: one for name, one in wanted.items() if one is not None}
        if found and self._failure_message is None:
            start_new_thread(_run_tool_initializations, (found,))

    def _handle_failure(self, offering: BaseServer, error: BaseException) -> None:
        self._failure_message = (
            f"The server's initialization failed: {type(error).__name__}: {error}"
        )
        log_failure(error, self._failure_message)
        self._refuse_calls(offering)

    def _refuse_calls(self, offering: BaseServer) -> None:
        """Answer everything but lists with the reason why nothing works."""
        if self._failure_message is not None:
            offering.register(list(make_failing_items(offering, self._failure_message)))


def _run_to_completion(function: Callable[[], Any]) -> None:
    """Run a function to its end, in a thread that has no event loop."""
    if is_coroutine_function(function):
        import asyncio  # noqa: PLC0415 - not for servers without coroutines

        asyncio.run(function())
    else:
        function()


def _run_tool_initializations(found: dict[str, OneTimeInitializer]) -> None:
    for name, initialization in found.items():
        try:
            initialization.run()
        except (Exception, SystemExit) as error:  # noqa: BLE001 - the next call tries again
            log_failure(error, f"Tool {name!r}: its initialization failed")
