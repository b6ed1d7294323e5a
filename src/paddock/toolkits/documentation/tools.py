"""Declarations of the tools and prompts that search documentation, and of the prompt `Notebook`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from msgspec import Meta

from paddock.authoring.context import Context
from paddock.authoring.handler_errors import ToolError
from paddock.authoring.prompt import Prompt, PromptArgument
from paddock.authoring.tool import Need, Tool
from paddock.authoring.tool_option import Option
from paddock.toolkits.search_prompts import (
    create_search_prompt,
    format_search_text,
    get_option_values,
)
from paddock.toolkits.tool_options import (
    MAX_CHARACTERS_OPTION_NAME,
    MAX_ITEMS_OPTION_NAME,
    READ_ANNOTATIONS,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any


WOLFRAM_CONTEXT_DESCRIPTION = """\
Find Wolfram Language documentation for a task: the symbols to use and how to call them.

Describe the task in natural language; a name or operator, such as Plot3D or /@, finds its page. \
Use it before you write or evaluate Wolfram Language code that you are not sure of."""
PYTHON_CONTEXT_DESCRIPTION = """\
Find documentation of Python's standard library and installed packages for a task: the functions \
and classes to use and how to call them.

Describe the task in natural language; a name, such as os.path.join, finds its page. Use it before \
you write Python code that you are not sure of."""
DOCS_CONTEXT_DESCRIPTION = """\
Find pages in all documentation available here: the Wolfram Language, Python and its packages, \
and the Markdown folders that the user has added.

Describe in natural language what you need to know. Name corpora to search only these."""
CONTEXT_OPTIONS = {
    MAX_ITEMS_OPTION_NAME: Option(
        5, Annotated[int, Meta(ge=1, le=50)], "Maximum number of pages in a result"
    ),
    MAX_CHARACTERS_OPTION_NAME: Option(
        12_000,
        Annotated[int, Meta(ge=500, le=200_000)],
        "Maximum length of a result, in characters",
    ),
}
TaskDescription = Annotated[str, Meta(description="The task or question, in natural language.")]


def describe_missing_vectors(options: Mapping[str, Any], environment: Mapping[str, str]) -> str:
    """Return a note for installers if semantic search is unavailable, else an empty string."""
    from importlib.util import find_spec

    if find_spec("numpy") is not None:
        return ""
    return 'Without numpy, search compares words only, not meaning: pip install "paddock[search]".'


def _format_context(question: str, corpora: Sequence[str], options: Mapping[str, Any]) -> str:
    from paddock.toolkits.documentation.lookup import format_context

    return format_context(question, corpora, options)


def find_wolfram_language_pages(ctx: Context, context: TaskDescription) -> str:
    """Find documentation of the Wolfram Language."""
    return _format_context(context, ["wolfram"], ctx.options)


def find_python_pages(ctx: Context, context: TaskDescription) -> str:
    """Find documentation of Python."""
    return _format_context(context, ["python"], ctx.options)


def find_documentation_pages(
    ctx: Context,
    context: TaskDescription,
    corpora: Annotated[
        list[str],
        Meta(
            description="Corpora to search: all, wolfram, python, folders, or a name that "
            "`paddock docs status` lists."
        ),
    ] = ["all"],  # noqa: B006 - the default of the schema, never changed
) -> str:
    """Find documentation in the given corpora."""
    return _format_context(context, corpora, ctx.options)


def _create_context_tool(
    name: str, handler: Callable[..., str], title: str, description: str
) -> Tool:
    """Create a tool with the settings that all Context tools share."""
    return Tool(
        name,
        handler,
        title=title,
        description=description,
        annotations=READ_ANNOTATIONS,
        lenient=True,
        needs=Need(describe_missing_vectors, is_required=False),
        options=CONTEXT_OPTIONS,
    )


wolfram_language_context_tool = _create_context_tool(
    "WolframLanguageContext",
    find_wolfram_language_pages,
    "Wolfram Language context",
    WOLFRAM_CONTEXT_DESCRIPTION,
)
python_context_tool = _create_context_tool(
    "PythonContext", find_python_pages, "Python context", PYTHON_CONTEXT_DESCRIPTION
)
docs_context_tool = _create_context_tool(
    "DocsContext", find_documentation_pages, "Documentation context", DOCS_CONTEXT_DESCRIPTION
)


def search_wolfram_language(ctx: Context, query: str) -> str:
    """Search Wolfram Language documentation with the options of its Context tool."""
    return _search_documentation(ctx, query, "wolfram", wolfram_language_context_tool)


def search_python(ctx: Context, query: str) -> str:
    """Search Python documentation with the options of its Context tool."""
    return _search_documentation(ctx, query, "python", python_context_tool)


def _search_documentation(ctx: Context, query: str, corpus: str, tool: Tool) -> str:
    """Return the text of a search prompt. An error becomes part of the text.

    Args:
        ctx: The context of the request.
        query: The query of the user.
        corpus: The group of corpora to search.
        tool: The Context tool whose options limit the results.
    """
    try:
        results = _format_context(query, [corpus], get_option_values(ctx, tool))
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
    """Return a Wolfram notebook as Markdown."""
    from paddock.toolkits.documentation.notebook_text import format_notebook

    return format_notebook(path, ctx)


notebook_prompt = Prompt(
    "Notebook",
    handler=show_notebook,
    title="Notebook",
    description="Adds the content of a Wolfram notebook to the conversation, as Markdown.",
    arguments=[PromptArgument("path", "The path of the notebook file (.nb)", required=True)],
)
