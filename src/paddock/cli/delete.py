"""`paddock delete`: a named server removed, with what is installed of it."""

from __future__ import annotations

import click

from paddock.cli import completing, output
from paddock.cli.complaints import ArgumentError
from paddock.cli.planned import PlanDisplay, print_outcomes
from paddock.clients.deleting import delete_server
from paddock.servers.api import get_server


@click.command()
@click.argument("name", shell_complete=completing.complete_servers)
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
