"""The engine `none`: what is left when there is no engine.

Literal values are worked out by `paddock.wolfram`, in the server's own process, because nothing is
run. Everything else is answered with how to get an engine.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from paddock.kernels.engine import Capability, Language
from paddock.kernels.kernel import (
    STATE_TIMEOUT_SECONDS,
    EvaluationOutput,
    EvaluationResult,
    ignore_progress,
    never_cancelled,
)
from paddock.version import __version__
from paddock.wolfram import (
    Atom,
    DataError,
    Node,
    UnevaluatedExpression,
    WolframSyntaxError,
    evaluate,
    format_real,
    has_head,
    input_form,
    parse_number,
    parse_strict,
    string,
    walk,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.kernels.kernel import EvaluationLimits
    from paddock.wolfram import Expression

LITERAL_INSTALL_HINT = "it is always there"
NO_ENGINE_MESSAGE = (
    "Paddock::engine: Only literal values can be worked out, because there is no Wolfram Language "
    "engine here. Install one with: pip install 'paddock[wolfram]' (woxi), or pip install "
    "'paddock[mathics]' (Mathics3), or install the Wolfram Engine; paddock engines says more"
)
_CONTAINERS = ("List", "Association", "Rule")
_MAX_DEPTH = 200


@dataclass(frozen=True, slots=True)
class LiteralEngine:
    """The engine that knows literal values only."""

    name: str = "none"
    title: str = "No engine"
    language: Language = "wolfram"
    version: str = __version__
    licence: str = "MIT, part of Paddock"
    location: str = "built in"
    install_hint: str = LITERAL_INSTALL_HINT
    capabilities: frozenset[Capability] = frozenset({"state", "rollback", "many"})

    def start(self, limits: EvaluationLimits) -> LiteralKernel:
        """A kernel without a process."""
        return LiteralKernel(has_network=limits.network)


class LiteralKernel:
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
        limits: EvaluationLimits,
        *,
        is_cancelled: Callable[[], bool] = never_cancelled,
        on_wait: Callable[[float], None] = ignore_progress,
    ) -> EvaluationResult:
        """Work out one literal expression."""
        began = time.monotonic()
        try:
            expressions = parse_strict(code)
            value = _evaluate_literal(expressions[-1]) if expressions else None
        except (WolframSyntaxError, DataError) as error:
            return EvaluationResult(
                "failed", outputs=(EvaluationOutput("message", text=f"Syntax::sntx: {error}"),)
            )
        if value is None:
            return EvaluationResult(
                "failed", outputs=(EvaluationOutput("message", text=NO_ENGINE_MESSAGE),)
            )
        return EvaluationResult("done", input_form(value), seconds=time.monotonic() - began)

    def state(
        self,
        *,
        seconds: float = STATE_TIMEOUT_SECONDS,
        is_cancelled: Callable[[], bool] = never_cancelled,
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


def _evaluate_literal(expression: Expression, depth: int = 0) -> Expression | None:
    """An expression that is worked out, or nothing when it is not literal."""
    if depth > _MAX_DEPTH:
        raise DataError(f"The data is nested more than {_MAX_DEPTH} deep")
    if isinstance(expression, Node) and any(has_head(expression, one) for one in _CONTAINERS):
        parts = [_evaluate_literal(arg, depth + 1) for arg in expression.args]
        known = [part for part in parts if part is not None]
        return Node(expression.head, known) if len(known) == len(parts) else None
    value = evaluate(expression)
    if isinstance(value, UnevaluatedExpression):
        return None
    if isinstance(expression, Atom):
        return expression
    if isinstance(value, str):
        return string(value)
    return _make_number(value, expression)


def _make_number(value: object, expression: Expression) -> Expression | None:
    """A number that was worked out; a fraction of whole numbers stays exact, which it is not."""
    if isinstance(value, int):
        return Atom("number", str(value))
    if not isinstance(value, float) or not any(map(_is_real_number, walk(expression))):
        return None
    return Atom("number", format_real(repr(value)))


def _is_real_number(expression: Expression) -> bool:
    return isinstance(expression, Atom) and isinstance(parse_number(expression.text), float)
