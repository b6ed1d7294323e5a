"""Usages: the cases of a symbol, each with its syntax and what it does.

They are written as a list in markdown: a back-ticked syntax, then a description, with variables
between asterisks.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from paddock.wolfram.expressions import Atom, Node, call
from paddock.wolfram.notebooks.boxing import boxes
from paddock.wolfram.notebooks.encoding import literal
from paddock.wolfram.notebooks.spans import spans
from paddock.wolfram.reference_pages.failures import EmptyUsageError, InvalidUsageFormatError
from paddock.wolfram.reference_pages.prose import (
    inline_formula,
    link,
    page_pieces,
    text_data,
    variable,
)
from paddock.wolfram.text import string_value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paddock.wolfram.expressions import Expression

_BULLET = re.compile(r"\s*[-*](?:\s+|(?=`))")
_SYNTAX = re.compile(r"(`+)(.+?)(?<!`)\1(?!`)", re.DOTALL)
_DASH = re.compile(r"\s*[-\N{EN DASH}\N{EM DASH}]+\s+")
_MARKED = re.compile(r"(?<![\w)\]}*])\*([^\W\d][\w$]*)\*(?![\w(\[{*])")
_HINT = "write each case on a line of its own: - `f[x]` does something with *x*."


class Case(NamedTuple):
    """One case of a usage."""

    syntax: str
    description: str
    variables: frozenset[str]
    """The names that are marked in it."""


def read_usage(text: str) -> list[Case]:
    """The cases of a usage.

    Raises:
        EmptyUsageError: when there is nothing.
        InvalidUsageFormatError: when there is something else than cases.
    """
    if not text.strip():
        raise EmptyUsageError("The usage is empty", hint=_HINT)
    items: list[str] = []
    for line in text.splitlines():
        bullet = _BULLET.match(line)
        if bullet is not None:
            items.append(line[bullet.end() :])
        elif line.strip():
            if not items:
                raise InvalidUsageFormatError(
                    f"The usage begins with {line.strip()!r}, which is no case", hint=_HINT
                )
            items[-1] += f" {line.strip()}"
    return [_case(item) for item in items]


def _case(item: str) -> Case:
    found = _SYNTAX.search(item)
    if found is None or not found[2].strip():
        raise InvalidUsageFormatError(
            f"The case {item.strip()!r} has no syntax between back ticks", hint=_HINT
        )
    syntax = found[2].strip()
    before, after = item[: found.start()].strip(), item[found.end() :]
    rest = _DASH.sub("", after, count=1) if _DASH.match(after) else after
    description = f"{before} {rest.strip()}".strip()
    marked = _MARKED.findall(syntax)
    marked += [run.text for run in spans(description) if run.look.is_italic and run.kind == "text"]
    return Case(_MARKED.sub(r"\1", syntax), description, frozenset(marked))


def usage_content(cases: Sequence[Case], symbol: str, uri: str) -> str | Expression:
    """The content of the cell with the cases of a symbol whose page is at `uri`."""
    pieces: list[Expression] = []
    for case in cases:
        if pieces:
            pieces.append(literal("\n"))
        pieces.append(call("Cell", literal("   "), literal("ModInfo")))
        pieces.append(inline_formula(_linked(boxes(case.syntax), symbol, uri, case.variables)))
        if case.description:
            pieces.append(literal("\N{LINE SEPARATOR}"))
            pieces += page_pieces(case.description)
    return text_data(pieces)


def _linked(made: Expression, symbol: str, uri: str, variables: frozenset[str]) -> Expression:
    """Boxes of a syntax: the symbol leads to its page, variables are in italics."""
    if isinstance(made, Atom):
        text = string_value(made.text)
        if text == symbol:
            return link(symbol, f"paclet:{uri}")
        return variable(text) if text in variables else made
    inner = [_linked(arg, symbol, uri, variables) for arg in made.args]
    return Node(made.head, inner, form=made.form)
