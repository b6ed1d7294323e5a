"""The tool `SymbolDefinition`: its parameters and description.

What it does is in `symbol_lookup`, which is loaded with the first call.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from paddock.authoring.context import Context  # noqa: TC001 - read from the hints of handlers
from paddock.authoring.failures import ToolError
from paddock.authoring.tool import Tool
from paddock.errors import PaddockError
from paddock.toolkits.wolfram.options import ENGINE_OPTION, ENGINE_OPTION_NAME

DEFAULT_MAX_CHARACTERS = 10_000
SYMBOL_DEFINITION_DESCRIPTION = """\
Show the definitions of Wolfram Language symbols: values, attributes, options and messages, \
readably formatted. Nothing is evaluated.

Looks into a session of the evaluator: the one given, else the one that was used last; without \
any, it knows the built-in symbols only. Several symbols are separated by commas."""


def show_wolfram_definitions(
    ctx: Context,
    symbols: Annotated[
        str,
        Meta(description="Names of symbols, separated by commas; with or without their contexts."),
    ],
    includeContextDetails: Annotated[  # noqa: N803 - the name that clients know
        bool | None, Meta(description="Whether to list the contexts of all symbols that appear.")
    ] = False,
    maxLength: Annotated[  # noqa: N803 - as above
        int | None, Meta(description="Characters shown of each symbol (10000 if not given).")
    ] = DEFAULT_MAX_CHARACTERS,
    session: Annotated[
        str | None,
        Meta(description="The evaluator's session to look into; else the one used last."),
    ] = None,
) -> str:
    """Show what is defined for symbols."""
    from paddock.toolkits.wolfram.symbol_lookup import look_up_symbols  # noqa: PLC0415 - see the module's docstring

    names = [name for part in symbols.split(",") if (name := part.strip())]
    if not names:
        raise ToolError(
            "There are no names: `symbols` is empty", hint='as in symbols="f" or "f, Sin"'
        )
    length = maxLength if maxLength and maxLength > 0 else DEFAULT_MAX_CHARACTERS

    try:
        answer = look_up_symbols(ctx, names, session, length, is_detailed=bool(includeContextDetails))
    except ToolError:
        raise
    except PaddockError as error:
        raise ToolError(str(error)) from error
    ctx.raise_if_cancelled()
    return answer


symbol_definition_tool = Tool(
    "SymbolDefinition",
    show_wolfram_definitions,
    title="Symbol definition",
    description=SYMBOL_DEFINITION_DESCRIPTION,
    annotations={
        "readOnlyHint": True,
        "destructiveHint": False,
        "idempotentHint": True,
        "openWorldHint": False,
    },
    lenient=True,
    options={ENGINE_OPTION_NAME: ENGINE_OPTION},
)
