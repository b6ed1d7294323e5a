"""`PacletInfo` files: properties and extensions with their line numbers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from paddock.errors import PaddockError
from paddock.wolfram.expressions import Atom, Node, has_any_head, has_head, is_atom
from paddock.wolfram.literals import DataError, UnevaluatedExpression, evaluate, parse_string
from paddock.wolfram.parser import parse

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from paddock.wolfram.expressions import Expression
    from paddock.wolfram.source import ParsedSource

INFO_FILE_NAMES = ("PacletInfo.wl", "PacletInfo.m")
_PACLET_HEADS = ("PacletObject", "Paclet")


class PacletInfoError(PaddockError):
    """A `PacletInfo` file does not describe a paclet."""

    code = "paclet-info"


@dataclass(frozen=True, slots=True)
class DeclaredProperty:
    """A property of a paclet or an extension, such as `"Version" -> "1.0"`."""

    value: object
    """The value as Python data, or an `UnevaluatedExpression`."""
    line: int
    """The line number of the value in the `PacletInfo` file."""

    @property
    def text(self) -> str | None:
        """The value if it is a string, otherwise None."""
        return self.value if isinstance(self.value, str) else None


@dataclass(frozen=True, slots=True)
class DeclaredExtension:
    """An extension: its kind, line and properties."""

    kind: str
    line: int
    properties: dict[str, DeclaredProperty] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PacletDescription:
    """The contents of a `PacletInfo` file, which describes a Wolfram Language package."""

    properties: dict[str, DeclaredProperty]
    """The properties of the paclet by name, such as `Version`."""
    extensions: list[DeclaredExtension]

    @property
    def name(self) -> str:
        """The name, with the publisher if it has one, or an empty string if it is missing."""
        return self._get_text("Name")

    @property
    def version(self) -> str:
        """The version, or an empty string if it is missing or not a string."""
        return self._get_text("Version")

    def _get_text(self, key: str) -> str:
        declared = self.properties.get(key)
        if declared is None or declared.text is None:
            return ""
        return declared.text


def find_info_file(directory: Path) -> Path | None:
    """Return the `PacletInfo` file in a directory, or None."""
    candidates = (directory / name for name in INFO_FILE_NAMES)
    return next((file for file in candidates if file.is_file()), None)


def parse_paclet_info(text: str, *, where: str | None = None) -> PacletDescription:
    """Parse the text of a `PacletInfo` file, which describes a paclet.

    Args:
        text: The text of the file.
        where: The file name to show in errors.

    Raises:
        PacletInfoError: The text does not describe a paclet.
        WolframSyntaxError: The text has a syntax error.
    """
    source = parse(text)
    source.raise_first_problem(where)
    for expression in source.expressions:
        if has_any_head(expression, _PACLET_HEADS):
            return PacletDescription(
                _read_properties(source, expression.args),
                list(_iter_extensions(source, expression.args)),
            )
    raise PacletInfoError(
        "does not describe a paclet",
        where=where,
        hint='expected PacletObject[<| "Name" -> …, "Version" -> …, "Extensions" -> {…} |>]',
    )


def _iter_rules(expressions: list[Expression]) -> Iterator[tuple[str, Expression]]:
    """Yield the key and the value of each rule, including rules in associations and lists.

    `PacletInfo` files contain an association, `PacletObject[<|"Name" -> "A"|>]`, or plain rules in
    the older format, `Paclet[Name -> "A"]`.
    """
    for expression in expressions:
        match expression:
            case Node(head=Atom(text="Rule" | "RuleDelayed"), args=[key, value]):
                if is_atom(key, "string") or is_atom(key, "symbol"):
                    yield _get_name(key), value
            case Node(head=Atom(text="Association" | "List"), args=items):
                yield from _iter_rules(items)


def _get_name(expression: Expression) -> str:
    """Return a string's value or a symbol's short name, otherwise an empty string."""
    if is_atom(expression, "string"):
        return parse_string(expression.text)
    return expression.text.rpartition("`")[2] if is_atom(expression, "symbol") else ""


def _read_properties(source: ParsedSource, args: list[Expression]) -> dict[str, DeclaredProperty]:
    """Return the properties declared in the arguments of a paclet or an extension, by name.

    If a property is declared more than once, the first declaration is used.
    """
    properties: dict[str, DeclaredProperty] = {}
    for name, expression in _iter_rules(args):
        if name == "Extensions" or name in properties:
            continue
        try:
            value = evaluate(expression)
        # A value that is nested too deeply is invalid, but must not hide the other properties.
        except DataError:
            value = UnevaluatedExpression(expression)
        properties[name] = DeclaredProperty(value, _get_line(source, expression))
    return properties


def _iter_extensions(source: ParsedSource, args: list[Expression]) -> Iterator[DeclaredExtension]:
    """Yield the extensions that a paclet declares.

    Each one is a list that starts with the kind of the extension, followed by its properties:
    ``{"Kernel", "Root" -> "Kernel", "Context" -> "A`"}``.
    """
    for name, value in _iter_rules(args):
        if name != "Extensions" or not isinstance(value, Node):
            continue
        for declaration in value.args:
            if has_head(declaration, "List") and declaration.args:
                kind, *rules = declaration.args
                line = _get_line(source, declaration)
                yield DeclaredExtension(_get_name(kind), line, _read_properties(source, rules))


def _get_line(source: ParsedSource, expression: Expression) -> int:
    return source.get_position(expression.start)[0]
