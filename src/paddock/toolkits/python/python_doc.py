"""The tool `PythonDoc`: its parameters and description.

What it does is in `documenting`, which is loaded with the first call.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from paddock.authoring.context import Context  # noqa: TC001 - read from the hints of handlers
from paddock.authoring.failures import ToolError
from paddock.authoring.tool import Tool
from paddock.errors import PaddockError
from paddock.toolkits.paths import ALLOWED_FOLDERS_OPTION, ALLOWED_FOLDERS_OPTION_NAME

PYTHON_DOC_DESCRIPTION = """\
Write and check the documentation of Python code: docstrings, changed in place, and reference \
pages in Markdown. Nothing is run, and nothing but the documentation changes.

Operations on a Python file: createDocstring, setDocstring (content is the whole docstring), \
setDocstringSection (section such as Args, Returns, Raises, Examples; content as "name: text" \
lines or prose; written in the style that the file has), removeDocstring, checkDocstrings (also \
of a directory: missing ones, and parameters that are wrong), createPage (a new page of what the \
module, or the symbol, says of itself). On a Markdown page: setPageSection, addPageSection, \
removePageSection (section is a heading, as in "## Usage")."""


def write_python_doc(
    ctx: Context,
    operation: Annotated[str, Meta(description="What to do.")],
    file: Annotated[str, Meta(description="The Python file or the page, or a directory to check.")],
    symbol: Annotated[
        str | None,
        Meta(description="What in the file: function, Class or Class.method; none for the module."),
    ] = "",
    content: Annotated[str | None, Meta(description="What to put there.")] = "",
    section: Annotated[
        str | None, Meta(description="The section of a docstring or page that is to change.")
    ] = "",
    style: Annotated[
        Literal["google", "numpy", "rest"] | None,
        Meta(description="The style of docstrings, if not the one that the file has."),
    ] = None,
    page: Annotated[
        str | None, Meta(description="For createPage, the path of the new Markdown file.")
    ] = "",
) -> str:
    """Write or check documentation."""
    from paddock.toolkits.python import documenting  # noqa: PLC0415 - see the module's docstring

    task = documenting.DocTask(
        operation.strip(),
        file,
        (symbol or "").strip(),
        content or "",
        (section or "").strip(),
        style,
        page or "",
    )
    try:
        return documenting.run_doc_task(task, ctx)
    except ToolError:
        raise
    except PaddockError as error:
        raise ToolError(str(error)) from error


python_doc_tool = Tool(
    "PythonDoc",
    write_python_doc,
    title="Python documentation",
    description=PYTHON_DOC_DESCRIPTION,
    annotations={
        "readOnlyHint": False,
        "destructiveHint": True,
        "idempotentHint": False,
        "openWorldHint": False,
    },
    lenient=True,
    options={ALLOWED_FOLDERS_OPTION_NAME: ALLOWED_FOLDERS_OPTION},
)
