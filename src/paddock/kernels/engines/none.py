"""The engine `none`: what is left when there is no engine.

Literal values are worked out by `paddock.wolfram`, in the server's own process, because nothing is
run. Everything else is answered with how to get an engine.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from paddock.kernels.engines.engine import Capability, Language
from paddock.kernels.kernel import STATE_SECONDS, ignore, never
from paddock.kernels.outcome import Outcome, Output
from paddock.version import __version__
from paddock.wolfram import (
    Atom,
    DataError,
    Held,
    Node,
    WolframSyntaxError,
    evaluate,
    has_head,
    input_form,
    number_value,
    parse_strict,
    real_text,
    string,
    walk,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.kernels.limits import Limits
    from paddock.wolfram import Expression

HOW_TO_GET = "it is always there"
REFUSAL = (
    "Paddock::engine: Only literal values can be worked out, because there is no Wolfram Language "
    "engine here. Install one with: pip install 'paddock[wolfram]' (woxi), or pip install "
    "'paddock[mathics]' (Mathics3), or install the Wolfram Engine; paddock engines says more"
)
_CONTAINERS = ("List", "Association", "Rule")
_MAX_DEPTH = 200


@dataclass(frozen=True, slots=True)
class NoEngine:
    """The engine that knows literal values only."""

    name: str = "none"
    title: str = "No engine"
    language: Language = "wolfram"
    version: str = __version__
    licence: str = "MIT, part of Paddock"
    found: str = "built in"
    how_to_get: str = HOW_TO_GET
    capabilities: frozenset[Capability] = frozenset({"state", "rollback", "many"})

    def start(self, limits: Limits) -> DataKernel:
        """A kernel without a process."""
        return DataKernel(has_network=limits.network)


class DataKernel:
    """What takes the place of a kernel: it has no state, and nothing to stop."""

    def __init__(self, *, has_network: bool = False) -> None:
        self._has_network = has_network
        self._is_closed = False

    @property
    def is_alive(self) -> bool:
        """Whether it has not been closed."""
        return not self._is_closed

    @property
    def has_network(self) -> bool:
        """What was asked for at the start; nothing here uses it."""
        return self._has_network

    def evaluate(
        self,
        code: str,
        limits: Limits,
        *,
        is_cancelled: Callable[[], bool] = never,
        on_wait: Callable[[float], None] = ignore,
    ) -> Outcome:
        """Work out one literal expression."""
        began = time.monotonic()
        try:
            expressions = parse_strict(code)
            value = _value(expressions[-1]) if expressions else None
        except (WolframSyntaxError, DataError) as error:
            return Outcome("failed", outputs=(Output("message", text=f"Syntax::sntx: {error}"),))
        if value is None:
            return Outcome("failed", outputs=(Output("message", text=REFUSAL),))
        return Outcome("done", input_form(value), seconds=time.monotonic() - began)

    def state(
        self,
        *,
        seconds: float = STATE_SECONDS,
        is_cancelled: Callable[[], bool] = never,
    ) -> bytes | None:
        """Nothing, for there is no state."""
        return b""

    def restore(self, state: bytes) -> None:
        """Take no notice."""

    def close(self) -> None:
        """Have it be gone."""
        self._is_closed = True

    def describe(self) -> dict[str, object]:
        """What it is, for people who look for a fault."""
        return {"engine": "none", "confinement": "nothing is run"}


def _value(expression: Expression, depth: int = 0) -> Expression | None:
    """An expression that is worked out, or nothing when it is not literal."""
    if depth > _MAX_DEPTH:
        raise DataError(f"The data is nested more than {_MAX_DEPTH} deep")
    if isinstance(expression, Node) and any(has_head(expression, one) for one in _CONTAINERS):
        parts = [_value(arg, depth + 1) for arg in expression.args]
        known = [part for part in parts if part is not None]
        return Node(expression.head, known) if len(known) == len(parts) else None
    value = evaluate(expression)
    if isinstance(value, Held):
        return None
    if isinstance(expression, Atom):
        return expression
    if isinstance(value, str):
        return string(value)
    return _number(value, expression)


def _number(value: object, expression: Expression) -> Expression | None:
    """A number that was worked out; a fraction of whole numbers stays exact, which it is not."""
    if isinstance(value, int):
        return Atom("number", str(value))
    if not isinstance(value, float) or not any(map(_is_real, walk(expression))):
        return None
    return Atom("number", real_text(repr(value)))


def _is_real(expression: Expression) -> bool:
    return isinstance(expression, Atom) and isinstance(number_value(expression.text), float)
