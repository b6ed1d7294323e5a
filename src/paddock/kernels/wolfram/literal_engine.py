"""The engine `none`, which evaluates only literal values.

It is used if no other engine is installed. `paddock.wolfram` evaluates literal values in the server
process, because no user code runs. Other code results in instructions for installing an engine.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from paddock.kernels.engine import Engine
from paddock.kernels.kernel import (
    STATE_TIMEOUT_SECONDS,
    EvaluationOutput,
    EvaluationResult,
    Kernel,
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
    from paddock.kernels.kernel import CancelCheck, EvaluationControl, EvaluationLimits
    from paddock.wolfram import Expression

NO_ENGINE_MESSAGE = (
    "Paddock::engine: Only literal values can be evaluated, because no Wolfram Language engine is "
    "installed. Install one with: pip install 'paddock[wolfram]' (woxi), or pip install "
    "'paddock[mathics]' (Mathics3), or install the Wolfram Engine; paddock engines says more"
)
_CONTAINERS = ("List", "Association", "Rule")
_MAX_DEPTH = 200


class LiteralKernel(Kernel):
    """Kernel of the engine `none`. It has no process and no state."""

    def __init__(self, *, has_network: bool = False) -> None:
        self.has_network = has_network
        self._is_closed = False

    @property
    def is_alive(self) -> bool:
        """Whether the kernel has not been closed."""
        return not self._is_closed

    def _evaluate(
        self, code: str, limits: EvaluationLimits, control: EvaluationControl
    ) -> EvaluationResult:
        """Return the value of a literal expression, such as a number or a list of strings.

        Other expressions fail with a message, because no engine is installed.
        """
        started_at = time.monotonic()
        try:
            expressions = parse_strict(code)
            value = _evaluate_literal(expressions[-1]) if expressions else None
        except (WolframSyntaxError, DataError) as error:
            value, message = None, f"Syntax::sntx: {error}"
        else:
            message = NO_ENGINE_MESSAGE
        if value is None:
            return EvaluationResult("failed", outputs=(EvaluationOutput("message", message),))
        return EvaluationResult("done", input_form(value), seconds=time.monotonic() - started_at)

    def dump_state(
        self,
        seconds: float = STATE_TIMEOUT_SECONDS,
        is_cancelled: CancelCheck = never_cancelled,
    ) -> bytes:
        """Return an empty state."""
        return b""

    def restore(self, state: bytes) -> str:
        """Do nothing, because there is no state."""
        return ""

    def close(self) -> None:
        """Mark the kernel as closed."""
        self._is_closed = True

    def describe(self) -> dict[str, object]:
        """Return diagnostic data."""
        return {"engine": "none", "confinement": "nothing is run"}


def _evaluate_literal(expression: Expression, depth: int = 0) -> Expression | None:
    """Return the value of a literal expression, or None for other expressions.

    Args:
        expression: The expression.
        depth: The nesting depth, which is limited to prevent a stack overflow in Python.

    Raises:
        DataError: The data is nested too deeply.
    """
    if depth > _MAX_DEPTH:
        raise DataError(f"The data is nested more than {_MAX_DEPTH} levels deep")
    if isinstance(expression, Node) and any(has_head(expression, head) for head in _CONTAINERS):
        values = [_evaluate_literal(arg, depth + 1) for arg in expression.args]
        literals = [value for value in values if value is not None]
        return Node(expression.head, literals) if len(literals) == len(values) else None
    value = evaluate(expression)
    if isinstance(value, UnevaluatedExpression):
        return None
    if isinstance(expression, Atom):
        return expression
    if isinstance(value, str):
        return string(value)
    return _make_number(value, expression)


def _make_number(value: object, expression: Expression) -> Expression | None:
    """Return a number, or None for a fraction of integers, whose float value would be inexact."""
    if isinstance(value, int):
        return Atom("number", str(value))
    if not isinstance(value, float) or not any(map(_is_real_number, walk(expression))):
        return None
    return Atom("number", format_real(repr(value)))


def _is_real_number(expression: Expression) -> bool:
    return isinstance(expression, Atom) and isinstance(parse_number(expression.text), float)


LITERAL_ENGINE = Engine(
    name="none",
    title="No engine",
    language="wolfram",
    licence="MIT, part of Paddock",
    install_hint="always available",
    capabilities=frozenset({"state", "rollback", "many"}),
    start=lambda limits: LiteralKernel(has_network=limits.network),
    version=__version__,
    location="built in",
)
