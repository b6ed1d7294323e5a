"""`paddock zoo library` and `give`: skills that agents can have copies of."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from paddock.cli import completion, output, text_layout
from paddock.cli.errors import ArgumentError
from paddock.suggestions import did_you_mean
from paddock.zoo.opening import open_zoo
from paddock.zoo.starter_agents import make_starter_import

if TYPE_CHECKING:
    from paddock.zoo.model import LibrarySkill


@click.command()
@click.option("--add-starters", is_flag=True, help="First put in the packs that come with Paddock.")
@click.option("--text", metavar="TEXT", help="Only skills with it in name, text or trigger.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def library(*, add_starters: bool, text: str | None, as_json: bool) -> None:
    """List the skills of the library, by their packs."""
    with open_zoo() as zoo:
        if add_starters:
            zoo.import_found(make_starter_import(with_library=True), source="cli")
        packs, skills = zoo.list_packs(), zoo.list_library(text=text)
    if as_json:
        output.print_json({"packs": packs, "skills": skills})
    elif skills:
        output.print_table(("pack", "skill", "name", "when to use"), map(_build_skill_row, skills))
    elif text:
        output.print_note("No skill is like that")
    else:
        output.print_note("The library is empty\nHint: paddock zoo library --add-starters")


def _build_skill_row(one: LibrarySkill) -> list[output.Cell]:
    return [one.pack_id or "", one.id, one.name, text_layout.to_single_line(one.when_to_use)]


@click.command()
@click.argument("agent", shell_complete=completion.complete_agents)
@click.argument(
    "names", nargs=-1, required=True, metavar="SKILL...", shell_complete=completion.complete_library
)
def give(agent: str, names: tuple[str, ...]) -> None:
    """Give AGENT copies of skills of the library; SKILL may be a pack, for all that are in it."""
    with open_zoo() as zoo:
        found = zoo.find_agent(agent)
        packs = {one.id for one in zoo.list_packs()}
        skills = {one.id: one for one in zoo.list_library()}
        wanted: list[str] = []
        for name in names:
            if name in packs:
                wanted += [one.id for one in skills.values() if one.pack_id == name]
            elif name in skills:
                wanted.append(name)
            else:
                raise ArgumentError(
                    f"The library has no skill and no pack {name!r}",
                    hint=did_you_mean(name, [*packs, *skills]) or "paddock zoo library lists them",
                )
        after = zoo.copy_to_agent(found.id, wanted, version=found.version, source="cli")
    before = {one.id for one in found.skills}
    given = [one.name for one in after.skills if one.id not in before]
    if given:
        click.echo(f"Gave {found.id}: {', '.join(given)}")
    else:
        output.print_note(f"{found.id} has them already")
