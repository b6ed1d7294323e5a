"""The item that Wolfram code belongs to, and errors for code that cannot be evaluated."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from paddock.authoring.handler_errors import ToolError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paddock.extensions.paclets.files import ExtensionFiles

MAX_CODE_CHARACTERS = 120


class NoEngineError(ToolError):
    """A call needs a Wolfram Language engine, but none is installed."""

    code = "no-engine"


class UnresolvedSymbolsError(ToolError):
    """Code uses symbols that neither the engine nor the paclet defines."""

    code = "unresolved-symbols"


class FunctionOwner(NamedTuple):
    """The tool, prompt or server in a paclet that a Wolfram Language function belongs to.

    Error messages name it, for example as `tool acme/Charts/Plot`.
    """

    paclet: str
    kind: str
    """`"tool"`, `"prompt"` or `"server"`."""
    item: str
    version: str | None = None
    """The version of the paclet."""
    files: ExtensionFiles | None = None
    """The paclet's files."""

    @property
    def paclet_key(self) -> str:
        """The name and version, which identify a paclet loaded in a kernel."""
        return f"{self.paclet} {self.version}"

    def __str__(self) -> str:
        return f"{self.kind} {self.paclet}/{self.item}"


def make_no_engine_error(code: str, owner: FunctionOwner) -> NoEngineError:
    """Return the error for a function that cannot be called because no engine is installed.

    Args:
        code: The source text of the function.
        owner: The tool, prompt or server that the function belongs to.
    """
    return NoEngineError(
        f"The {owner} is the Wolfram Language function {_shorten_code(code)}, but no Wolfram "
        "Language engine is installed",
        hint='install one: pip install "paddock[wolfram]", or a Wolfram Engine (free for '
        "developers, https://www.wolfram.com/engine); paddock engines lists the options",
    )


def make_unresolved_symbols_error(
    code: str,
    owner: FunctionOwner,
    symbols: Sequence[str],
    engine: str,
    reasons: Sequence[str] = (),
) -> UnresolvedSymbolsError:
    """Return the error for a function that uses symbols the engine does not define.

    Args:
        code: The source text of the function.
        owner: The tool, prompt or server that the function belongs to.
        symbols: The undefined symbols.
        engine: The name and version of the engine.
        reasons: Problems that occurred while loading the paclet's packages.
    """
    reason_text = "".join(f"; {reason}" for reason in reasons)
    return UnresolvedSymbolsError(
        f"The {owner} is the Wolfram Language function {_shorten_code(code)}, but {engine} does "
        f"not define {', '.join(symbols)}{reason_text}",
        hint="check the files of the paclet's Kernel extension, or use another engine from "
        "paddock engines",
    )


def _shorten_code(code: str) -> str:
    return code if len(code) <= MAX_CODE_CHARACTERS else f"{code[: MAX_CODE_CHARACTERS - 1]}…"
