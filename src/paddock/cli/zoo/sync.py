"""`paddock zoo sync`: a project's agent files and the zoo kept in step."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from paddock.cli import completion, output
from paddock.cli.plan_output import colour_diff, print_remarks
from paddock.zoo.formats.format_registry import FILE_FORMATS
from paddock.zoo.opening import open_zoo
from paddock.zoo.project import read_project, set_sync_settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.zoo.sync.sync_runner import SyncItem, SyncOptions, SyncPreference, SyncReport

STEP_DESCRIPTIONS = {
    "in-step": "in step",
    "read": "read into the zoo",
    "write": "written from the zoo",
    "add-to-zoo": "added to the zoo",
    "add-to-project": "added to the project",
    "delete-file": "deleted, as its agent was",
    "forget": "gone; its agent stays in the zoo",
    "conflict": "changed on both sides",
}
"""What was done with a file."""
UNCHANGED_STEPS = {"in-step", "forget", "conflict"}
"""What is so already; of the others a check says that it would be."""
STEP_COLOURS = {"conflict": "yellow", "in-step": None}


@click.command()
@click.argument(
    "folder",
    default=".",
    metavar="[DIR]",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
)
@click.option(
    "--agent",
    "agents",
    multiple=True,
    metavar="AGENT",
    shell_complete=completion.complete_agents,
    help="Give this agent files in the project; may be repeated.",
)
@click.option("--all", "everyone", is_flag=True, help="Give all agents files in the project.")
@click.option(
    "--format",
    "names",
    multiple=True,
    type=click.Choice(list(FILE_FORMATS)),
    help="For which programs; by default those that have files here, else Claude Code.",
)
@click.option("--save", is_flag=True, help="Write --agent and --format into .paddock/zoo.toml.")
@click.option(
    "--prefer",
    type=click.Choice(["file", "zoo"]),
    help="Which side is right where both have changed.",
)
@click.option("--check", is_flag=True, help="Change nothing; exit with 1 if anything would.")
@click.option("--watch", is_flag=True, help="Go on until Ctrl-C, whenever either side changes.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def sync(
    ctx: click.Context,
    folder: Path,
    *,
    agents: tuple[str, ...],
    everyone: bool,
    names: tuple[str, ...],
    save: bool,
    prefer: SyncPreference | None,
    check: bool,
    watch: bool,
    as_json: bool,
) -> None:
    """Bring the agent files of the project in DIR and the zoo in step, in both directions.

    What changed on one side reaches the other. What changed on both is left alone and told, until
    --prefer says which is right. The exit code is 1 when that is so, or something failed.
    """
    if watch and (check or as_json):
        raise click.UsageError("--watch goes with neither --check nor --json")
    with open_zoo() as zoo:
        from paddock.zoo.sync.sync_runner import (  # noqa: PLC0415 - only for the first round
            SyncOptions,
            run_sync_rounds,
        )
        from paddock.zoo.sync.sync_runner import sync_project as run  # noqa: PLC0415 - with the zoo

        chosen = read_project(folder).sync
        # Those that the project names may be in its files only, until these are read.
        ids = [zoo.find_agent(name).id for name in agents] or chosen.agents
        if everyone:
            ids = [one.id for one in zoo.list_agents().items]
        wishes = SyncOptions(
            agents=ids, formats=list(names) or chosen.formats, prefer=prefer, dry_run=check
        )
        if save and not check:
            output.print_note(
                f"Written: {set_sync_settings(folder, agents=ids, formats=wishes.formats)}"
            )
        if watch:
            _print_rounds(run_sync_rounds(zoo, folder, wishes))
            return
        report = run(zoo, folder, wishes)
    if as_json:
        output.print_json({**msgspec.to_builtins(report), "isInStep": report.is_in_step})
    else:
        _print_report(report, wishes)
    if not report.is_settled or (check and not report.is_in_step):
        ctx.exit(1)


def _print_rounds(reports: Iterator[SyncReport]) -> None:
    """Show what is done, as it is done, until the person has enough."""
    output.print_note("Watching; Ctrl-C ends it")
    shown: list[SyncItem] = []
    for report in reports:
        news = [item for item in report.items if item.step != "in-step" and item not in shown]
        for item in news:
            _print_item(item)
        shown = [item for item in report.items if item.step == "conflict" or item.error]


def _print_report(report: SyncReport, wishes: SyncOptions) -> None:
    print_remarks(report.report)
    for item in report.items:
        _print_item(item, is_dry=wishes.dry_run)
    if not report.items:
        output.print_note(
            "There are no agent files here\n"
            "Hint: paddock zoo sync --agent AGENT gives the project some"
        )
    if not report.is_settled and any(item.step == "conflict" for item in report.items):
        output.print_note("Hint: --prefer file, or --prefer zoo, says which side is right")


def _print_item(item: SyncItem, *, is_dry: bool = False) -> None:
    said = STEP_DESCRIPTIONS[item.step]
    if item.error:
        said = f"failed: {item.error}"
    elif is_dry and item.step not in UNCHANGED_STEPS:
        said = f"would be {said}"
    colour = "red" if item.error else STEP_COLOURS.get(item.step, "green")
    text = f"{item.path}: {said}"
    click.echo(output.colour_text(text, colour) if colour else text)
    if item.diff and (is_dry or item.step == "conflict"):
        click.echo(colour_diff(item.diff))
