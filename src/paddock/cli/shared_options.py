"""Options shared by multiple commands, and the callbacks that parse their values.

The values have the forms `NAME=VALUE`, `NAME:VALUE`, `TOOL.OPTION=VALUE` and `TEXT|@FILE`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import TypedDict, TypeVar

import click

from paddock.cli import completion, output
from paddock.cli.errors import ArgumentError

ToolOptions = dict[str, dict[str, object]]
F = TypeVar("F", bound=Callable[..., object])


def _split_pair(text: str, separator: str, parameter: click.Parameter) -> tuple[str, str]:
    """Split an option's value, such as `NAME=VALUE`, into a name and a value.

    Raises:
        ArgumentError: The text has no name or no separator.
    """
    name, found_separator, value = text.partition(separator)
    if not (found_separator and name.strip()):
        # The message does not quote the text, because it may be a secret without a name.
        raise ArgumentError(f"Expected NAME{separator}VALUE", where=parameter.opts[0])
    return name.strip(), value


def parse_headers(
    _context: click.Context, parameter: click.Parameter, texts: tuple[str, ...]
) -> dict[str, str]:
    """Parse HTTP headers given as `NAME:VALUE`."""
    pairs = (_split_pair(text, ":", parameter) for text in texts)
    return {name: value.strip() for name, value in pairs}


def parse_variables(
    _context: click.Context, parameter: click.Parameter, texts: tuple[str, ...]
) -> dict[str, str]:
    """Parse environment variables given as `NAME=VALUE`."""
    return dict(_split_pair(text, "=", parameter) for text in texts)


def parse_forwarded_variables(
    _context: click.Context, parameter: click.Parameter, texts: tuple[str, ...]
) -> dict[str, str | None]:
    """Parse the values of an option for environment variables, each `NAME=VALUE` or `NAME`.

    Returns:
        The value of each variable, by name. For a `NAME` alone, the value is None: the client
        forwards its own variable to the server.

    Raises:
        ArgumentError: A text has neither form.
    """
    variables: dict[str, str | None] = {}
    for text in texts:
        if text.isidentifier() and text.isascii():
            variables[text] = None
        elif "=" in text:
            name, variables[name] = _split_pair(text, "=", parameter)
        else:
            raise ArgumentError(
                "Expected NAME=VALUE or the NAME of a variable", where=parameter.opts[0]
            )
    return variables


def parse_tool_options(
    _context: click.Context, parameter: click.Parameter, texts: tuple[str, ...]
) -> ToolOptions:
    """Parse tool options given as `TOOL.OPTION=VALUE`.

    Values remain text; the tool converts them to the option's type. The path is split at the last
    dot, because tool names can contain dots but option names cannot.

    Raises:
        ArgumentError: A text does not have this form.
    """
    options: ToolOptions = {}
    for text in texts:
        path, equals, value = text.partition("=")
        tool, _, option = path.rpartition(".")
        if not (equals and tool and option):
            raise ArgumentError(
                f"Expected TOOL.OPTION=VALUE, got {text!r}",
                where=parameter.opts[0],
                hint="for example roll_dice.sides=20",
            )
        options.setdefault(tool, {})[option] = value
    return options


def read_text_or_file(
    _context: click.Context, parameter: click.Parameter, text: str | None
) -> str | None:
    """Return an option's value, or the content of the file if the value is `@FILE`.

    Raises:
        ArgumentError: The file cannot be read.
    """
    if text is None or not text.startswith("@"):
        return text
    file = Path(text[1:]).expanduser()
    try:
        return file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ArgumentError(f"Cannot read {file}: {error}", where=parameter.opts[0]) from None


json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
quiet_json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print JSON, and never ask."
)
yes_option = click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
dry_run_option = click.option(
    "--dry-run", is_flag=True, help="Show the changes without making them."
)
show_values_option = click.option(
    "--show-values", is_flag=True, help="With --dry-run: show secrets in the file."
)
entry_name_option = click.option(
    "--name", metavar="KEY", help="Name of the entry in the client's file."
)


def combine_options(*options: Callable[[F], F]) -> Callable[[F], F]:
    """Return a decorator that adds multiple options to a command. The help keeps their order."""
    # Click lists the option whose decorator was applied last first.
    return lambda function: functools.reduce(
        lambda decorated, option: option(decorated), reversed(options), function
    )


def headers_option(help_text: str) -> Callable[[F], F]:
    """Return a decorator that adds the option `--header NAME:VALUE` to a command.

    The command receives the headers as the argument `headers`, a dictionary.
    """
    return click.option(
        "--header",
        "headers",
        multiple=True,
        metavar="NAME:VALUE",
        callback=parse_headers,
        help=help_text,
    )


def tool_options_option(help_text: str) -> Callable[[F], F]:
    """Return a decorator that adds the option `--option TOOL.OPTION=VALUE` to a command.

    The command receives the values as the argument `options`, by tool and option.
    """
    return click.option(
        "--option",
        "options",
        multiple=True,
        metavar="TOOL.OPTION=VALUE",
        callback=parse_tool_options,
        help=help_text,
    )


clients_and_server_argument = functools.partial(
    click.argument,
    "words",
    nargs=-1,
    shell_complete=completion.complete_clients_and_servers,
)
"""The arguments of `install` and `uninstall`, which `client_arguments` separates."""
location_options = combine_options(
    click.option(
        "--server",
        metavar="SERVER",
        shell_complete=completion.complete_servers,
        help="Server name, if a client has the same name.",
    ),
    click.option(
        "--project",
        type=click.Path(file_okay=False, path_type=Path),
        metavar="DIR",
        help="Use the client's configuration of this project instead of the user's.",
    ),
    click.option(
        "--file",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="F",
        help="Use this configuration file instead of the client's default.",
    ),
    entry_name_option,
)
"""The options of `install` and `uninstall` that select an entry in a client's file."""


class EntryOptions(TypedDict):
    """Keyword arguments of `paddock.installer` for a server's entry in a client's config file.

    A value of None in `env` means that the client forwards its own variable.
    """

    name: str | None
    env: dict[str, str | None]
    http: str | None
    headers: dict[str, str]
    options: ToolOptions


entry_options = combine_options(
    click.option(
        "--env",
        multiple=True,
        metavar="NAME[=VALUE]",
        callback=parse_forwarded_variables,
        help="Environment variable for the server. Without VALUE, the client forwards its own "
        "variable and the file contains no value. Can be repeated.",
    ),
    click.option("--http", metavar="URL", help="Connect the client to the server at this URL."),
    headers_option("HTTP header to send with --http. Can be repeated."),
    tool_options_option("Value of a tool option for this client. Can be repeated."),
)
"""The options of `install` and `link` for the fields of `EntryOptions` except `name`."""


def consent_options(function: Callable[..., object]) -> Callable[..., object]:
    """Add `--install` and `--no-install` to a command.

    The decorated function receives both as one argument, `install_policy`: True installs missing
    extensions without asking, False never installs them, and None asks on the terminal.
    """

    @functools.wraps(function)
    def command(
        *arguments: object, may_install: bool, no_install: bool, **keywords: object
    ) -> object:
        if may_install and no_install:
            raise click.UsageError("--install and --no-install cannot be combined")
        install_policy = may_install if may_install or no_install or not output.can_ask() else None
        return function(*arguments, install_policy=install_policy, **keywords)

    add_options: Callable[[Callable[..., object]], Callable[..., object]] = combine_options(
        click.option(
            "--install",
            "may_install",
            is_flag=True,
            help="Install missing extensions from catalogues without asking.",
        ),
        click.option("--no-install", is_flag=True, help="Never install missing extensions."),
    )
    return add_options(command)
