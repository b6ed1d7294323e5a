"""Declarations of the tools for paclets and for their symbols' reference pages.

The handlers are imported on the first call.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from paddock.authoring.tool import Parameter, Tool
from paddock.toolkits.paths import ALLOWED_FOLDERS_OPTIONS
from paddock.toolkits.tool_options import (
    ADD_ANNOTATIONS,
    CACHE_ANNOTATIONS,
    ENGINE_OPTIONS,
    WRITE_ANNOTATIONS,
    ToolArguments,
)

_PacletPath = Annotated[
    str,
    Meta(
        description="The paclet's root directory, which contains PacletInfo.wl, or a file in it "
        "such as its definition notebook."
    ),
]


class PacletArguments(ToolArguments):
    """The arguments of `CheckPaclet` and `SubmitPaclet`."""

    path: _PacletPath


class PacletBuildArguments(ToolArguments):
    """The arguments of `BuildPaclet`."""

    path: _PacletPath
    check: Annotated[
        bool | None, Meta(description="Whether to check first and build only without errors.")
    ] = False


_READ_ONLY_ANNOTATIONS = {"readOnlyHint": True, "openWorldHint": False}

check_paclet_tool = Tool(
    "CheckPaclet",
    "paddock.toolkits.wolfram.paclet_build:check_paclet_directory",
    arguments=PacletArguments,
    title="Check a paclet",
    description="Check a Wolfram paclet without running it: the content of PacletInfo.wl, whether "
    "the files it names exist, and whether the code can be parsed.",
    annotations=_READ_ONLY_ANNOTATIONS,
    lenient=True,
    options=ALLOWED_FOLDERS_OPTIONS,
)
build_paclet_tool = Tool(
    "BuildPaclet",
    "paddock.toolkits.wolfram.paclet_build:build_paclet",
    arguments=PacletBuildArguments,
    title="Build a paclet",
    description="Build a .paclet archive of a Wolfram paclet in its directory `build`. Replaces "
    "an archive of the same version.",
    annotations=CACHE_ANNOTATIONS,
    lenient=True,
    options=ALLOWED_FOLDERS_OPTIONS,
)
submit_paclet_tool = Tool(
    "SubmitPaclet",
    "paddock.toolkits.wolfram.paclet_build:submit_paclet",
    arguments=PacletArguments,
    title="Submit a paclet",
    description="Check a Wolfram paclet and explain how to submit it to the paclet repository. "
    "Submitting requires a Wolfram system that is signed in.",
    annotations=_READ_ONLY_ANNOTATIONS,
    lenient=True,
    options=ALLOWED_FOLDERS_OPTIONS,
)


_EXAMPLES_DESCRIPTION = (
    "Markdown: text and fenced code blocks, which are evaluated (10 seconds each) and get their "
    "outputs; a line --- separates examples. A fenced wl-output block after a code block replaces "
    "its output."
)
EXAMPLE_SECTION_NAMES = (
    "BasicExamples, Scope, GeneralizationsExtensions, Options, Applications, PropertiesRelations, "
    "PossibleIssues, InteractiveExamples or NeatExamples"
)


create_symbol_doc_tool = Tool(
    "CreateSymbolDoc",
    "paddock.toolkits.wolfram.reference_pages:write_new_symbol_page",
    title="Create symbol documentation",
    description="""\
Create a reference page (a notebook) for a symbol of a Wolfram paclet, below \
Documentation/English/ReferencePages/Symbols in the paclet's directory. Omitted parts get the \
placeholder XXXX. An existing page is never replaced.""",
    parameters=[
        Parameter("pacletDirectory", "string", "The directory of the paclet.", required=True),
        Parameter("symbolName", "string", "The symbol, without its context.", required=True),
        Parameter("pacletName", "string", "The name of the paclet.", required=True),
        Parameter(
            "usage",
            "string",
            "Usage: a list, each item with its syntax in backticks and a description, with "
            "variables in asterisks: - `f[x]` does something with *x*.",
            required=True,
        ),
        Parameter("publisherID", "string", "The publisher of the paclet."),
        Parameter("context", "string", "The context of the symbol. Default: that of the paclet."),
        Parameter("notes", "string", "Details in Markdown: paragraphs, items and tables."),
        Parameter("seeAlso", "string", "Related symbols, separated by commas or newlines."),
        Parameter("techNotes", "string", "Tech notes, one [label](address) per line."),
        Parameter("relatedGuides", "string", "Guides, one [label](address) per line."),
        Parameter("relatedLinks", "string", "Other pages, one [label](address) per line."),
        Parameter("keywords", "string", "Keywords, separated by commas or newlines."),
        Parameter("newInVersion", "string", "The first paclet version with this symbol."),
        Parameter("basicExamples", "string", _EXAMPLES_DESCRIPTION),
    ],
    annotations=ADD_ANNOTATIONS,
    task="optional",
    lenient=True,
    options={
        **ENGINE_OPTIONS,
        **ALLOWED_FOLDERS_OPTIONS,
    },
)
edit_symbol_doc_tool = Tool(
    "EditSymbolDoc",
    "paddock.toolkits.wolfram.reference_pages:update_symbol_page",
    title="Edit symbol documentation",
    description="""\
Edit one part of a symbol's reference page in place; the rest of the notebook stays unchanged. \
Operations: setUsage (a list as for CreateSymbolDoc), setNotes (replaces all notes with Markdown), \
addNote (inserts notes), setDetailsTable (replaces the table in the notes, or inserts one at the \
position), setSeeAlso (names), setTechNotes, setRelatedGuides, setRelatedLinks (one \
[label](address) per line), setKeywords (words), setHistory (new:1.0, modified:1.2, \
obsolete:2.0). Empty content sets a placeholder where that makes sense.""",
    parameters=[
        Parameter("notebook", "string", "The path of the page.", required=True),
        Parameter("operation", "string", "The operation to perform.", required=True),
        Parameter("content", "string", "The new content, in the form that the operation expects."),
        Parameter(
            "position",
            "integer",
            "For addNote and setDetailsTable, where to insert: 1 (default) is before the first "
            "note, -1 after the last.",
        ),
    ],
    annotations=WRITE_ANNOTATIONS,
    lenient=True,
    options=ALLOWED_FOLDERS_OPTIONS,
)
edit_symbol_doc_examples_tool = Tool(
    "EditSymbolDocExamples",
    "paddock.toolkits.wolfram.reference_pages:update_symbol_page_examples",
    title="Edit symbol documentation examples",
    description="""\
Edit the examples in a section of a symbol's reference page in place; the rest of the notebook \
stays unchanged. Operations: appendExample, prependExample, insertExample, replaceExample, \
removeExample (these three need a position), clearExamples, setExamples. Returns the examples \
with their outputs.""",
    parameters=[
        Parameter("notebook", "string", "The path of the page.", required=True),
        Parameter("operation", "string", "The operation to perform.", required=True),
        Parameter("section", "string", f"The section: {EXAMPLE_SECTION_NAMES}.", required=True),
        Parameter("content", "string", _EXAMPLES_DESCRIPTION),
        Parameter(
            "position",
            "integer",
            "The example: 1 is the first, -1 the last; for insertExample, 1 is before the first "
            "and -1 after the last.",
        ),
        Parameter(
            "subsection",
            "string",
            "The title of the subsection, such as the name of an option. Created if missing when "
            "examples are added.",
        ),
    ],
    annotations=WRITE_ANNOTATIONS,
    task="optional",
    lenient=True,
    options={
        **ENGINE_OPTIONS,
        **ALLOWED_FOLDERS_OPTIONS,
    },
)
