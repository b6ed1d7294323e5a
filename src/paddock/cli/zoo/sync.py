"""The command `paddock zoo sync`, which synchronizes a project's agent files with the zoo."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from paddock.cli import completion, output
from paddock.cli.plan_output import colour_diff, print_remarks
from paddock.cli.shared_options import json_option
from paddock.zoo.formats.format_registry import FILE_FORMATS
from paddock.zoo.opening import open_zoo
from paddock.zoo.project import read_project, set_sync_settings
from paddock.zoo.sync.sync_runner import SyncOptions, run_sync_rounds, sync_project

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.zoo.sync.sync_runner import SyncItem, SyncPreference, SyncReport

STEP_DESCRIPTIONS = {
    "in-step": "in step",
    "read": "read into the zoo",
    "write": "written from the zoo",
    "add-to-zoo": "added to the zoo",
    "add-to-project": "added to the project",
    "delete-file": "deleted, because its agent was deleted",
    "forget": "missing; its agent remains in the zoo",
    "conflict": "changed on both sides",
}
"""The messages for the steps of a synchronization."""
STATE_STEPS = {"in-step", "forget", "conflict"}
"""Steps that describe a state. `--check` reports the other steps as "would be …"."""
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
    help="Add files of this agent to the project. Can be repeated.",
)
@click.option("--all", "everyone", is_flag=True, help="Add files of all agents to the project.")
@click.option(
    "--format",
    "format_names",
    multiple=True,
    type=click.Choice(list(FILE_FORMATS)),
    help="File format (default: those present in the project, else claude-code).",
)
@click.option("--save", is_flag=True, help="Write --agent and --format into .paddock/zoo.toml.")
@click.option(
    "--prefer",
    type=click.Choice(["file", "zoo"]),
    help="Side to keep if both have changed.",
)
@click.option("--check", is_flag=True, help="Change nothing; exit with code 1 if out of sync.")
@click.option("--watch", is_flag=True, help="Continue to synchronize changes until Ctrl-C.")
@json_option
@click.pass_context
def sync(
    ctx: click.Context,
    folder: Path,
    *,
    agents: tuple[str, ...],
    everyone: bool,
    format_names: tuple[str, ...],
    save: bool,
    prefer: SyncPreference | None,
    check: bool,
    watch: bool,
    as_json: bool,
) -> None:
    """Synchronize the agent files of the project in DIR with the zoo, in both directions.

    Changes on one side are applied to the other. If both sides have changed, the conflict is
    reported and nothing is changed, unless --prefer selects a side. The exit code is 1 if there
    is a conflict or an error.
    """
    if watch and (check or as_json):
        raise click.UsageError("--watch cannot be combined with --check or --json")
    with open_zoo() as zoo:
        settings = read_project(folder).sync
        # Agents named in the project may exist only in its files, until these are read.
        agent_ids = [zoo.agents.find(name).id for name in agents] or settings.agents
        if everyone:
            agent_ids = [agent.id for agent in zoo.agents.list_summaries().items]
        options = SyncOptions(
            agents=agent_ids,
            formats=list(format_names) or settings.formats,
            prefer=prefer,
            dry_run=check,
        )
        if save and not check:
            output.print_note(
                f"Written: {set_sync_settings(folder, agents=agent_ids, formats=options.formats)}"
            )
        if watch:
            _print_rounds(run_sync_rounds(zoo, folder, options))
            return
        report = sync_project(zoo, folder, options)
    if as_json:
        output.print_json({**msgspec.to_builtins(report), "isInStep": report.is_in_step})
    else:
        _print_report(report, options)
    if not report.is_settled or (check and not report.is_in_step):
        ctx.exit(1)


def _print_rounds(reports: Iterator[SyncReport]) -> None:
    """Print the changes made by each round of `paddock zoo sync --watch`.

    A conflict or error that persists over multiple rounds is only printed once.
    """
    output.print_note("Watching for changes; press Ctrl-C to stop")
    shown_items: list[SyncItem] = []
    for report in reports:
        new_items = [
            item for item in report.items if item.step != "in-step" and item not in shown_items
        ]
        for item in new_items:
            _print_item(item)
        shown_items = [item for item in report.items if item.step == "conflict" or item.error]


def _print_report(report: SyncReport, options: SyncOptions) -> None:
    """Print the step that a synchronization took for each file, such as `read into the zoo`.

    This is followed by a hint if the project has no agent files or a conflict needs a decision.
    """
    print_remarks(report.report)
    for item in report.items:
        _print_item(item, is_dry=options.dry_run)
    if not report.items:
        output.print_note(
            "This project has no agent files\n"
            "Hint: paddock zoo sync --agent AGENT adds files of an agent"
        )
    if not report.is_settled and any(item.step == "conflict" for item in report.items):
        output.print_note("Hint: select a side with --prefer file or --prefer zoo")


def _print_item(item: SyncItem, *, is_dry: bool = False) -> None:
    """Print the step that a synchronization took for a file.

    Conflicts are shown with a diff, as are all changes in a dry run.
    """
    step_text = STEP_DESCRIPTIONS[item.step]
    if item.error:
        step_text = f"failed: {item.error}"
    elif is_dry and item.step not in STATE_STEPS:
        step_text = f"would be {step_text}"
    colour = "red" if item.error else STEP_COLOURS.get(item.step, "green")
    text = f"{item.path}: {step_text}"
    click.echo(output.colour_text(text, colour))
    if item.diff and (is_dry or item.step == "conflict"):
        click.echo(colour_diff(item.diff))
