"""Static search of Wolfram code for symbols that neither the engine nor a package defines.

The Wolfram Language leaves calls to undefined functions unevaluated, so an engine would not report
an error. The search finds such functions before the call.
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
    """Return the symbols in Wolfram Language code that have no definition.

    Only names of called functions and qualified names such as ``Charts`Plot`` are checked, because
    any other name may be a variable.

    Args:
        code: The source text.
        is_system: Returns whether the engine defines a built-in symbol with this name.
        is_defined: Returns whether the symbol with this qualified name is defined.
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
    """Return whether a symbol in code needs a definition but does not have one.

    A symbol that is neither called nor qualified with a context may be a variable, which does not
    need a definition.

    Args:
        name: The name of the symbol, such as ``Plot`` or ``Charts`Plot``.
        is_system: Returns whether the engine defines a built-in symbol with this name.
        is_defined: Returns whether the symbol with this qualified name is defined.
        is_called: True if the code calls the symbol as a function.
    """
    if name.startswith(SYSTEM_CONTEXT):
        return not is_system(name.removeprefix(SYSTEM_CONTEXT))
    if "`" in name:
        return not is_defined(name)
    return is_called and not is_system(name)


def _iterate_symbols(expression: Expression) -> Iterator[tuple[str, bool]]:
    """Yield the name of each symbol in an expression, and True if it is called as a function.

    For example, `f[x] + 1` gives `("f", True)` and `("x", False)`. The symbol `Plus`, which the
    operator implies, is omitted.
    """
    if isinstance(expression, Atom):
        if expression.kind == "symbol":
            yield expression.text, True  # a bare symbol is the function to call
        return
    for part in walk(expression):
        if isinstance(part, Atom) and part.kind == "symbol":
            yield part.text, False
        elif isinstance(part, Node) and isinstance(part.head, Atom) and part.head.start >= 0:
            yield part.head.text, part.head.kind == "symbol"


def _iterate_local_names(expression: Expression) -> Iterator[str]:
    """Yield the names of the local variables in an expression.

    These are the variables of pattern arguments (`x_`), of scoping functions (`Module[{x}, …]`)
    and of loops (`Table[…, {x, 10}]`).
    """
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
