"""The tool `PythonSymbolDefinition`: its parameters, options and description.

What it does is in `symbol_lookup`, which is loaded with the first call.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from paddock.authoring.context import Context  # noqa: TC001 - read from the hints of handlers
from paddock.authoring.failures import ToolError
from paddock.authoring.tool import Tool
from paddock.errors import PaddockError
from paddock.toolkits.paths import ALLOWED_FOLDERS_OPTION
from paddock.toolkits.paths import ALLOWED_FOLDERS_OPTION_NAME as FOLDERS_OPTION
from paddock.toolkits.python.options import INTERPRETER_OPTION, INTERPRETER_OPTION_NAME

DEFAULT_MAX_CHARACTERS = 10_000
SYMBOL_DEFINITION_DESCRIPTION = """\
Show the definitions of Python symbols: where they are, their source, signature and docstring; of \
modules what they consist of. They are looked for in the project, the packages of its environment \
and the standard library, without running anything.

Names are dotted (json.dumps, mypackage.module.Class.method), or those that a file knows if one is \
given. Several are separated by commas."""


def show_python_definitions(
    ctx: Context,
    symbols: Annotated[str, Meta(description="Dotted names, separated by commas.")],
    file: Annotated[
        str | None,
        Meta(description="A Python file: names are then those that it defines or imports."),
    ] = None,
    maxLength: Annotated[  # noqa: N803 - the name that clients know from SymbolDefinition
        int | None, Meta(description="Characters shown of each symbol (10000 if not given).")
    ] = DEFAULT_MAX_CHARACTERS,
    interpreter: Annotated[
        str | None,
        Meta(
            description="The Python whose packages are meant, or the directory of its environment."
        ),
    ] = None,
    live: Annotated[
        bool | None,
        Meta(
            description="Whether to import, in a process of their own, symbols that reading the "
            "files does not find. This runs the project's code."
        ),
    ] = False,
) -> str:
    """Show what Python symbols are."""
    from paddock.toolkits.python import symbol_lookup  # noqa: PLC0415 - see the module's docstring

    names = [name for part in symbols.split(",") if (name := part.strip())]
    if not names:
        raise ToolError("There are no names: `symbols` is empty", hint='as in symbols="json.dumps"')
    length = maxLength if maxLength and maxLength > 0 else DEFAULT_MAX_CHARACTERS
    wanted = symbol_lookup.SymbolQuery(names, file, length, interpreter, bool(live))
    try:
        return symbol_lookup.look_up_symbols(ctx, wanted)
    except ToolError:
        raise
    except PaddockError as error:
        raise ToolError(str(error)) from error


python_symbol_definition_tool = Tool(
    "PythonSymbolDefinition",
    show_python_definitions,
    title="Python symbol definition",
    description=SYMBOL_DEFINITION_DESCRIPTION,
    annotations={
        "readOnlyHint": False,
        "destructiveHint": False,
        "idempotentHint": True,
        "openWorldHint": False,
    },
    lenient=True,
    options={INTERPRETER_OPTION_NAME: INTERPRETER_OPTION, FOLDERS_OPTION: ALLOWED_FOLDERS_OPTION},
)
