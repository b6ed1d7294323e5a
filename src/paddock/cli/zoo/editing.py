"""`paddock zoo edit`: an agent changed, by options or in an editor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
import msgspec

from paddock.cli import completing, output
from paddock.cli.complaints import ArgumentError
from paddock.cli.draft import edit_in_editor
from paddock.cli.zoo.facts import agent_options, collect_agent_options
from paddock.suggestions import did_you_mean
from paddock.zoo.opening import open_zoo
from paddock.zoo.text_form import parse_changes, format_agent

if TYPE_CHECKING:
    from paddock.zoo.model import Agent
    from paddock.zoo.service import Zoo

Json = dict[str, Any]


@click.command()
@click.argument("agent", shell_complete=completing.complete_agents)
@click.option("--name", metavar="NAME", help="What it is called; its id stays.")
@agent_options
@click.option("--untag", "untags", multiple=True, metavar="TAG", help="Take out a tag.")
@click.option("--enable", multiple=True, metavar="SKILL", help="Enable a skill; may be repeated.")
@click.option("--disable", multiple=True, metavar="SKILL", help="Disable a skill.")
@click.option("--memory/--no-memory", "memory", default=None, help="Whether memory is injected.")
@click.option("--archive/--unarchive", "archived", default=None, help="Put it aside, or back.")
@click.pass_context
def edit(ctx: click.Context, /, agent: str, **options: Any) -> None:
    """Change AGENT: with options as they say, without any in your editor.

    The editor is that of the environment variable VISUAL or EDITOR. It gets the agent as TOML,
    with soul, categories and skills. --tag adds to the tags that are there. The exit code is 1 when
    nothing was changed.
    """
    with open_zoo() as zoo:
        found = zoo.find_agent(agent)
        if any(value not in (None, ()) for value in options.values()):
            changes = _build_changes(found, options)
            after = zoo.update_agent(found.id, changes, version=found.version, source="cli")
            is_changed = after.version != found.version
        else:
            is_changed = _edit_agent_text(zoo, found)
    if not is_changed:
        output.print_note("Nothing was changed")
        ctx.exit(1)
    click.echo(f"Changed {found.id}")


def _build_changes(agent: Agent, options: Json) -> Json:
    """What the options say, by JSON key."""
    changes = collect_agent_options(options)
    if options["name"] is not None:
        changes["name"] = options["name"]
    if options["memory"] is not None:
        changes["injectsMemory"] = options["memory"]
    if options["archived"] is not None:
        changes["archived"] = options["archived"]
    if options["tags"] or options["untags"]:
        tags = [*agent.tags, *options["tags"]]
        changes["tags"] = [tag for tag in dict.fromkeys(tags) if tag not in options["untags"]]
    if options["enable"] or options["disable"]:
        changes["skills"] = _set_enabled_skills(agent, options)
    return changes


def _set_enabled_skills(agent: Agent, options: Json) -> list[Json]:
    skills: list[Json] = msgspec.to_builtins(agent.skills)
    known = [name for one in skills for name in (one["id"], one["name"])]
    for option, is_enabled in (("enable", True), ("disable", False)):
        for word in options[option]:
            same = [one for one in skills if word in (one["id"], one["name"])]
            if not same:
                raise ArgumentError(
                    f"{agent.id} has no skill {word!r}",
                    where=f"--{option}",
                    hint=did_you_mean(word, known) or f"paddock zoo show {agent.id} lists them",
                )
            same[0]["enabled"] = is_enabled
    return skills


def _edit_agent_text(zoo: Zoo, agent: Agent) -> bool:
    def save(text: str) -> None:
        changes = parse_changes(text, agent.id)
        zoo.update_agent(agent.id, changes, version=agent.version, source="cli")

    return edit_in_editor(format_agent(agent), save, f"the agent {agent.id}")
