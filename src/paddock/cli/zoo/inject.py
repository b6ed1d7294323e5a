"""`paddock zoo inject`: the text that makes a model take the part of an agent."""

from __future__ import annotations

import click

from paddock.cli import completion, output, text_layout
from paddock.cli.zoo.default_agent import resolve_agent_name
from paddock.zoo.opening import open_zoo


@click.command()
@click.argument("agent", required=False, shell_complete=completion.complete_agents)
@click.option(
    "--memory/--no-memory", "memory", default=None, help="Whether memory comes along at all."
)
@click.option("--budget", type=int, metavar="TOKENS", help="How much memory may come along.")
@click.option("--workspace", metavar="ID", help="Whose memory comes before the rest.")
@click.option("--about", metavar="TEXT", help="What it is for: memory about that comes first.")
@click.option("--preview", is_flag=True, help="Do not count it as an injection.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, with the sections.")
def inject(
    agent: str | None,
    *,
    memory: bool | None,
    budget: int | None,
    workspace: str | None,
    about: str | None,
    preview: bool,
    as_json: bool,
) -> None:
    """Print the prompt of AGENT, an id or a name; without it the default of the project.

    Nothing else is on standard output: paddock zoo inject sage | pbcopy
    """
    with open_zoo() as zoo:
        name = resolve_agent_name(agent)
        if preview:
            found = zoo.preview(
                name, memory=memory, budget_tokens=budget, workspace_id=workspace, about=about
            )
        else:
            found = zoo.inject(
                name,
                memory=memory,
                budget_tokens=budget,
                workspace_id=workspace,
                about=about,
                source="cli",
            )
    if as_json:
        output.print_json(found)
        return
    # A program gets the text as it is, a terminal nothing that it would obey.
    text = (
        text_layout.replace_control_characters(found.prompt)
        if output.is_terminal()
        else found.prompt
    )
    click.echo(text, color=True)
    for text in found.warnings:
        output.print_warning(text)
