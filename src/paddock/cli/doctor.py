"""`paddock doctor`: whether what is installed works, and what to do where it does not."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from paddock.cli import completion, output
from paddock.installer import doctor as library

if TYPE_CHECKING:
    from paddock.installer.doctor import Finding

LEVEL_COLOURS = {"ok": "green", "note": "cyan", "warning": "yellow", "error": "red"}
"""The colour of each level."""
PROBLEM_LEVELS = ("warning", "error")


@click.command()
@click.argument("client", required=False, shell_complete=completion.complete_clients)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def doctor(ctx: click.Context, client: str | None, *, as_json: bool) -> None:
    """Start each installed server as its client would, and say what is wrong.

    With CLIENT, only what is installed there. The exit code is 1 when there is a problem.
    """
    with output.show_progress("Looking for what is installed …") as say:
        found = library.doctor(client, progress=lambda entry: say(f"Starting {entry} …"))
    if as_json:
        output.print_json([asdict(one) for one in found])
    else:
        _print_findings(found)
    if any(one.level in PROBLEM_LEVELS for one in found):
        ctx.exit(1)


def _print_findings(found: list[Finding]) -> None:
    if not found:
        output.print_note("Nothing is installed\nHint: paddock install CLIENT SERVER")
    client = file = None
    for one in found:
        if one.client != client or one.file not in ("", file):
            client, file = one.client, one.file
            click.echo(f"{client or 'all clients'}  {file}".rstrip())
        level = output.colour_text(one.level.ljust(7), LEVEL_COLOURS[one.level], bold=True)
        key = f"{one.key}: " if one.key else ""
        click.echo(f"  {level}  {key}{one.message}")
        if one.remedy:
            click.echo(f"           {one.remedy}")
