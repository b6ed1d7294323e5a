"""Reading and writing Jupyter notebook files (.ipynb).

Problems with a file are returned as text that the model can act on. Only paths outside the allowed
folders raise errors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.files import read_regular_file
from paddock.protocol.content import TextContent
from paddock.toolkits.file_edits import MAX_NOTEBOOK_BYTES, write_notebook_file
from paddock.toolkits.paths import resolve_path
from paddock.toolkits.python.jupyter import (
    JupyterNotebook,
    JupyterNotebookError,
    RenderLimits,
    build_notebook,
    dump_notebook,
    parse_jupyter_notebook,
    render_notebook,
)

if TYPE_CHECKING:
    from pathlib import Path

    from paddock.authoring.context import Context
    from paddock.protocol.content import ImageContent
    from paddock.toolkits.notebooks import NotebookReadArguments, NotebookWriteArguments


def read_jupyter_file(
    arguments: NotebookReadArguments, ctx: Context
) -> list[TextContent | ImageContent]:
    """Return a Jupyter notebook file as Markdown, followed by its images.

    If the file is missing or damaged, no error is raised. The text describes the problem instead.
    """
    notebook, start = arguments.notebook, max(arguments.start, 1)
    path = resolve_path(notebook, ctx)
    if not path.exists():
        text = f"{notebook!r} is an invalid notebook specification: {path} does not exist"
        return [TextContent(f"{text}. Give the path of an existing notebook.")]
    try:
        parsed = parse_jupyter_notebook(_read_text(path))
    except (JupyterNotebookError, OSError, UnicodeDecodeError) as error:
        return [TextContent(f"{path} is not a valid notebook: {_describe_error(error)}")]
    limits = RenderLimits(
        max_output_characters=ctx.options["MaxOutputCharacters"],
        max_cell_characters=ctx.options["MaxCellCharacters"],
        max_images=ctx.options["MaxPictures"],
        max_characters=ctx.options["MaxCharacters"],
    )
    if start > max(len(parsed.cells), 1):
        return [TextContent(f"The notebook has only {len(parsed.cells)} cells.")]
    rendered = render_notebook(parsed, limits, start)
    return [TextContent(rendered.text or "The notebook is empty.\n"), *rendered.images]


def write_jupyter_file(arguments: NotebookWriteArguments, ctx: Context) -> str:
    """Write a Jupyter notebook and return its path, or a message if it cannot be written.

    If `overwrite` is True and the notebook exists, the new cells are merged with the previous ones
    so that unchanged cells keep their outputs.
    """

    def build(previous_data: bytes | None) -> bytes:
        previous_text, previous = _parse_previous_notebook(previous_data)
        return dump_notebook(build_notebook(arguments.markdown, previous), previous_text).encode()

    return write_notebook_file(arguments, ctx, build)


def _parse_previous_notebook(data: bytes | None) -> tuple[str, JupyterNotebook | None]:
    """Return the text of the file to replace, and the notebook in it.

    The result is `("", None)` if there is no file (`data` is None) or the file is not a notebook,
    because such a file is replaced as if it were new.
    """
    if data is None:
        return "", None
    try:
        text = data.decode("utf-8")
        return text, parse_jupyter_notebook(text)
    except (JupyterNotebookError, UnicodeDecodeError):
        return "", None


def _read_text(path: Path) -> str:
    return read_regular_file(path, MAX_NOTEBOOK_BYTES).decode("utf-8")


def _describe_error(error: Exception) -> str:
    if isinstance(error, UnicodeDecodeError):
        return f"it is not UTF-8: byte {error.start} is {error.object[error.start]:#04x}"
    return str(getattr(error, "strerror", None) or error)
