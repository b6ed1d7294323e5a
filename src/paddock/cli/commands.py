"""The command group `paddock`: which commands there are, and where.

Commands are loaded when they are used; help and completion know them by this table. Errors of the
library become one line and exit code 2 here, and nowhere else.

A command that does something by itself, and something else when a certain word comes first.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from paddock.cli.errors import ArgumentError, CliUsageError, CommandError
from paddock.errors import PaddockError
from paddock.suggestions import did_you_mean
from paddock.version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping

    from click.shell_completion import CompletionItem


COMMAND_GROUPS = {
    "The agent zoo": {
        "up": ("paddock.cli.up:up", "Start the web app, the REST API and the MCP endpoints."),
        "users": ("paddock.cli.users:users", "List the people of the team that is served."),
    },
    "Run and try a server": {
        "serve": ("paddock.cli.serve:serve", "Serve a file, a directory or a named server."),
        "call": ("paddock.cli.call:call", "Call a tool of a server and print what it answers."),
        "inspect": ("paddock.cli.inspect:inspect", "Show what a server offers."),
    },
    "Named servers": {
        "servers": ("paddock.cli.servers:servers", "List the named servers."),
        "show": ("paddock.cli.servers:show", "Show everything about a named server."),
        "create": ("paddock.cli.servers:create", "Make a named server."),
        "edit": ("paddock.cli.servers:edit", "Change a named server."),
        "delete": ("paddock.cli.uninstall:delete", "Delete a named server."),
        "tools": ("paddock.cli.extensions:tools", "List the tools that servers can be made of."),
        "prompts": (
            "paddock.cli.extensions:prompts",
            "List the prompts that servers can be made of.",
        ),
    },
    "Extensions": {
        "extensions": (
            "paddock.cli.extensions:extensions",
            "List what is installed that brings tools and servers.",
        ),
        "catalogue": (
            "paddock.cli.catalogue:catalogue",
            "Say where extensions can be found that are not installed.",
        ),
        "new": ("paddock.cli.new:new", "Write a new extension to begin with."),
        "validate": (
            "paddock.cli.validate:validate",
            "Find what is wrong with an extension or a server.",
        ),
    },
    "Agents": {
        "zoo": ("paddock.cli.zoo:zoo", "Keep agents, and take them into the programs you use."),
    },
    "Programs that use servers": {
        "clients": ("paddock.cli.clients:clients", "List the clients, those found here first."),
        "install": ("paddock.cli.install:install", "Install a server into clients."),
        "uninstall": ("paddock.cli.uninstall:uninstall", "Take servers out of clients."),
        "doctor": ("paddock.cli.doctor:doctor", "Start what is installed, and say what is wrong."),
        "link": ("paddock.cli.link:link", "Print a link that installs a server by a click."),
        "bundle": ("paddock.cli.bundle:bundle", "Write a server as an .mcpb bundle."),
    },
    "Evaluation": {
        "engines": (
            "paddock.cli.engines:engines",
            "List the engines of the Wolfram Language, and which one is used.",
        ),
    },
    "Documentation": {
        "docs": ("paddock.cli.docs:docs", "Search documentation, and index it."),
    },
    "The shell": {
        "completion": ("paddock.cli.completion:completion", "Print a completion script."),
    },
}
"""Where each command is and what it does, in the order in which help shows them."""

COMMANDS = {name: row for group in COMMAND_GROUPS.values() for name, row in group.items()}

FIRST_STEPS = (
    ("paddock call Demo greet name=Ada", "call a tool of the server Demo"),
    ("paddock clients", "see which clients are here"),
    ("paddock install claude-code Demo", "install Demo into one of them"),
    ("paddock create Mine --tool tools.py:add", "make a server of your own function"),
)


class LazyGroup(click.Group):
    """A group whose commands are imported only when they are run or described."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load a command."""
        if cmd_name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[cmd_name][0].partition(":")
        command = getattr(import_module(module), attribute)
        return command if isinstance(command, click.Command) else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find a command; an unknown one is answered with the nearest."""
        name = args[0]
        if name not in COMMANDS and not name.startswith("-") and not ctx.resilient_parsing:
            raise ArgumentError(
                f"No such command: {name}",
                hint=did_you_mean(name, COMMANDS) or "paddock --help lists the commands",
            )
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands in groups, without loading any."""
        width = max(map(len, COMMANDS))
        for title, group in COMMAND_GROUPS.items():
            with formatter.section(title):
                rows = [(name.ljust(width), summary) for name, (_, summary) in group.items()]
                formatter.write_dl(rows)
        with formatter.section("First steps"):
            formatter.write_dl(FIRST_STEPS, col_max=50)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The commands that begin like a word, without loading any."""
        from click.shell_completion import CompletionItem  # noqa: PLC0415 - only to complete

        found = [
            CompletionItem(name, help=summary)
            for name, (_, summary) in COMMANDS.items()
            if name.startswith(incomplete)
        ]
        return [*found, *click.Command.shell_complete(self, ctx, incomplete)]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the options before the command."""
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            raise CliUsageError(error) from None

    def invoke(self, ctx: click.Context) -> object:
        """Run a command; what the library complains about is shown without a traceback."""
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
    """Write, serve and call MCP servers, and install them into the programs that use them."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


class CommandWithSubcommands(click.Command):
    """A command with further ones below it, which are loaded when they are used.

    Unlike a group it also takes arguments of its own; a word that names a further command wins.
    """

    subcommands: Mapping[str, tuple[str, str]] = {}
    """Where each is, as `module:attribute`, and what it does."""

    def load_subcommand(self, name: str) -> click.Command:
        """Load one of the further commands."""
        module, _, attribute = self.subcommands[name][0].partition(":")
        command = getattr(import_module(module), attribute)
        if not isinstance(command, click.Command):
            raise TypeError(f"{module}:{attribute} is no command")
        return command

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,
    ) -> click.Context:
        """Begin with the command that the first word names, or with this one."""
        if args and args[0] in self.subcommands:
            command = self.load_subcommand(args[0])
            return command.make_context(f"{info_name} {args[0]}", args[1:], parent, **extra)
        return super().make_context(info_name, args, parent, **extra)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The further commands that begin like a word, without loading any."""
        from click.shell_completion import CompletionItem  # noqa: PLC0415 - only to complete

        found = [
            CompletionItem(name, help=summary)
            for name, (_, summary) in self.subcommands.items()
            if name.startswith(incomplete)
        ]
        return [*found, *super().shell_complete(ctx, incomplete)]

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the further commands below the options."""
        if self.subcommands:
            with formatter.section("Further commands"):
                formatter.write_dl([(name, text) for name, (_, text) in self.subcommands.items()])
        super().format_epilog(ctx, formatter)
