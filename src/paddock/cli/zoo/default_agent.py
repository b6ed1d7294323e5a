"""The command `paddock zoo default`, and the resolution of an omitted AGENT argument."""

from __future__ import annotations

from pathlib import Path

import click

from paddock.cli import completion, output
from paddock.cli.errors import ArgumentError
from paddock.cli.shared_options import json_option
from paddock.zoo.opening import open_zoo
from paddock.zoo.project import find_project, get_default_agent, read_project, set_default_agent


@click.command()
@click.argument("agent", required=False, shell_complete=completion.complete_agents)
@click.option(
    "--project",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="Directory of the project (default: the nearest parent with .paddock/zoo.toml).",
)
@click.option("--clear", is_flag=True, help="Remove the default agent.")
@json_option
@click.pass_context
def default(
    ctx: click.Context, agent: str | None, *, project: Path | None, clear: bool, as_json: bool
) -> None:
    """Print the default agent of a project, or set it to AGENT.

    The default agent is stored in .paddock/zoo.toml of the project. The exit code is 1 if there
    is no default agent.
    """
    if agent and clear:
        raise click.UsageError("AGENT and --clear cannot be combined")
    folder = project or find_project(Path.cwd()) or Path.cwd()
    if agent or clear:
        agent_id = None
        if agent:
            with open_zoo() as zoo:
                agent_id = zoo.agents.find(agent).id
        path = set_default_agent(folder, agent_id)
        output.print_note(f"Wrote {path}")
    default_id = read_project(folder).default
    if as_json:
        output.print_json({"default": default_id, "project": str(folder)})
    elif default_id is not None:
        click.echo(default_id)
    elif not clear:
        output.print_note("This project has no default agent\nHint: paddock zoo default AGENT")
    if default_id is None and not clear:
        ctx.exit(1)


def resolve_agent_name(name: str | None) -> str:
    """Return `name`, or the default agent of the working directory's project.

    Raises:
        ArgumentError: `name` is None and the project has no default agent.
    """
    agent = name or get_default_agent(Path.cwd())
    if agent is None:
        raise ArgumentError(
            "Name an agent",
            hint="paddock zoo list lists them; paddock zoo default AGENT sets one for a project",
        )
    return agent
