"""Examples: markdown in which code is evaluated, as cells, and as markdown with its outputs.

Groups of examples are separated by rules. Evaluating is left to whoever calls.

Usages: the cases of a symbol, each with its syntax and what it does.

They are written as a list in markdown: a back-ticked syntax, then a description, with variables
between asterisks.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from paddock.wolfram.expressions import Atom, Expression, Node, call
from paddock.wolfram.literals import parse_string
from paddock.wolfram.notebooks.block_parser import parse_blocks
from paddock.wolfram.notebooks.box_builder import code_to_boxes
from paddock.wolfram.notebooks.character_encoding import ascii_string
from paddock.wolfram.notebooks.inline_parser import parse_inline
from paddock.wolfram.notebooks.model import Cell, CellGroup
from paddock.wolfram.notebooks.tex_parser import tex_to_boxes
from paddock.wolfram.notebooks.text_data import make_traditional_form
from paddock.wolfram.parser import parse
from paddock.wolfram.reference_pages.errors import EmptyUsageError, InvalidUsageFormatError
from paddock.wolfram.reference_pages.prose import (
    make_inline_formula,
    make_link,
    make_page_content,
    make_page_pieces,
    make_text_data,
    make_variable,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from paddock.wolfram.notebooks.block_parser import MarkdownBlock


OUTPUT_FENCE_LANGUAGE = "wl-output"
"""The language of a fence with the output of the code before it."""
EXAMPLE_DELIMITER_STYLE = "ExampleDelimiter"
_RESET_LINE_CODE = "$Line = 0; Null"
_FENCE_TICKS = re.compile(r"^[ \t]*(`{3,})", re.MULTILINE)


@dataclass(slots=True)
class ExampleCode:
    """Code in an example."""

    text: str
    output: str | None = None
    """What it gives in InputForm, if that is known and worth showing."""


@dataclass(slots=True)
class ExampleText:
    """Words between pieces of code."""

    markdown: str
    content: str | Expression
    style: str = "ExampleText"


@dataclass(slots=True)
class Example:
    """What stands between two rules."""

    parts: list[ExampleText | ExampleCode] = field(default_factory=list)

    @property
    def code_parts(self) -> list[ExampleCode]:
        """The pieces of code in order."""
        return [part for part in self.parts if isinstance(part, ExampleCode)]


def parse_examples(markdown: str) -> list[Example]:
    """The examples in a text; those without anything in them are left out."""
    examples = [Example()]
    for block in parse_blocks(markdown):
        if block.kind == "rule":
            examples.append(Example())
        else:
            _add_block(examples[-1], block)
    return [example for example in examples if example.parts]


def _add_block(example: Example, block: MarkdownBlock) -> None:
    if block.kind == "fence":
        last = example.parts[-1] if example.parts else None
        if (
            block.info == OUTPUT_FENCE_LANGUAGE
            and isinstance(last, ExampleCode)
            and last.output is None
        ):
            last.output = block.text.strip("\n")
        elif block.text.strip():
            example.parts.append(ExampleCode(block.text.strip("\n")))
    elif block.kind == "formula":
        made = tex_to_boxes(block.text)
        written = f"$${block.text}$$"
        content = written if made is None else make_traditional_form(made)
        example.parts.append(ExampleText(written, content))
    elif block.kind == "table":
        example.parts += _table_to_parts(block)
    elif block.text:
        example.parts.append(ExampleText(block.text, make_page_content(block.text)))


def _table_to_parts(block: MarkdownBlock) -> list[ExampleText | ExampleCode]:
    """Rows as lines: such pages have no tables among their examples."""
    rows = [" | ".join(row) for row in block.rows]
    return [ExampleText(row, make_page_content(row)) for row in rows if row.strip(" |")]


def make_example_cells(example: Example) -> Iterator[Cell | CellGroup]:
    """The cells of an example; lines are counted anew in each."""
    number = 0
    for part in example.parts:
        if isinstance(part, ExampleText):
            yield Cell(part.content, part.style)
            continue
        number += 1
        made = Cell(call("BoxData", code_to_boxes(part.text)), "Input", CellLabel=f"In[{number}]:=")
        if part.output is None:
            yield made
            continue
        result = call("BoxData", code_to_boxes(part.output))
        output = Cell(result, "Output", CellLabel=f"Out[{number}]=")
        yield CellGroup([made, output])


def make_delimiter() -> Cell:
    """The line between two examples, which has lines counted anew when it is evaluated."""
    return Cell(make_line_reset("\t", EXAMPLE_DELIMITER_STYLE), EXAMPLE_DELIMITER_STYLE)


def make_line_reset(title: str | Expression, style: str) -> Node:
    """The content of a heading, or line, after which lines are counted anew."""
    shown = ascii_string(title) if isinstance(title, str) else title
    inner = call("Cell", shown, ascii_string(style)) if isinstance(shown, Atom) else shown
    return call("BoxData", call("InterpretationBox", inner, parse(_RESET_LINE_CODE).expressions[0]))


def examples_to_markdown(examples: list[Example]) -> str:
    """What examples say, with their outputs, as the author could have written it."""
    return "\n\n---\n\n".join("\n\n".join(_example_to_markdown(example)) for example in examples)


def _example_to_markdown(example: Example) -> Iterator[str]:
    for part in example.parts:
        if isinstance(part, ExampleText):
            yield part.markdown
            continue
        yield _fence_code("wl", part.text)
        if part.output is not None:
            yield _fence_code(OUTPUT_FENCE_LANGUAGE, part.output)


def _fence_code(language: str, text: str) -> str:
    longest = max((len(found[1]) for found in _FENCE_TICKS.finditer(text)), default=0)
    ticks = "`" * max(3, longest + 1)
    return f"{ticks}{language}\n{text}\n{ticks}"


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
    marked += [
        run.text for run in parse_inline(description) if run.style.is_italic and run.kind == "text"
    ]
    return UsageCase(_VARIABLE_MARK.sub(r"\1", syntax), description, frozenset(marked))


def make_usage_content(cases: Sequence[UsageCase], symbol: str, uri: str) -> str | Expression:
    """The content of the cell with the cases of a symbol whose page is at `uri`."""
    pieces: list[Expression] = []
    for case in cases:
        if pieces:
            pieces.append(ascii_string("\n"))
        pieces.append(call("Cell", ascii_string("   "), ascii_string("ModInfo")))
        pieces.append(
            make_inline_formula(
                _link_syntax(code_to_boxes(case.syntax), symbol, uri, case.variables)
            )
        )
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
