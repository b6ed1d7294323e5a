"""What an engine gives, in InputForm, as a formula that can be checked with numbers."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from paddock.toolkits.alpha.offline.formulas import CONSTANT_VALUES, NUMERIC_FUNCTIONS, FormulaCall, FormulaName, FormulaNumber, to_number
from paddock.toolkits.alpha.offline.reading import VARIABLE_NAMES
from paddock.wolfram import Atom, Node, WolframSyntaxError, parse_number, parse_strict

if TYPE_CHECKING:
    from paddock.toolkits.alpha.offline.formulas import Formula
    from paddock.wolfram import Expression

_OPERATION_ARITIES = {"Plus": None, "Times": None, "Power": 2}
_IMAGINARY_UNIT = FormulaCall("Power", (to_number(-1), to_number(Fraction(1, 2))))


class UnknownFormError(ValueError):
    """An engine has given something that we cannot check."""


def parse_result(text: str) -> Formula:
    """The formula that a result is.

    Raises:
        UnknownFormError: when it is none that we know, such as one that is not evaluated.
    """
    return _convert_expression(_parse_expression(text))


def parse_solutions(text: str, name: str) -> list[Formula]:
    """The values of one variable in a list of solutions.

    Raises:
        UnknownFormError: when it is no such list.
    """
    found = _parse_expression(text)
    return [_convert_expression(_get_solution_value(solution, name)) for solution in _get_arguments(found, "List")]


def _get_solution_value(solution: Expression, name: str) -> Expression:
    rules = _get_arguments(solution, "List")
    sides = _get_arguments(rules[0], "Rule") if len(rules) == 1 else []
    variable = sides[0] if sides else None
    if not (isinstance(variable, Atom) and variable.text == name):
        raise UnknownFormError("no rule for the variable")
    return sides[1]


def _parse_expression(text: str) -> Expression:
    try:
        found = parse_strict(text)
    except (WolframSyntaxError, RecursionError) as error:
        raise UnknownFormError(str(error)) from None
    if len(found) != 1:
        raise UnknownFormError("not one expression")
    return found[0]


def _get_arguments(expression: Expression, head: str) -> list[Expression]:
    if not isinstance(expression, Node) or _get_head(expression) != head:
        raise UnknownFormError(f"no {head}")
    return list(expression.args)


def _get_head(node: Node) -> str:
    return node.head.text if isinstance(node.head, Atom) else ""


def _convert_expression(expression: Expression) -> Formula:
    if isinstance(expression, Atom):
        return _convert_atom(expression)
    if not isinstance(expression, Node):
        raise UnknownFormError("neither atom nor node")
    head, args = _get_head(expression), tuple(_convert_expression(arg) for arg in expression.args)
    if head == "Rational" and all(isinstance(arg, FormulaNumber) for arg in args):
        return FormulaCall("Times", (args[0], FormulaCall("Power", (args[1], to_number(-1)))))
    if head == "Log" and len(args) == len(("base", "of")):
        inverse = FormulaCall("Power", (FormulaCall("Log", args[:1]), to_number(-1)))
        return FormulaCall("Times", (FormulaCall("Log", args[1:]), inverse))
    count = _OPERATION_ARITIES.get(head, 1)
    if (head not in _OPERATION_ARITIES and head not in NUMERIC_FUNCTIONS) or count not in (None, len(args)):
        raise UnknownFormError(f"{head} of {len(args)}")
    return FormulaCall(head, args)


def _convert_atom(atom: Atom) -> Formula:
    if atom.kind == "number":
        value = parse_number(atom.text)
        if isinstance(value, int):
            return to_number(value)
    if atom.text in CONSTANT_VALUES or atom.text in VARIABLE_NAMES:
        return FormulaName(atom.text)
    if atom.text == "I":
        return _IMAGINARY_UNIT
    raise UnknownFormError(atom.text)
