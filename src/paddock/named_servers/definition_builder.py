"""Conversion of a user's definition to the stored one, which is resolved, serializable and tested.

Nothing is written here except pickled functions. The caller writes the definition, or cleans up.
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
    from collections.abc import Mapping

    from paddock.named_servers.definition import ServerDefinition
    from paddock.named_servers.pickles import FunctionPickles
    from paddock.named_servers.server_builder import DefinitionOrigin
    from paddock.server import Server


def build_stored_definition(
    definition: ServerDefinition,
    origin: DefinitionOrigin,
    pickles: FunctionPickles | None,
    previous: ServerDefinition | None = None,
) -> ServerDefinition:
    """Check a server definition, and return it in a form that can be stored in a file.

    The tools and prompts are loaded here to validate them and their option values. A separate
    interpreter then loads the stored form as a client would, because a reference that works in
    this process may not work there.

    Args:
        definition: The user's definition. New paths in it are relative to the working directory.
        origin: The future location of the definition.
        pickles: The store for functions that have no reference. If None, such functions are
            rejected.
        previous: The stored definition. Items that it also contains are not converted.

    Raises:
        DefinitionError: A part of the definition is not valid.
        LoadError: A reference cannot be resolved.
    """
    absolute = make_paths_absolute(definition, previous)
    stored = to_stored_form(absolute, pickles, previous)
    server = build_server(absolute, origin)
    stored.options = _merge_options(absolute, stored.options, server, previous)
    stored.views = stored.views or server.metadata.get_extension_settings(UI_EXTENSION) is not None
    if pickles is not None:
        pickles.write()
    check_startable(stored, origin, previous)
    return stored


def check_startable(
    stored: ServerDefinition, origin: DefinitionOrigin, previous: ServerDefinition | None
) -> None:
    """Check that a client can load the new references in a definition, if there are any.

    The check starts a new interpreter, because that is how clients start a server.

    Args:
        stored: The definition in its stored form.
        origin: The location of the definition.
        previous: The previous definition, whose references are not checked again.

    Raises:
        LoadError: A reference cannot be resolved when a client starts the server.
    """
    if any(map(_has_reference, add_nested_values(list_new_items(stored, previous)))):
        try_definition(stored, origin)


def _has_reference(item: object) -> bool:
    return is_pickle(item) or (isinstance(item, str) and is_reference(item))


def _merge_options(
    definition: ServerDefinition,
    options: dict[str, dict[str, Any]],
    server: Server,
    previous: ServerDefinition | None,
) -> dict[str, dict[str, Any]]:
    """Return the tool option values to store in a definition.

    They are the values set on `Tool` objects and those in the definition's `options`. New string
    values are converted to the type that the option accepts.

    Args:
        definition: The definition, with `Tool` objects in its list of tools.
        options: The option values in the definition, which take precedence over those set on
            objects.
        server: The server built from the definition, whose tools have the converted values.
        previous: The stored definition, whose values are not converted again.
    """
    tools = list(zip(definition.tools, server.tools, strict=True))
    tool_values = {
        tool.name: values
        for spec, tool in tools
        if isinstance(spec, Tool) and (values := _get_changed_option_values(spec))
    }
    aliases = [(spec, tool.name) for spec, tool in tools]
    merged = merge_option_values(tool_values, options)
    previous_options = {} if previous is None else previous.options
    for tool_name, values in merged.items():
        exposed_names = list(map_to_exposed_names({tool_name: {}}, aliases))
        exposed_tool = server.tools.get(exposed_names[0]) if exposed_names else None
        for option, value in values.items():
            is_new = previous_options.get(tool_name, {}).get(option) != value
            if isinstance(value, str) and is_new and exposed_tool is not None:
                values[option] = _coerce_text_value(value, exposed_tool.option_values[option])
    return merged


def _get_changed_option_values(tool: Tool) -> dict[str, Any]:
    """Return the option values that the user has changed in a copy of a tool.

    These are the values that differ from the tool at the top level of its module, or from the
    defaults.
    """
    base = find_base_tool(tool)
    defaults = {name: option.default for name, option in tool.options.items()}
    base_values: Mapping[str, Any] = defaults if base is None else base.option_values
    return {
        name: NONE_VALUE if value is None else msgspec.to_builtins(value, enc_hook=str)
        for name, value in tool.option_values.items()
        if value != base_values[name]
    }


def _coerce_text_value(text: str, value: Any) -> Any:
    """Return the parsed value of a string, if TOML can represent that value."""
    is_plain = isinstance(value, bool | int | float | list | dict)
    return value if is_plain and text not in (AUTOMATIC_VALUE, NONE_VALUE) else text
