"""Options of `paddock create` and `paddock edit` for the fields of a server definition."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
import msgspec

from paddock.cli.errors import ArgumentError
from paddock.cli.shared_options import combine_options, read_text_or_file, tool_options_option
from paddock.extensions.references import make_reference_absolute
from paddock.named_servers.sources import parse_definition_toml

if TYPE_CHECKING:
    from pathlib import Path

FIELD_NAMES = ("instructions", "initialization", "version", "title", "description", "key")


definition_options = combine_options(
    tool_options_option("Value of a tool option. Can be repeated."),
    click.option(
        "--instructions",
        metavar="TEXT|@FILE",
        callback=read_text_or_file,
        help="Instructions for models, or @file with the text.",
    ),
    click.option(
        "--initialization",
        metavar="REF",
        help="Function to call at startup: module:name or file.py:name.",
    ),
    click.option("--version", metavar="V", help="Version of the server (default: 1.0.0)."),
    click.option("--title", metavar="TEXT", help="Name to display to users."),
    click.option("--description", metavar="TEXT", help="Purpose of the server, in one sentence."),
    click.option("--key", metavar="KEY", help="Name of the server in the files of clients."),
)
"""The options for the fields of a definition."""


def collect_definition_options(option_values: dict[str, Any]) -> dict[str, Any]:
    """Return the server definition fields that the user set on the command line.

    References to local files become absolute, because the definition is stored elsewhere.

    Args:
        option_values: The values of all the command's options, by parameter name.
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
