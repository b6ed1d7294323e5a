"""Ways through a notebook file and back, which the tests of this directory share."""

from paddock.wolfram.notebooks import (
    Cell,
    Notebook,
    markdown_to_notebook,
    notebook_to_markdown,
    read_notebook,
    write_notebook,
)

NO_LIMIT = 10**9


def saved(notebook: Notebook) -> Notebook:
    """A notebook after it was written to a file and read again."""
    return read_notebook(write_notebook(notebook))


def to_markdown(*cells: Cell) -> str:
    """The markdown of cells."""
    return notebook_to_markdown(saved(Notebook(cells))).text


def through_a_file(markdown: str) -> str:
    """Markdown that was a notebook file in between."""
    notebook = saved(markdown_to_notebook(markdown))
    return notebook_to_markdown(notebook, output_limit=NO_LIMIT, cell_limit=NO_LIMIT).text
