"""Whose code it is that would be evaluated, and what is told when it cannot be."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from paddock.authoring.handler_errors import ToolError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paddock.extensions.paclets.files import PacletFiles

MAX_CODE_CHARACTERS = 120


class NoEngineError(ToolError):
    """Something has to be evaluated by a Wolfram engine, and there is none."""

    code = "no-engine"


class UnresolvedSymbolsError(ToolError):
    """Code uses symbols that the engine does not have, and that the paclet does not define."""

    code = "unresolved-symbols"


class FunctionOwner(NamedTuple):
    """The item that a function belongs to."""

    paclet: str
    kind: str
    item: str
    version: str | None = None
    files: PacletFiles | None = None
    """Those of its paclet."""

    def __str__(self) -> str:
        return f"{self.kind} {self.paclet}/{self.item}"


def make_no_engine_error(code: str, owner: FunctionOwner) -> NoEngineError:
    """The complaint about code that cannot be evaluated."""
    return NoEngineError(
        f"The {owner} is the Wolfram Language function {_shorten_code(code)}, and there is no Wolfram "
        "Language engine here to call it",
        hint='install one: pip install "paddock[wolfram]", or a Wolfram Engine (free for '
        "developers, https://www.wolfram.com/engine); paddock engines says more",
    )


def make_unresolved_symbols_error(
    code: str,
    owner: FunctionOwner,
    symbols: Sequence[str],
    engine: str,
    reasons: Sequence[str] = (),
) -> UnresolvedSymbolsError:
    """The complaint about code that the engine cannot make sense of."""
    why = "".join(f"; {reason}" for reason in reasons)
    return UnresolvedSymbolsError(
        f"The {owner} is the Wolfram Language function {_shorten_code(code)}, and {engine} does not know "
        f"{', '.join(symbols)}{why}",
        hint="see the files of the paclet's Kernel extension, or use another engine: paddock "
        "engines lists them",
    )


def _shorten_code(code: str) -> str:
    return code if len(code) <= MAX_CODE_CHARACTERS else f"{code[: MAX_CODE_CHARACTERS - 1]}…"
