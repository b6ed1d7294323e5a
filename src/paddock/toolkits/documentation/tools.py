"""The tools `WolframLanguageContext`, `PythonContext` and `DocsContext`: parameters and options.

What they do is in `looking_up`, which is loaded with the first call: whoever lists the tools of a
server needs no index.

The prompts `WolframLanguageSearch` and `PythonSearch`, which clients see as `Search`.

The prompt `Notebook`: a notebook that the person hands to the model.

What it does is in `showing_notebooks`, which is loaded when it is first asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from msgspec import Meta

from paddock.authoring.context import Context  # noqa: TC001 - read from the hints of handlers
from paddock.authoring.handler_errors import ToolError
from paddock.authoring.prompt import Prompt, PromptArgument
from paddock.authoring.tool import Need, Tool
from paddock.authoring.tool_option import Option
from paddock.toolkits.search_prompts import (
    create_search_prompt,
    format_search_text,
    get_option_values,
)
from paddock.toolkits.tool_options import MAX_CHARACTERS_OPTION_NAME, MAX_ITEMS_OPTION_NAME

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


WOLFRAM_CONTEXT_DESCRIPTION = """\
Find documentation of the Wolfram Language that helps with a task: which symbols do what is \
needed, and how they are called.

Describe the task in natural language; a name or sign, such as Plot3D or /@, finds its page. Use \
it before you write or evaluate Wolfram Language code that you are not sure of."""
PYTHON_CONTEXT_DESCRIPTION = """\
Find documentation of Python's standard library and of the packages that are installed: which \
functions and classes do what is needed, and how they are called.

Describe the task in natural language; a name, such as os.path.join, finds its page. Use it before \
you write Python code that you are not sure of."""
DOCS_CONTEXT_DESCRIPTION = """\
Find pages in any documentation that is known here: of the Wolfram Language, of Python and its \
packages, and of the folders of Markdown that the user has added.

Describe in natural language what has to be known. Name corpora to search in these only."""
CONTEXT_ANNOTATIONS = {
    "readOnlyHint": True,
    "destructiveHint": False,
    "idempotentHint": True,
    "openWorldHint": False,
}
CONTEXT_OPTIONS = {
    MAX_ITEMS_OPTION_NAME: Option(5, Annotated[int, Meta(ge=1, le=50)], "Pages in an answer"),
    MAX_CHARACTERS_OPTION_NAME: Option(
        12_000, Annotated[int, Meta(ge=500, le=200_000)], "Characters of an answer"
    ),
}
TaskDescription = Annotated[
    str, Meta(description="What the documentation is needed for, in natural language.")
]


def describe_missing_vectors(options: Mapping[str, Any], environment: Mapping[str, str]) -> str:
    """What whoever installs a server should know when only words can be compared."""
    from importlib.util import find_spec  # noqa: PLC0415 - only when a server is installed

    if find_spec("numpy") is not None:
        return ""
    return 'Without numpy only words are compared, not meaning: pip install "paddock[search]".'


def find_wolfram_language_pages(ctx: Context, context: TaskDescription) -> str:
    """Find documentation of the Wolfram Language."""
    from paddock.toolkits.documentation.lookup import format_context  # noqa: PLC0415 - see above

    return format_context(context, ["wolfram"], ctx.options)


def find_python_pages(ctx: Context, context: TaskDescription) -> str:
    """Find documentation of Python."""
    from paddock.toolkits.documentation.lookup import format_context  # noqa: PLC0415 - see above

    return format_context(context, ["python"], ctx.options)


def find_documentation_pages(
    ctx: Context,
    context: TaskDescription,
    corpora: Annotated[
        list[str],
        Meta(
            description="Where to search: all, wolfram, python, folders, or the name of a corpus "
            "as `paddock docs status` lists them."
        ),
    ] = ["all"],  # noqa: B006 - read for the schema, and never changed
) -> str:
    """Find documentation."""
    from paddock.toolkits.documentation.lookup import format_context  # noqa: PLC0415 - see above

    return format_context(context, corpora, ctx.options)


wolfram_language_context_tool = Tool(
    "WolframLanguageContext",
    find_wolfram_language_pages,
    title="Wolfram Language context",
    description=WOLFRAM_CONTEXT_DESCRIPTION,
    annotations=CONTEXT_ANNOTATIONS,
    lenient=True,
    needs=Need(describe_missing_vectors, is_required=False),
    options=CONTEXT_OPTIONS,
)
python_context_tool = Tool(
    "PythonContext",
    find_python_pages,
    title="Python context",
    description=PYTHON_CONTEXT_DESCRIPTION,
    annotations=CONTEXT_ANNOTATIONS,
    lenient=True,
    needs=Need(describe_missing_vectors, is_required=False),
    options=CONTEXT_OPTIONS,
)
docs_context_tool = Tool(
    "DocsContext",
    find_documentation_pages,
    title="Documentation context",
    description=DOCS_CONTEXT_DESCRIPTION,
    annotations=CONTEXT_ANNOTATIONS,
    lenient=True,
    needs=Need(describe_missing_vectors, is_required=False),
    options=CONTEXT_OPTIONS,
)


def search_wolfram_language(ctx: Context, query: str) -> str:
    """Search documentation of the Wolfram Language, with the options of its Context tool."""
    return _search_documentation(ctx, query, "wolfram", wolfram_language_context_tool)


def search_python(ctx: Context, query: str) -> str:
    """Search documentation of Python, with the options of its Context tool."""
    return _search_documentation(ctx, query, "python", python_context_tool)


def _search_documentation(ctx: Context, query: str, corpus: str, tool: Tool) -> str:
    from paddock.toolkits.documentation.lookup import format_context  # noqa: PLC0415 - see the toolkit's docstring

    try:
        results = format_context(query, [corpus], get_option_values(ctx, tool))
    except ToolError as error:
        results = f"[Error] {error}"
    return format_search_text(query, results)


wolfram_language_search_prompt = create_search_prompt(
    search_wolfram_language,
    "Searches Wolfram Language documentation for relevant information.",
    "The search query for Wolfram Language documentation",
)
python_search_prompt = create_search_prompt(
    search_python,
    "Searches documentation of Python and its packages for relevant information.",
    "The search query for Python documentation",
)


def show_notebook(ctx: Context, path: str) -> str:
    """A notebook as markdown."""
    from paddock.toolkits.documentation.notebook_text import format_notebook  # noqa: PLC0415 - see above

    return format_notebook(path, ctx)


notebook_prompt = Prompt(
    "Notebook",
    handler=show_notebook,
    title="Notebook",
    description="Adds the content of a Wolfram notebook to the conversation, as markdown.",
    arguments=[PromptArgument("path", "The path of the notebook file (.nb)", required=True)],
)
