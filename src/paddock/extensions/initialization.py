"""What a tool needs done once before it is first called.

It is done at the latest by the first call, and before that when a server starts and asks for it.
What fails is told to whoever calls, and tried again with the next call.
"""

from __future__ import annotations

import functools
import threading
from typing import TYPE_CHECKING, Any

from paddock.authoring.failures import ToolError
from paddock.authoring.signature import is_coroutine_function

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.authoring.tool import Tool


class OneTimeInitializer:
    """A function that is run until it has worked once."""

    __slots__ = ("_function", "_is_done", "_lock")

    def __init__(self, function: Callable[[], object]) -> None:
        self._function = function
        self._lock = threading.Lock()
        self._is_done = False

    def run(self) -> None:
        """Do what is to be done, unless it has been; raises what the function raises."""
        if self._is_done:
            return
        with self._lock:
            if not self._is_done:
                self._function()
                self._is_done = True

    def run_for_call(self) -> None:
        """The same on behalf of a call.

        Raises:
            ToolError: when it fails, for the model to read.
        """
        try:
            self.run()
        except Exception as error:
            reason = f"{type(error).__name__}: {error}"
            raise ToolError(f"The tool could not be initialised: {reason}") from error


def add_initializer(handler: Callable[..., Any], initialization: OneTimeInitializer) -> Callable[..., Any]:
    """A handler that has its initialization run before its first call."""
    if is_coroutine_function(handler):

        @functools.wraps(handler)
        async def call(*arguments: object, **named: object) -> Any:
            import asyncio  # noqa: PLC0415 - loaded by then, and not for servers without coroutines

            await asyncio.to_thread(initialization.run_for_call)
            return await handler(*arguments, **named)
    else:

        @functools.wraps(handler)
        def call(*arguments: object, **named: object) -> Any:
            initialization.run_for_call()
            return handler(*arguments, **named)

    vars(call)["initialization"] = initialization
    return call


def get_initializer(tool: Tool) -> OneTimeInitializer | None:
    """What a tool needs done before it is called; for a server that is about to start."""
    found = getattr(tool.handler, "initialization", None)
    return found if isinstance(found, OneTimeInitializer) else None
