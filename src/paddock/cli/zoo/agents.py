"""The commands `paddock zoo list`, `show`, `new`, `starters`, `edit` and `delete`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
import msgspec

from paddock.cli import completion, output, text_layout
from paddock.cli.editor_draft import edit_in_editor
from paddock.cli.errors import ArgumentError
from paddock.cli.shared_options import (
    combine_options,
    json_option,
    read_text_or_file,
    yes_option,
)
from paddock.cli.zoo.default_agent import resolve_agent_name
from paddock.suggestions import did_you_mean
from paddock.zoo.opening import open_zoo
from paddock.zoo.starter_agents import load_starters
from paddock.zoo.toml_form import format_agent, parse_changes
from paddock.zoo.validation import list_editable_fields

if TYPE_CHECKING:
    from paddock.zoo.model import Agent, AgentSummary
    from paddock.zoo.service import Zoo
    from paddock.zoo.starter_agents import Starter


MAX_DESCRIPTION_CHARACTERS = 60
"""Characters of a description in the table of agents."""
Json = dict[str, Any]


@click.command("list")
@click.option("--text", metavar="TEXT", help="List agents with TEXT in name, description or tags.")
@click.option("--tag", metavar="TAG", help="List agents with this tag.")
@click.option("--archived", is_flag=True, help="List archived agents instead of the others.")
@json_option
def list_agents(*, text: str | None, tag: str | None, archived: bool, as_json: bool) -> None:
    """List the agents in order of creation."""
    with open_zoo() as zoo:
        summaries = zoo.agents.list_summaries(text=text, tag=tag, archived=archived).items
    if as_json:
        output.print_json(summaries)
    elif summaries:
        headings = ("agent", "name", "description", "skills", "entries", "changed")
        output.print_table(headings, map(_build_agent_row, summaries))
    elif text or tag or archived:
        output.print_note("No agent matches")
    else:
        output.print_note("There are no agents yet\nHint: paddock zoo new --starter bramble")


def _build_agent_row(agent: AgentSummary) -> list[output.Cell]:
    """Return an agent's table row, with a shortened description."""
    description = text_layout.to_single_line(agent.description)
    if len(description) > MAX_DESCRIPTION_CHARACTERS:
        description = f"{description[: MAX_DESCRIPTION_CHARACTERS - 1]}…"
    counts = [len(agent.skill_names), agent.entry_count]
    return [agent.id, agent.name, description, *counts, agent.updated_at[:10]]


@click.command()
@click.argument("agent", required=False, shell_complete=completion.complete_agents)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, with the memory.")
def show(agent: str | None, *, as_json: bool) -> None:
    """Show the details of AGENT, an id or a name (default: the project's default agent)."""
    with open_zoo() as zoo:
        details = zoo.agents.find(resolve_agent_name(agent))
        # The text form only needs the number of entries.
        entries = zoo.brain.query_entries(details.id, limit=None if as_json else 1)
        summaries = zoo.agents.list_summaries(archived=None, text=details.name).items
    if as_json:
        output.print_json({"agent": details, "brainEntries": entries.items})
    else:
        entry_counts = {summary.id: summary.entry_count for summary in summaries}
        text = _format_agent(details, entry_counts.get(details.id, 0))
        click.echo(text_layout.replace_control_characters(text))


_FIELDS_WITH_LAYOUT = frozenset(
    {
        *("name", "description", "system_prompt", "skill_categories", "skills", "context_refs"),
        *("appearance_seed", "tags", "injects_memory", "archived", "extra"),
    }
)
"""Fields that `_format_agent` lays out specially. Every other field gets a row."""


def _format_agent(agent: Agent, entry_count: int) -> str:
    """Format an agent as text: its properties, its soul (the system prompt) and its skills.

    Args:
        agent: The agent to format.
        entry_count: The number of entries in its memory.
    """
    rows = [("id", agent.id), ("version", f"{agent.version}, of {agent.updated_at}")]
    if agent.tags:
        rows.append(("tags", ", ".join(agent.tags)))
    if agent.context_refs:
        rows.append(("context", ", ".join(agent.context_refs)))
    if agent.extra:
        rows.append(("files of", ", ".join(agent.extra)))
    for field in list_editable_fields(type(agent)):
        value = getattr(agent, field.name)
        if value and field.name not in _FIELDS_WITH_LAYOUT:
            rows.append((field.encode_name, ", ".join(value) if isinstance(value, list) else value))
    injection_note = "" if agent.injects_memory else ", not injected"
    rows.append(("memory", f"{entry_count} entries{injection_note}"))
    sections = [agent.name + (" (archived)" if agent.archived else "")]
    if agent.description:
        sections.append(text_layout.wrap_paragraph(agent.description, 2))
    sections.append(text_layout.align_columns(rows, 2))
    if agent.system_prompt:
        sections.append(f"Soul\n{text_layout.wrap_paragraph(agent.system_prompt, 2)}")
    category_names = {category.id: category.name for category in agent.skill_categories}
    skills = [
        (
            "on" if skill.enabled else "off",
            skill.id,
            category_names.get(skill.category_id, ""),
            text_layout.to_single_line(skill.when_to_use or skill.description),
        )
        for skill in agent.skills
    ]
    if skills:
        sections.append(f"Skills\n{text_layout.align_columns(skills, 2)}")
    return "\n\n".join(sections)


agent_options = combine_options(
    click.option("--description", metavar="TEXT", help="Purpose of the agent, in one sentence."),
    click.option(
        "--soul",
        metavar="TEXT|@FILE",
        callback=read_text_or_file,
        help="Character and behaviour of the agent, or @file with the text.",
    ),
    click.option("--tag", "tags", multiple=True, metavar="TAG", help="Tag. Can be repeated."),
)
"""The options of `new` and `edit` for the fields of an agent."""


def collect_agent_options(option_values: dict[str, Any]) -> dict[str, Any]:
    """Return the agent fields that the user set with the `agent_options`.

    Args:
        option_values: The values of all the command's options, by parameter name.

    Returns:
        The values by JSON key, such as `{"systemPrompt": "You are …"}`.
    """
    fields: dict[str, Any] = {}
    if option_values["description"] is not None:
        fields["description"] = option_values["description"]
    if option_values["soul"] is not None:
        fields["systemPrompt"] = option_values["soul"]
    if option_values["tags"]:
        fields["tags"] = list(option_values["tags"])
    return fields


@click.command()
@click.argument("name", required=False)
@click.option("--id", "agent_id", metavar="ID", help="Id of the agent (default: from its name).")
@click.option(
    "--starter",
    metavar="S",
    shell_complete=completion.complete_starters,
    help="Copy this starter agent; paddock zoo starters lists them.",
)
@click.option(
    "--copy-of",
    metavar="AGENT",
    shell_complete=completion.complete_agents,
    help="Copy this agent, without its memory.",
)
@agent_options
@json_option
def new(
    name: str | None,
    *,
    agent_id: str | None,
    starter: str | None,
    copy_of: str | None,
    as_json: bool,
    **option_values: Any,
) -> None:
    """Create an agent called NAME.

    Commands and files refer to the agent by its id. To give it skills, use paddock zoo edit, or
    start from a copy. NAME can be omitted with --starter and --copy-of.
    """
    if starter and copy_of:
        raise click.UsageError("--starter and --copy-of cannot be combined")
    if not (name or starter or copy_of):
        raise ArgumentError("Name the agent", hint="paddock zoo new 'Ada the Careful'")
    fields = collect_agent_options(option_values)
    if name is not None:
        fields["name"] = name
    with open_zoo() as zoo:
        if copy_of is not None:
            original = zoo.agents.find(copy_of)
            created = zoo.agents.duplicate(original.id, name, source="cli")
            created = zoo.agents.update(created.id, fields, source="cli") if fields else created
        else:
            base = msgspec.to_builtins(_find_starter(starter).agent) if starter else {}
            id_source = agent_id or (None if name else base.get("id"))
            created = zoo.agents.create({**base, **fields, "id": id_source}, source="cli")
    if as_json:
        output.print_json(created)
        return
    click.echo(f"Created {created.id}: {created.name}")
    output.print_note(f"Hint: paddock zoo edit {created.id}")


def _find_starter(name: str) -> Starter:
    """Return a starter agent by its id.

    Raises:
        ArgumentError: No starter has this id. The hint suggests similar ids.
    """
    starters = {starter.id: starter for starter in load_starters()}
    if name not in starters:
        raise ArgumentError(
            f"There is no starter {name!r}",
            hint=did_you_mean(name, starters) or f"the starters are {', '.join(starters)}",
        )
    return starters[name]


@click.command("starters")
@json_option
def list_starters(*, as_json: bool) -> None:
    """List the starter agents, for paddock zoo new --starter."""
    starters = load_starters()
    if as_json:
        output.print_json(starters)
        return
    rows = [
        (starter.id, starter.name, starter.description, len(starter.agent.skills))
        for starter in starters
    ]
    output.print_table(("starter", "name", "description", "skills"), rows)


@click.command()
@click.argument("agent", shell_complete=completion.complete_agents)
@yes_option
def delete(agent: str, *, yes: bool) -> None:
    """Move AGENT to the bin, with its memory. It can be restored for 30 days."""
    with open_zoo() as zoo:
        details = zoo.agents.find(agent)
        if not yes:
            output.require_confirmation(
                f"Move {details.name} ({details.id}) to the bin?", f"Deleting {details.id!r}"
            )
        zoo.agents.delete(details.id, details.version, source="cli")
    click.echo(f"Deleted {details.id}; it is in the bin")


@click.command()
@click.argument("agent", shell_complete=completion.complete_agents)
@click.option("--name", metavar="NAME", help="New name; the id does not change.")
@agent_options
@click.option(
    "--untag", "untags", multiple=True, metavar="TAG", help="Remove a tag. Can be repeated."
)
@click.option("--enable", multiple=True, metavar="SKILL", help="Enable a skill. Can be repeated.")
@click.option("--disable", multiple=True, metavar="SKILL", help="Disable a skill. Can be repeated.")
@click.option("--memory/--no-memory", "memory", default=None, help="Inject memory or not.")
@click.option(
    "--archive/--unarchive", "archived", default=None, help="Archive the agent, or restore it."
)
@click.pass_context
def edit(ctx: click.Context, /, agent: str, **options: Any) -> None:
    """Change AGENT with options. Without options, edit it as TOML in your editor.

    The editor is taken from the environment variable VISUAL or EDITOR. The TOML contains soul,
    categories and skills. --tag adds to the existing tags. The exit code is 1 if nothing was
    changed.
    """
    with open_zoo() as zoo:
        details = zoo.agents.find(agent)
        if any(value not in (None, ()) for value in options.values()):
            changes = _build_changes(details, options)
            updated = zoo.agents.update(details.id, changes, version=details.version, source="cli")
            is_changed = updated.version != details.version
        else:
            is_changed = _edit_agent_text(zoo, details)
    if not is_changed:
        output.print_note("Nothing was changed")
        ctx.exit(1)
    click.echo(f"Changed {details.id}")


def _build_changes(agent: Agent, options: Json) -> Json:
    """Return the new values of the agent fields set by the options of `edit`, by JSON key.

    Tags are added to or removed from the current tags. Other values replace the current values.
    """
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
    """Return an agent's skills as JSON objects, after applying `--enable` and `--disable`.

    Unchanged skills are included, because an update replaces the entire list.

    Raises:
        ArgumentError: The agent has no skill with one of the given ids or names.
    """
    skills: list[Json] = msgspec.to_builtins(agent.skills)
    known_names = [name for skill in skills for name in (skill["id"], skill["name"])]
    for option, is_enabled in (("enable", True), ("disable", False)):
        for skill_name in options[option]:
            matches = [skill for skill in skills if skill_name in (skill["id"], skill["name"])]
            if not matches:
                raise ArgumentError(
                    f"{agent.id} has no skill {skill_name!r}",
                    where=f"--{option}",
                    hint=did_you_mean(skill_name, known_names)
                    or f"paddock zoo show {agent.id} lists them",
                )
            matches[0]["enabled"] = is_enabled
    return skills


def _edit_agent_text(zoo: Zoo, agent: Agent) -> bool:
    """Open the agent as TOML in the user's editor, and return whether it was changed."""

    def save(text: str) -> None:
        changes = parse_changes(text, agent.id)
        # The version makes the update fail if the agent was changed during editing.
        zoo.agents.update(agent.id, changes, version=agent.version, source="cli")

    return edit_in_editor(format_agent(agent), save, f"the agent {agent.id}")
