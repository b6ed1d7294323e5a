"""Calling a handler that takes all arguments as one dictionary, of a tool or of a prompt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paddock.authoring.context import Context
from paddock.authoring.signature import find_context_parameter, count_required_arguments

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.protocol.request import Request


def bind_dict_handler(
    handler: Callable[..., Any], open_context: Callable[[Request], Context]
) -> Callable[[Any, Request], Any]:
    """A call with the arguments, and with the context if the handler wants it.

    It says so by the type of a parameter, or by a second parameter that has no default.
    """
    context, place, has_room = find_context_parameter(handler, Context)
    if context is None:
        if count_required_arguments(handler) > 1:
            return lambda arguments, request: handler(arguments, open_context(request))
        return lambda arguments, _request: handler(arguments)
    if place is None:
        return lambda arguments, request: handler(arguments, **{context: open_context(request)})
    if not has_room:
        return lambda _arguments, request: handler(open_context(request))
    if place == 0:
        return lambda arguments, request: handler(open_context(request), arguments)
    return lambda arguments, request: handler(arguments, open_context(request))
