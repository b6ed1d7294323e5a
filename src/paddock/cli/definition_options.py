"""Options of `paddock create` and `paddock edit` for the fields of a server definition."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click
import msgspec

from paddock.cli.errors import ArgumentError
from paddock.cli.shared_options import read_text_or_file, tool_options_option
from paddock.extensions.references import make_reference_absolute
from paddock.named_servers.sources import parse_definition_toml

if TYPE_CHECKING:
    from pathlib import Path

F = TypeVar("F", bound=Callable[..., object])

FIELD_NAMES = ("instructions", "initialization", "version", "title", "description", "key")


def definition_options(function: F) -> F:
    """Add the options for the fields of a definition to a command."""
    options = (
        ("initialization", "REF", "Function to call at startup: module:name or file.py:name."),
        ("version", "V", "Version of the server (default: 1.0.0)."),
        ("title", "TEXT", "Name to display to users."),
        ("description", "TEXT", "Purpose of the server, in one sentence."),
        ("key", "KEY", "Name of the server in the files of clients."),
    )
    for name, metavar, help_text in reversed(options):
        function = click.option(f"--{name}", metavar=metavar, help=help_text)(function)
    function = click.option(
        "--instructions",
        metavar="TEXT|@FILE",
        callback=read_text_or_file,
        help="Instructions for models, or @file with the text.",
    )(function)
    return tool_options_option("Value of a tool option. Can be repeated.")(function)


def collect_definition_options(option_values: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a definition that the user set, from the values of all options.

    References to local files become absolute, since the definition is stored elsewhere.
    """
    fields = {name: option_values[name] for name in FIELD_NAMES if option_values[name] is not None}
    if "initialization" in fields:
        fields["initialization"] = make_reference_absolute(fields["initialization"])
    if option_values["options"]:
        fields["options"] = option_values["options"]
    return fields


def read_definition_table(file: Path) -> dict[str, Any]:
    """Read a server definition from a TOML or JSON file.

    Raises:
        ArgumentError: The file cannot be read, or is not a JSON object.
        ServerDefinitionError: The file is not valid TOML.
    """
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ArgumentError(f"Cannot read {file}: {error}", where="--from") from None
    if file.suffix != ".json":
        return parse_definition_toml(text, file)
    try:
        return msgspec.json.decode(text, type=dict[str, Any])
    except msgspec.MsgspecError as error:
        raise ArgumentError(f"expected a JSON object: {error}", where=str(file)) from None
