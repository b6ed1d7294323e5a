"""Which symbols in code mean nothing to an engine, as far as can be told without running it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.wolfram import Atom, Node, has_head, is_symbol, parse, walk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from paddock.wolfram import Expression

SYSTEM_CONTEXT = "System`"
_SCOPING_HEADS = ("Module", "Block", "With", "DynamicModule", "Function")
_ITERATION_HEADS = ("Table", "Do", "Sum", "Product", "Array")


def find_unresolved_symbols(
    code: str, is_system: Callable[[str], bool], is_defined: Callable[[str], bool]
) -> list[str]:
    """The symbols that nobody defines: qualified ones, and functions that are called.

    Other names may be variables, which need no definition. `is_defined` is asked about full names.
    """
    source = parse(code)
    found: dict[str, None] = {}
    for expression in source.expressions:
        local = set(_iterate_local_names(expression))
        for name, is_called in _iterate_symbols(expression):
            if name in local or not _is_unresolved(
                name, is_system, is_defined, is_called=is_called
            ):
                continue
            found[name] = None
    return list(found)


def _is_unresolved(
    name: str,
    is_system: Callable[[str], bool],
    is_defined: Callable[[str], bool],
    *,
    is_called: bool,
) -> bool:
    if name.startswith(SYSTEM_CONTEXT):
        return not is_system(name.removeprefix(SYSTEM_CONTEXT))
    if "`" in name:
        return not is_defined(name)
    return is_called and not is_system(name)


def _iterate_symbols(expression: Expression) -> Iterator[tuple[str, bool]]:
    """All symbols, and whether each is called; not those that operators stand for."""
    if isinstance(expression, Atom):
        if expression.kind == "symbol":
            yield expression.text, True  # all of the code: it is the function
        return
    for part in walk(expression):
        if isinstance(part, Atom) and part.kind == "symbol":
            yield part.text, False
        elif isinstance(part, Node) and isinstance(part.head, Atom) and part.head.start >= 0:
            yield part.head.text, part.head.kind == "symbol"


def _iterate_local_names(expression: Expression) -> Iterator[str]:
    """The names of local variables and of patterns."""
    for part in walk(expression):
        if not isinstance(part, Node) or not part.args:
            continue
        if has_head(part, "Pattern") and isinstance(part.args[0], Atom):
            yield part.args[0].text
        elif any(has_head(part, head) for head in _SCOPING_HEADS):
            yield from _iterate_variables(part.args[0])
        elif any(has_head(part, head) for head in _ITERATION_HEADS):
            for iterator in part.args[1:]:
                if has_head(iterator, "List"):
                    yield from _iterate_variables(iterator)


def _iterate_variables(listed: Expression) -> Iterator[str]:
    for one in (
        listed.args if isinstance(listed, Node) and is_symbol(listed.head, "List") else [listed]
    ):
        name = one.args[0] if isinstance(one, Node) and has_head(one, "Set") and one.args else one
        if isinstance(name, Atom) and name.kind == "symbol":
            yield name.text
