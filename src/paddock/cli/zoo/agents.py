"""`paddock zoo list` and `paddock zoo show`: which agents there are, and what they are.

The options that say what an agent is, and what they mean by its JSON keys.

`paddock zoo new`, `starters` and `delete`: agents made, and put into the bin.

`paddock zoo edit`: an agent changed, by options or in an editor.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click
import msgspec

from paddock.cli import completion, output, text_layout
from paddock.cli.editor_draft import edit_in_editor
from paddock.cli.errors import ArgumentError
from paddock.cli.shared_options import read_text_or_file
from paddock.cli.zoo.default_agent import resolve_agent_name
from paddock.suggestions import did_you_mean
from paddock.zoo.opening import open_zoo
from paddock.zoo.starter_agents import load_starters
from paddock.zoo.toml_form import format_agent, parse_changes

if TYPE_CHECKING:
    from paddock.zoo.model import Agent, AgentSummary
    from paddock.zoo.service import Zoo
    from paddock.zoo.starter_agents import Starter


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
    about = text_layout.to_single_line(one.description)
    about = (
        about
        if len(about) <= MAX_DESCRIPTION_CHARACTERS
        else f"{about[: MAX_DESCRIPTION_CHARACTERS - 1]}…"
    )
    counts = [str(len(one.skill_names)), str(one.entry_count)]
    return [one.id, one.name, about, *counts, one.updated_at[:10]]


@click.command()
@click.argument("agent", required=False, shell_complete=completion.complete_agents)
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
        click.echo(text_layout.replace_control_characters(_format_agent(found, count)))


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
    parts += [text_layout.wrap_paragraph(agent.description, 2)] if agent.description else []
    parts.append(text_layout.align_columns(rows, 2))
    if agent.system_prompt:
        parts.append(f"Soul\n{text_layout.wrap_paragraph(agent.system_prompt, 2)}")
    names = {category.id: category.name for category in agent.skill_categories}
    skills = [
        (
            "on" if one.enabled else "off",
            one.id,
            names.get(one.category_id, ""),
            text_layout.to_single_line(one.when_to_use or one.description),
        )
        for one in agent.skills
    ]
    if skills:
        parts.append(f"Skills\n{text_layout.align_columns(skills, 2)}")
    return "\n\n".join(parts)


F = TypeVar("F", bound=Callable[..., object])


def agent_options(function: F) -> F:
    """What an agent is."""
    description = click.option(
        "--description", metavar="TEXT", help="What it is for, in a sentence."
    )
    soul = click.option(
        "--soul", metavar="TEXT|@FILE", help="Who it is and how it behaves, or @file with it."
    )
    tags = click.option(
        "--tag", "tags", multiple=True, metavar="TAG", help="A tag; may be repeated."
    )
    return description(soul(tags(function)))


def collect_agent_options(facts: dict[str, Any]) -> dict[str, Any]:
    """What of `facts_options` was given, by JSON key.

    Raises:
        ArgumentError: when a file cannot be read.
    """
    given: dict[str, Any] = {}
    if facts["description"] is not None:
        given["description"] = facts["description"]
    if facts["soul"] is not None:
        given["systemPrompt"] = read_text_or_file(facts["soul"], "--soul")
    if facts["tags"]:
        given["tags"] = list(facts["tags"])
    return given


@click.command()
@click.argument("name", required=False)
@click.option("--id", "agent_id", metavar="ID", help="What the id is made from, if not the name.")
@click.option(
    "--starter",
    metavar="S",
    shell_complete=completion.complete_starters,
    help="Begin with a copy of this one; paddock zoo starters lists them.",
)
@click.option(
    "--copy-of",
    metavar="AGENT",
    shell_complete=completion.complete_agents,
    help="Begin with a copy of this agent of yours, without its memory.",
)
@agent_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def new(
    name: str | None,
    *,
    agent_id: str | None,
    starter: str | None,
    copy_of: str | None,
    as_json: bool,
    **facts: Any,
) -> None:
    """Make an agent called NAME.

    It gets an id of its own, by which commands and files know it. Give it skills with
    paddock zoo edit, or begin with a copy.
    """
    if starter and copy_of:
        raise click.UsageError("--starter and --copy-of cannot go together")
    if not (name or starter or copy_of):
        raise ArgumentError("Name the agent", hint="paddock zoo new 'Ada the Careful'")
    given = collect_agent_options(facts)
    if name is not None:
        given["name"] = name
    with open_zoo() as zoo:
        if copy_of is not None:
            copied = zoo.find_agent(copy_of)
            made = zoo.duplicate_agent(copied.id, name, source="cli")
            made = zoo.update_agent(made.id, given, source="cli") if given else made
        else:
            base = msgspec.to_builtins(_find_starter(starter).agent) if starter else {}
            wanted = agent_id or (None if name else base.get("id"))
            made = zoo.create_agent({**base, **given, "id": wanted}, source="cli")
    if as_json:
        output.print_json(made)
        return
    click.echo(f"Created {made.id}: {made.name}")
    output.print_note(f"Hint: paddock zoo edit {made.id}")


def _find_starter(name: str) -> Starter:
    known = {one.id: one for one in load_starters()}
    if name not in known:
        raise ArgumentError(
            f"There is no starter {name!r}",
            hint=did_you_mean(name, known) or f"there are {', '.join(known)}",
        )
    return known[name]


@click.command("starters")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def list_starters(*, as_json: bool) -> None:
    """List agents to begin with; paddock zoo new --starter makes a copy of one."""
    found = load_starters()
    if as_json:
        output.print_json(found)
        return
    rows = [(one.id, one.name, one.description, str(len(one.agent.skills))) for one in found]
    output.print_table(("starter", "name", "description", "skills"), rows)


@click.command()
@click.argument("agent", shell_complete=completion.complete_agents)
@click.option("--yes", is_flag=True, help="Ask nothing.")
def delete(agent: str, *, yes: bool) -> None:
    """Put AGENT into the bin, with its memory; it can be had back for 30 days."""
    with open_zoo() as zoo:
        found = zoo.find_agent(agent)
        if not yes:
            if not output.can_ask():
                text = f"Nobody is there to say whether to delete {found.id!r}"
                raise ArgumentError(text, hint="add --yes")
            if not output.ask_yes_no(f"Put {found.name} ({found.id}) into the bin?"):
                raise click.Abort
        zoo.delete_agent(found.id, found.version, source="cli")
    click.echo(f"Deleted {found.id}; it is in the bin")


Json = dict[str, Any]


@click.command()
@click.argument("agent", shell_complete=completion.complete_agents)
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
