"""The command `paddock zoo inject`, which prints the compiled prompt of an agent."""

from __future__ import annotations

import click

from paddock.cli import completion, output, text_layout
from paddock.cli.zoo.default_agent import resolve_agent_name
from paddock.zoo.opening import open_zoo


@click.command()
@click.argument("agent", required=False, shell_complete=completion.complete_agents)
@click.option("--memory/--no-memory", "memory", default=None, help="Include memory or not.")
@click.option("--budget", type=int, metavar="TOKENS", help="Maximum tokens of memory.")
@click.option("--workspace", metavar="ID", help="Rank memory of this workspace first.")
@click.option("--about", metavar="TEXT", help="Rank memory about this topic first.")
@click.option("--preview", is_flag=True, help="Do not record an injection.")
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
    """Print the prompt of AGENT, an id or a name (default: the project's default agent).

    Standard output contains only the prompt: paddock zoo inject sage | pbcopy
    """
    with open_zoo() as zoo:
        name = resolve_agent_name(agent)
        if preview:
            injection = zoo.injector.preview(
                name, memory=memory, budget_tokens=budget, workspace_id=workspace, about=about
            )
        else:
            injection = zoo.injector.inject(
                name,
                memory=memory,
                budget_tokens=budget,
                workspace_id=workspace,
                about=about,
                source="cli",
            ).injection
    if as_json:
        output.print_json(injection)
        return
    # Programs need the exact text. On a terminal, escape sequences in it could do harm.
    text = (
        text_layout.replace_control_characters(injection.prompt)
        if output.is_terminal()
        else injection.prompt
    )
    click.echo(text, color=True)
    for text in injection.warnings:
        output.print_warning(text)
