"""The commands `paddock zoo ...`, which manage agents and exchange them with other programs."""

from __future__ import annotations

import click

from paddock.cli.commands import CommandWithSubcommands


@click.command(
    cls=CommandWithSubcommands,
    subcommands={
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
    },
)
@click.pass_context
def zoo(ctx: click.Context) -> None:
    """Manage agents with a soul, skills and memory, and use them in other programs."""
    click.echo(ctx.get_help())
