"""The options that say what a server is, and what they mean in its definition."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click
import msgspec

from paddock.cli.errors import ArgumentError
from paddock.cli.shared_options import parse_tool_options, read_text_or_file
from paddock.extensions.references import make_reference_absolute
from paddock.named_servers.sources import parse_definition_toml

if TYPE_CHECKING:
    from pathlib import Path

F = TypeVar("F", bound=Callable[..., object])

SCALAR_OPTION_NAMES = ("instructions", "initialization", "version", "title", "description", "key")


def definition_options(function: F) -> F:
    """What a server says of itself, and the options of its tools."""
    rows = (
        ("instructions", "TEXT|@FILE", "What a model should know of the server, or @file with it."),
        ("initialization", "REF", "A function to call when it starts: module:name, file.py:name."),
        ("version", "V", "Its version; 1.0.0 unless said otherwise."),
        ("title", "TEXT", "What people are shown in place of its name."),
        ("description", "TEXT", "What it is for, in a sentence."),
        ("key", "KEY", "What it is called in the files of clients."),
    )
    for name, metavar, text in reversed(rows):
        function = click.option(f"--{name}", metavar=metavar, help=text)(function)
    return click.option(
        "--option",
        "options",
        multiple=True,
        metavar="TOOL.OPTION=VALUE",
        help="A value for an option of a tool; may be repeated.",
    )(function)


def collect_definition_options(facts: dict[str, Any]) -> dict[str, Any]:
    """What of `facts_options` was given, as the library takes it.

    Raises:
        ArgumentError: when one of them is not what it should be.
    """
    given = {name: facts[name] for name in SCALAR_OPTION_NAMES if facts[name] is not None}
    if "instructions" in given:
        given["instructions"] = read_text_or_file(given["instructions"], "--instructions")
    if "initialization" in given:
        given["initialization"] = make_reference_absolute(given["initialization"])
    if facts["options"]:
        given["options"] = parse_tool_options(facts["options"])
    return given


def read_definition_table(file: Path) -> dict[str, Any]:
    """The table in a file with the definition of a server, TOML or JSON.

    Raises:
        ArgumentError: when it cannot be read, or is no table.
        ServerDefinitionError: when it is no TOML.
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
        raise ArgumentError(f"is no JSON object: {error}", where=str(file)) from None
