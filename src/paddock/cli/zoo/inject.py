"""The command `paddock zoo inject`, which prints the compiled prompt of an agent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

import click

from paddock.cli import completion, output, text_layout
from paddock.cli.zoo.default_agent import resolve_agent_name
from paddock.zoo.opening import open_zoo

if TYPE_CHECKING:
    from paddock.zoo.injector import MemoryOptions


@click.command()
@click.argument("agent", required=False, shell_complete=completion.complete_agents)
@click.option("--memory/--no-memory", "memory", default=None, help="Include memory or not.")
@click.option(
    "--budget", "budget_tokens", type=int, metavar="TOKENS", help="Maximum tokens of memory."
)
@click.option(
    "--workspace", "workspace_id", metavar="ID", help="Rank memory of this workspace first."
)
@click.option("--about", metavar="TEXT", help="Rank memory about this topic first.")
@click.option("--preview", is_flag=True, help="Do not record an injection.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, with the sections.")
def inject(
    agent: str | None,
    *,
    preview: bool,
    as_json: bool,
    **memory_options: Unpack[MemoryOptions],
) -> None:
    """Print the prompt of AGENT, an id or a name (default: the project's default agent).

    Standard output contains only the prompt: paddock zoo inject sage | pbcopy
    """
    with open_zoo() as zoo:
        name = resolve_agent_name(agent)
        if preview:
            injection = zoo.injector.preview(name, **memory_options)
        else:
            injection = zoo.injector.inject(name, source="cli", **memory_options).injection
    if as_json:
        output.print_json(injection)
        return
    # Programs need the exact text, but on a terminal its escape sequences could do harm.
    text = (
        text_layout.replace_control_characters(injection.prompt)
        if output.is_terminal()
        else injection.prompt
    )
    click.echo(text, color=True)
    for text in injection.warnings:
        output.print_warning(text)
