"""The prompts `WolframLanguageSearch` and `PythonSearch`, which clients see as `Search`."""

from __future__ import annotations

from paddock.authoring.context import Context  # noqa: TC001 - read from the hints of handlers
from paddock.authoring.failures import ToolError
from paddock.toolkits.documentation.contexts import (
    python_context_tool,
    wolfram_language_context_tool,
)
from paddock.toolkits.searches import get_option_values, create_search_prompt, format_search_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from paddock.authoring.tool import Tool


def search_wolfram_language(ctx: Context, query: str) -> str:
    """Search documentation of the Wolfram Language, with the options of its Context tool."""
    return _search_documentation(ctx, query, "wolfram", wolfram_language_context_tool)


def search_python(ctx: Context, query: str) -> str:
    """Search documentation of Python, with the options of its Context tool."""
    return _search_documentation(ctx, query, "python", python_context_tool)


def _search_documentation(ctx: Context, query: str, corpus: str, tool: Tool) -> str:
    from paddock.toolkits.documentation.looking_up import format_context  # noqa: PLC0415 - see the toolkit's docstring

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
