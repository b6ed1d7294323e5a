"""`paddock uninstall`: servers taken out of the configuration of clients."""

from __future__ import annotations

from pathlib import Path

import click

from paddock.cli import completing, output
from paddock.cli.places import place_options
from paddock.cli.planned import plans_as_json, print_outcomes
from paddock.cli.words import sort_words
from paddock.clients import uninstall as library
from paddock.clients.plan import Outcome


@click.command()
@click.argument(
    "words",
    nargs=-1,
    metavar="[CLIENT] [SERVER]",
    shell_complete=completing.clients_and_servers,
)
@click.option("--all", "everything", is_flag=True, help="Take every server out of every client.")
@place_options
@click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")
@click.option("--yes", is_flag=True, help="Ask nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, and ask nothing.")
@click.pass_context
def uninstall(
    ctx: click.Context,
    words: tuple[str, ...],
    *,
    everything: bool,
    server: str | None,
    project: Path | None,
    file: Path | None,
    name: str | None,
    dry_run: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Take SERVER out of CLIENT, and give back what was there before.

    Without SERVER, all that Paddock has installed into CLIENT; without CLIENT, SERVER wherever it
    is installed. On a terminal you are asked first when that is more than one entry.

    The exit code is 1 when nothing of the kind is installed, or when some of several failed.
    """
