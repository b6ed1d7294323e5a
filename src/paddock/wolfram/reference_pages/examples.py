"""Examples and usage of a symbol: parse their Markdown and convert it to cells.

Examples are Markdown with code fences, separated by rules. A usage is a Markdown list of cases: the
syntax in backticks, then a description with variables in asterisks. The caller evaluates the code.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from paddock.reports.text import format_code_block
from paddock.wolfram.expressions import Atom, Expression, Node, call
from paddock.wolfram.literals import parse_string
from paddock.wolfram.notebooks.block_parser import parse_blocks
from paddock.wolfram.notebooks.box_builder import code_to_boxes
from paddock.wolfram.notebooks.character_encoding import ascii_string
from paddock.wolfram.notebooks.inline_parser import parse_inline
from paddock.wolfram.notebooks.model import Cell, CellGroup
from paddock.wolfram.parser import parse
from paddock.wolfram.reference_pages.errors import EmptyUsageError, InvalidUsageFormatError
from paddock.wolfram.reference_pages.prose import (
    make_formula_content,
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
"""Language of a fence that contains the output of the preceding code."""
EXAMPLE_DELIMITER_STYLE = "ExampleDelimiter"
_RESET_LINE_CODE = "$Line = 0; Null"
_CASE_BULLET = re.compile(r"\s*[-*](?:\s+|(?=`))")
_SYNTAX_SPAN = re.compile(r"(`+)(.+?)(?<!`)\1(?!`)", re.DOTALL)
_LEADING_DASH = re.compile(r"\s*[-\N{EN DASH}\N{EM DASH}]+\s+")
_VARIABLE_MARK = re.compile(r"(?<![\w)\]}*])\*([^\W\d][\w$]*)\*(?![\w(\[{*])")
_USAGE_HINT = "write one case per line: - `f[x]` does something with *x*."


@dataclass(slots=True)
class ExampleCode:
    """Code in an example."""

    text: str
    output: str | None = None
    """The output in InputForm, if it is known and worth showing."""


@dataclass(slots=True)
class ExampleText:
    """Text between code in an example."""

    markdown: str
    content: str | Expression


@dataclass(slots=True)
class Example:
    """One example on a reference page: pieces of text and code in order."""

    parts: list[ExampleText | ExampleCode] = field(default_factory=list)

    @property
    def code_parts(self) -> list[ExampleCode]:
        """The pieces of code, without the text between them."""
        return [part for part in self.parts if isinstance(part, ExampleCode)]


def parse_examples(markdown: str) -> list[Example]:
    """Return the examples in a Markdown text, separated by horizontal rules.

    Examples without content are omitted.
    """
    examples = [Example()]
    for block in parse_blocks(markdown):
        if block.kind == "rule":
            examples.append(Example())
        else:
            _add_block(examples[-1], block)
    return [example for example in examples if example.parts]


def _add_block(example: Example, block: MarkdownBlock) -> None:
    """Add a Markdown block to an example as code, output or text.

    A code fence with the language `wl-output` is the output of the code before it. Without such
    code, it is treated as code.
    """
    parts = example.parts
    match block.kind:
        case "fence":
            code = block.text.strip("\n")
            previous_part = parts[-1] if parts else None
            is_output = block.info == OUTPUT_FENCE_LANGUAGE
            if (
                is_output
                and isinstance(previous_part, ExampleCode)
                and previous_part.output is None
            ):
                previous_part.output = code
            elif code.strip():
                parts.append(ExampleCode(code))
        case "formula":
            parts.append(ExampleText(f"$${block.text}$$", make_formula_content(block.text)))
        case "table":
            # The style sheet for reference pages does not define tables for examples.
            rows = [" | ".join(row) for row in block.rows]
            parts += (ExampleText(row, make_page_content(row)) for row in rows if row.strip(" |"))
        case _ if block.text:
            parts.append(ExampleText(block.text, make_page_content(block.text)))


def make_example_cells(example: Example) -> Iterator[Cell | CellGroup]:
    """Yield the notebook cells of an example: text, input cells, and groups with an output.

    The labels `In[1]:=` and so on start from 1 in each example, as in a new session.
    """
    number = 0
    for part in example.parts:
        if isinstance(part, ExampleText):
            yield Cell(part.content, "ExampleText")
            continue
        number += 1
        input_boxes = call("BoxData", code_to_boxes(part.text))
        input_cell = Cell(input_boxes, "Input", CellLabel=f"In[{number}]:=")
        if part.output is None:
            yield input_cell
            continue
        output_boxes = call("BoxData", code_to_boxes(part.output))
        output_cell = Cell(output_boxes, "Output", CellLabel=f"Out[{number}]=")
        yield CellGroup([input_cell, output_cell])


def make_delimiter() -> Cell:
    """Return the delimiter between examples, which resets the line number when evaluated."""
    return Cell(make_line_reset("\t", EXAMPLE_DELIMITER_STYLE), EXAMPLE_DELIMITER_STYLE)


def make_line_reset(title: str, style: str) -> Node:
    """Return heading content that resets the line number when evaluated."""
    cell = call("Cell", ascii_string(title), ascii_string(style))
    return call("BoxData", call("InterpretationBox", cell, parse(_RESET_LINE_CODE).expressions[0]))


def examples_to_markdown(examples: list[Example]) -> str:
    """Return the Markdown source of examples, including their outputs."""
    return "\n\n---\n\n".join("\n\n".join(_example_to_markdown(example)) for example in examples)


def _example_to_markdown(example: Example) -> Iterator[str]:
    """Yield the Markdown blocks of an example: paragraphs of text, and fences for code.

    An output gets its own fence after its code.
    """
    for part in example.parts:
        if isinstance(part, ExampleText):
            yield part.markdown
            continue
        yield format_code_block(part.text, "wl")
        if part.output is not None:
            yield format_code_block(part.output, OUTPUT_FENCE_LANGUAGE)


class UsageCase(NamedTuple):
    """One case of a usage."""

    syntax: str
    description: str
    variables: frozenset[str]
    """Names marked as variables in the syntax or description."""


def parse_usage(text: str) -> list[UsageCase]:
    """Return the cases in a usage, the Markdown that describes the syntax of a symbol.

    Each case is a list item, such as ``- `f[x]` adds two to *x*.`` A line without a bullet
    continues the previous case.

    Raises:
        EmptyUsageError: The text is empty.
        InvalidUsageFormatError: The text does not consist of cases.
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
                    f"Expected a case at the beginning of the usage, found {line.strip()!r}",
                    hint=_USAGE_HINT,
                )
            items[-1] += f" {line.strip()}"
    return [_parse_case(item) for item in items]


def _parse_case(item: str) -> UsageCase:
    """Parse one case of a usage, such as ``"`f[x]` adds two to *x*."``.

    The case contains syntax in backticks, and a description before or after it. Names in italics,
    in the syntax or in the description, are the variables of the case.
    """
    match = _SYNTAX_SPAN.search(item)
    if match is None or not match[2].strip():
        raise InvalidUsageFormatError(
            f"The case {item.strip()!r} has no syntax in backticks", hint=_USAGE_HINT
        )
    syntax = match[2].strip()
    before, after = item[: match.start()].strip(), item[match.end() :]
    # A dash between the syntax and the description is not part of the text.
    text_after = _LEADING_DASH.sub("", after, count=1) if _LEADING_DASH.match(after) else after
    description = f"{before} {text_after.strip()}".strip()
    variables = _VARIABLE_MARK.findall(syntax)
    variables += [
        run.text
        for run in parse_inline(description)
        if "italic" in run.style.emphasis and run.kind == "text"
    ]
    return UsageCase(_VARIABLE_MARK.sub(r"\1", syntax), description, frozenset(variables))


def make_usage_content(cases: Sequence[UsageCase], symbol: str, uri: str) -> str | Expression:
    """Return the content of the usage cell on a symbol's reference page.

    Args:
        cases: The cases of the usage.
        symbol: The name of the symbol, which becomes a link in the syntax.
        uri: The URI of its page, without `paclet:`.
    """
    pieces: list[Expression] = []
    for case in cases:
        if pieces:
            pieces.append(ascii_string("\n"))
        pieces.append(call("Cell", ascii_string("   "), ascii_string("ModInfo")))
        syntax = _link_syntax(code_to_boxes(case.syntax), symbol, uri, case.variables)
        pieces.append(make_inline_formula(syntax))
        if case.description:
            pieces.append(ascii_string("\N{LINE SEPARATOR}"))
            pieces += make_page_pieces(case.description)
    return make_text_data(pieces)


def _link_syntax(boxes: Expression, symbol: str, uri: str, variables: frozenset[str]) -> Expression:
    """Return the boxes of a usage's syntax, with a link for the symbol and variables in italics.

    Boxes are the notebook format for typeset expressions.
    """
    if isinstance(boxes, Atom):
        text = parse_string(boxes.text)
        if text == symbol:
            return make_link(symbol, f"paclet:{uri}")
        return make_variable(text) if text in variables else boxes
    inner_boxes = [_link_syntax(arg, symbol, uri, variables) for arg in boxes.args]
    return Node(boxes.head, inner_boxes, form=boxes.form)
