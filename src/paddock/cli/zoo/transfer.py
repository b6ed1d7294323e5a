"""The commands `paddock zoo import` and `paddock zoo export`, for other programs' files."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from paddock.cli import completion, output
from paddock.cli.errors import ArgumentError
from paddock.cli.plan_output import colour_diff, print_remarks
from paddock.cli.shared_options import dry_run_option, quiet_json_option, yes_option
from paddock.files import write_atomically
from paddock.zoo.exporter import collect_export, plan_export, write_export
from paddock.zoo.file_plan import make_zip
from paddock.zoo.formats.converter import import_files
from paddock.zoo.formats.exchange import File, ImportBatch, Remark
from paddock.zoo.formats.format_registry import BUNDLE_FORMAT, FILE_FORMATS, list_file_formats
from paddock.zoo.import_plan import ImportPlan, apply_import, plan_import
from paddock.zoo.opening import open_zoo
from paddock.zoo.project_scan import read_agent_files

if TYPE_CHECKING:
    from paddock.zoo.file_plan import FilePlan
    from paddock.zoo.formats.exchange import AgentExport
    from paddock.zoo.service import Zoo


ACTION_LABELS = {"create": "new", "update": "changed", "unchanged": "unchanged"}
STATUS_COLOURS = {"new": "green", "changed": "green", "foreign": "yellow", "refused": "red"}


@click.command("import")
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@click.option(
    "--format",
    "format_name",
    type=click.Choice([file_format.name for file_format in list_file_formats()]),
    help="Format of files whose path does not show it.",
)
@click.option("--update", is_flag=True, help="Update existing agents with the same id.")
@click.option(
    "--to-agent",
    metavar="AGENT",
    shell_complete=completion.complete_agents,
    help="Add skills from SKILL.md files to this agent instead of the library.",
)
@click.option("--dry-run", is_flag=True, help="Show what would be imported, and import nothing.")
@yes_option
@quiet_json_option
@click.pass_context
def import_(
    ctx: click.Context,
    sources: tuple[str, ...],
    *,
    format_name: str | None,
    update: bool,
    to_agent: str | None,
    dry_run: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Show the agents and skills of each SOURCE, ask, and import them.

    SOURCE is a project directory, a file, an archive, a bundle, a legacy agents.json, or - for
    standard input. An agent whose id is in use gets another one, unless --update is given. The
    exit code is 1 if there was nothing to import.
    """
    batch = _read_sources(sources, format_name)
    with open_zoo() as zoo:
        plan = plan_import(zoo, batch, is_update=update)
        is_empty = not (plan.agents or plan.skills)
        if not as_json:
            _print_import_plan(plan, to_agent)
        if not (dry_run or is_empty):
            if output.can_ask() and not (yes or as_json):
                output.confirm("Import them?")
            result = apply_import(zoo, batch, plan, skills_to=to_agent, source="import")
            if not as_json:
                _print_import_result(result, plan)
            plan = result
    if as_json:
        output.print_json(plan)
    if is_empty:
        ctx.exit(1)


def _read_sources(sources: tuple[str, ...], format_name: str | None) -> ImportBatch:
    """Read all sources, and parse the agents and skills in their files as one batch."""
    files: list[File] = []
    remarks: list[Remark] = []
    for source in sources:
        if source == "-":
            files.append(File(path="agent", text=sys.stdin.read()))
        else:
            source_batch = read_agent_files(Path(source).expanduser(), format_name)
            files += source_batch.files
            remarks += source_batch.report
    batch = import_files(files, format_name)
    # Remarks about reading files come before those about their content.
    batch.report[:0] = remarks
    return batch


def _print_import_plan(plan: ImportPlan, to_agent: str | None) -> None:
    """Print the agents and skills that an import would add, with remarks on their conversion.

    Args:
        plan: The planned import.
        to_agent: The agent that receives separate skills, or None for the library.
    """
    print_remarks(plan.report)
    if plan.agents:
        rows = [
            (agent.id, agent.name, ACTION_LABELS[agent.action], len(agent.skills), agent.entries)
            for agent in plan.agents
        ]
        output.print_table(("agent", "name", "is", "skills", "entries"), rows)
    if plan.skills:
        destination = f"for {to_agent}" if to_agent else "for the library"
        output.print_note(f"Skills {destination}: {', '.join(plan.skills)}")
    if not (plan.agents or plan.skills):
        output.print_note("There are no agents and no skills")


def _print_import_result(result: ImportPlan, plan: ImportPlan) -> None:
    """Print the created and changed agents, and any remarks that were not in the plan."""
    print_remarks(result.report[len(plan.report) :])
    for verb, names in (("Created", result.created), ("Changed", result.updated)):
        if names:
            click.echo(f"{verb} {', '.join(names)}")


@click.command()
@click.argument("agents", nargs=-1, metavar="[AGENT]...", shell_complete=completion.complete_agents)
@click.option(
    "--format",
    "format_names",
    multiple=True,
    required=True,
    type=click.Choice([file_format.name for file_format in list_file_formats()]),
    help="File format. Can be repeated.",
)
@click.option(
    "--to",
    "target",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="Project directory, .zip or (bundles only) .json file (default: working directory).",
)
@click.option("--memory", is_flag=True, help="Include the memory of the agents.")
@click.option("--replace", is_flag=True, help="Replace files not written by the zoo.")
@dry_run_option
@quiet_json_option
@click.pass_context
def export(
    ctx: click.Context,
    agents: tuple[str, ...],
    *,
    format_names: tuple[str, ...],
    target: Path | None,
    memory: bool,
    replace: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Write each AGENT, an id or a name, as files of other programs. Without AGENT, write all.

    Data that a format cannot express is reported. An existing file not written by the zoo is
    replaced only with --replace, or after asking on a terminal. The exit code is 1 if a file was
    not written.
    """
    with open_zoo() as zoo:
        exported = collect_export(zoo, agents, format_names, with_memory=memory)
        if not as_json:
            print_remarks(exported.report)
            if not exported.files:
                output.print_note("There are no agents to export")
        if target is not None and target.suffix.lower() in (".zip", ".json"):
            path = _write_single_file(exported, target, replace=replace, dry_run=dry_run)
            if as_json:
                output.print_json(
                    {"file": path, "files": exported.files, "report": exported.report}
                )
            else:
                click.echo(path)
            return
        folder = target or _get_default_folder(format_names)
        plan = plan_export(zoo, folder, exported.files, replace=replace)
        if not (dry_run or as_json):
            plan = _confirm_replacements(zoo, exported, plan)
        errors = {} if dry_run else _write_files(zoo, plan)
    if as_json:
        files = [
            {
                "path": file.path,
                "status": file.status,
                "reason": errors.get(file.path) or file.reason or None,
                "diff": file.diff(),
            }
            for file in plan.files
        ]
        output.print_json({"folder": str(folder), "files": files, "report": exported.report})
    else:
        _print_file_plan(plan, errors, dry_run=dry_run)
    if errors or any(file.status in ("foreign", "refused") for file in plan.files):
        ctx.exit(1)


def _get_default_folder(format_names: tuple[str, ...]) -> Path:
    """Return the working directory, or the home directory if all formats are only read there."""
    if all(name in FILE_FORMATS and FILE_FORMATS[name].is_for_user for name in format_names):
        return Path.home()
    return Path.cwd()


def _write_single_file(exported: AgentExport, target: Path, *, replace: bool, dry_run: bool) -> str:
    """Write exported agents to a single file: a ZIP archive or a bundle (`.json`).

    Asks before replacing a file with different content.

    Args:
        exported: The exported files.
        target: The file to write, whose name ends in `.zip` or `.json`.
        replace: Replace an existing file without asking.
        dry_run: Check everything, but do not write the file.

    Returns:
        The path of the file.

    Raises:
        ArgumentError: The file has different content and may not be replaced, or cannot be
            written, or a `.json` file was requested for a format other than the bundle.
    """
    if target.suffix.lower() == ".zip":
        data = make_zip(exported.files)
    elif [file.path for file in exported.files] == ["zoo.json"]:
        data = exported.files[0].text.encode()
    else:
        raise ArgumentError(
            "Only a bundle can be a .json file",
            where="--to",
            hint=f"pass --format {BUNDLE_FORMAT}, or a .zip file",
        )
    is_different = target.exists() and target.read_bytes() != data
    may_write = replace or dry_run or not is_different
    if not may_write and not (output.can_ask() and output.ask_yes_no(f"Replace {target}?")):
        raise ArgumentError(
            "The file exists with other content", where=str(target), hint="add --replace"
        )
    if not dry_run:
        try:
            write_atomically(target, data)
        except OSError as error:
            raise ArgumentError(
                f"Cannot write the file: {error.strerror or error}", where=str(target)
            ) from None
    return str(target)


def _confirm_replacements(zoo: Zoo, exported: AgentExport, plan: FilePlan) -> FilePlan:
    """Ask before an export replaces files that the zoo did not write.

    Returns:
        A plan that also replaces the files the user agreed to replace. If there is no terminal to
        ask on, the plan is returned unchanged.
    """
    foreign_files = [file for file in plan.files if file.status == "foreign"]
    if not foreign_files or not output.can_ask():
        return plan
    confirmed_paths = set()
    for file in foreign_files:
        click.echo(colour_diff(file.diff()), err=True)
        if output.ask_yes_no(f"Replace {file.path}, which the zoo did not write?"):
            confirmed_paths.add(file.path)
    return plan_export(zoo, plan.folder, exported.files, replace=confirmed_paths)


def _write_files(zoo: Zoo, plan: FilePlan) -> dict[str, str]:
    """Write the files, and return the errors by path."""
    return {
        written_file.path: written_file.error
        for written_file in write_export(zoo, plan)
        if written_file.error is not None
    }


def _print_file_plan(plan: FilePlan, errors: dict[str, str], *, dry_run: bool) -> None:
    """Print each exported file with its status, such as `foreign` or `failed`.

    A dry run also prints a diff of each file, and the status goes to standard error.

    Args:
        plan: The exported files.
        errors: The error messages for files that could not be written, by path.
        dry_run: The files were not written.
    """
    for file in plan.files:
        if dry_run and file.diff():
            click.echo(colour_diff(file.diff()))
        problem = errors.get(file.path) or file.reason
        problem_note = f": {problem}" if problem else ""
        status = "failed" if file.path in errors else file.status
        text = f"{status:9}  {file.path}{problem_note}"
        if dry_run:
            output.print_note(text)
        else:
            click.echo(output.colour_text(text, STATUS_COLOURS.get(file.status)))
    if any(file.status == "foreign" for file in plan.files):
        output.print_note(
            "Hint: --replace replaces files not written by the zoo; --dry-run shows the changes"
        )
