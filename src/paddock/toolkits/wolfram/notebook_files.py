"""Reading and writing Wolfram notebook files (.nb).

Problems with a file are returned as text that the model can act on. Only paths outside the allowed
folders raise errors.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from paddock.authoring.handler_errors import ToolError
from paddock.files import read_regular_file
from paddock.protocol.content import ImageContent, TextContent
from paddock.toolkits.file_edits import MAX_NOTEBOOK_BYTES, write_notebook_file
from paddock.toolkits.notebooks import read_notebook_tool
from paddock.toolkits.paths import resolve_path
from paddock.toolkits.search_prompts import get_option_values
from paddock.wolfram import Atom, Node, has_head, parse
from paddock.wolfram.notebooks import (
    NotebookError,
    markdown_to_notebook,
    notebook_to_markdown,
    read_notebook,
    write_notebook,
)

if TYPE_CHECKING:
    from pathlib import Path

    from paddock.authoring.context import Context
    from paddock.toolkits.notebooks import NotebookReadArguments, NotebookWriteArguments

_NO_FRONT_END_TEXT = (
    "A NotebookObject is a notebook that is open in a front end, which this server does not have. "
    "Save the notebook and give the path of its file."
)


def read_wolfram_file(
    arguments: NotebookReadArguments, ctx: Context
) -> list[TextContent | ImageContent]:
    """Return a Wolfram notebook file as Markdown, followed by its images.

    If the file is missing or damaged, no error is raised. The text describes the problem instead.
    """
    notebook = arguments.notebook
    if _is_notebook_object(notebook):
        return [TextContent(_NO_FRONT_END_TEXT)]
    path = resolve_path(notebook, ctx)
    if not path.exists():
        text = f"{notebook!r} is an invalid notebook specification: {path} does not exist"
        return [TextContent(f"{text}. Give the path of an existing .nb file.")]
    try:
        return _render_notebook(path, ctx)
    except NotebookError as error:
        return [TextContent(f"{path} is not a valid notebook: {error}")]
    except OSError as error:
        return [TextContent(f"{path} is not a valid notebook: {error.strerror or error}")]


def _is_notebook_object(text: str) -> bool:
    """Return True if a text is an open notebook's expression, `NotebookObject["…", "…"]`.

    Such an expression refers to a notebook in a front end, which this server does not have.
    """
    if not text.lstrip().startswith("NotebookObject["):
        return False
    source = parse(text)
    if source.problems or len(source.expressions) != 1:
        return False
    expression = source.expressions[0]
    if not isinstance(expression, Node) or not has_head(expression, "NotebookObject"):
        return False
    return all(isinstance(arg, Atom) and arg.kind == "string" for arg in expression.args)


def _render_notebook(path: Path, ctx: Context) -> list[TextContent | ImageContent]:
    """Return a Wolfram notebook file as Markdown, followed by its images.

    If the file is damaged, its readable part is returned with a note.

    Raises:
        NotebookError: The file is not a notebook.
        OSError: The file cannot be read.
    """
    notebook = read_notebook(read_regular_file(path, MAX_NOTEBOOK_BYTES).decode("utf-8", "replace"))
    markdown = notebook_to_markdown(
        notebook,
        output_limit=ctx.options["MaxOutputCharacters"],
        cell_limit=ctx.options["MaxCellCharacters"],
        most_pictures=ctx.options["MaxPictures"],
    )
    text = markdown.text or "The notebook is empty.\n"
    if notebook.problems:
        text += f"\nThe file is damaged; its readable part is shown. {notebook.problems[0]}\n"
    images = [ImageContent(image.data, image.mime) for image in markdown.images]
    return [TextContent(text), *images]


def write_wolfram_file(arguments: NotebookWriteArguments, ctx: Context) -> str:
    """Write a Wolfram notebook and return its path, or a message if it cannot be written.

    If `overwrite` is True, an existing notebook is replaced completely. Unlike with Jupyter
    notebooks, its cells are not merged with the new ones.
    """

    def build(_previous: bytes | None) -> bytes:
        return write_notebook(markdown_to_notebook(arguments.markdown)).encode("ascii")

    return write_notebook_file(arguments, ctx, build)


def show_notebook(arguments: dict[str, str], ctx: Context) -> str:
    """Return the text of a prompt that shows a Wolfram notebook as Markdown between tags.

    If the notebook cannot be read, the text is an error message.

    Args:
        arguments: The arguments of the prompt, as in `{"path": "notes.nb"}`.
        ctx: The context of the request.
    """
    path = arguments["path"]
    if PurePath(path).suffix.lower() != ".nb":
        return f"[Error] not a Wolfram notebook (.nb): {path}"
    try:
        file = resolve_path(path, ctx)
    except ToolError as error:
        return f"[Error] {error}: {path}"
    if not file.is_file():
        return f"[Error] the file does not exist: {path}"
    # The prompt has no options, so the limits of the tool `ReadNotebook` apply.
    options = get_option_values(ctx, read_notebook_tool)
    try:
        text = read_regular_file(file, MAX_NOTEBOOK_BYTES).decode("utf-8", "replace")
        markdown = notebook_to_markdown(
            read_notebook(text),
            output_limit=options["MaxOutputCharacters"],
            cell_limit=options["MaxCellCharacters"],
            most_pictures=0,
        )
    except (NotebookError, OSError) as error:
        return f"[Error] not a valid notebook ({error}): {path}"
    return (
        f"<notebook-path>{path}</notebook-path>\n"
        f"<notebook-content>\n{markdown.text.strip()}\n</notebook-content>"
    )
