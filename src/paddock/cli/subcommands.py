"""A command that does something by itself, and something else when a certain word comes first."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Mapping

    from click.shell_completion import CompletionItem


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
