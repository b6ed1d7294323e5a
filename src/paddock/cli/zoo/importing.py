"""`paddock zoo import`: agents and skills taken in from files of other programs."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from paddock.cli import completing, output
from paddock.cli.zoo.remarks import tell
from paddock.zoo.formats.converting import import_files
from paddock.zoo.formats.exchange import File, Import, Remark
from paddock.zoo.formats.table import formats
from paddock.zoo.intake import Intake, plan_intake, take_in
from paddock.zoo.opening import open_zoo
from paddock.zoo.scanning import read_source

VERBS = {"create": "new", "update": "changed", "unchanged": "as it is"}


@click.command("import")
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@click.option(
    "--format",
    "name",
    type=click.Choice([one.name for one in formats()]),
    help="What a file is whose path does not say it.",
)
@click.option("--update", is_flag=True, help="Change agents that are there already.")
@click.option(
    "--to-agent",
    metavar="AGENT",
    shell_complete=completing.agents,
    help="Give skills from SKILL.md files to this agent, and not to the library.",
)
@click.option("--dry-run", is_flag=True, help="Show what would be taken in, and take in nothing.")
@click.option("--yes", is_flag=True, help="Ask nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, and ask nothing.")
@click.pass_context
def import_(
    ctx: click.Context,
    sources: tuple[str, ...],
    *,
    name: str | None,
    update: bool,
    to_agent: str | None,
    dry_run: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Take in the agents and skills of each SOURCE, after showing which.

    SOURCE is a project's folder, a file, an archive, a bundle, an agents.json of old, or - for
    standard input. An agent whose id is taken gets another one, unless --update is given. The exit
    code is 1 when there was nothing.
    """
    found = _found(sources, name)
    with open_zoo() as zoo:
        planned = plan_intake(zoo, found, is_update=update)
        is_empty = not (planned.agents or planned.skills)
        if not as_json:
            _preview(planned, to_agent)
        if not (dry_run or is_empty):
            if output.can_ask() and not (yes or as_json) and not output.ask("Take them in?"):
                raise click.Abort
            done = take_in(zoo, found, planned, skills_to=to_agent, source="import")
            if not as_json:
                _tell_done(done, planned)
            planned = done
    if as_json:
        output.print_json(planned)
    if is_empty:
        ctx.exit(1)


def _found(sources: tuple[str, ...], name: str | None) -> Import:
    files: list[File] = []
    report: list[Remark] = []
    for source in sources:
        if source == "-":
            files.append(File(path="agent", text=sys.stdin.read()))
        else:
            read = read_source(Path(source).expanduser(), name)
            files += read.files
            report += read.report
    found = import_files(files, name)
    found.report[:0] = report
    return found


def _preview(planned: Intake, to_agent: str | None) -> None:
    tell(planned.report)
    if planned.agents:
        rows: list[list[output.Cell]] = [
            [one.id, one.name, VERBS[one.action], str(len(one.skills)), str(one.entries)]
            for one in planned.agents
        ]
        output.print_table(("agent", "name", "is", "skills", "entries"), rows)
    if planned.skills:
        place = f"for {to_agent}" if to_agent else "for the library"
        output.note(f"Skills {place}: {', '.join(planned.skills)}")
    if not (planned.agents or planned.skills):
        output.note("There are no agents and no skills")


def _tell_done(done: Intake, planned: Intake) -> None:
    tell(done.report[len(planned.report) :])
    for verb, names in (("Created", done.created), ("Changed", done.updated)):
        if names:
            click.echo(f"{verb} {', '.join(names)}")
