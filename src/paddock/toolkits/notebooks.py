"""Declarations of the tools `ReadNotebook` and `WriteNotebook`.

The suffix of the file decides between Jupyter and Wolfram notebooks.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from paddock.authoring.context import Context
from paddock.authoring.tool import Tool
from paddock.authoring.tool_option import Option
from paddock.protocol.content import ImageContent, TextContent
from paddock.toolkits.paths import ALLOWED_FOLDERS_OPTION, ALLOWED_FOLDERS_OPTION_NAME

_PositiveInt = Annotated[int, Meta(ge=1)]
_JUPYTER_SUFFIX = ".ipynb"


def read_notebook(notebook: str, ctx: Context, start: int = 1) -> list[TextContent | ImageContent]:
    """Read a Wolfram notebook (.nb) or a Jupyter notebook (.ipynb) as Markdown.

    Keeps headings, text, lists, code with its saved results, tables and formulas. Nothing is
    evaluated.

    Args:
        notebook: The path of the notebook file. Relative paths start at the client's first root.
        start: The first cell to show of a long Jupyter notebook, counted from 1.
    """
    if _is_jupyter_path(notebook):
        from paddock.toolkits.python import notebook_files as jupyter_files

        return jupyter_files.read_jupyter_file(notebook, ctx, max(start, 1))
    from paddock.toolkits.wolfram import notebook_files as wolfram_files

    return wolfram_files.read_wolfram_file(notebook, ctx)


def write_notebook(
    file: str,
    markdown: str,
    ctx: Context,
    overwrite: bool = False,
) -> str:
    """Create a Wolfram notebook (.nb) or a Jupyter notebook (.ipynb) from Markdown.

    Headings become sections, fenced `wl` blocks input cells, lists items, tables grids, and `$…$`
    formulas. In a Jupyter notebook, fenced blocks in its language become code cells and all other
    text Markdown cells; when a notebook is replaced, unchanged cells keep their outputs, and
    changed ones their id, metadata and attachments. Returns the path of the file. Nothing is
    evaluated.

    Args:
        file: The path of the notebook file to write, ending in .nb or .ipynb.
        markdown: The content of the notebook.
        overwrite: Whether to replace an existing file.
    """
    if _is_jupyter_path(file):
        from paddock.toolkits.python import notebook_files as jupyter_files

        return jupyter_files.write_jupyter_file(file, markdown, ctx, overwrite=overwrite)
    from paddock.toolkits.wolfram import notebook_files as wolfram_files

    return wolfram_files.write_wolfram_file(file, markdown, ctx, overwrite=overwrite)


def _is_jupyter_path(path: str) -> bool:
    return path.strip().lower().endswith(_JUPYTER_SUFFIX)


read_notebook_tool = Tool(
    "ReadNotebook",
    read_notebook,
    title="Read notebook",
    annotations={"readOnlyHint": True, "idempotentHint": True, "openWorldHint": False},
    return_type=list[TextContent | ImageContent],
    lenient=True,
    options={
        ALLOWED_FOLDERS_OPTION_NAME: ALLOWED_FOLDERS_OPTION,
        "MaxOutputCharacters": Option(500, _PositiveInt, "Maximum characters of an output"),
        "MaxCellCharacters": Option(10_000, _PositiveInt, "Maximum characters of any other cell"),
        "MaxCharacters": Option(200_000, _PositiveInt, "Maximum characters of a Jupyter notebook"),
        "MaxPictures": Option(
            5, Annotated[int, Meta(ge=0)], "Maximum number of raster images to return"
        ),
    },
)
write_notebook_tool = Tool(
    "WriteNotebook",
    write_notebook,
    title="Write notebook",
    annotations={
        "readOnlyHint": False,
        "destructiveHint": True,
        "idempotentHint": True,
        "openWorldHint": False,
    },
    lenient=True,
    options={ALLOWED_FOLDERS_OPTION_NAME: ALLOWED_FOLDERS_OPTION},
)
