"""The commands `paddock zoo library` and `paddock zoo give`, for shared skills."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from paddock.cli import completion, output, text_layout
from paddock.cli.errors import ArgumentError
from paddock.cli.shared_options import json_option
from paddock.suggestions import did_you_mean
from paddock.zoo.opening import open_zoo
from paddock.zoo.starter_agents import make_starter_batch

if TYPE_CHECKING:
    from paddock.zoo.model import LibrarySkill


@click.command()
@click.option("--add-starters", is_flag=True, help="First add the packs that come with Paddock.")
@click.option("--text", metavar="TEXT", help="List skills with TEXT in name, text or trigger.")
@json_option
def library(*, add_starters: bool, text: str | None, as_json: bool) -> None:
    """List the skills in the library, by pack."""
    with open_zoo() as zoo:
        if add_starters:
            zoo.importer.import_batch(make_starter_batch(with_library=True), source="cli")
        packs, skills = zoo.library.list_packs(), zoo.library.list_skills(text=text)
    if as_json:
        output.print_json({"packs": packs, "skills": skills})
    elif skills:
        output.print_table(("pack", "skill", "name", "when to use"), map(_build_skill_row, skills))
    elif text:
        output.print_note("No skill matches")
    else:
        output.print_note("The library is empty\nHint: paddock zoo library --add-starters")


def _build_skill_row(skill: LibrarySkill) -> list[output.Cell]:
    return [
        skill.pack_id or "",
        skill.id,
        skill.name,
        text_layout.to_single_line(skill.when_to_use),
    ]


@click.command()
@click.argument("agent", shell_complete=completion.complete_agents)
@click.argument(
    "names", nargs=-1, required=True, metavar="SKILL...", shell_complete=completion.complete_library
)
def give(agent: str, names: tuple[str, ...]) -> None:
    """Copy skills from the library to AGENT. SKILL can be a pack, for all its skills."""
    with open_zoo() as zoo:
        target_agent = zoo.agents.find(agent)
        packs = {pack.id for pack in zoo.library.list_packs()}
        skills = {skill.id: skill for skill in zoo.library.list_skills()}
        skill_ids: list[str] = []
        for name in names:
            if name in packs:
                skill_ids += [skill.id for skill in skills.values() if skill.pack_id == name]
            elif name in skills:
                skill_ids.append(name)
            else:
                raise ArgumentError(
                    f"The library has no skill and no pack {name!r}",
                    hint=did_you_mean(name, [*packs, *skills]) or "paddock zoo library lists them",
                )
        # The version makes the copy fail if the agent was changed in the meantime.
        updated = zoo.library.copy_to_agent(
            target_agent.id, skill_ids, version=target_agent.version, source="cli"
        )
    previous_ids = {skill.id for skill in target_agent.skills}
    added_names = [skill.name for skill in updated.skills if skill.id not in previous_ids]
    if added_names:
        click.echo(f"Gave {target_agent.id}: {', '.join(added_names)}")
    else:
        output.print_note(f"{target_agent.id} already has these skills")
