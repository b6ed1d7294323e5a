"""What a `PacletInfo` file says, each property with the line it stands on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from paddock.errors import PaddockError
from paddock.wolfram.data import DataError, Held, evaluate
from paddock.wolfram.expressions import Atom, Node, has_head
from paddock.wolfram.parser import parse
from paddock.wolfram.text import string_value

if TYPE_CHECKING:
    from pathlib import Path

    from paddock.wolfram.expressions import Expression
    from paddock.wolfram.source import Source

INFO_NAMES = ("PacletInfo.wl", "PacletInfo.m")
_HEADS = ("PacletObject", "Paclet")
_RULES = ("Rule", "RuleDelayed")


class PacletInfoError(PaddockError):
    """A `PacletInfo` file cannot be read, or describes no paclet."""

    code = "paclet-info"


@dataclass(frozen=True, slots=True)
class Declared:
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
    properties: dict[str, Declared] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Description:
    """What a paclet says about itself."""

    properties: dict[str, Declared]
    extensions: list[DeclaredExtension]

    @property
    def name(self) -> str:
        """The whole name, with the publisher if it has one; empty when it is not said."""
        return self._text("Name")

    @property
    def version(self) -> str:
        """The version; empty when it is not said, or is no text."""
        return self._text("Version")

    def _text(self, key: str) -> str:
        found = self.properties.get(key)
        return (found.text if found else None) or ""


def find_info_file(directory: Path) -> Path | None:
    """The `PacletInfo` file of a directory."""
    places = (directory / name for name in INFO_NAMES)
    return next((place for place in places if place.is_file()), None)


def read_description(text: str, *, where: str | None = None) -> Description:
    """What the text of a `PacletInfo` file says.

    Raises:
        PacletInfoError: when it describes no paclet.
        WolframSyntaxError: when it cannot be read.
    """
    source = parse(text)
    source.check(where)
    for expression in source.expressions:
        if isinstance(expression, Node) and any(has_head(expression, head) for head in _HEADS):
            properties = _properties(source, expression.args)
            extensions = _extensions(source, expression.args)
            return Description(properties, extensions)
    raise PacletInfoError(
        "does not describe a paclet",
        where=where,
        hint='expected PacletObject[<| "Name" -> …, "Version" -> …, "Extensions" -> {…} |>]',
    )


def _rules(expressions: list[Expression]) -> list[tuple[str, Expression]]:
    """The rules in an association, a list or a row of arguments, by their keys."""
    found: list[tuple[str, Expression]] = []
    for one in expressions:
        if not isinstance(one, Node):
            continue
        if any(has_head(one, head) for head in _RULES) and len(one.args) == 2:
            key = _key(one.args[0])
            if key is not None:
                found.append((key, one.args[1]))
        elif has_head(one, "Association") or has_head(one, "List"):
            found += _rules(one.args)
    return found


def _key(expression: Expression) -> str | None:
    if isinstance(expression, Atom) and expression.kind == "string":
        return string_value(expression.text)
    if isinstance(expression, Atom) and expression.kind == "symbol":
        return expression.text.rpartition("`")[2]
    return None


def _properties(source: Source, args: list[Expression]) -> dict[str, Declared]:
    found: dict[str, Declared] = {}
    for key, value in _rules(args):
        if key != "Extensions":
            found.setdefault(key, _declared(source, value))
    return found


def _declared(source: Source, expression: Expression) -> Declared:
    try:
        value = evaluate(expression)
    except DataError:
        value = Held(expression)
    return Declared(value, source.position(expression.start)[0])


def _extensions(source: Source, args: list[Expression]) -> list[DeclaredExtension]:
    found: list[DeclaredExtension] = []
    for key, value in _rules(args):
        if key == "Extensions" and isinstance(value, Node):
            for one in value.args:
                if isinstance(one, Node) and has_head(one, "List") and one.args:
                    line = source.position(one.start)[0]
                    kind = _key(one.args[0]) or ""
                    found.append(DeclaredExtension(kind, line, _properties(source, one.args[1:])))
    return found
