"""`paddock uninstall`: servers taken out of the configuration of clients."""

from __future__ import annotations

from pathlib import Path

import click

from paddock.cli import completing, output
from paddock.cli.complaints import NothingDone
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
    given = sort_words(words, server)
    if len(given.clients) > 1:
        raise click.UsageError("Name one client at a time")
    client = next(iter(given.clients), None)
    is_narrowed = bool(words or server or file or name)
    if everything == is_narrowed:
        raise click.UsageError(
            "--all goes with no client, server, file or name"
            if everything
            else "Say what to take out: a client, a server, both, or --all"
        )

    def take_out(*, dry: bool) -> list[Outcome]:
        return library.uninstall(
            client, given.server, project=project, file=file, name=name, dry_run=dry
        )

    try:
        if not (dry_run or yes or as_json) and output.can_ask() and not _is_meant(take_out(dry=True)):
            ctx.exit(1)
        outcomes = take_out(dry=dry_run)
    except library.NotInstalledError as error:
        raise NothingDone(error) from None
    if as_json:
        output.print_json(plans_as_json(outcomes))
    else:
        print_outcomes(outcomes, dry_run=dry_run)
    if any(one.error is not None for one in outcomes):
        ctx.exit(1)


def _is_meant(outcomes: list[Outcome]) -> bool:
    """Ask whether several entries are to go; one is what was asked for."""
    plans = [one.plan for one in outcomes if one.plan is not None]
    if len(plans) < 2:
        return True
    output.note(f"{len(plans)} entries will be taken out:")
    for plan in plans:
        output.note(f"  {plan.server} from {plan.client.name}")
    return output.ask("Take them out?")
