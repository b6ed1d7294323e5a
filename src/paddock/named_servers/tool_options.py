"""Option values of a server's tools, from its definition, the environment and the caller.

Later sources take precedence for each option. When a server starts, values that are not valid are
reported and ignored.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from paddock.authoring.option_values import OptionError
from paddock.named_servers.names import OPTIONS_VARIABLE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from paddock.authoring.base_server import BaseServer
    from paddock.errors import PaddockError

    ToolOptionValues = Mapping[str, Mapping[str, Any]]
    ErrorReporter = Callable[[PaddockError], object]


def merge_option_values(*sources: ToolOptionValues) -> dict[str, dict[str, Any]]:
    """Merge the option values of several sources.

    Later sources take precedence for each option.
    """
    merged: dict[str, dict[str, Any]] = {}
    for source in sources:
        for tool, values in source.items():
            merged.setdefault(tool, {}).update(values)
    return merged


def map_to_exposed_names(
    values: ToolOptionValues, aliases: Iterable[tuple[object, str]]
) -> dict[str, dict[str, Any]]:
    """Return option values by the names of tools that clients see.

    Args:
        values: The values, by these names or by the names in the definition's list of tools.
        aliases: The elements of that list, each with the name that clients see.
    """
    aliases = list(aliases)
    exposed_names = {name for _, name in aliases}
    mapped: dict[str, dict[str, Any]] = {}
    # Names that clients see come last and take precedence, because each refers to a single tool.
    for tool, options in sorted(values.items(), key=lambda item: item[0] in exposed_names):
        is_exposed = tool in exposed_names
        names = [] if is_exposed else [name for spec, name in aliases if spec == tool]
        for name in names or [tool]:
            mapped.setdefault(name, {}).update(options)
    return mapped


def read_environment_options() -> dict[str, dict[str, Any]]:
    """Return the option values in the environment variable, a JSON object of objects.

    Raises:
        OptionError: The variable has another content.
    """
    text = os.environ.get(OPTIONS_VARIABLE)
    if not text:
        return {}
    try:
        values = json.loads(text)
    except ValueError as error:
        raise _make_option_error(f"not valid JSON: {error}") from None
    if not isinstance(values, dict) or not all(
        isinstance(options, dict) for options in values.values()
    ):
        raise _make_option_error("not an object of objects")
    return values


def set_option_values(server: BaseServer, values: ToolOptionValues, report: ErrorReporter) -> None:
    """Set option values one by one, so that an invalid one does not prevent the others.

    Args:
        server: The server.
        values: The option values, by the name of the tool.
        report: Called with the error of each value that is not valid.
    """
    for tool, options in values.items():
        for option, value in options.items():
            try:
                server.set_tool_options({tool: {option: value}})
            except OptionError as error:
                report(error)


def _make_option_error(message: str) -> OptionError:
    return OptionError(
        message, where=OPTIONS_VARIABLE, hint='example: {"ToolName": {"option_name": "value"}}'
    )
