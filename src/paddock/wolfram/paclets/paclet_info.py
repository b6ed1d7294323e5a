"""`PacletInfo` files: properties and extensions with their line numbers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from paddock.errors import PaddockError
from paddock.wolfram.expressions import Atom, Node, has_head
from paddock.wolfram.literals import DataError, UnevaluatedExpression, evaluate, parse_string
from paddock.wolfram.parser import parse

if TYPE_CHECKING:
    from pathlib import Path

    from paddock.wolfram.expressions import Expression
    from paddock.wolfram.source import ParsedSource

INFO_FILE_NAMES = ("PacletInfo.wl", "PacletInfo.m")
_PACLET_HEADS = ("PacletObject", "Paclet")
_RULE_HEADS = ("Rule", "RuleDelayed")


class PacletInfoError(PaddockError):
    """A `PacletInfo` file does not describe a paclet."""

    code = "paclet-info"


@dataclass(frozen=True, slots=True)
class DeclaredProperty:
    """The value of a property, and its line."""

    value: object
    line: int

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
    """The properties and extensions that a `PacletInfo` file declares."""

    properties: dict[str, DeclaredProperty]
    extensions: list[DeclaredExtension]

    @property
    def name(self) -> str:
        """The full name, with the publisher if any; empty if missing."""
        return self._get_text("Name")

    @property
    def version(self) -> str:
        """The version; empty if missing or not a string."""
        return self._get_text("Version")

    def _get_text(self, key: str) -> str:
        declared = self.properties.get(key)
        return (declared.text if declared else None) or ""


def find_info_file(directory: Path) -> Path | None:
    """Return the `PacletInfo` file in a directory, or None."""
    candidates = (directory / name for name in INFO_FILE_NAMES)
    return next((file for file in candidates if file.is_file()), None)


def parse_paclet_info(text: str, *, where: str | None = None) -> PacletDescription:
    """Parse the text of a `PacletInfo` file.

    Raises:
        PacletInfoError: The text does not describe a paclet.
        WolframSyntaxError: The text has a syntax error.
    """
    source = parse(text)
    source.raise_first_problem(where)
    for expression in source.expressions:
        if isinstance(expression, Node) and any(
            has_head(expression, head) for head in _PACLET_HEADS
        ):
            properties = _read_properties(source, expression.args)
            extensions = _read_extensions(source, expression.args)
            return PacletDescription(properties, extensions)
    raise PacletInfoError(
        "does not describe a paclet",
        where=where,
        hint='expected PacletObject[<| "Name" -> …, "Version" -> …, "Extensions" -> {…} |>]',
    )


def _list_rules(expressions: list[Expression]) -> list[tuple[str, Expression]]:
    """Return all rules in associations, lists and arguments as pairs of a key and a value.

    `PacletInfo` files use either associations or, in the older format, plain rules.
    """
    rules: list[tuple[str, Expression]] = []
    for expression in expressions:
        if not isinstance(expression, Node):
            continue
        if any(has_head(expression, head) for head in _RULE_HEADS) and len(expression.args) == 2:
            key = _get_key(expression.args[0])
            if key is not None:
                rules.append((key, expression.args[1]))
        elif has_head(expression, "Association") or has_head(expression, "List"):
            rules += _list_rules(expression.args)
    return rules


def _get_key(expression: Expression) -> str | None:
    if isinstance(expression, Atom) and expression.kind == "string":
        return parse_string(expression.text)
    if isinstance(expression, Atom) and expression.kind == "symbol":
        return expression.text.rpartition("`")[2]
    return None


def _read_properties(source: ParsedSource, args: list[Expression]) -> dict[str, DeclaredProperty]:
    """Return the properties of a paclet or extension by name.

    The first of several values counts.
    """
    properties: dict[str, DeclaredProperty] = {}
    for key, value in _list_rules(args):
        if key != "Extensions":
            properties.setdefault(key, _evaluate_property(source, value))
    return properties


def _evaluate_property(source: ParsedSource, expression: Expression) -> DeclaredProperty:
    try:
        value = evaluate(expression)
    # A property that is nested too deeply is invalid, but must not hide the other properties.
    except DataError:
        value = UnevaluatedExpression(expression)
    return DeclaredProperty(value, source.get_position(expression.start)[0])


def _read_extensions(source: ParsedSource, args: list[Expression]) -> list[DeclaredExtension]:
    """Return the declared extensions: lists of a kind and properties."""
    extensions: list[DeclaredExtension] = []
    for key, value in _list_rules(args):
        if key == "Extensions" and isinstance(value, Node):
            for declaration in value.args:
                if has_head(declaration, "List") and declaration.args:
                    line = source.get_position(declaration.start)[0]
                    kind = _get_key(declaration.args[0]) or ""
                    extensions.append(
                        DeclaredExtension(
                            kind, line, _read_properties(source, declaration.args[1:])
                        )
                    )
    return extensions
