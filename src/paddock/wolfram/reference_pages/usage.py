"""Usages: the cases of a symbol, each with its syntax and what it does.

They are written as a list in markdown: a back-ticked syntax, then a description, with variables
between asterisks.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from paddock.wolfram.expressions import Atom, Node, call
from paddock.wolfram.notebooks.boxing import code_to_boxes
from paddock.wolfram.notebooks.encoding import ascii_string
from paddock.wolfram.notebooks.spans import parse_inline
from paddock.wolfram.reference_pages.failures import EmptyUsageError, InvalidUsageFormatError
from paddock.wolfram.reference_pages.prose import (
    make_inline_formula,
    make_link,
    make_page_pieces,
    make_text_data,
    make_variable,
)
from paddock.wolfram.text import parse_string

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paddock.wolfram.expressions import Expression

_CASE_BULLET = re.compile(r"\s*[-*](?:\s+|(?=`))")
_SYNTAX_SPAN = re.compile(r"(`+)(.+?)(?<!`)\1(?!`)", re.DOTALL)
_LEADING_DASH = re.compile(r"\s*[-\N{EN DASH}\N{EM DASH}]+\s+")
_VARIABLE_MARK = re.compile(r"(?<![\w)\]}*])\*([^\W\d][\w$]*)\*(?![\w(\[{*])")
_USAGE_HINT = "write each case on a line of its own: - `f[x]` does something with *x*."


class UsageCase(NamedTuple):
    """One case of a usage."""

    syntax: str
    description: str
    variables: frozenset[str]
    """The names that are marked in it."""


def parse_usage(text: str) -> list[UsageCase]:
    """The cases of a usage.

    Raises:
        EmptyUsageError: when there is nothing.
        InvalidUsageFormatError: when there is something else than cases.
    """
    if not text.strip():
        raise EmptyUsageError("The usage is empty", hint=_USAGE_HINT)
    items: list[str] = []
    for line in text.splitlines():
        bullet = _CASE_BULLET.match(line)
        if bullet is not None:
            items.append(line[bullet.end() :])
        elif line.strip():
            if not items:
                raise InvalidUsageFormatError(
                    f"The usage begins with {line.strip()!r}, which is no case", hint=_USAGE_HINT
                )
            items[-1] += f" {line.strip()}"
    return [_parse_case(item) for item in items]


def _parse_case(item: str) -> UsageCase:
    found = _SYNTAX_SPAN.search(item)
    if found is None or not found[2].strip():
        raise InvalidUsageFormatError(
            f"The case {item.strip()!r} has no syntax between back ticks", hint=_USAGE_HINT
        )
    syntax = found[2].strip()
    before, after = item[: found.start()].strip(), item[found.end() :]
    rest = _LEADING_DASH.sub("", after, count=1) if _LEADING_DASH.match(after) else after
    description = f"{before} {rest.strip()}".strip()
    marked = _VARIABLE_MARK.findall(syntax)
    marked += [run.text for run in parse_inline(description) if run.style.is_italic and run.kind == "text"]
    return UsageCase(_VARIABLE_MARK.sub(r"\1", syntax), description, frozenset(marked))


def make_usage_content(cases: Sequence[UsageCase], symbol: str, uri: str) -> str | Expression:
    """The content of the cell with the cases of a symbol whose page is at `uri`."""
    pieces: list[Expression] = []
    for case in cases:
        if pieces:
            pieces.append(ascii_string("\n"))
        pieces.append(call("Cell", ascii_string("   "), ascii_string("ModInfo")))
        pieces.append(make_inline_formula(_link_syntax(code_to_boxes(case.syntax), symbol, uri, case.variables)))
        if case.description:
            pieces.append(ascii_string("\N{LINE SEPARATOR}"))
            pieces += make_page_pieces(case.description)
    return make_text_data(pieces)


def _link_syntax(made: Expression, symbol: str, uri: str, variables: frozenset[str]) -> Expression:
    """Boxes of a syntax: the symbol leads to its page, variables are in italics."""
    if isinstance(made, Atom):
        text = parse_string(made.text)
        if text == symbol:
            return make_link(symbol, f"paclet:{uri}")
        return make_variable(text) if text in variables else made
    inner = [_link_syntax(arg, symbol, uri, variables) for arg in made.args]
    return Node(made.head, inner, form=made.form)
