"""Static search for symbols in Wolfram code that neither the engine nor a package defines.

The Wolfram Language leaves a call of an undefined function unevaluated, so an engine would report
no error. The search finds such functions before the call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.wolfram import Atom, Node, has_head, parse, walk
from paddock.wolfram.expressions import has_any_head

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from paddock.wolfram import Expression

SYSTEM_CONTEXT = "System`"
_SCOPING_HEADS = ("Module", "Block", "With", "DynamicModule", "Function")
_ITERATION_HEADS = ("Table", "Do", "Sum", "Product", "Array")


def find_unresolved_symbols(
    code: str, is_system: Callable[[str], bool], is_defined: Callable[[str], bool]
) -> list[str]:
    """Return the undefined symbols in code: qualified symbols and heads of calls.

    Other names can be variables, which need no definition.

    Args:
        code: The source text.
        is_system: Returns whether the engine defines a symbol of the context System`.
        is_defined: Returns whether a qualified symbol is defined.
    """
    source = parse(code)
    unresolved: dict[str, None] = {}
    for expression in source.expressions:
        local_names = set(_iterate_local_names(expression))
        for name, is_called in _iterate_symbols(expression):
            is_local = name in local_names
            if not is_local and _is_unresolved(name, is_system, is_defined, is_called=is_called):
                unresolved[name] = None
    return list(unresolved)


def _is_unresolved(
    name: str,
    is_system: Callable[[str], bool],
    is_defined: Callable[[str], bool],
    *,
    is_called: bool,
) -> bool:
    """Return whether a symbol is undefined.

    A symbol without a context that is not called can be a variable, which needs no definition.
    """
    if name.startswith(SYSTEM_CONTEXT):
        return not is_system(name.removeprefix(SYSTEM_CONTEXT))
    if "`" in name:
        return not is_defined(name)
    return is_called and not is_system(name)


def _iterate_symbols(expression: Expression) -> Iterator[tuple[str, bool]]:
    """Yield each symbol with True if it is called. Heads implied by operators are omitted."""
    if isinstance(expression, Atom):
        if expression.kind == "symbol":
            yield expression.text, True  # a symbol alone is the function to call
        return
    for part in walk(expression):
        if isinstance(part, Atom) and part.kind == "symbol":
            yield part.text, False
        elif isinstance(part, Node) and isinstance(part.head, Atom) and part.head.start >= 0:
            yield part.head.text, part.head.kind == "symbol"


def _iterate_local_names(expression: Expression) -> Iterator[str]:
    """Yield the names of local variables and pattern variables."""
    for part in walk(expression):
        if not isinstance(part, Node) or not part.args:
            continue
        if has_head(part, "Pattern") and isinstance(part.args[0], Atom):
            yield part.args[0].text
        elif has_any_head(part, _SCOPING_HEADS):
            yield from _iterate_variables(part.args[0])
        elif has_any_head(part, _ITERATION_HEADS):
            for iterator in part.args[1:]:
                if has_head(iterator, "List"):
                    yield from _iterate_variables(iterator)


def _iterate_variables(variables: Expression) -> Iterator[str]:
    """Yield the names in a list of variables, such as `{x, y = 1}`, or of a single variable."""
    for variable in variables.args if has_head(variables, "List") else [variables]:
        name = variable.args[0] if has_head(variable, "Set") and variable.args else variable
        if isinstance(name, Atom) and name.kind == "symbol":
            yield name.text
