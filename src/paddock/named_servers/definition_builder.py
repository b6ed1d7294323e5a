"""From what the user gives to what is stored: found, made text, and tried out.

Nothing is written here but functions that are stored as they are; whoever calls this writes the
definition, or tidies up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from paddock.authoring.option_values import AUTOMATIC_VALUE, NONE_VALUE
from paddock.authoring.tool import Tool
from paddock.extensions.references import is_reference
from paddock.named_servers.function_references import find_base_tool
from paddock.named_servers.pickle_loader import is_pickle
from paddock.named_servers.server_builder import build_server
from paddock.named_servers.stored_form import (
    add_nested_values,
    list_new_items,
    make_paths_absolute,
    to_stored_form,
)
from paddock.named_servers.tool_options import map_to_exposed_names, merge_option_values
from paddock.named_servers.trial_run import try_definition
from paddock.protocol.versions import UI_EXTENSION

if TYPE_CHECKING:
    from paddock.named_servers.definition import ServerDefinition
    from paddock.named_servers.pickles import FunctionPickles
    from paddock.named_servers.server_builder import DefinitionOrigin
    from paddock.server import Server


def build_stored_definition(
    wanted: ServerDefinition,
    origin: DefinitionOrigin,
    pickles: FunctionPickles | None,
    kept: ServerDefinition | None = None,
) -> ServerDefinition:
    """The definition to store, in which everything can be found, here and by a client.

    Args:
        wanted: What the user wants; new paths in it count from the working directory.
        origin: Where it is going to be.
        pickles: Takes functions that have no reference, if it is there.
        kept: What is stored now; what of that is still wanted stays as it is.

    Raises:
        DefinitionError: when something in it cannot be.
        LoadError: when a reference leads nowhere.
    """
    found = make_paths_absolute(wanted, kept)
    stored = to_stored_form(found, pickles, kept)
    server = build_server(found, origin)
    stored.options = _merge_options(found, stored.options, server, kept)
    stored.views = stored.views or server.metadata.get_extension_settings(UI_EXTENSION) is not None
    if pickles is not None:
        pickles.write()
    check_startable(stored, origin, kept)
    return stored


def check_startable(
    stored: ServerDefinition, origin: DefinitionOrigin, kept: ServerDefinition | None
) -> None:
    """Make sure that a client finds what is new in a definition, if it has to look for anything.

    Raises:
        LoadError: when it does not.
    """
    if any(map(_has_reference, add_nested_values(list_new_items(stored, kept)))):
        try_definition(stored, origin)


def _has_reference(item: object) -> bool:
    return is_pickle(item) or (isinstance(item, str) and is_reference(item))


def _merge_options(
    definition: ServerDefinition,
    given: dict[str, dict[str, Any]],
    server: Server,
    kept: ServerDefinition | None,
) -> dict[str, dict[str, Any]]:
    """The values to store: those that tools were given, and text as what an option takes."""
    tools = list(zip(definition.tools, server.tools, strict=True))
    own = {tool.name: _get_changed_values(spec) for spec, tool in tools if isinstance(spec, Tool)}
    aliases = [(spec, tool.name) for spec, tool in tools]
    values = merge_option_values({name: found for name, found in own.items() if found}, given)
    before = {} if kept is None else kept.options
    for tool, said in values.items():
        names = list(map_to_exposed_names({tool: {}}, aliases))
        taken = server.tools.get(names[0]) if names else None
        for option, value in said.items():
            is_new = before.get(tool, {}).get(option) != value
            if isinstance(value, str) and is_new and taken is not None:
                said[option] = _coerce_text_value(value, taken.option_values[option])
    return values


def _get_changed_values(tool: Tool) -> dict[str, Any]:
    """The values of a tool that were set when it was given, and not where it is defined."""
    base = find_base_tool(tool)
    if base is None:
        known: dict[str, Any] = {name: option.default for name, option in tool.options.items()}
    else:
        known = base.option_values
    return {
        name: NONE_VALUE if value is None else msgspec.to_builtins(value, enc_hook=str)
        for name, value in tool.option_values.items()
        if value != known[name]
    }


def _coerce_text_value(text: str, value: Any) -> Any:
    """A value that was given as text, as a definition says it best."""
    is_plain = isinstance(value, bool | int | float | list | dict)
    return value if is_plain and text not in (AUTOMATIC_VALUE, NONE_VALUE) else text
