"""Examples: markdown in which code is evaluated, as cells, and as markdown with its outputs.

Groups of examples are separated by rules. Evaluating is left to whoever calls.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from paddock.wolfram.expressions import Atom, Expression, Node, call
from paddock.wolfram.notebooks.blocks import parse_blocks
from paddock.wolfram.notebooks.boxing import code_to_boxes
from paddock.wolfram.notebooks.encoding import ascii_string
from paddock.wolfram.notebooks.model import Cell, CellGroup
from paddock.wolfram.notebooks.tex_reading import tex_to_boxes
from paddock.wolfram.notebooks.text_data import make_traditional_form
from paddock.wolfram.parser import parse
from paddock.wolfram.reference_pages.prose import make_page_content

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.wolfram.notebooks.blocks import MarkdownBlock

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
        if block.info == OUTPUT_FENCE_LANGUAGE and isinstance(last, ExampleCode) and last.output is None:
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
