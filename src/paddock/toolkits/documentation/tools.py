"""Declarations of the tools and prompts that search documentation.

The handlers are imported on the first call.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated, ClassVar

from msgspec import Meta, field

from paddock.authoring.tool import Need, Option, Tool
from paddock.toolkits.search_prompts import create_search_prompt
from paddock.toolkits.tool_options import (
    MAX_CHARACTERS_OPTION_NAME,
    MAX_ITEMS_OPTION_NAME,
    READ_ANNOTATIONS,
    ToolArguments,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


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


class WolframContextArguments(ToolArguments):
    """The arguments of `WolframLanguageContext`."""

    context: TaskDescription
    corpora: ClassVar[tuple[str, ...]] = ("wolfram",)


class PythonContextArguments(ToolArguments):
    """The arguments of `PythonContext`."""

    context: TaskDescription
    corpora: ClassVar[tuple[str, ...]] = ("python",)


class DocsContextArguments(ToolArguments):
    """The arguments of `DocsContext`."""

    context: TaskDescription
    corpora: Annotated[
        list[str],
        Meta(
            description="Corpora to search: all, wolfram, python, folders, or a name that "
            "`paddock docs status` lists."
        ),
    ] = field(default_factory=lambda: ["all"])


def describe_missing_vectors(options: Mapping[str, Any], environment: Mapping[str, str]) -> str:
    """Return a note for installers if semantic search is unavailable, or else an empty string."""
    if find_spec("numpy") is not None:
        return ""
    return 'Without numpy, search compares words only, not meaning: pip install "paddock[search]".'


def _create_context_tool(
    name: str, title: str, description: str, arguments: type[ToolArguments]
) -> Tool:
    """Create a Context tool, which returns documentation pages for a task.

    The Context tools share their handler, options and annotations. They differ in the
    documentation corpora that they search.
    """
    return Tool(
        name,
        "paddock.toolkits.documentation.lookup:find_documentation",
        title=title,
        description=description,
        arguments=arguments,
        annotations=READ_ANNOTATIONS,
        lenient=True,
        needs=Need(describe_missing_vectors, is_required=False),
        options=CONTEXT_OPTIONS,
    )


wolfram_language_context_tool = _create_context_tool(
    "WolframLanguageContext",
    "Wolfram Language context",
    """\
Find Wolfram Language documentation for a task: the symbols to use and how to call them.

Describe the task in natural language; a name or operator, such as Plot3D or /@, finds its page. \
Use it before you write or evaluate Wolfram Language code that you are not sure of.""",
    WolframContextArguments,
)
python_context_tool = _create_context_tool(
    "PythonContext",
    "Python context",
    """\
Find documentation of Python's standard library and installed packages for a task: the functions \
and classes to use and how to call them.

Describe the task in natural language; a name, such as os.path.join, finds its page. Use it before \
you write Python code that you are not sure of.""",
    PythonContextArguments,
)
docs_context_tool = _create_context_tool(
    "DocsContext",
    "Documentation context",
    """\
Find pages in all documentation available here: the Wolfram Language, Python and its packages, \
and the Markdown folders that the user has added.

Describe in natural language what you need to know. Name corpora to search only these.""",
    DocsContextArguments,
)


wolfram_language_search_prompt = create_search_prompt(
    "paddock.toolkits.documentation.lookup:search_wolfram_language",
    "Searches Wolfram Language documentation for relevant information.",
    "The search query for Wolfram Language documentation",
)
python_search_prompt = create_search_prompt(
    "paddock.toolkits.documentation.lookup:search_python",
    "Searches documentation of Python and its packages for relevant information.",
    "The search query for Python documentation",
)
