"""Notebooks: reading and writing `.nb` files, and markdown both ways, without a front end.

`read_notebook` and `write_notebook` are for files, `notebook_to_markdown` and
`markdown_to_notebook` for people and models; `Cell`, `Group` and `Notebook` are what a notebook is
made of; `boxes` and `boxes_to_text` turn code into boxes and back. Nothing is evaluated.
"""

from paddock.wolfram.notebooks.box_builder import code_to_boxes
from paddock.wolfram.notebooks.box_text import boxes_to_text
from paddock.wolfram.notebooks.cell_images import CellImage
from paddock.wolfram.notebooks.from_markdown import markdown_to_notebook
from paddock.wolfram.notebooks.model import Cell, CellGroup, Notebook, NotebookError
from paddock.wolfram.notebooks.reader import read_notebook
from paddock.wolfram.notebooks.to_markdown import NotebookMarkdown, notebook_to_markdown
from paddock.wolfram.notebooks.writer import write_notebook

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
