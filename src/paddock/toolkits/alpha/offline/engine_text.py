"""What an engine gives, in InputForm, as a formula that can be checked with numbers."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from paddock.toolkits.alpha.offline.formulas import CONSTANTS, FUNCTIONS, Call, Name, Number, number
from paddock.toolkits.alpha.offline.reading import VARIABLES
from paddock.wolfram import Atom, Node, WolframSyntaxError, number_value, parse_strict

if TYPE_CHECKING:
    from paddock.toolkits.alpha.offline.formulas import Formula
    from paddock.wolfram import Expression

_OPERATIONS = {"Plus": None, "Times": None, "Power": 2}
_IMAGINARY = Call("Power", (number(-1), number(Fraction(1, 2))))


class UnknownFormError(ValueError):
    """An engine has given something that we cannot check."""


def read_result(text: str) -> Formula:
    """The formula that a result is.

    Raises:
        UnknownFormError: when it is none that we know, such as one that is not evaluated.
    """
    return _formula(_expression(text))


def read_solutions(text: str, name: str) -> list[Formula]:
    """The values of one variable in a list of solutions.

    Raises:
        UnknownFormError: when it is no such list.
    """
    found = _expression(text)
    return [_formula(_value(solution, name)) for solution in _args(found, "List")]


def _value(solution: Expression, name: str) -> Expression:
    rules = _args(solution, "List")
    sides = _args(rules[0], "Rule") if len(rules) == 1 else []
    variable = sides[0] if sides else None
    if not (isinstance(variable, Atom) and variable.text == name):
        raise UnknownFormError("no rule for the variable")
    return sides[1]


def _expression(text: str) -> Expression:
    try:
        found = parse_strict(text)
    except (WolframSyntaxError, RecursionError) as error:
        raise UnknownFormError(str(error)) from None
    if len(found) != 1:
        raise UnknownFormError("not one expression")
    return found[0]


def _args(expression: Expression, head: str) -> list[Expression]:
    if not isinstance(expression, Node) or _head(expression) != head:
        raise UnknownFormError(f"no {head}")
    return list(expression.args)


def _head(node: Node) -> str:
    return node.head.text if isinstance(node.head, Atom) else ""


def _formula(expression: Expression) -> Formula:
    if isinstance(expression, Atom):
        return _atom(expression)
    if not isinstance(expression, Node):
        raise UnknownFormError("neither atom nor node")
    head, args = _head(expression), tuple(_formula(arg) for arg in expression.args)
    if head == "Rational" and all(isinstance(arg, Number) for arg in args):
        return Call("Times", (args[0], Call("Power", (args[1], number(-1)))))
    if head == "Log" and len(args) == len(("base", "of")):
        inverse = Call("Power", (Call("Log", args[:1]), number(-1)))
        return Call("Times", (Call("Log", args[1:]), inverse))
    count = _OPERATIONS.get(head, 1)
    if (head not in _OPERATIONS and head not in FUNCTIONS) or count not in (None, len(args)):
        raise UnknownFormError(f"{head} of {len(args)}")
    return Call(head, args)


def _atom(atom: Atom) -> Formula:
    if atom.kind == "number":
        value = number_value(atom.text)
        if isinstance(value, int):
            return number(value)
    if atom.text in CONSTANTS or atom.text in VARIABLES:
        return Name(atom.text)
    if atom.text == "I":
        return _IMAGINARY
    raise UnknownFormError(atom.text)
