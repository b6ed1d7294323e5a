"""The command group `paddock`, which imports each command on first use.

Help and shell completion read names and summaries from `COMMAND_GROUPS`, so neither has to import
a command. `LazyGroup` is the only place that turns a `PaddockError` into a message and exit code 2.
"""

from __future__ import annotations

from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from paddock.cli.errors import ArgumentError, CliUsageError, CommandError
from paddock.errors import PaddockError
from paddock.suggestions import did_you_mean
from paddock.version import __version__

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping


COMMAND_GROUPS = {
    "The agent zoo": {
        "up": ("up", "Start the web app, the REST API and the MCP endpoints."),
        "users": ("users", "List and manage the users of a team."),
    },
    "Run and try a server": {
        "serve": ("serve", "Serve a file, a directory or a named server."),
        "call": ("call", "Call a tool of a server and print the result."),
        "inspect": ("inspect", "Show the tools, prompts and resources of a server."),
    },
    "Named servers": {
        "servers": ("servers", "List the named servers."),
        "show": ("servers", "Show everything about a named server."),
        "create": ("servers", "Create a named server."),
        "edit": ("servers", "Change a named server."),
        "delete": ("uninstall", "Delete a named server."),
        "tools": ("extensions", "List the tools available to servers."),
        "prompts": ("extensions", "List the prompts available to servers."),
    },
    "Extensions": {
        "extensions": ("extensions", "List the installed extensions."),
        "catalogue": ("catalogue", "Manage the catalogues extensions are installed from."),
        "new": ("new", "Create a new extension from a template."),
        "validate": ("validate", "Check an extension or a server definition for problems."),
    },
    "Agents": {"zoo": ("zoo", "Manage agents, and use them in other programs.")},
    "Client applications": {
        "clients": ("clients", "List the clients, detected ones first."),
        "install": ("install", "Install a server into clients."),
        "uninstall": ("uninstall", "Remove servers from clients."),
        "doctor": ("doctor", "Check installed servers and report problems."),
        "link": ("links_and_bundles", "Print a link that installs a server."),
        "bundle": ("links_and_bundles", "Write a server as an .mcpb bundle."),
    },
    "Evaluation": {"engines": ("engines", "List the Wolfram Language engines and the one in use.")},
    "Documentation": {"docs": ("docs", "Search and index documentation.")},
    "Shell": {"completion": ("completion", "Print a completion script.")},
}
"""The module in `paddock.cli` and the summary of each command, in the order of the help."""

COMMANDS = {
    name: (f"paddock.cli.{module}:{name}", summary)
    for group in COMMAND_GROUPS.values()
    for name, (module, summary) in group.items()
}
"""The import path (`module:attribute`) and summary of each command."""

FIRST_STEPS = (
    ("paddock call Demo greet name=Ada", "call a tool of the server Demo"),
    ("paddock clients", "list the clients on this computer"),
    ("paddock install claude-code Demo", "install Demo into one of them"),
    ("paddock create Mine --tool tools.py:add", "create a server from your own function"),
)


class LazyGroup(click.Group):
    """A command group that imports a command only to run it or to show its help."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a command, or None if the name is unknown."""
        if cmd_name not in COMMANDS:
            return None
        return _import_command(COMMANDS[cmd_name][0])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command named by the first argument, and the remaining arguments.

        Raises:
            ArgumentError: The name is unknown. The hint suggests similar names.
        """
        # During shell completion, the name may be incomplete and is not an error.
        if not ctx.resilient_parsing:
            _reject_unknown_command(args[0], COMMANDS)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the help's list of commands, by group, without importing their modules."""
        width = max(map(len, COMMANDS))
        for title, group in COMMAND_GROUPS.items():
            with formatter.section(title):
                definitions = [(name.ljust(width), summary) for name, (_, summary) in group.items()]
                formatter.write_dl(definitions)
        with formatter.section("First steps"):
            formatter.write_dl(FIRST_STEPS, col_max=50)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Return the commands that start with `incomplete`, without importing any."""
        # Not `super()`: `click.Group` would import every command to read its summary.
        options = click.Command.shell_complete(self, ctx, incomplete)
        return [*_complete_names(COMMANDS, incomplete), *options]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the options before the command name, with usage errors in Paddock's format."""
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            raise CliUsageError(error) from None

    def invoke(self, ctx: click.Context) -> object:
        """Run a command, and convert its errors to click errors, which have an exit code."""
        try:
            return super().invoke(ctx)
        except PaddockError as error:
            raise CommandError(error) from None
        except click.UsageError as error:
            raise CliUsageError(error) from None


@click.group(
    "paddock",
    cls=LazyGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    subcommand_metavar="COMMAND …",
    epilog="paddock COMMAND --help describes a command.",
)
@click.version_option(__version__, prog_name="paddock")
@click.pass_context
def root_command(ctx: click.Context) -> None:
    """Write, serve and call MCP servers, and install them into client applications."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def _reject_unknown_command(word: str, names: Collection[str], prefix: str = "") -> None:
    """Raise an error if a word is neither an option nor a command name.

    Args:
        word: The first argument on the command line.
        names: The names of the commands that are valid there.
        prefix: The name of the parent command followed by a space, such as `catalogue `.

    Raises:
        ArgumentError: There is no such command. The hint suggests similar names.
    """
    if word not in names and not word.startswith("-"):
        raise ArgumentError(
            f"No such command: {prefix}{word}",
            hint=did_you_mean(word, names) or f"paddock {prefix}--help lists the commands",
        )


def _import_command(path: str) -> click.Command:
    """Import the command at `module:attribute`."""
    command = resolve_name(path)
    if not isinstance(command, click.Command):
        raise TypeError(f"{path} is not a click command")
    return command


def _complete_names(
    commands: Mapping[str, tuple[str, str]], incomplete: str
) -> list[CompletionItem]:
    """Return shell completions for the commands whose names start with `incomplete`.

    Args:
        commands: The module and summary of each command, by name. Nothing is imported.
        incomplete: The text that the user has typed so far.
    """
    return [
        CompletionItem(name, help=summary)
        for name, (_, summary) in commands.items()
        if name.startswith(incomplete)
    ]


class CommandWithSubcommands(click.Command):
    """A command that also has subcommands, which are imported on first use.

    Unlike a group, it takes arguments of its own: `paddock extensions acme/*` lists extensions, and
    `paddock extensions search` runs a subcommand. If the first argument is the name of a
    subcommand, it always selects that subcommand.

    Args:
        arguments: The arguments of `click.Command`.
        subcommands: The import path (`module:attribute`) and summary of each subcommand, by name.
        attributes: The keyword arguments of `click.Command`.
    """

    def __init__(
        self, *arguments: Any, subcommands: Mapping[str, tuple[str, str]], **attributes: Any
    ) -> None:
        super().__init__(*arguments, **attributes)
        self.subcommands = subcommands

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,
    ) -> click.Context:
        """Return the context of the subcommand named by `args[0]`, or else of this command.

        Click then runs the context's command, so `paddock catalogue add` runs `add`.

        Raises:
            ArgumentError: There is no such subcommand, and this command takes no arguments.
        """
        if args and args[0] in self.subcommands:
            command = _import_command(self.subcommands[args[0]][0])
            return command.make_context(f"{info_name} {args[0]}", args[1:], parent, **extra)
        has_arguments = any(isinstance(parameter, click.Argument) for parameter in self.params)
        if args and not has_arguments and not extra.get("resilient_parsing"):
            _reject_unknown_command(args[0], self.subcommands, f"{info_name} ")
        return super().make_context(info_name, args, parent, **extra)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Return the matching subcommands and options, without importing any subcommand."""
        names = _complete_names(self.subcommands, incomplete)
        return [*names, *super().shell_complete(ctx, incomplete)]

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the subcommands below the options."""
        if self.subcommands:
            with formatter.section("Subcommands"):
                formatter.write_dl([(name, text) for name, (_, text) in self.subcommands.items()])
        super().format_epilog(ctx, formatter)
