"""Output of installation plans, as text or JSON, and of import and export remarks."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

import click

from paddock.cli import output, text_layout
from paddock.cli.errors import CommandError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from paddock.installer.plan import ClientOutcome, FileChange, Plan
    from paddock.zoo.formats.exchange import Remark


Json = dict[str, object]

DIFF_COLOURS = {"+": "green", "-": "red", "@": "cyan"}
RESULT_MESSAGES = {
    "install": ("Installed {server} into {client}", "{server} is already in {client}"),
    "uninstall": ("Removed {server} from {client}", "{server} was no longer in {client}"),
}
"""For each action, the message if files changed and the message if nothing changed."""


class PlanDisplay(NamedTuple):
    """Display options for plans."""

    is_dry: bool = False
    """Show planned changes instead of completed ones."""
    with_values: bool = False
    """Show the diff of the whole file, including secrets."""


def print_plan(plan: Plan, display: PlanDisplay) -> None:
    """Print the changes to a client's configuration files.

    A dry run prints them as a diff; otherwise, the result and the changed files are printed. If
    the client has no configuration file, the configuration to paste is printed instead.
    """
    if display.is_dry:
        _print_dry_run(plan, with_values=display.with_values)
        return
    if plan.paste is not None:
        _print_paste(plan)
        return
    done_message, unchanged_message = RESULT_MESSAGES[plan.action]
    changed = [change for change in plan.changes if change.is_needed]
    text = (done_message if changed else unchanged_message).format(
        server=plan.server, client=plan.client.name
    )
    as_key = "" if plan.key == plan.server else f" as {plan.key}"
    click.echo(f"{output.colour_text(text, 'green')}{as_key}")
    for change in changed:
        backup_note = f" (before: {change.backup})" if change.backup else ""
        click.echo(f"  {change.file}{backup_note}")
    if changed or plan.action == "uninstall":
        _print_notes(plan)


def _print_dry_run(plan: Plan, *, with_values: bool) -> None:
    """Print a diff of the changes that a plan would make.

    By default, the diff only contains the entry, with secrets masked. With `with_values`, it
    contains the whole file, unmasked.
    """
    diff = plan.diff(show_values=with_values)
    if plan.paste is not None:
        _print_paste(plan)
        return
    if diff:
        click.echo(colour_diff(diff))
    else:
        output.print_note(f"{plan.client.name}: nothing would change")
    _print_notes(plan)


def _print_paste(plan: Plan) -> None:
    """Print the configuration to paste into a client that has no configuration file.

    Only the configuration goes to standard output, so that it can be piped.
    """
    name = plan.client.name
    output.print_note(
        f"{name} has no configuration file. Paste this into its settings, under MCP servers:"
    )
    click.echo(plan.paste)
    if plan.link is not None:
        output.print_note("Or open this link on this computer:")
        click.echo(plan.link)
    _print_notes(plan)


def _print_notes(plan: Plan) -> None:
    for text in plan.notes:
        output.print_note(f"Note: {plan.client.name}: {text}")


def colour_diff(text: str) -> str:
    """Colour a unified diff for the terminal, and replace its control characters."""
    return "\n".join(
        _colour_line(text_layout.replace_control_characters(line)) for line in text.splitlines()
    )


def _colour_line(line: str) -> str:
    colour = None if line.startswith(("+++", "---")) else DIFF_COLOURS.get(line[:1])
    return output.colour_text(line, colour)


def report_outcomes(
    ctx: click.Context, outcomes: Sequence[ClientOutcome], display: PlanDisplay, *, as_json: bool
) -> None:
    """Print the result for each client, and exit with code 1 if any of them is an error."""
    if as_json:
        output.print_json([_outcome_to_json(outcome, display) for outcome in outcomes])
    else:
        print_outcomes(outcomes, display)
    if any(outcome.error is not None for outcome in outcomes):
        ctx.exit(1)


def print_outcomes(outcomes: Iterable[ClientOutcome], display: PlanDisplay) -> None:
    """Print each client's changes and errors."""
    for outcome in outcomes:
        if outcome.plan is not None:
            print_plan(outcome.plan, display)
        if outcome.error is not None:
            CommandError(outcome.error).show()


def _outcome_to_json(outcome: ClientOutcome, display: PlanDisplay) -> Json:
    if outcome.plan is not None:
        return _plan_to_json(outcome.plan, display)
    error = output.select_attributes(outcome.error, ("code", "message", "where", "hint"))
    return {"client": outcome.client, "error": error}


def _plan_to_json(plan: Plan, display: PlanDisplay) -> Json:
    """Return the planned or completed changes to a client as a JSON object.

    Secrets in the diffs are masked, unless the display includes values.
    """
    return {
        "action": plan.action,
        "client": plan.client.id,
        **output.select_attributes(plan, ("server", "key", "scope", "is_applied")),
        "changes": [_change_to_json(change, display) for change in plan.changes],
        "notes": plan.notes,
        "paste": None if plan.paste is None else json.loads(plan.paste),
        "link": plan.link,
    }


def _change_to_json(change: FileChange, display: PlanDisplay) -> Json:
    return {
        "file": str(change.file),
        "is_needed": change.is_needed,
        "diff": change.diff(show_values=display.is_dry and display.with_values),
        "backup": str(change.backup) if change.backup else None,
    }


def print_remarks(remarks: Iterable[Remark]) -> None:
    """Print each remark on its own line of standard error."""
    for remark in remarks:
        location = remark.path or remark.agent_id
        output.print_note(f"{f'{location}: ' if location else ''}{remark.field}: {remark.message}")
