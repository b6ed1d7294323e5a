"""The tools `WolframLanguageContext`, `PythonContext` and `DocsContext`: parameters and options.

What they do is in `looking_up`, which is loaded with the first call: whoever lists the tools of a
server needs no index.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from msgspec import Meta

from paddock.authoring.context import Context  # noqa: TC001 - read from the hints of handlers
from paddock.authoring.need import Need
from paddock.authoring.option import Option
from paddock.authoring.tool import Tool
from paddock.toolkits.documentation.limits import MAX_CHARACTERS, MAX_ITEMS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

WOLFRAM_DESCRIPTION = """\
Find documentation of the Wolfram Language that helps with a task: which symbols do what is \
needed, and how they are called.

Describe the task in natural language; a name or sign, such as Plot3D or /@, finds its page. Use \
it before you write or evaluate Wolfram Language code that you are not sure of."""
PYTHON_DESCRIPTION = """\
Find documentation of Python's standard library and of the packages that are installed: which \
functions and classes do what is needed, and how they are called.

Describe the task in natural language; a name, such as os.path.join, finds its page. Use it before \
you write Python code that you are not sure of."""
DOCS_DESCRIPTION = """\
Find pages in any documentation that is known here: of the Wolfram Language, of Python and its \
packages, and of the folders of Markdown that the user has added.

Describe in natural language what has to be known. Name corpora to search in these only."""
HINTS = {
    "readOnlyHint": True,
    "destructiveHint": False,
    "idempotentHint": True,
    "openWorldHint": False,
}
OPTIONS = {
    MAX_ITEMS: Option(5, Annotated[int, Meta(ge=1, le=50)], "Pages in an answer"),
    MAX_CHARACTERS: Option(
        12_000, Annotated[int, Meta(ge=500, le=200_000)], "Characters of an answer"
    ),
}
Task = Annotated[
    str, Meta(description="What the documentation is needed for, in natural language.")
]


def missing_vectors(options: Mapping[str, Any], environment: Mapping[str, str]) -> str:
    """What whoever installs a server should know when only words can be compared."""
    from importlib.util import find_spec  # noqa: PLC0415 - only when a server is installed

    if find_spec("numpy") is not None:
        return ""
    return 'Without numpy only words are compared, not meaning: pip install "paddock[search]".'


def wolfram_language_context(ctx: Context, context: Task) -> str:
    """Find documentation of the Wolfram Language."""
    from paddock.toolkits.documentation.looking_up import context_text  # noqa: PLC0415 - see above

    return context_text(context, ["wolfram"], ctx.options)


def python_context(ctx: Context, context: Task) -> str:
    """Find documentation of Python."""
    from paddock.toolkits.documentation.looking_up import context_text  # noqa: PLC0415 - see above

    return context_text(context, ["python"], ctx.options)


def docs_context(
    ctx: Context,
    context: Task,
    corpora: Annotated[
        list[str],
        Meta(
            description="Where to search: all, wolfram, python, folders, or the name of a corpus "
            "as `paddock docs status` lists them."
        ),
    ] = ["all"],  # noqa: B006 - read for the schema, and never changed
) -> str:
    """Find documentation."""
    from paddock.toolkits.documentation.looking_up import context_text  # noqa: PLC0415 - see above

    return context_text(context, corpora, ctx.options)


wolfram_language_context_tool = Tool(
    "WolframLanguageContext",
    wolfram_language_context,
    title="Wolfram Language context",
    description=WOLFRAM_DESCRIPTION,
    annotations=HINTS,
    lenient=True,
    needs=Need(missing_vectors, is_required=False),
    options=OPTIONS,
)
python_context_tool = Tool(
    "PythonContext",
    python_context,
    title="Python context",
    description=PYTHON_DESCRIPTION,
    annotations=HINTS,
    lenient=True,
    needs=Need(missing_vectors, is_required=False),
    options=OPTIONS,
)
docs_context_tool = Tool(
    "DocsContext",
    docs_context,
    title="Documentation context",
    description=DOCS_DESCRIPTION,
    annotations=HINTS,
    lenient=True,
    needs=Need(missing_vectors, is_required=False),
    options=OPTIONS,
)
