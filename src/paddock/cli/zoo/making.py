"""`paddock zoo new`, `starters` and `delete`: agents made, and put into the bin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
import msgspec

from paddock.cli import completing, output
from paddock.cli.complaints import ArgumentError
from paddock.cli.zoo.facts import agent_options, collect_agent_options
from paddock.suggestions import did_you_mean
from paddock.zoo.opening import open_zoo
from paddock.zoo.starting import load_starters

if TYPE_CHECKING:
    from paddock.zoo.starting import Starter


@click.command()
@click.argument("name", required=False)
@click.option("--id", "agent_id", metavar="ID", help="What the id is made from, if not the name.")
@click.option(
    "--starter",
    metavar="S",
    shell_complete=completing.complete_starters,
    help="Begin with a copy of this one; paddock zoo starters lists them.",
)
@click.option(
    "--copy-of",
    metavar="AGENT",
    shell_complete=completing.complete_agents,
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
@click.argument("agent", shell_complete=completing.complete_agents)
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
