"""Option values for a server's tools, from its definition, the environment and the caller.

Later sources take precedence for each option. When a server starts, invalid values are reported and
ignored.
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
    """Merge tool option values, such as `{"Plot": {"Width": 400}}`, from multiple sources.

    If multiple sources contain the same option of a tool, the last one takes precedence.
    """
    merged: dict[str, dict[str, Any]] = {}
    for source in sources:
        for tool, values in source.items():
            merged.setdefault(tool, {}).update(values)
    return merged


def map_to_exposed_names(
    values: ToolOptionValues, exposed_names_by_spec: Iterable[tuple[object, str]]
) -> dict[str, dict[str, Any]]:
    """Return option values by the tools' exposed names, which are the names that clients see.

    Args:
        values: The option values of each tool. A key is either an exposed name, such as `Plot1`,
            or an element of the definition's `tools`, such as `acme/charts/Plot`.
        exposed_names_by_spec: The exposed name of the tool for each element of `tools`.
    """
    spec_pairs = list(exposed_names_by_spec)
    exposed_names = {exposed_name for _, exposed_name in spec_pairs}
    mapped_values: dict[str, dict[str, Any]] = {}
    # Exposed names come last and take precedence, because each refers to a single tool.
    for tool, options in sorted(values.items(), key=lambda item: item[0] in exposed_names):
        if tool in exposed_names:
            names = [tool]
        else:
            names = [exposed_name for spec, exposed_name in spec_pairs if spec == tool] or [tool]
        for name in names:
            mapped_values.setdefault(name, {}).update(options)
    return mapped_values


def read_environment_options() -> dict[str, dict[str, Any]]:
    """Return the tool option values in the environment variable.

    Its value is a JSON object such as `{"Plot": {"Width": 400}}`. An unset variable provides no
    option values.

    Raises:
        OptionError: The variable's value is not such an object.
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
    """Set the option values of a server's tools one by one.

    An invalid value is reported and does not prevent the others from being set.

    Args:
        server: The server.
        values: The option values by tool name.
        report: Called with the error for each invalid value.
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
