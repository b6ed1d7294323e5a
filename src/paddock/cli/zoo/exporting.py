"""`paddock zoo export`: agents as files of other programs, in a folder or an archive."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from paddock.cli import completing, output
from paddock.cli.complaints import ArgumentError
from paddock.cli.planned import colour_diff
from paddock.cli.zoo.remarks import print_remarks
from paddock.files import write_atomically
from paddock.zoo.archives import pack_files
from paddock.zoo.exporting import collect_export, plan_export, write_export
from paddock.zoo.formats.table import BUNDLE_FORMAT, FILE_FORMATS, list_file_formats
from paddock.zoo.opening import open_zoo

if TYPE_CHECKING:
    from paddock.zoo.formats.exchange import Export
    from paddock.zoo.placing import FilePlan
    from paddock.zoo.service import Zoo

STATUS_COLOURS = {"new": "green", "changed": "green", "foreign": "yellow", "refused": "red"}


@click.command()
@click.argument("agents", nargs=-1, metavar="[AGENT]...", shell_complete=completing.complete_agents)
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
            "Only a bundle can be a .json", where="--to", hint=f"--format {BUNDLE_FORMAT}, or a .zip"
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
        output.print_note("Hint: --replace replaces files that are not the zoo's; --dry-run shows how")


def _describe_file(plan: FilePlan, path: str, errors: dict[str, str]) -> dict[str, object]:
    (one,) = (file for file in plan.files if file.path == path)
    return {
        "path": one.path,
        "status": one.status,
        "reason": errors.get(path) or one.reason or None,
        "diff": one.diff(),
    }
