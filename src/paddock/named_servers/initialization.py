"""The initialization of a named server, which runs once before the first call.

It runs when the server's lifespan is first entered, so never for a definition that is only created,
listed or shown. While it runs, clients can list items, but calls wait. If it fails, all items are
still listed, but every call returns the error. After a reload, it runs again only if its function
was reloaded too, because then its results are lost.

A function with a `server` parameter is the server's lifespan instead: it returns a context manager
that is entered for each connection. List requests wait for it.
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
from paddock.authoring.results import run_if_coroutine
from paddock.authoring.signature import is_coroutine_function
from paddock.authoring.tool_invoker import build_tool_entry
from paddock.extensions.references import list_required_parameters
from paddock.extensions.tool_definition import get_initializer

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Generator, Iterator

    from paddock.authoring.base_server import BaseServer
    from paddock.authoring.resource import Resource, ResourceTemplate
    from paddock.authoring.tool import Tool
    from paddock.extensions.tool_definition import OneTimeInitializer

    ResourceLike = Resource | ResourceTemplate


def make_failing_items(server: BaseServer, message: str) -> Iterator[Tool | Prompt | ResourceLike]:
    """Yield copies of a server's tools, prompts and resources that answer every call with an error.

    They replace the items of a server whose initialization has failed. Clients see the same lists
    as before, and get the error when they call an item.

    Args:
        server: The server.
        message: The error message.
    """

    def fail_call(_arguments: dict[str, Any]) -> NoReturn:
        raise ToolError(message)

    def fail_reading() -> NoReturn:
        raise ToolError(message)

    for tool in server.tools:
        yield _make_failing_tool(tool, fail_call)
    for prompt in server.prompts:
        yield _make_failing_prompt(prompt, fail_call, server)
    for item in (*server.resources, *server.templates):
        if item.handler is not None:
            yield _make_failing_resource(item, fail_reading, server)


def _make_failing_tool(tool: Tool, handler: Callable[..., Any]) -> Tool:
    """Return a copy of a tool that calls another handler but looks the same in lists.

    Args:
        tool: The tool.
        handler: The handler, which raises an error.
    """
    # The description and the schemas come from the original handler. They are copied, so that
    # clients see the same list as before.
    entry = build_tool_entry(tool)
    replacement = copy.copy(tool)
    replacement.handler = handler
    replacement.description = entry.get("description")
    replacement.input_schema = entry["inputSchema"]
    replacement.output_schema = entry.get("outputSchema")
    replacement.return_type = replacement.parameters = None
    return replacement


def _make_failing_prompt(prompt: Prompt, handler: Callable[..., Any], server: BaseServer) -> Prompt:
    """Return a copy of a prompt that calls another handler but looks the same in lists.

    Args:
        prompt: The prompt.
        handler: The handler, which raises an error.
        server: The server that offers the prompt.
    """
    # The description and the arguments come from the original handler, so they are copied.
    renderer = PromptRenderer(prompt, server)
    replacement = copy.copy(prompt)
    replacement.handler, replacement.messages = handler, None
    replacement.takes_dictionary = True
    if prompt.description is None:
        replacement.description = renderer.description or None
    replacement.arguments = [
        PromptArgument(
            argument["name"],
            argument.get("description", ""),
            required=argument["required"],
            title=argument.get("title"),
        )
        for argument in renderer.arguments
    ]
    return replacement


def _make_failing_resource(
    item: ResourceLike, handler: Callable[..., Any], server: BaseServer
) -> ResourceLike:
    """Return a copy of a resource that calls another handler but looks the same in lists.

    Args:
        item: The resource or resource template.
        handler: The handler, which raises an error.
        server: The server that offers the resource.
    """
    replacement = copy.copy(item)
    replacement.description = ResourceReader(item, server).description
    replacement.handler = handler
    return replacement


def is_lifespan_function(function: Callable[..., Any]) -> bool:
    """Return whether a function is a server's lifespan.

    A lifespan has a single parameter called `server`. An initialization function has none.
    """
    return list_required_parameters(function) == ["server"]


class ServerInitialization:
    """The initialization of one server across reloads, including its failure.

    A reload builds a new `Server`, but the process and the results of the initialization remain.
    This object outlives the servers and remembers which function has already run.
    """

    def __init__(self) -> None:
        self._function: Callable[[], Any] | None = None
        self._started_function: Callable[[], Any] | None = None
        self._failure_message: str | None = None

    def attach(self, server: BaseServer, function: Callable[[], Any] | None) -> None:
        """Make a server run its initialization when it starts.

        It consists of the definition's function, followed by the initializers of the server's
        tools.

        Args:
            server: A server that has not been started.
            function: The definition's initialization function or lifespan, or None.
        """
        if function is not None and is_lifespan_function(function):
            server.lifespan_function = self._wrap_lifespan(function)
            return
        self._function = function
        # Lists do not depend on the initialization, so clients can list items while it runs.
        if function is not None:
            server.can_list_before_lifespan = True
        elif not any(get_initializer(tool) for tool in server.tools):
            return
        is_async = function is not None and is_coroutine_function(function)
        server.lifespan_function = self._async_lifespan if is_async else self._lifespan

    def rerun(self, server: BaseServer) -> None:
        """Run the initialization again after the definition of a running server was reloaded.

        If the function is the same as before, it does not run again, and an earlier failure
        persists.
        """
        function = self._take_new_function()
        if function is None and self._function is not None:
            # The results of the first run are still valid. If it failed, the reloaded items must
            # report the failure too.
            self._fail_calls(server)
            return
        self._failure_message = None
        if function is not None:
            with self._fail_calls_on_error(server):
                run_if_coroutine(function())
        self._start_tool_initializations(server)

    @contextmanager
    def _lifespan(self, server: BaseServer) -> Generator[None]:
        """Run the initialization when the server starts, as its lifespan.

        If the initialization fails, the server keeps running, but its items report the failure.
        """
        function = self._take_new_function()
        if function is not None:
            with self._fail_calls_on_error(server):
                function()
        self._start_tool_initializations(server)
        yield

    @asynccontextmanager
    async def _async_lifespan(self, server: BaseServer) -> AsyncGenerator[None]:
        function = self._take_new_function()
        if function is not None:
            with self._fail_calls_on_error(server):
                await function()
        self._start_tool_initializations(server)
        yield

    def _wrap_lifespan(self, lifespan: Callable[..., Any]) -> Callable[[Any], Any]:
        """Return a lifespan that also starts the initializers of the server's tools.

        A lifespan is a function that takes the server and returns a context manager, which is
        entered for each connection.
        """

        def start_tools_and_create_lifespan(server: BaseServer) -> Any:
            self._start_tool_initializations(server)
            return lifespan(server)

        return start_tools_and_create_lifespan

    def _take_new_function(self) -> Callable[[], Any] | None:
        """Return the function to run, or None if it was already returned before.

        After a reload, a function object that differs from the previous one counts as new.
        """
        previous, self._started_function = self._started_function, self._function
        return None if previous is self._function else self._function

    def _start_tool_initializations(self, server: BaseServer) -> None:
        """Run the initializers of the server's tools, one after the other, in a new thread.

        The thread gives them a head start: a tool call only waits for that tool's own initializer.
        If the server's initialization has failed, none of them run, because every call returns that
        error anyway.
        """
        initializers = {
            tool.name: initializer
            for tool in server.tools
            if (initializer := get_initializer(tool)) is not None
        }
        if initializers and self._failure_message is None:
            start_new_thread(_run_tool_initializations, (initializers,))

    @contextmanager
    def _fail_calls_on_error(self, server: BaseServer) -> Generator[None]:
        """Suppress an error in the `with` block, and make all items of the server return it.

        The error is logged, and every later call of a tool, prompt or resource returns it.
        """
        # SystemExit is caught too. It would end the process without giving the client a reason.
        try:
            yield
        except (Exception, SystemExit) as error:  # noqa: BLE001 - reported to every caller
            self._failure_message = (
                f"The server's initialization failed: {type(error).__name__}: {error}"
            )
            log_failure(error, self._failure_message)
            self._fail_calls(server)

    def _fail_calls(self, server: BaseServer) -> None:
        """Replace all items of a server with copies that answer every call with the failure.

        Does nothing if the initialization has not failed.
        """
        if self._failure_message is not None:
            server.register(list(make_failing_items(server, self._failure_message)))


def _run_tool_initializations(initializers: dict[str, OneTimeInitializer]) -> None:
    for name, initializer in initializers.items():
        try:
            initializer.run()
        except (Exception, SystemExit) as error:  # noqa: BLE001 - the next call tries again
            log_failure(error, f"Tool {name!r}: its initialization failed")
