"""Depth costs memory, and never the interpreter's stack; hostile texts cost time in proportion."""

import pytest

from paddock.wolfram.notebooks import (
    markdown_to_notebook,
    notebook_to_markdown,
    read_notebook,
    write_notebook,
)
from tests.unit.wolfram.notebooks.conversions import through_a_file

LEVELS = 20_000
SIGNS = 4_000
BOXES = {
    "rows": ("RowBox[{", "}]"),
    "powers": ('SuperscriptBox["x", ', "]"),
    "quotients": ('FractionBox["a", ', "]"),
    "roots": ("SqrtBox[", "]"),
    "styles": ("StyleBox[", "]"),
    "cells": ("Cell[BoxData[", "]]"),
    "grids": ("GridBox[{{", "}}]"),
    "dynamic": ("DynamicModuleBox[{}, ", "]"),
}
CELLS = [
    'Cell[BoxData[{}], "Input"]',
    'Cell[TextData[{}], "Text"]',
    'Cell[BoxData[FormBox[{}, TraditionalForm]], "DisplayFormula"]',
    'Cell[TextData[{{Cell[BoxData[FormBox[{}, TraditionalForm]]]}}], "Text"]',
]
HOSTILE = {
    "quotes": ">" * SIGNS + " a",
    "items": "* " * SIGNS + "a",
    "nested items": "\n".join("\t" * level + "* a" for level in range(300)),
    "brackets": "[" * SIGNS,
    "links": "[a](" * SIGNS,
    "stars": "*a " * SIGNS,
    "two kinds": "_a *b " * SIGNS,
    "bold": "**" * SIGNS + "a" + "**" * SIGNS,
    "pictures": "![[" * SIGNS,
    "dollars": "$a " * SIGNS,
    "braces": "$" + "{" * SIGNS + "}" * SIGNS + "$",
    "escapes": "\\" * SIGNS,
    "code": "```wl\n" + "f[" * SIGNS + "]" * SIGNS + "\n```",
    "ticks": "`a ``b " * SIGNS,
}


@pytest.mark.parametrize("cell", CELLS)
@pytest.mark.parametrize("kind", BOXES)
def test_boxes_may_be_nested_deeply(kind: str, cell: str) -> None:
    begin, end = BOXES[kind]
    inner = begin * LEVELS + '"y"' + end * LEVELS
    notebook = read_notebook(f"Notebook[{{{cell.format(inner)}}}]")
    assert notebook_to_markdown(notebook).text
    assert write_notebook(notebook)


def test_groups_may_be_nested_deeply() -> None:
    begin, end = "Cell[CellGroupData[{" * LEVELS, "}, Open]]" * LEVELS
    notebook = read_notebook(f'Notebook[{{{begin}Cell["a", "Text"]{end}}}]')
    assert notebook_to_markdown(notebook).text == "a\n"
    assert read_notebook(write_notebook(notebook)).problems == []


@pytest.mark.parametrize("kind", HOSTILE)
def test_markdown_may_be_nested_deeply(kind: str) -> None:
    once = through_a_file(HOSTILE[kind])
    assert through_a_file(once) == once


def test_deeper_headings_and_items_than_there_are_become_the_deepest() -> None:
    cells = list(markdown_to_notebook("###### a\n\n* b\n\t* c\n\t\t* d\n\t\t\t* e\n"))
    assert [cell.style for cell in cells] == [
        *("Subsubsubsubsection", "Item", "Subitem", "Subsubitem", "Subsubitem"),
    ]
