"""Text of the prompt `Notebook`."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from paddock.authoring.handler_errors import ToolError
from paddock.files import read_regular_file
from paddock.toolkits.notebooks import read_notebook_tool
from paddock.toolkits.paths import resolve_path
from paddock.toolkits.search_prompts import get_option_values
from paddock.wolfram.notebooks import NotebookError, notebook_to_markdown, read_notebook

if TYPE_CHECKING:
    from paddock.authoring.context import Context

_MAX_NOTEBOOK_BYTES = 200_000_000


def show_notebook(arguments: dict[str, str], ctx: Context) -> str:
    """Return the Wolfram notebook at `{"path": …}` as Markdown between tags.

    Errors do not end the request: they become the text of the prompt.
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
        text = read_regular_file(file, _MAX_NOTEBOOK_BYTES).decode("utf-8", "replace")
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
