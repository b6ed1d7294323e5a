"""`paddock zoo import`: agents and skills taken in from files of other programs.

`paddock zoo export`: agents as files of other programs, in a folder or an archive.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from paddock.cli import completion, output
from paddock.cli.errors import ArgumentError
from paddock.cli.plan_output import colour_diff, print_remarks
from paddock.files import write_atomically
from paddock.zoo.exporter import collect_export, plan_export, write_export
from paddock.zoo.file_plan import pack_files
from paddock.zoo.formats.converter import import_files
from paddock.zoo.formats.exchange import File, ImportBatch, Remark
from paddock.zoo.formats.format_registry import BUNDLE_FORMAT, FILE_FORMATS, list_file_formats
from paddock.zoo.import_plan import ImportPlan, apply_import, plan_import
from paddock.zoo.opening import open_zoo
from paddock.zoo.project_scan import read_source

if TYPE_CHECKING:
    from paddock.zoo.file_plan import FilePlan
    from paddock.zoo.formats.exchange import Export
    from paddock.zoo.service import Zoo


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
    shell_complete=completion.complete_agents,
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


STATUS_COLOURS = {"new": "green", "changed": "green", "foreign": "yellow", "refused": "red"}


@click.command()
@click.argument("agents", nargs=-1, metavar="[AGENT]...", shell_complete=completion.complete_agents)
@click.option(
    "--format",
    "names",
    multiple=True,
    required=True,
    type=click.Choice([one.name for one in list_file_formats()]),
    help="For which program; may be repeated.",
)
@click.option(
    "--to",
    "target",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="A project's folder, a .zip or, of a bundle, a .json; by default the working directory.",
)
@click.option("--memory", is_flag=True, help="Write what the agents remember too.")
@click.option("--replace", is_flag=True, help="Replace files that are not the zoo's.")
@click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, and ask nothing.")
@click.pass_context
def export(
    ctx: click.Context,
    agents: tuple[str, ...],
    *,
    names: tuple[str, ...],
    target: Path | None,
    memory: bool,
    replace: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Write each AGENT, an id or a name, as files of another program; without any, all of them.

    What does not fit is told. A file that is there and not the zoo's is replaced only with
    --replace, or when you say so on a terminal. The exit code is 1 when something was not written.
    """
    with open_zoo() as zoo:
        found = collect_export(zoo, agents, names, with_memory=memory)
        if not as_json:
            print_remarks(found.report)
            if not found.files:
                output.print_note("There are no agents to write")
        if target is not None and target.suffix.lower() in (".zip", ".json"):
            path = _write_single_file(found, target, replace=replace, dry_run=dry_run)
            if as_json:
                output.print_json({"file": path, "files": found.files, "report": found.report})
            else:
                click.echo(path)
            return
        folder = target or _get_default_folder(names)
        plan = plan_export(zoo, folder, found.files, replace=replace)
        if not (dry_run or as_json):
            plan = _confirm_replacements(zoo, found, plan)
        errors = {} if dry_run else _write_files(zoo, plan)
    if as_json:
        files = [_describe_file(plan, one.path, errors) for one in plan.files]
        output.print_json({"folder": str(folder), "files": files, "report": found.report})
    else:
        _print_file_plan(plan, errors, dry_run=dry_run)
    if errors or any(one.status in ("foreign", "refused") for one in plan.files):
        ctx.exit(1)


def _get_default_folder(names: tuple[str, ...]) -> Path:
    """The working directory, or the home of the user where a program looks only there."""
    if all(name in FILE_FORMATS and FILE_FORMATS[name].is_for_user for name in names):
        return Path.home()
    return Path.cwd()


def _write_single_file(found: Export, target: Path, *, replace: bool, dry_run: bool) -> str:
    """Write everything as one file."""
    if target.suffix.lower() == ".zip":
        data = pack_files(found.files)
    elif [file.path for file in found.files] == ["zoo.json"]:
        data = found.files[0].text.encode()
    else:
        raise ArgumentError(
            "Only a bundle can be a .json",
            where="--to",
            hint=f"--format {BUNDLE_FORMAT}, or a .zip",
        )
    is_other = target.exists() and target.read_bytes() != data
    may = replace or dry_run or not is_other
    if not may and not (output.can_ask() and output.ask_yes_no(f"Replace {target}?")):
        raise ArgumentError("There is another file", where=str(target), hint="add --replace")
    if not dry_run:
        try:
            write_atomically(target, data)
        except OSError as error:
            raise ArgumentError(
                f"It cannot be written: {error.strerror or error}", where=str(target)
            ) from None
    return str(target)


def _confirm_replacements(zoo: Zoo, found: Export, plan: FilePlan) -> FilePlan:
    """The plan, with those files of others that the person wants to have replaced."""
    foreign = [one for one in plan.files if one.status == "foreign"]
    if not foreign or not output.can_ask():
        return plan
    wanted = set()
    for one in foreign:
        click.echo(colour_diff(one.diff()), err=True)
        if output.ask_yes_no(f"Replace {one.path}, which is not the zoo's?"):
            wanted.add(one.path)
    return plan_export(zoo, plan.folder, found.files, replace=wanted)


def _write_files(zoo: Zoo, plan: FilePlan) -> dict[str, str]:
    """Write the files; what went wrong, by path."""
    return {one.path: one.error for one in write_export(zoo, plan) if one.error is not None}


def _print_file_plan(plan: FilePlan, errors: dict[str, str], *, dry_run: bool) -> None:
    for one in plan.files:
        if dry_run and one.diff():
            click.echo(colour_diff(one.diff()))
        error = errors.get(one.path) or one.reason
        status = "failed" if one.path in errors else one.status
        text = f"{status:9}  {one.path}{f': {error}' if error else ''}"
        colour = STATUS_COLOURS.get(one.status)
        output.print_note(text) if dry_run else click.echo(
            output.colour_text(text, colour) if colour else text
        )
    if any(one.status == "foreign" for one in plan.files):
        output.print_note(
            "Hint: --replace replaces files that are not the zoo's; --dry-run shows how"
        )


def _describe_file(plan: FilePlan, path: str, errors: dict[str, str]) -> dict[str, object]:
    (one,) = (file for file in plan.files if file.path == path)
    return {
        "path": one.path,
        "status": one.status,
        "reason": errors.get(path) or one.reason or None,
        "diff": one.diff(),
    }
