"""Pairs that are written as one word on the command line: `K=V`, `N:V`, `TOOL.OPTION=VALUE`.

Texts on the command line that may be in a file: `TEXT` or `@FILE`.

The options that say which entry of which file is meant.

The options that say what stands in a client for a server.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, TypeVar

import click

from paddock.cli import completion
from paddock.cli.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Iterable


ToolOptions = dict[str, dict[str, object]]


def parse_header(text: str, where: str) -> tuple[str, str]:
    """The name and the value of `NAME:VALUE`.

    Raises:
        ArgumentError: when it has no colon.
    """
    name, colon, value = text.partition(":")
    if not (colon and name.strip()):
        # Not the text itself: it may be nothing but a secret.
        raise ArgumentError("Expected NAME:VALUE", where=where)
    return name.strip(), value.strip()


def parse_variables(texts: Iterable[str], where: str) -> dict[str, str]:
    """The environment that `NAME=VALUE` words describe.

    Raises:
        ArgumentError: when one of them has no name or no equals sign.
    """
    found = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not (equals and name.strip()):
            # Not the text itself: it may be nothing but a secret.
            raise ArgumentError("Expected NAME=VALUE", where=where)
        found[name.strip()] = value
    return found


def parse_forwarded_variables(texts: Iterable[str], where: str) -> dict[str, str | None]:
    """The environment that `NAME=VALUE` and `NAME` words describe; the latter have no value.

    Raises:
        ArgumentError: when one of them is neither.
    """
    found: dict[str, str | None] = {}
    for text in texts:
        if "=" in text:
            found |= parse_variables([text], where)
        elif text.isidentifier() and text.isascii():
            found[text] = None
        else:
            raise ArgumentError("Expected NAME=VALUE, or the NAME of a variable", where=where)
    return found


def parse_tool_options(texts: Iterable[str], where: str = "--option") -> ToolOptions:
    """The options of tools that `TOOL.OPTION=VALUE` words describe.

    A value is text, which is read as what the option takes when it is set. The name of a tool may
    hold dots, that of an option does not.

    Raises:
        ArgumentError: when one of them has another form.
    """
    found: ToolOptions = {}
    for text in texts:
        path, equals, value = text.partition("=")
        tool, dot, option = path.rpartition(".")
        if not (equals and dot and tool and option):
            raise ArgumentError(
                f"Expected TOOL.OPTION=VALUE, got {text!r}",
                where=where,
                hint="for example roll_dice.sides=20",
            )
        found.setdefault(tool, {})[option] = value
    return found


def read_text_or_file(text: str, where: str) -> str:
    """The text itself, or what is in the file that it names.

    Raises:
        ArgumentError: when the file cannot be read.
    """
    if not text.startswith("@"):
        return text
    file = Path(text[1:]).expanduser()
    try:
        return file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ArgumentError(f"Cannot read {file}: {error}", where=where) from None


F = TypeVar("F", bound=Callable[..., object])


def location_options(function: F) -> F:
    """The options of `install` and `uninstall` that say where."""
    server = click.option(
        "--server",
        metavar="SERVER",
        shell_complete=completion.complete_servers,
        help="The server, where it has the name of a client.",
    )
    project = click.option(
        "--project",
        type=click.Path(file_okay=False, path_type=Path),
        metavar="DIR",
        help="The client's file of this project, instead of the user's.",
    )
    file = click.option(
        "--file",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="F",
        help="This file, instead of the client's usual one.",
    )
    name = click.option("--name", metavar="KEY", help="The name of the entry in the client's file.")
    return server(project(file(name(function))))


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
