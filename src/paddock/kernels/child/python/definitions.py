"""Source texts of the functions and classes that a session has defined.

Pickle stores functions and classes by reference only, so a restored session executes their source
again. Only definitions without side effects are recorded: no calls in defaults, and no unknown
decorators.
"""

from __future__ import annotations

import _ast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_SAFE_DECORATORS = frozenset(
    {
        "abstractmethod", "asynccontextmanager", "cache", "cached_property", "classmethod",
        "contextmanager", "dataclass", "final", "lru_cache", "njit", "jit", "overload", "override",
        "property", "runtime_checkable", "setter", "singledispatch", "staticmethod",
        "total_ordering", "unique", "wraps",
    }
)  # fmt: skip
_SAFE_CALLS = frozenset({"NamedTuple", "TypeVar", "auto", "field", "namedtuple"})
"""Functions that may be called in a class body."""


class PythonDefinition:
    """A defined object and its source text."""

    def __init__(self, value: object, text: str) -> None:
        self.value = value
        self.text = text


class PythonDefinitions:
    """Source texts of the functions and classes that a session has defined.

    They are saved with the session, because pickle stores functions and classes only by reference.
    Only the latest definition of each name is kept, and the definitions are in order of execution.
    """

    def __init__(self) -> None:
        self._definitions: dict[str, PythonDefinition] = {}

    def record(self, statements: list[Any], names: dict[str, Any], code: str) -> None:
        """Record the functions and classes that a cell defined, with their source texts.

        Args:
            statements: The parsed statements of the cell, which has already been executed.
            names: The session's global names and their values.
            code: The source text of the cell.
        """
        lines: list[str] | None = None
        for statement in statements:
            name = _get_defined_name(statement)
            if name is None or name not in names:
                continue
            lines = code.splitlines() if lines is None else lines
            text = "\n".join(lines[_get_first_line(statement) - 1 : statement.end_lineno])
            self.add(name, names[name], text)

    def add(self, name: str, value: object, text: str) -> None:
        """Add a definition at the end, removing any earlier one with the same name."""
        self._definitions.pop(name, None)  # moves the name to the end
        self._definitions[name] = PythonDefinition(value, text)

    def get_current(self, names: dict[str, Any]) -> dict[str, str]:
        """Return the source texts of all definitions that are still valid, keyed by name.

        A definition is no longer valid if its name was deleted or assigned another value.
        """
        return {
            name: definition.text
            for name, definition in self._definitions.items()
            if names.get(name) is definition.value
        }


def _get_defined_name(statement: Any) -> str | None:
    """Return the name of the function, class or lambda that a statement defines.

    Returns None for other statements, and for definitions that may have side effects, because a
    restored session executes the recorded definitions again.
    """
    # A statement after a semicolon shares its line with another statement, so the recorded lines
    # would contain both.
    if statement.col_offset != 0:
        return None
    if isinstance(statement, (_ast.FunctionDef, _ast.AsyncFunctionDef, _ast.ClassDef)):
        name: str = statement.name
        return name if _is_pure_definition(statement) else None
    if isinstance(statement, _ast.Assign) and isinstance(statement.value, _ast.Lambda):
        target = statement.targets[0]
        if len(statement.targets) == 1 and isinstance(target, _ast.Name):
            return target.id if _has_pure_defaults(statement.value.args) else None
    return None


def _is_pure_definition(statement: Any) -> bool:
    """Return whether a definition can be executed again without side effects.

    This is the condition for recording the source text of a function or class. The statements in a
    class body are checked in the same way.
    """
    if isinstance(statement, (_ast.FunctionDef, _ast.AsyncFunctionDef)):
        return _has_pure_defaults(statement.args) and all(
            map(_is_safe_decorator, statement.decorator_list)
        )
    if isinstance(statement, _ast.ClassDef):
        return (
            all(map(_is_pure_expression, statement.bases))
            and all(_is_pure_expression(keyword.value) for keyword in statement.keywords)
            and all(map(_is_safe_decorator, statement.decorator_list))
            and all(map(_is_pure_definition, statement.body))
        )
    if isinstance(statement, (_ast.Assign, _ast.AnnAssign)):
        return statement.value is None or _is_pure_expression(statement.value)
    return isinstance(statement, (_ast.Pass, _ast.Expr)) and _is_pure_expression(
        getattr(statement, "value", None)
    )


def _has_pure_defaults(arguments: Any) -> bool:
    return all(map(_is_pure_expression, [*arguments.defaults, *arguments.kw_defaults]))


def _is_safe_decorator(decorator: Any) -> bool:
    function = decorator.func if isinstance(decorator, _ast.Call) else decorator
    return _get_last_name(function) in _SAFE_DECORATORS


def _is_pure_expression(expression: Any) -> bool:
    """Return whether an expression can be evaluated without side effects."""
    if expression is None or isinstance(expression, (_ast.Constant, _ast.Name, _ast.Lambda)):
        return True
    # A call may do anything, so only functions that are known to be harmless are accepted.
    if isinstance(expression, _ast.Call):
        parts = [*expression.args, *(keyword.value for keyword in expression.keywords)]
        return _get_last_name(expression.func) in _SAFE_CALLS and all(
            map(_is_pure_expression, parts)
        )
    if isinstance(expression, (_ast.Tuple, _ast.List, _ast.Set)):
        return all(map(_is_pure_expression, expression.elts))
    if isinstance(expression, _ast.Dict):
        return all(map(_is_pure_expression, [*expression.keys, *expression.values]))
    return isinstance(
        expression, (_ast.Attribute, _ast.Subscript, _ast.UnaryOp, _ast.BinOp)
    ) and all(
        _is_pure_expression(part)
        for part in (getattr(expression, field) for field in expression._fields)
        if isinstance(part, _ast.expr)
    )


def _get_last_name(expression: Any) -> str:
    if isinstance(expression, _ast.Name):
        return expression.id
    return expression.attr if isinstance(expression, _ast.Attribute) else ""


def _get_first_line(statement: Any) -> int:
    lines: list[int] = [statement.lineno]
    lines += [decorator.lineno for decorator in getattr(statement, "decorator_list", ())]
    return min(lines)
