"""The tools `ReadNotebook` and `WriteNotebook`, and the prompt `Notebook` for Wolfram notebooks.

The file suffix selects the implementation, which is imported on the first call.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from paddock.authoring.context import Context
from paddock.authoring.handler_reference import resolve_handler
from paddock.authoring.prompt import Prompt, PromptArgument
from paddock.authoring.tool import Option, Tool
from paddock.toolkits.paths import ALLOWED_FOLDERS_OPTIONS
from paddock.toolkits.tool_options import CACHE_ANNOTATIONS, ToolArguments, ToolContent

_PositiveInt = Annotated[int, Meta(ge=1)]
_read_jupyter_file = resolve_handler("paddock.toolkits.python.notebook_files:read_jupyter_file")
_write_jupyter_file = resolve_handler("paddock.toolkits.python.notebook_files:write_jupyter_file")
_read_wolfram_file = resolve_handler("paddock.toolkits.wolfram.notebook_files:read_wolfram_file")
_write_wolfram_file = resolve_handler("paddock.toolkits.wolfram.notebook_files:write_wolfram_file")


class NotebookReadArguments(ToolArguments):
    """The arguments of `ReadNotebook`."""

    notebook: Annotated[
        str,
        Meta(
            description="The path of the notebook file. Relative paths start at the client's first "
            "root."
        ),
    ]
    start: Annotated[
        int, Meta(description="The first cell to show of a long Jupyter notebook, counted from 1.")
    ] = 1


def read_notebook(arguments: NotebookReadArguments, ctx: Context) -> ToolContent:
    """Return a notebook as text and images."""
    read = _read_jupyter_file if is_jupyter_path(arguments.notebook) else _read_wolfram_file
    content: ToolContent = read(arguments, ctx)
    return content


class NotebookWriteArguments(ToolArguments):
    """The arguments of `WriteNotebook`."""

    file: Annotated[
        str, Meta(description="The path of the notebook file to write, ending in .nb or .ipynb.")
    ]
    markdown: Annotated[str, Meta(description="The content of the notebook.")]
    overwrite: Annotated[bool, Meta(description="Whether to replace an existing file.")] = False


def write_notebook(arguments: NotebookWriteArguments, ctx: Context) -> str:
    """Write a notebook and return its path, or a message if it cannot be written."""
    write = _write_jupyter_file if is_jupyter_path(arguments.file) else _write_wolfram_file
    return str(write(arguments, ctx))


def is_jupyter_path(path: str) -> bool:
    """Return True if a path names a Jupyter notebook rather than a Wolfram notebook."""
    return path.strip().lower().endswith(".ipynb")


read_notebook_tool = Tool(
    "ReadNotebook",
    read_notebook,
    title="Read notebook",
    description="""\
Read a Wolfram notebook (.nb) or a Jupyter notebook (.ipynb) as Markdown.

Keeps headings, text, lists, code with its saved results, tables and formulas. Nothing is
evaluated.""",
    arguments=NotebookReadArguments,
    annotations={"readOnlyHint": True, "idempotentHint": True, "openWorldHint": False},
    return_type=ToolContent,
    lenient=True,
    options={
        **ALLOWED_FOLDERS_OPTIONS,
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
    description="""\
Create a Wolfram notebook (.nb) or a Jupyter notebook (.ipynb) from Markdown.

Headings become sections, fenced `wl` blocks input cells, lists items, tables grids, and `$…$`
formulas. In a Jupyter notebook, fenced blocks in its language become code cells and all other
text Markdown cells; when a notebook is replaced, unchanged cells keep their outputs, and
changed ones their id, metadata and attachments. Returns the path of the file. Nothing is
evaluated.""",
    arguments=NotebookWriteArguments,
    annotations={**CACHE_ANNOTATIONS, "destructiveHint": True},
    lenient=True,
    options=ALLOWED_FOLDERS_OPTIONS,
)
notebook_prompt = Prompt(
    "Notebook",
    handler=resolve_handler("paddock.toolkits.wolfram.notebook_files:show_notebook"),
    takes_dictionary=True,
    title="Notebook",
    description="Adds the content of a Wolfram notebook to the conversation, as Markdown.",
    arguments=[PromptArgument("path", "The path of the notebook file (.nb)", required=True)],
)
