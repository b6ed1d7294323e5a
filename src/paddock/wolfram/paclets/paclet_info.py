"""What a `PacletInfo` file says, each property with the line it stands on."""

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
    """A `PacletInfo` file cannot be read, or describes no paclet."""

    code = "paclet-info"


@dataclass(frozen=True, slots=True)
class DeclaredProperty:
    """Something that a description says, and on which line."""

    value: object
    line: int

    @property
    def text(self) -> str | None:
        """The value, if it is text."""
        return self.value if isinstance(self.value, str) else None


@dataclass(frozen=True, slots=True)
class DeclaredExtension:
    """One extension: what kind it is, and its properties."""

    kind: str
    line: int
    properties: dict[str, DeclaredProperty] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PacletDescription:
    """What a paclet says about itself."""

    properties: dict[str, DeclaredProperty]
    extensions: list[DeclaredExtension]

    @property
    def name(self) -> str:
        """The whole name, with the publisher if it has one; empty when it is not said."""
        return self._get_text("Name")

    @property
    def version(self) -> str:
        """The version; empty when it is not said, or is no text."""
        return self._get_text("Version")

    def _get_text(self, key: str) -> str:
        found = self.properties.get(key)
        return (found.text if found else None) or ""


def find_info_file(directory: Path) -> Path | None:
    """The `PacletInfo` file of a directory."""
    places = (directory / name for name in INFO_FILE_NAMES)
    return next((place for place in places if place.is_file()), None)


def parse_paclet_info(text: str, *, where: str | None = None) -> PacletDescription:
    """What the text of a `PacletInfo` file says.

    Raises:
        PacletInfoError: when it describes no paclet.
        WolframSyntaxError: when it cannot be read.
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
    """The rules in an association, a list or a row of arguments, by their keys."""
    found: list[tuple[str, Expression]] = []
    for one in expressions:
        if not isinstance(one, Node):
            continue
        if any(has_head(one, head) for head in _RULE_HEADS) and len(one.args) == 2:
            key = _get_key(one.args[0])
            if key is not None:
                found.append((key, one.args[1]))
        elif has_head(one, "Association") or has_head(one, "List"):
            found += _list_rules(one.args)
    return found


def _get_key(expression: Expression) -> str | None:
    if isinstance(expression, Atom) and expression.kind == "string":
        return parse_string(expression.text)
    if isinstance(expression, Atom) and expression.kind == "symbol":
        return expression.text.rpartition("`")[2]
    return None


def _read_properties(source: ParsedSource, args: list[Expression]) -> dict[str, DeclaredProperty]:
    found: dict[str, DeclaredProperty] = {}
    for key, value in _list_rules(args):
        if key != "Extensions":
            found.setdefault(key, _evaluate_property(source, value))
    return found


def _evaluate_property(source: ParsedSource, expression: Expression) -> DeclaredProperty:
    try:
        value = evaluate(expression)
    except DataError:
        value = UnevaluatedExpression(expression)
    return DeclaredProperty(value, source.get_position(expression.start)[0])


def _read_extensions(source: ParsedSource, args: list[Expression]) -> list[DeclaredExtension]:
    found: list[DeclaredExtension] = []
    for key, value in _list_rules(args):
        if key == "Extensions" and isinstance(value, Node):
            for one in value.args:
                if has_head(one, "List") and one.args:
                    line = source.get_position(one.start)[0]
                    kind = _get_key(one.args[0]) or ""
                    found.append(
                        DeclaredExtension(kind, line, _read_properties(source, one.args[1:]))
                    )
    return found
