"""`paddock zoo`: agents listed, made, changed, injected, and taken into files and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from paddock.cli.commands import CommandWithSubcommands
from paddock.cli.errors import ArgumentError
from paddock.suggestions import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Mapping


class ZooCommand(CommandWithSubcommands):
    """The commands about agents, each in a module of its own."""

    subcommands: Mapping[str, tuple[str, str]] = {
        "list": ("paddock.cli.zoo.agents:list_agents", "List the agents."),
        "show": ("paddock.cli.zoo.agents:show", "Show everything about an agent."),
        "new": ("paddock.cli.zoo.agents:new", "Make an agent."),
        "edit": ("paddock.cli.zoo.agents:edit", "Change an agent."),
        "delete": ("paddock.cli.zoo.agents:delete", "Put an agent into the bin."),
        "inject": ("paddock.cli.zoo.inject:inject", "Print the prompt of an agent."),
        "starters": ("paddock.cli.zoo.agents:list_starters", "List agents to begin with."),
        "library": ("paddock.cli.zoo.library:library", "List the skills that agents can share."),
        "give": ("paddock.cli.zoo.library:give", "Give an agent skills of the library."),
        "default": ("paddock.cli.zoo.default_agent:default", "Say which agent works in a project."),
        "export": ("paddock.cli.zoo.transfer:export", "Write agents as files of a program."),
        "import": ("paddock.cli.zoo.transfer:import_", "Take agents in from files."),
        "sync": ("paddock.cli.zoo.sync:sync", "Keep a project's agent files in step."),
        "backup": ("paddock.cli.zoo.backups:backup", "Write all of the zoo to a file."),
        "restore": ("paddock.cli.zoo.backups:restore", "Make the zoo what a backup was."),
    }

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,
    ) -> click.Context:
        """Begin with the command that the first word names; an unknown one is answered."""
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
    """Keep agents with a soul, skills and a memory, and take them into the programs you use."""
    click.echo(ctx.get_help())
