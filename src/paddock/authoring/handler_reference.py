"""Handlers that a tool names as `package.module:function`, imported on the first call.

Tool lists are built from declarations alone, so the handler's module and its dependencies are not
loaded until a client calls the tool.
"""

from __future__ import annotations

import functools
import importlib
from typing import TYPE_CHECKING, Any

from paddock.authoring.context import Context  # noqa: TC001 - type hints are read at run time
from paddock.authoring.handler_errors import ToolError
from paddock.errors import PaddockError

if TYPE_CHECKING:
    from collections.abc import Callable


def resolve_handler(handler: Callable[..., Any] | str) -> Callable[..., Any]:
    """Return a handler as a function. A function is returned unchanged."""
    return _create_importing_handler(handler) if isinstance(handler, str) else handler


def _create_importing_handler(reference: str) -> Callable[[Any, Context], Any]:
    """Return a handler that imports the actual handler of a built-in tool on the first call.

    The message of a `PaddockError` is sent to the model unchanged, whereas errors of other handlers
    are prefixed with the name of the failed tool.

    Args:
        reference: The module and the function name, as in `package.module:function`.
    """

    @functools.cache
    def load_handler() -> Callable[[Any, Context], Any]:
        module_name, _, name = reference.partition(":")
        function: Callable[[Any, Context], Any] = getattr(
            importlib.import_module(module_name), name
        )
        return function

    def call(arguments: Any, ctx: Context) -> Any:
        try:
            return load_handler()(arguments, ctx)
        except ToolError:
            raise
        except PaddockError as error:
            raise ToolError(str(error)) from error

    return call
