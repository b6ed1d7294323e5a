"""The tools `ReadNotebook` and `WriteNotebook`: parameters, options and descriptions.

What they do is loaded with the first call: for Wolfram notebooks it is in
`toolkits.wolfram.notebook_files`, for those of Jupyter in `toolkits.python.notebook_files`. The end
of a file's name decides.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from paddock.authoring.context import Context  # noqa: TC001 - read from the hints of handlers
from paddock.authoring.tool import Tool
from paddock.authoring.tool_option import Option
from paddock.protocol.content import ImageContent, TextContent
from paddock.toolkits.paths import ALLOWED_FOLDERS_OPTION, ALLOWED_FOLDERS_OPTION_NAME

_PositiveInt = Annotated[int, Meta(ge=1)]
_JUPYTER_SUFFIX = ".ipynb"


def read_notebook(notebook: str, ctx: Context, start: int = 1) -> list[TextContent | ImageContent]:
    """Read a Wolfram notebook (.nb) or a Jupyter notebook (.ipynb) as markdown.

    Headings, text, items, code with its results, tables and formulas are kept; what a notebook
    computed is shown as it was saved, nothing is evaluated.

    Args:
        notebook: The path of the notebook file. Relative paths begin where the client works.
        start: The cell to begin with, counted from 1, of a long Jupyter notebook.
    """
    if _is_jupyter_path(notebook):
        from paddock.toolkits.python import notebook_files as jupyter  # noqa: PLC0415 - see above

        return jupyter.read_notebook_file(notebook, ctx, max(start, 1))
    from paddock.toolkits.wolfram import notebook_files  # noqa: PLC0415 - see the docstring above

    return notebook_files.read_notebook_file(notebook, ctx)


def write_notebook(
    file: str,
    markdown: str,
    ctx: Context,
    overwrite: bool = False,
) -> str:
    """Make a Wolfram notebook (.nb) or a Jupyter notebook (.ipynb) of markdown.

    Headings become sections, fenced blocks in `wl` become input cells, lists become items, tables
    grids, and `$…$` formulas. In a Jupyter notebook fenced blocks in its language become code cells
    and the rest markdown cells; of the notebook that is replaced, cells that say the same keep
    their outputs, and others their id, metadata and attachments. The path of the file is returned.
    Nothing is evaluated.

    Args:
        file: The path of the notebook file to write, which should end in .nb or .ipynb.
        markdown: What the notebook says.
        overwrite: Whether a file that is there may be replaced.
    """
    if _is_jupyter_path(file):
        from paddock.toolkits.python import notebook_files as jupyter  # noqa: PLC0415 - see above

        return jupyter.write_notebook_file(file, markdown, ctx, overwrite=overwrite)
    from paddock.toolkits.wolfram import notebook_files  # noqa: PLC0415 - see the docstring above

    return notebook_files.write_notebook_file(file, markdown, ctx, overwrite=overwrite)


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
        "MaxOutputCharacters": Option(500, _PositiveInt, "How much is shown of each output"),
        "MaxCellCharacters": Option(10_000, _PositiveInt, "How much is shown of any other cell"),
        "MaxCharacters": Option(200_000, _PositiveInt, "How much is shown of a Jupyter notebook"),
        "MaxPictures": Option(
            5, Annotated[int, Meta(ge=0)], "How many pictures with pixels are returned as images"
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
