"""The options that say what stands in a client for a server."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypedDict, TypeVar

import click

from paddock.cli.pairs import ToolOptions, parse_header, parse_tool_options, parse_forwarded_variables

F = TypeVar("F", bound=Callable[..., object])


class EntryOptions(TypedDict):
    """What the options say, as the library takes it."""

    name: str | None
    env: dict[str, str | None]
    http: str | None
    headers: dict[str, str]
    options: ToolOptions


def entry_options(function: F) -> F:
    """The options of `install` and `link` that say what the entry is to be."""
    env = click.option(
        "--env",
        multiple=True,
        metavar="NAME[=VALUE]",
        help="Environment variable for the server; without a value, the client's own is passed "
        "on and stays out of the file. May be repeated.",
    )
    http = click.option(
        "--http", metavar="URL", help="Have the client use the server at this address."
    )
    headers = click.option(
        "--header",
        "headers",
        multiple=True,
        metavar="NAME:VALUE",
        help="HTTP header to send with --http; may be repeated.",
    )
    options = click.option(
        "--option",
        "options",
        multiple=True,
        metavar="TOOL.OPTION=VALUE",
        help="Option of a tool, for this client; may be repeated.",
    )
    return env(http(headers(options(function))))


def build_entry_options(
    name: str | None,
    env: tuple[str, ...],
    http: str | None,
    headers: tuple[str, ...],
    options: tuple[str, ...],
) -> EntryOptions:
    """What the options say.

    Raises:
        ArgumentError: when one of them has another form.
    """
    return EntryOptions(
        name=name,
        env=parse_forwarded_variables(env, "--env"),
        http=http,
        headers=dict(parse_header(text, "--header") for text in headers),
        options=parse_tool_options(options),
    )
