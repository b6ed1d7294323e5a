"""Suggestions for the value that somebody is typing for a prompt or a resource template."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paddock.authoring.results import run_if_coroutine
from paddock.authoring.signature import count_required_arguments
from paddock.protocol.errors import ProtocolError

if TYPE_CHECKING:
    from paddock.authoring.prompt import CompletionSource

MAX_COMPLETION_VALUES = 100


def complete_argument(
    source: CompletionSource | None, value: str, settled: dict[str, str], where: str
) -> dict[str, Any]:
    """The result of `completion/complete`.

    A list is narrowed to what begins with the value; a function of the value (and of the
    arguments already settled, if it takes two) decides for itself.
    """
    found = [] if source is None else _collect_values(source, value, settled, where)
    shown = found[:MAX_COMPLETION_VALUES]
    return {
        "completion": {"values": shown, "total": len(found), "hasMore": len(found) > len(shown)}
    }


def _collect_values(source: CompletionSource, value: str, settled: dict[str, str], where: str) -> list[str]:
    if callable(source):
        both = count_required_arguments(source) > 1
        found = list(run_if_coroutine(source(value, settled) if both else source(value)))
    elif isinstance(source, str):
        found = [source]
    else:
        found = [option for option in source if str(option).startswith(value)]
    if not all(isinstance(option, str) for option in found):
        raise ProtocolError(f"The completions for {where} are not all strings")
    return found
