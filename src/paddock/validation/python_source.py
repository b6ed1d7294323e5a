"""Python files looked at without running them: whether they can be read, and what they define."""

from __future__ import annotations

import ast
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_DYNAMIC_ATTRIBUTE_HOOK = "__getattr__"


class PythonSource:
    """What a Python file says at its top level.

    Raises:
        SyntaxError: when it is no Python.
    """

    def __init__(self, text: str) -> None:
        try:
            self._body = ast.parse(text).body
        except (ValueError, RecursionError, MemoryError) as error:
            raise SyntaxError(str(error) or "nested too deeply") from None
        self._names = set(_iter_bound_names(self._body))
        self._text = text

    @property
    def has_dynamic_names(self) -> bool:
        """Whether it may define names that cannot be seen."""
        return "*" in self._names or _DYNAMIC_ATTRIBUTE_HOOK in self._names

    def has_string(self, text: str) -> bool:
        """Whether a text stands somewhere as such, and so may be the name of what is defined."""
        if text not in self._text:
            return False
        everything = (node for one in self._body for node in ast.walk(one))
        return any(isinstance(node, ast.Constant) and node.value == text for node in everything)

    @property
    def has_foreign_imports(self) -> bool:
        """Whether it imports names from elsewhere than Paddock and Python: they may be anything."""
        known = ("paddock", *sys.stdlib_module_names)
        return any(
            isinstance(one, ast.ImportFrom) and (one.module or "").partition(".")[0] not in known
            for one in self._body
        )

    def can_define(self, name: str) -> bool:
        """Whether a name is, or may be, defined."""
        return name in self._names or self.has_dynamic_names

    @property
    def public_names(self) -> set[str]:
        """Those names that do not begin with an underscore."""
        return {one for one in self._names if not one.startswith("_")}


def _iter_bound_names(statements: list[ast.stmt]) -> Iterator[str]:
    """The names that statements bind, also inside of `if`, `try`, `with` and loops."""
    for statement in statements:
        match statement:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield name
            case ast.ClassDef(name=name):
                yield name
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                yield from (one.asname or one.name.partition(".")[0] for one in names)
            case _:
                yield from _iter_nested_names(statement)


def _iter_nested_names(statement: ast.stmt) -> Iterator[str]:
    for node in ast.iter_child_nodes(statement):
        if isinstance(node, ast.stmt):
            yield from _iter_bound_names([node])
        elif isinstance(node, ast.ExceptHandler | ast.match_case):
            yield from _iter_bound_names(node.body)
        else:
            yield from (
                one.id
                for one in ast.walk(node)
                if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
            )
