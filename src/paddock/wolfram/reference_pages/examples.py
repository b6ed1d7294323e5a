"""Examples: markdown in which code is evaluated, as cells, and as markdown with its outputs.

Groups of examples are separated by rules. Evaluating is left to whoever calls.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from paddock.wolfram.expressions import Atom, Expression, Node, call
from paddock.wolfram.notebooks.blocks import blocks
from paddock.wolfram.notebooks.boxing import boxes
from paddock.wolfram.notebooks.encoding import literal
from paddock.wolfram.notebooks.model import Cell, Group
from paddock.wolfram.notebooks.tex_reading import tex_to_boxes
from paddock.wolfram.notebooks.text_data import traditional
from paddock.wolfram.parser import parse
from paddock.wolfram.reference_pages.prose import page_content

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.wolfram.notebooks.blocks import Block

OUTPUT_FENCE = "wl-output"
"""The language of a fence with the output of the code before it."""
DELIMITER = "ExampleDelimiter"
_NEW_LINE = "$Line = 0; Null"
_TICKS = re.compile(r"^[ \t]*(`{3,})", re.MULTILINE)


@dataclass(slots=True)
class Code:
    """Code in an example."""

    text: str
    output: str | None = None
    """What it gives in InputForm, if that is known and worth showing."""


@dataclass(slots=True)
class Text:
    """Words between pieces of code."""

    markdown: str
    content: str | Expression
    style: str = "ExampleText"


@dataclass(slots=True)
class Example:
    """What stands between two rules."""

    parts: list[Text | Code] = field(default_factory=list)

    @property
    def codes(self) -> list[Code]:
        """The pieces of code in order."""
        return [part for part in self.parts if isinstance(part, Code)]


def read_examples(markdown: str) -> list[Example]:
    """The examples in a text; those without anything in them are left out."""
    examples = [Example()]
    for block in blocks(markdown):
        if block.kind == "rule":
            examples.append(Example())
        else:
            _add(examples[-1], block)
    return [example for example in examples if example.parts]


def _add(example: Example, block: Block) -> None:
    if block.kind == "fence":
        last = example.parts[-1] if example.parts else None
        if block.info == OUTPUT_FENCE and isinstance(last, Code) and last.output is None:
            last.output = block.text.strip("\n")
        elif block.text.strip():
            example.parts.append(Code(block.text.strip("\n")))
    elif block.kind == "formula":
        made = tex_to_boxes(block.text)
        written = f"$${block.text}$$"
        content = written if made is None else traditional(made)
        example.parts.append(Text(written, content))
    elif block.kind == "table":
        example.parts += _table(block)
    elif block.text:
        example.parts.append(Text(block.text, page_content(block.text)))


def _table(block: Block) -> list[Text | Code]:
    """Rows as lines: such pages have no tables among their examples."""
    rows = [" | ".join(row) for row in block.rows]
    return [Text(row, page_content(row)) for row in rows if row.strip(" |")]


def example_cells(example: Example) -> Iterator[Cell | Group]:
    """The cells of an example; lines are counted anew in each."""
    number = 0
    for part in example.parts:
        if isinstance(part, Text):
            yield Cell(part.content, part.style)
            continue
        number += 1
        made = Cell(call("BoxData", boxes(part.text)), "Input", CellLabel=f"In[{number}]:=")
        if part.output is None:
            yield made
            continue
        result = call("BoxData", boxes(part.output))
        output = Cell(result, "Output", CellLabel=f"Out[{number}]=")
        yield Group([made, output])


def delimiter() -> Cell:
    """The line between two examples, which has lines counted anew when it is evaluated."""
    return Cell(restarting("\t", DELIMITER), DELIMITER)


def restarting(title: str | Expression, style: str) -> Node:
    """The content of a heading, or line, after which lines are counted anew."""
    shown = literal(title) if isinstance(title, str) else title
    inner = call("Cell", shown, literal(style)) if isinstance(shown, Atom) else shown
    return call("BoxData", call("InterpretationBox", inner, parse(_NEW_LINE).expressions[0]))


def examples_markdown(examples: list[Example]) -> str:
    """What examples say, with their outputs, as the author could have written it."""
    return "\n\n---\n\n".join("\n\n".join(_written(example)) for example in examples)


def _written(example: Example) -> Iterator[str]:
    for part in example.parts:
        if isinstance(part, Text):
            yield part.markdown
            continue
        yield _fenced("wl", part.text)
        if part.output is not None:
            yield _fenced(OUTPUT_FENCE, part.output)


def _fenced(language: str, text: str) -> str:
    longest = max((len(found[1]) for found in _TICKS.finditer(text)), default=0)
    ticks = "`" * max(3, longest + 1)
    return f"{ticks}{language}\n{text}\n{ticks}"
