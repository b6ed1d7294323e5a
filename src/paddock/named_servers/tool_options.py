"""Values for the options of a server's tools: from its definition, the environment, the caller.

Later ones win, option by option. What a server cannot use when it starts is reported and left
out; the others count.
"""

from __future__ import annotations

import json
import os
import sys
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
    """The values of several sources as one; later sources win."""
    found: dict[str, dict[str, Any]] = {}
    for source in sources:
        for tool, given in source.items():
            found.setdefault(tool, {}).update(given)
    return found


def map_to_exposed_names(
    values: ToolOptionValues, aliases: Iterable[tuple[object, str]]
) -> dict[str, dict[str, Any]]:
    """The values by the names that clients see.

    Args:
        values: By those names, or by the names that stand in a list of tools.
        aliases: What stands in that list, with the name that clients see.
    """
    known = list(aliases)
    names = {name for _, name in known}
    found: dict[str, dict[str, Any]] = {}
    # What names the very tool that clients see wins over what names several.
    for tool, given in sorted(values.items(), key=lambda item: item[0] in names):
        meant = [name for spec, name in known if spec == tool] if tool not in names else []
        for name in meant or [tool]:
            found.setdefault(name, {}).update(given)
    return found


def read_environment_options() -> dict[str, dict[str, Any]]:
    """The values that the environment variable gives, as a JSON object of objects.

    Raises:
        OptionError: when it is something else.
    """
    text = os.environ.get(OPTIONS_VARIABLE)
    if not text:
        return {}
    try:
        found = json.loads(text)
    except ValueError as error:
        raise _make_option_error(f"is no JSON: {error}") from None
    if not isinstance(found, dict) or not all(isinstance(v, dict) for v in found.values()):
        raise _make_option_error("is no object of objects")
    return found


def set_option_values(
    offering: BaseServer, values: ToolOptionValues, report: ErrorReporter
) -> None:
    """Set values one by one, so that one that cannot be does not take others with it."""
    for tool, given in values.items():
        for option, value in given.items():
            try:
                offering.set_tool_options({tool: {option: value}})
            except OptionError as error:
                report(error)


def set_environment_options(offering: BaseServer) -> None:
    """Set the values that the environment gives; what cannot be is told on standard error."""

    def say(error: PaddockError) -> None:
        sys.stderr.write(f"{offering.name}: {error}\n")
        sys.stderr.flush()

    try:
        values = read_environment_options()
    except OptionError as error:
        say(error)
    else:
        set_option_values(offering, values, say)


def _make_option_error(what: str) -> OptionError:
    return OptionError(
        what, where=OPTIONS_VARIABLE, hint='as in {"ToolName": {"option_name": "value"}}'
    )
