"""`paddock zoo import`: agents and skills taken in from files of other programs."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from paddock.cli import completing, output
from paddock.cli.zoo.remarks import print_remarks
from paddock.zoo.formats.converting import import_files
from paddock.zoo.formats.exchange import File, ImportBatch, Remark
from paddock.zoo.formats.table import list_file_formats
from paddock.zoo.intake import ImportPlan, plan_import, apply_import
from paddock.zoo.opening import open_zoo
from paddock.zoo.scanning import read_source

ACTION_LABELS = {"create": "new", "update": "changed", "unchanged": "as it is"}


@click.command("import")
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@click.option(
    "--format",
    "name",
    type=click.Choice([one.name for one in list_file_formats()]),
    help="What a file is whose path does not say it.",
)
@click.option("--update", is_flag=True, help="Change agents that are there already.")
@click.option(
    "--to-agent",
    metavar="AGENT",
    shell_complete=completing.complete_agents,
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
    found = _read_sources(sources, name)
    with open_zoo() as zoo:
        planned = plan_import(zoo, found, is_update=update)
        is_empty = not (planned.agents or planned.skills)
        if not as_json:
            _print_import_plan(planned, to_agent)
        if not (dry_run or is_empty):
            if output.can_ask() and not (yes or as_json) and not output.ask_yes_no("Take them in?"):
                raise click.Abort
            done = apply_import(zoo, found, planned, skills_to=to_agent, source="import")
            if not as_json:
                _print_import_result(done, planned)
            planned = done
    if as_json:
        output.print_json(planned)
    if is_empty:
        ctx.exit(1)


def _read_sources(sources: tuple[str, ...], name: str | None) -> ImportBatch:
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


def _print_import_plan(planned: ImportPlan, to_agent: str | None) -> None:
    print_remarks(planned.report)
    if planned.agents:
        rows: list[list[output.Cell]] = [
            [one.id, one.name, ACTION_LABELS[one.action], str(len(one.skills)), str(one.entries)]
            for one in planned.agents
        ]
        output.print_table(("agent", "name", "is", "skills", "entries"), rows)
    if planned.skills:
        place = f"for {to_agent}" if to_agent else "for the library"
        output.print_note(f"Skills {place}: {', '.join(planned.skills)}")
    if not (planned.agents or planned.skills):
        output.print_note("There are no agents and no skills")


def _print_import_result(done: ImportPlan, planned: ImportPlan) -> None:
    print_remarks(done.report[len(planned.report) :])
    for verb, names in (("Created", done.created), ("Changed", done.updated)):
        if names:
            click.echo(f"{verb} {', '.join(names)}")
