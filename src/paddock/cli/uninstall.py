"""The commands `paddock uninstall` and `paddock delete`.

`uninstall` removes entries from client configurations. `delete` removes a named server and, by
default, its entries.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from paddock.cli import completion, output
from paddock.cli.client_arguments import parse_client_arguments
from paddock.cli.errors import NothingDoneError
from paddock.cli.plan_output import PlanDisplay, print_outcomes, report_outcomes
from paddock.cli.shared_options import (
    clients_and_server_argument,
    dry_run_option,
    location_options,
    quiet_json_option,
    show_values_option,
    yes_option,
)
from paddock.installer import uninstall as library
from paddock.installer.uninstall import delete_server
from paddock.named_servers.api import get_server
from paddock.named_servers.installations import read_installations

if TYPE_CHECKING:
    from pathlib import Path

    from paddock.installer.plan import ClientOutcome


ALL_CONFLICT_MESSAGE = "--all cannot be combined with a client, server, project, file or name"
NO_SELECTION_MESSAGE = "Name what to remove: a client, a server, both, or --all"


@click.command()
@clients_and_server_argument(metavar="[CLIENT] [SERVER]")
@click.option("--all", "everything", is_flag=True, help="Remove every server from every client.")
@location_options
@dry_run_option
@show_values_option
@yes_option
@quiet_json_option
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
    """Remove SERVER from CLIENT, and restore the entry it replaced, if any.

    Without SERVER, remove everything that Paddock has installed into CLIENT. Without CLIENT,
    remove SERVER from every client. On a terminal, removing several entries asks first.

    The exit code is 1 if nothing matching is installed, or if removing some of several failed.
    """
    arguments = parse_client_arguments(
        words,
        server,
        recorded_servers=[installation.server for installation in read_installations()],
    )
    is_narrowed = bool(arguments.clients or arguments.server or file or project or name)
    if len(arguments.clients) > 1:
        raise click.UsageError("Name one client at a time")
    if everything == is_narrowed:
        raise click.UsageError(ALL_CONFLICT_MESSAGE if everything else NO_SELECTION_MESSAGE)
    remove = library.uninstall_all
    if is_narrowed:
        remove = partial(
            library.uninstall,
            next(iter(arguments.clients), None),
            arguments.server,
            project=project,
            file=file,
            name=name,
        )
    try:
        if output.can_ask() and not (dry_run or yes or as_json):
            _confirm_removal(remove(dry_run=True))
        outcomes = remove(dry_run=dry_run)
    except library.NotInstalledError as error:
        raise NothingDoneError(error) from None
    report_outcomes(ctx, outcomes, PlanDisplay(dry_run, show_values), as_json=as_json)


def _confirm_removal(outcomes: list[ClientOutcome]) -> None:
    """Ask the user to confirm the removal of multiple entries.

    A single entry is the one the arguments name, so it is removed without asking.

    Raises:
        Abort: The user declined.
    """
    plans = [outcome.plan for outcome in outcomes if outcome.plan is not None]
    if len(plans) < 2:
        return
    output.print_note(f"{len(plans)} entries will be removed:")
    for plan in plans:
        output.print_note(f"  {plan.server} from {plan.client.name}")
    output.confirm("Remove them?")


@click.command()
@click.argument("name", shell_complete=completion.complete_servers)
@yes_option
@click.option("--keep-installed", is_flag=True, help="Keep the entries in clients.")
def delete(name: str, *, yes: bool, keep_installed: bool) -> None:
    """Delete the server NAME.

    Asks first, and whether to remove the server from the clients it is installed in. With --yes,
    it is removed from them.
    """
    server = get_server(name)
    # Read the records now, because deleting the server also deletes them.
    installations = server.installations
    if not yes:
        output.require_confirmation(
            f"Delete the server {name} ({server.location})?", f"Deleting {name!r}"
        )
        if installations and not keep_installed:
            output.print_note("It is installed in:")
            for installation in installations:
                output.print_note(f"  {installation.client}: {installation.file}")
            keep_installed = not output.ask_yes_no("Remove it there?")
    outcomes = delete_server(name, uninstall=not keep_installed)
    print_outcomes(outcomes, PlanDisplay())
    click.echo(f"Deleted {name}")
    if installations and keep_installed:
        client_ids = dict.fromkeys(installation.client for installation in installations)
        output.print_warning(
            f"it is still in {', '.join(client_ids)}", hint=f"paddock uninstall {name}"
        )
