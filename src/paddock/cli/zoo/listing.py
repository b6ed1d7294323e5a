"""`paddock zoo list` and `paddock zoo show`: which agents there are, and what they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from paddock.cli import completing, output, render
from paddock.cli.zoo.naming import resolve_agent_name
from paddock.zoo.opening import open_zoo

if TYPE_CHECKING:
    from paddock.zoo.model import Agent, AgentSummary
    from paddock.zoo.service import Zoo

MAX_DESCRIPTION_CHARACTERS = 60
"""Characters of a description in the list."""


@click.command("list")
@click.option("--text", metavar="TEXT", help="Only those with it in name, description or tags.")
@click.option("--tag", metavar="TAG", help="Only those with this tag.")
@click.option("--archived", is_flag=True, help="Only those that are archived.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def list_agents(*, text: str | None, tag: str | None, archived: bool, as_json: bool) -> None:
    """List the agents, in the order in which they were made."""
    with open_zoo() as zoo:
        found = zoo.list_agents(text=text, tag=tag, archived=archived).items
    if as_json:
        output.print_json(found)
    elif found:
        headings = ("agent", "name", "description", "skills", "entries", "changed")
        output.print_table(headings, map(_build_agent_row, found))
    elif text or tag or archived:
        output.print_note("No agent is like that")
    else:
        output.print_note("There are no agents yet\nHint: paddock zoo new --starter bramble")


def _build_agent_row(one: AgentSummary) -> list[output.Cell]:
    about = render.to_single_line(one.description)
    about = about if len(about) <= MAX_DESCRIPTION_CHARACTERS else f"{about[: MAX_DESCRIPTION_CHARACTERS - 1]}…"
    counts = [str(len(one.skill_names)), str(one.entry_count)]
    return [one.id, one.name, about, *counts, one.updated_at[:10]]


@click.command()
@click.argument("agent", required=False, shell_complete=completing.complete_agents)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, with the memory.")
def show(agent: str | None, *, as_json: bool) -> None:
    """Show everything about AGENT, an id or a name; without it the default of the project."""
    with open_zoo() as zoo:
        found = zoo.find_agent(resolve_agent_name(agent))
        entries = zoo.query_entries(found.id, limit=None if as_json else 1)
        count = next(
            (one.entry_count for one in _find_summaries(zoo, found.name) if one.id == found.id),
            0,
        )
    if as_json:
        output.print_json({"agent": found, "brainEntries": entries.items})
    else:
        click.echo(render.replace_control_characters(_format_agent(found, count)))


def _find_summaries(zoo: Zoo, name: str) -> list[AgentSummary]:
    return zoo.list_agents(archived=None, text=name).items


def _format_agent(agent: Agent, entries: int) -> str:
    rows = [("id", agent.id), ("version", f"{agent.version}, of {agent.updated_at}")]
    if agent.tags:
        rows.append(("tags", ", ".join(agent.tags)))
    if agent.context_refs:
        rows.append(("context", ", ".join(agent.context_refs)))
    if agent.extra:
        rows.append(("files of", ", ".join(agent.extra)))
    rows.append(("memory", f"{entries} entries{'' if agent.injects_memory else ', not injected'}"))
    parts = [agent.name + (" (archived)" if agent.archived else "")]
    parts += [render.wrap_paragraph(agent.description, 2)] if agent.description else []
    parts.append(render.align_columns(rows, 2))
    if agent.system_prompt:
        parts.append(f"Soul\n{render.wrap_paragraph(agent.system_prompt, 2)}")
    names = {category.id: category.name for category in agent.skill_categories}
    skills = [
        (
            "on" if one.enabled else "off",
            one.id,
            names.get(one.category_id, ""),
            render.to_single_line(one.when_to_use or one.description),
        )
        for one in agent.skills
    ]
    if skills:
        parts.append(f"Skills\n{render.align_columns(skills, 2)}")
    return "\n\n".join(parts)
