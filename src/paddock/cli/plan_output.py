"""What an installation does, or would do, for people and for programs.

What does not fit between agents and files, told to a person.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

import click

from paddock.cli import output, text_layout
from paddock.cli.errors import CommandError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from paddock.errors import PaddockError
    from paddock.installer.plan import Change, Outcome, Plan
    from paddock.zoo.formats.exchange import Remark


Json = dict[str, object]

DIFF_COLOURS = {"+": "green", "-": "red", "@": "cyan"}
RESULT_MESSAGES = {
    "install": ("Installed {server} into {client}", "{server} is in {client} already"),
    "uninstall": ("Took {server} out of {client}", "{server} was not in {client} any more"),
}
"""For each action what was done, and that there was nothing to do."""


class PlanDisplay(NamedTuple):
    """What of plans is shown."""

    is_dry: bool = False
    """What would be done, and not what was."""
    with_values: bool = False
    """The change of the whole file, with secrets."""


def print_plan(plan: Plan, shown: PlanDisplay) -> None:
    """Say what was done to a client, or show what would be."""
    if shown.is_dry:
        _print_dry_run(plan, with_values=shown.with_values)
        return
    if plan.paste is not None:
        _print_paste(plan)
        return
    done, idle = RESULT_MESSAGES[plan.action]
    changed = [change for change in plan.changes if change.is_needed]
    text = (done if changed else idle).format(server=plan.server, client=plan.client.name)
    as_key = "" if plan.key == plan.server else f" as {plan.key}"
    click.echo(f"{output.colour_text(text, 'green')}{as_key}")
    for change in changed:
        kept = f" (before: {change.backup})" if change.backup else ""
        click.echo(f"  {change.file}{kept}")
    if changed or plan.action == "uninstall":
        _print_notes(plan)


def _print_dry_run(plan: Plan, *, with_values: bool) -> None:
    text = plan.diff(show_values=with_values)
    if plan.paste is not None:
        _print_paste(plan)
        return
    if text:
        click.echo(colour_diff(text))
    else:
        output.print_note(f"{plan.client.name}: nothing would change")
    _print_notes(plan)


def _print_paste(plan: Plan) -> None:
    """Say what is left to the user where nothing can be written; only that is standard output."""
    name = plan.client.name
    output.print_note(
        f"{name} has no file to write to. Paste this into its settings, under MCP servers:"
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
    """A unified diff as a terminal shows it; what of it one would obey is made visible."""
    return "\n".join(
        _colour_line(text_layout.replace_control_characters(line)) for line in text.splitlines()
    )


def _colour_line(line: str) -> str:
    colour = None if line.startswith(("+++", "---")) else DIFF_COLOURS.get(line[:1])
    return output.colour_text(line, colour) if colour else line


def report_outcomes(
    ctx: click.Context, outcomes: Sequence[Outcome], shown: PlanDisplay, *, as_json: bool
) -> None:
    """Tell all that came of a command; it ends with exit code 1 when some of it failed."""
    if as_json:
        output.print_json([_outcome_to_json(one, shown) for one in outcomes])
    else:
        print_outcomes(outcomes, shown)
    if any(one.error is not None for one in outcomes):
        ctx.exit(1)


def print_outcomes(outcomes: Iterable[Outcome], shown: PlanDisplay) -> None:
    """Say what was done, client by client, and what failed."""
    for one in outcomes:
        if one.plan is not None:
            print_plan(one.plan, shown)
        if one.error is not None:
            CommandError(one.error).show()


def _outcome_to_json(one: Outcome, shown: PlanDisplay) -> Json:
    if one.plan is not None:
        return _plan_to_json(one.plan, shown)
    return {"client": one.client, "error": None if one.error is None else _error_to_json(one.error)}


def _error_to_json(error: PaddockError) -> Json:
    return {
        "code": error.code,
        "message": error.message,
        "where": error.where,
        "hint": error.hint,
    }


def _plan_to_json(plan: Plan, shown: PlanDisplay) -> Json:
    return {
        "action": plan.action,
        "client": plan.client.id,
        "server": plan.server,
        "key": plan.key,
        "scope": plan.scope,
        "is_applied": plan.is_applied,
        "changes": [_change_to_json(change, shown) for change in plan.changes],
        "notes": plan.notes,
        "paste": None if plan.paste is None else json.loads(plan.paste),
        "link": plan.link,
    }


def _change_to_json(change: Change, shown: PlanDisplay) -> Json:
    return {
        "file": str(change.file),
        "is_needed": change.is_needed,
        "diff": change.diff(show_values=shown.is_dry and shown.with_values),
        "backup": str(change.backup) if change.backup else None,
    }


def print_remarks(report: Iterable[Remark]) -> None:
    """Say each remark on a line, on standard error."""
    for one in report:
        place = one.path or one.agent_id
        output.print_note(f"{f'{place}: ' if place else ''}{one.field}: {one.message}")
