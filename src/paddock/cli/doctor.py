"""The command `paddock doctor`, which checks the servers installed into clients."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from paddock.cli import completion, output
from paddock.cli.shared_options import json_option
from paddock.installer import doctor as library

if TYPE_CHECKING:
    from paddock.installer.doctor import Finding

LEVEL_COLOURS = {"ok": "green", "note": "cyan", "warning": "yellow", "error": "red"}
"""The colour of each level."""
PROBLEM_LEVELS = ("warning", "error")


@click.command()
@click.argument("client", required=False, shell_complete=completion.complete_clients)
@json_option
@click.pass_context
def doctor(ctx: click.Context, client: str | None, *, as_json: bool) -> None:
    """Start each installed server as its client would, and report problems.

    With CLIENT, only check the servers installed there. The exit code is 1 if there is a problem.
    """
    with output.show_progress("Looking for installed servers …") as set_status:
        findings = library.doctor(client, progress=lambda entry: set_status(f"Starting {entry} …"))
    if as_json:
        output.print_json([asdict(finding) for finding in findings])
    else:
        _print_findings(findings)
    if any(finding.level in PROBLEM_LEVELS for finding in findings):
        ctx.exit(1)


def _print_findings(findings: list[Finding]) -> None:
    """Print the findings about installed servers, with a heading for each client and file.

    A heading is printed whenever the client or file changes from one finding to the next.
    """
    if not findings:
        output.print_note("Nothing is installed\nHint: paddock install CLIENT SERVER")
    client = file = None
    for finding in findings:
        if finding.client != client or finding.file not in ("", file):
            client, file = finding.client, finding.file
            click.echo(f"{client or 'all clients'}  {file}".rstrip())
        level = output.colour_text(finding.level.ljust(7), LEVEL_COLOURS[finding.level], bold=True)
        key = f"{finding.key}: " if finding.key else ""
        click.echo(f"  {level}  {key}{finding.message}")
        if finding.remedy:
            click.echo(f"           {finding.remedy}")
