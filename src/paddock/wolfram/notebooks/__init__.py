"""Reads and writes `.nb` notebook files, and converts between notebooks and Markdown.

`read_notebook` and `write_notebook` handle files. `notebook_to_markdown` and `markdown_to_notebook`
convert notebooks. `Notebook`, `CellGroup` and `Cell` represent a notebook, and `code_to_boxes` and
`boxes_to_text` convert between code and boxes. Nothing is evaluated, and no front end is needed.
"""

from paddock.wolfram.notebooks.box_builder import code_to_boxes
from paddock.wolfram.notebooks.box_text import boxes_to_text
from paddock.wolfram.notebooks.cell_images import CellImage
from paddock.wolfram.notebooks.from_markdown import markdown_to_notebook
from paddock.wolfram.notebooks.model import Cell, CellGroup, Notebook, NotebookError
from paddock.wolfram.notebooks.nb_format import read_notebook, write_notebook
from paddock.wolfram.notebooks.to_markdown import NotebookMarkdown, notebook_to_markdown

__all__ = [
    "Cell",
    "CellGroup",
    "CellImage",
    "Notebook",
    "NotebookError",
    "NotebookMarkdown",
    "boxes_to_text",
    "code_to_boxes",
    "markdown_to_notebook",
    "notebook_to_markdown",
    "read_notebook",
    "write_notebook",
]
