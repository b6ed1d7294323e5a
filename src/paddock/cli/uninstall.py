"""`paddock uninstall`: servers taken out of the configuration of clients.

`paddock delete`: a named server removed, with what is installed of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import click

from paddock.cli import completion, output
from paddock.cli.client_arguments import parse_client_arguments
from paddock.cli.errors import ArgumentError, NothingDoneError
from paddock.cli.plan_output import PlanDisplay, print_outcomes, report_outcomes
from paddock.cli.shared_options import location_options
from paddock.installer import uninstall as library
from paddock.installer.records import deduplicate_entries, list_recorded_entries
from paddock.installer.uninstall import delete_server
from paddock.named_servers.api import get_server
from paddock.named_servers.installations import read_installations

if TYPE_CHECKING:
    from pathlib import Path

    from paddock.installer.plan import Outcome


ALL_CONFLICT_MESSAGE = "--all goes with no client, server, project, file or name"
NOTHING_NAMED_MESSAGE = "Say what to take out: a client, a server, both, or --all"


class UninstallSelection(NamedTuple):
    """What is to be taken out; everything when nothing is said."""

    client: str | None = None
    server: str | None = None
    project: Path | None = None
    file: Path | None = None
    name: str | None = None


@click.command()
@click.argument(
    "words",
    nargs=-1,
    metavar="[CLIENT] [SERVER]",
    shell_complete=completion.complete_clients_and_servers,
)
@click.option("--all", "everything", is_flag=True, help="Take every server out of every client.")
@location_options
@click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")
@click.option("--show-values", is_flag=True, help="With --dry-run: the file as it is, secrets too.")
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
    show_values: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Take SERVER out of CLIENT, and give back what was there before.

    Without SERVER, all that Paddock has installed into CLIENT; without CLIENT, SERVER wherever it
    is installed. On a terminal you are asked first when that is more than one entry.

    The exit code is 1 when nothing of the kind is installed, or when some of several failed.
    """
    given = parse_client_arguments(
        words, server, recorded=[one.server for one in read_installations()]
    )
    is_narrowed = bool(given.clients or given.server or file or project or name)
    if len(given.clients) > 1:
        raise click.UsageError("Name one client at a time")
    if everything == is_narrowed:
        raise click.UsageError(ALL_CONFLICT_MESSAGE if everything else NOTHING_NAMED_MESSAGE)
    wanted = UninstallSelection(next(iter(given.clients), None), given.server, project, file, name)
    try:
        if output.can_ask() and not (dry_run or yes or as_json):
            _confirm_removal(_uninstall_selection(wanted, dry_run=True))
        outcomes = _uninstall_selection(wanted, dry_run=dry_run)
    except library.NotInstalledError as error:
        raise NothingDoneError(error) from None
    report_outcomes(ctx, outcomes, PlanDisplay(dry_run, show_values), as_json=as_json)


def _uninstall_selection(wanted: UninstallSelection, *, dry_run: bool) -> list[Outcome]:
    if wanted != UninstallSelection():
        return library.uninstall(**wanted._asdict(), dry_run=dry_run)
    standing = deduplicate_entries(list_recorded_entries())
    if not standing:
        raise library.NotInstalledError("nothing is installed")
    return [library.uninstall_entry(one, dry_run=dry_run) for one in standing]


def _confirm_removal(outcomes: list[Outcome]) -> None:
    """Ask whether several entries are to go; one is what was asked for."""
    plans = [one.plan for one in outcomes if one.plan is not None]
    if len(plans) < 2:
        return
    output.print_note(f"{len(plans)} entries will be taken out:")
    for plan in plans:
        output.print_note(f"  {plan.server} from {plan.client.name}")
    if not output.ask_yes_no("Take them out?"):
        raise click.Abort


@click.command()
@click.argument("name", shell_complete=completion.complete_servers)
@click.option("--yes", is_flag=True, help="Ask nothing.")
@click.option("--keep-installed", is_flag=True, help="Leave the entries in clients as they are.")
def delete(name: str, *, yes: bool, keep_installed: bool) -> None:
    """Delete the server NAME.

    You are asked first, and whether to take it out of the clients that it is installed in; with
    --yes that is done.
    """
    server = get_server(name)
    places = server.installations
    if not yes:
        if not output.can_ask():
            raise ArgumentError(
                f"Nobody is there to say whether to delete {name!r}", hint="add --yes"
            )
        if not output.ask_yes_no(f"Delete the server {name} ({server.location})?"):
            raise click.Abort
        if places and not keep_installed:
            output.print_note("It is installed in:")
            for one in places:
                output.print_note(f"  {one.client}: {one.file}")
            keep_installed = not output.ask_yes_no("Take it out there?")
    outcomes = delete_server(name, uninstall=not keep_installed)
    print_outcomes(outcomes, PlanDisplay())
    click.echo(f"Deleted {name}")
    if places and keep_installed:
        output.print_warning(
            f"it is still in {', '.join(dict.fromkeys(one.client for one in places))}",
            hint=f"paddock uninstall {name}",
        )
