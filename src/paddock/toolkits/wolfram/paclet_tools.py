"""The tools `CheckPaclet`, `BuildPaclet` and `SubmitPaclet`: parameters and descriptions.

What they do is in `packing`, which is loaded with the first call.

The tools for reference pages of symbols: their parameters, options and descriptions.

What they do is in `documenting`, which is loaded with the first call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Meta

from paddock.authoring.context import Context  # noqa: TC001 - read from the hints of handlers
from paddock.authoring.handler_errors import ToolError
from paddock.authoring.tool import Parameter, Tool
from paddock.errors import PaddockError
from paddock.toolkits.paths import ALLOWED_FOLDERS_OPTION, ALLOWED_FOLDERS_OPTION_NAME
from paddock.toolkits.paths import ALLOWED_FOLDERS_OPTION_NAME as FOLDERS_OPTION
from paddock.toolkits.tool_options import ENGINE_OPTION, ENGINE_OPTION_NAME

if TYPE_CHECKING:
    from collections.abc import Callable


_PATH_META = Meta(
    description="The paclet's root directory, which holds PacletInfo.wl, or a file in it such as "
    "its definition notebook."
)


def check_paclet(ctx: Context, path: Annotated[str, _PATH_META]) -> str:
    """Say what is wrong with a paclet."""
    from paddock.toolkits.wolfram.paclet_build import report_check  # noqa: PLC0415 - see the docstring above

    return report_check(ctx, path)


def build_paclet(
    ctx: Context,
    path: Annotated[str, _PATH_META],
    check: Annotated[  # the name that clients know
        bool | None, Meta(description="Whether to check first, and build only without errors.")
    ] = False,
) -> str:
    """Pack a paclet into an archive."""
    from paddock.toolkits.wolfram.paclet_build import report_build  # noqa: PLC0415 - see the docstring above

    return report_build(ctx, path, is_checked=bool(check))


def submit_paclet(ctx: Context, path: Annotated[str, _PATH_META]) -> str:
    """Say what submitting a paclet takes."""
    from paddock.toolkits.wolfram.paclet_build import report_submission  # noqa: PLC0415 - see above

    return report_submission(ctx, path)


_READ_ONLY_ANNOTATIONS = {"readOnlyHint": True, "openWorldHint": False}

check_paclet_tool = Tool(
    "CheckPaclet",
    check_paclet,
    title="Check a paclet",
    description="Check a Wolfram paclet without running it: what PacletInfo.wl says, whether the "
    "files it names are there, and whether the code can be read.",
    annotations=_READ_ONLY_ANNOTATIONS,
    lenient=True,
    options={ALLOWED_FOLDERS_OPTION_NAME: ALLOWED_FOLDERS_OPTION},
)
build_paclet_tool = Tool(
    "BuildPaclet",
    build_paclet,
    title="Build a paclet",
    description="Pack a Wolfram paclet into a .paclet archive in its directory `build`, in place "
    "of an earlier one of the same version.",
    annotations={
        "readOnlyHint": False,
        "destructiveHint": False,
        "idempotentHint": True,
        "openWorldHint": False,
    },
    lenient=True,
    options={ALLOWED_FOLDERS_OPTION_NAME: ALLOWED_FOLDERS_OPTION},
)
submit_paclet_tool = Tool(
    "SubmitPaclet",
    submit_paclet,
    title="Submit a paclet",
    description="Check a Wolfram paclet and say what submitting it to the paclet repository "
    "takes. Submitting itself needs a Wolfram system that is signed in.",
    annotations=_READ_ONLY_ANNOTATIONS,
    lenient=True,
    options={ALLOWED_FOLDERS_OPTION_NAME: ALLOWED_FOLDERS_OPTION},
)


_EXAMPLES_DESCRIPTION = (
    "Markdown: text, and fenced blocks of code, which are evaluated (10 seconds each) and get "
    "their outputs; a line --- separates examples. A fenced block in wl-output after one of code "
    "is taken as its output."
)
CREATE_SYMBOL_DOC_DESCRIPTION = """\
Make a new reference page (a notebook) for a symbol of a Wolfram paclet, below \
Documentation/English/ReferencePages/Symbols in the directory of the paclet. What is not given \
is left as a placeholder, XXXX. A page that is there is never replaced."""
EDIT_SYMBOL_DOC_DESCRIPTION = """\
Change one part of a symbol's reference page, in place; all else in the notebook stays as it is. \
Operations: setUsage (a list as for CreateSymbolDoc), setNotes (replaces all notes by markdown), \
addNote (inserts notes), setDetailsTable (replaces the table among the notes, or inserts one at \
the position), setSeeAlso (names), setTechNotes, setRelatedGuides, setRelatedLinks (a line \
[label](address) for each), setKeywords (words), setHistory (new:1.0, modified:1.2, \
obsolete:2.0). An empty content sets a placeholder where that makes sense."""
EDIT_EXAMPLES_DESCRIPTION = """\
Change the examples in a section of a symbol's reference page, in place; all else in the notebook \
stays as it is. Operations: appendExample, prependExample, insertExample, replaceExample, \
removeExample (these three need a position), clearExamples, setExamples. The answer has the \
examples with their outputs."""
EXAMPLE_SECTION_NAMES = (
    "BasicExamples, Scope, GeneralizationsExtensions, Options, Applications, PropertiesRelations, "
    "PossibleIssues, InteractiveExamples or NeatExamples"
)


def create_symbol_doc(arguments: dict[str, Any], ctx: Context) -> str:
    """Make a new page."""
    from paddock.toolkits.wolfram.reference_pages import write_new_symbol_page  # noqa: PLC0415 - see the module's docstring

    return _convert_errors(lambda: write_new_symbol_page(arguments, ctx))


def edit_symbol_doc(arguments: dict[str, Any], ctx: Context) -> str:
    """Change a part of a page."""
    from paddock.toolkits.wolfram.reference_pages import update_symbol_page  # noqa: PLC0415 - see the module's docstring

    return _convert_errors(lambda: update_symbol_page(arguments, ctx))


def edit_symbol_doc_examples(arguments: dict[str, Any], ctx: Context) -> str:
    """Change the examples in a section of a page."""
    from paddock.toolkits.wolfram.reference_pages import update_symbol_page_examples  # noqa: PLC0415 - see the module's docstring

    return _convert_errors(lambda: update_symbol_page_examples(arguments, ctx))


def _convert_errors(work: Callable[[], str]) -> str:
    try:
        return work()
    except ToolError:
        raise
    except PaddockError as error:
        raise ToolError(str(error)) from error


create_symbol_doc_tool = Tool(
    "CreateSymbolDoc",
    create_symbol_doc,
    title="Create symbol documentation",
    description=CREATE_SYMBOL_DOC_DESCRIPTION,
    parameters=[
        Parameter("pacletDirectory", "string", "The directory of the paclet.", required=True),
        Parameter("symbolName", "string", "The symbol, without its context.", required=True),
        Parameter("pacletName", "string", "The name of the paclet.", required=True),
        Parameter(
            "usage",
            "string",
            "What the symbol does: a list, each item with its syntax between back ticks and a "
            "description, with variables between asterisks: - `f[x]` does something with *x*.",
            required=True,
        ),
        Parameter("publisherID", "string", "The publisher of the paclet."),
        Parameter("context", "string", "The context of the symbol, if not that of the paclet."),
        Parameter("notes", "string", "Details, in markdown: paragraphs, items and tables."),
        Parameter("seeAlso", "string", "Related symbols, separated by commas or line ends."),
        Parameter("techNotes", "string", "Tech notes: a line [label](address) for each."),
        Parameter("relatedGuides", "string", "Guides: a line [label](address) for each."),
        Parameter("relatedLinks", "string", "Other pages: a line [label](address) for each."),
        Parameter("keywords", "string", "Keywords, separated by commas or line ends."),
        Parameter("newInVersion", "string", "The version of the paclet that has it first."),
        Parameter("basicExamples", "string", _EXAMPLES_DESCRIPTION),
    ],
    annotations={
        "readOnlyHint": False,
        "destructiveHint": False,
        "idempotentHint": False,
        "openWorldHint": False,
    },
    task="optional",
    lenient=True,
    options={ENGINE_OPTION_NAME: ENGINE_OPTION, FOLDERS_OPTION: ALLOWED_FOLDERS_OPTION},
)
edit_symbol_doc_tool = Tool(
    "EditSymbolDoc",
    edit_symbol_doc,
    title="Edit symbol documentation",
    description=EDIT_SYMBOL_DOC_DESCRIPTION,
    parameters=[
        Parameter("notebook", "string", "The path of the page.", required=True),
        Parameter("operation", "string", "What to do.", required=True),
        Parameter("content", "string", "What to put there; the operation says in which form."),
        Parameter(
            "position",
            "integer",
            "For addNote and setDetailsTable, where to insert: 1 is before the first note, which "
            "is also the default, -1 after the last.",
        ),
    ],
    annotations={
        "readOnlyHint": False,
        "destructiveHint": True,
        "idempotentHint": False,
        "openWorldHint": False,
    },
    lenient=True,
    options={FOLDERS_OPTION: ALLOWED_FOLDERS_OPTION},
)
edit_symbol_doc_examples_tool = Tool(
    "EditSymbolDocExamples",
    edit_symbol_doc_examples,
    title="Edit symbol documentation examples",
    description=EDIT_EXAMPLES_DESCRIPTION,
    parameters=[
        Parameter("notebook", "string", "The path of the page.", required=True),
        Parameter("operation", "string", "What to do.", required=True),
        Parameter("section", "string", f"Where: {EXAMPLE_SECTION_NAMES}.", required=True),
        Parameter("content", "string", _EXAMPLES_DESCRIPTION),
        Parameter(
            "position",
            "integer",
            "Which example: 1 is the first, -1 the last; for insertExample, 1 is before the first "
            "and -1 after the last.",
        ),
        Parameter(
            "subsection",
            "string",
            "The title of the subsection, such as the name of an option; one that is not there is "
            "made when examples are added.",
        ),
    ],
    annotations={
        "readOnlyHint": False,
        "destructiveHint": True,
        "idempotentHint": False,
        "openWorldHint": False,
    },
    task="optional",
    lenient=True,
    options={ENGINE_OPTION_NAME: ENGINE_OPTION, FOLDERS_OPTION: ALLOWED_FOLDERS_OPTION},
)
