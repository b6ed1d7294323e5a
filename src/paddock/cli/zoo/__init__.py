"""The commands `paddock zoo ...`, which manage agents and exchange them with other programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from paddock.cli.commands import CommandWithSubcommands
from paddock.cli.errors import ArgumentError
from paddock.suggestions import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Mapping


class ZooCommand(CommandWithSubcommands):
    """The command `paddock zoo`, which only has subcommands."""

    subcommands: Mapping[str, tuple[str, str]] = {
        "list": ("paddock.cli.zoo.agents:list_agents", "List the agents."),
        "show": ("paddock.cli.zoo.agents:show", "Show the details of an agent."),
        "new": ("paddock.cli.zoo.agents:new", "Create an agent."),
        "edit": ("paddock.cli.zoo.agents:edit", "Change an agent."),
        "delete": ("paddock.cli.zoo.agents:delete", "Move an agent to the bin."),
        "inject": ("paddock.cli.zoo.inject:inject", "Print the prompt of an agent."),
        "starters": ("paddock.cli.zoo.agents:list_starters", "List the starter agents."),
        "library": ("paddock.cli.zoo.library:library", "List the skills in the library."),
        "give": ("paddock.cli.zoo.library:give", "Copy skills from the library to an agent."),
        "default": (
            "paddock.cli.zoo.default_agent:default",
            "Show or set the default agent of a project.",
        ),
        "export": ("paddock.cli.zoo.transfer:export", "Export agents as files of other programs."),
        "import": ("paddock.cli.zoo.transfer:import_", "Import agents and skills from files."),
        "sync": ("paddock.cli.zoo.sync:sync", "Synchronize a project's agent files with the zoo."),
        "backup": ("paddock.cli.zoo.backups:backup", "Back up the zoo to a file."),
        "restore": ("paddock.cli.zoo.backups:restore", "Restore the zoo from a backup."),
    }

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,
    ) -> click.Context:
        """Create the context of the subcommand in `args[0]`.

        Raises:
            ArgumentError: There is no such subcommand. The hint suggests similar names.
        """
        is_word = bool(args) and not args[0].startswith("-") and args[0] not in self.subcommands
        if is_word and not extra.get("resilient_parsing"):
            raise ArgumentError(
                f"No such command: zoo {args[0]}",
                hint=did_you_mean(args[0], self.subcommands) or "paddock zoo lists the commands",
            )
        return super().make_context(info_name, args, parent, **extra)


@click.command(cls=ZooCommand)
@click.pass_context
def zoo(ctx: click.Context) -> None:
    """Manage agents with a soul, skills and memory, and use them in other programs."""
    click.echo(ctx.get_help())
