"""`paddock zoo default`: which agent works in a project unless another one is named.

Which agent a command is about.
"""

from __future__ import annotations

from pathlib import Path

import click

from paddock.cli import completion, output
from paddock.cli.errors import ArgumentError
from paddock.zoo.opening import open_zoo
from paddock.zoo.project import find_project, get_default_agent, read_project, set_default_agent


@click.command()
@click.argument("agent", required=False, shell_complete=completion.complete_agents)
@click.option(
    "--project",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="The folder of the project; by default the nearest one with .paddock/zoo.toml, or this.",
)
@click.option("--clear", is_flag=True, help="Let no agent be the default.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def default(
    ctx: click.Context, agent: str | None, *, project: Path | None, clear: bool, as_json: bool
) -> None:
    """Print which agent works in a project, or with AGENT say which one.

    It is written into .paddock/zoo.toml, which belongs to the project. The exit code is 1 when
    there is none.
    """
    if agent and clear:
        raise click.UsageError("AGENT and --clear cannot go together")
    folder = project or find_project(Path.cwd()) or Path.cwd()
    if agent or clear:
        name = None
        if agent:
            with open_zoo() as zoo:
                name = zoo.find_agent(agent).id
        path = set_default_agent(folder, name)
        output.print_note(f"Written: {path}")
    found = read_project(folder).default
    if as_json:
        output.print_json({"default": found, "project": str(folder)})
    elif found is not None:
        click.echo(found)
    elif not clear:
        output.print_note("No agent is the default here\nHint: paddock zoo default AGENT")
    if found is None and not clear:
        ctx.exit(1)


def resolve_agent_name(name: str | None) -> str:
    """The agent that is named, or the one that works in this project.

    Raises:
        ArgumentError: when there is neither.
    """
    found = name or get_default_agent(Path.cwd())
    if found is None:
        raise ArgumentError(
            "Name an agent",
            hint="paddock zoo list lists them; paddock zoo default AGENT sets one for a project",
        )
    return found
