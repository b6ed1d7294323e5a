"""The command `paddock install`, which adds a server to the configuration of clients."""

from __future__ import annotations

from typing import TYPE_CHECKING, NotRequired, Unpack

import click

from paddock.cli import output
from paddock.cli.client_arguments import ClientArguments, parse_client_arguments
from paddock.cli.errors import ArgumentError, CommandError
from paddock.cli.extension_installation import install_missing_extensions
from paddock.cli.plan_output import PlanDisplay, print_plan, report_outcomes
from paddock.cli.shared_options import (
    EntryOptions,
    clients_and_server_argument,
    consent_options,
    dry_run_option,
    entry_options,
    location_options,
    quiet_json_option,
    show_values_option,
    yes_option,
)
from paddock.errors import PaddockError
from paddock.installer import install as library
from paddock.installer.detection import detected_clients
from paddock.installer.entry_change import ForeignEntryError
from paddock.installer.plan import ClientOutcome

if TYPE_CHECKING:
    from pathlib import Path

    from paddock.installer.plan import Plan


class InstallSettings(EntryOptions):
    """The options of `paddock install` that apply to all selected clients.

    They are also the keyword arguments of `paddock.installer.install`.
    """

    project: Path | None
    file: Path | None
    replace: bool
    check: NotRequired[bool]
    dry_run: bool


@click.command()
@clients_and_server_argument(metavar="CLIENT... [SERVER]")
@click.option("--all", "everywhere", is_flag=True, help="Install into every detected client.")
@location_options
@entry_options
@consent_options
@click.option("--replace", is_flag=True, help="Replace an entry that Paddock did not create.")
@click.option("--no-check", is_flag=True, help="Do not test the server before installing it.")
@dry_run_option
@show_values_option
@yes_option
@quiet_json_option
@click.pass_context
def install(
    ctx: click.Context,
    words: tuple[str, ...],
    *,
    everywhere: bool,
    server: str | None,
    install_policy: bool | None,
    no_check: bool,
    show_values: bool,
    yes: bool,
    as_json: bool,
    **settings: Unpack[InstallSettings],
) -> None:
    """Add SERVER to the configuration of each CLIENT.

    The last argument is the server unless it is the name of a client. If SERVER is omitted, the
    default server for that kind of client is installed. SERVER can also be a file (./server.py).
    With --file, CLIENT can be omitted if the file shows which client it belongs to.

    An entry that Paddock did not create is replaced only with --replace, or after asking on a
    terminal. The exit code is 1 if installation into some of several clients failed.
    """
    settings["check"] = not no_check
    dry_run = settings["dry_run"]
    arguments = parse_client_arguments(words, server)
    may_ask = output.can_ask() and not (yes or as_json)
    if arguments.server and not dry_run and (install_policy or may_ask):
        install_missing_extensions(arguments.server, install_policy)
    clients = _select_clients(arguments, settings, everywhere=everywhere)
    if everywhere and may_ask and not dry_run:
        output.print_note("Detected clients: " + ", ".join(filter(None, clients)))
        output.confirm("Install into all of them?")
    outcomes = []
    for client in clients:
        try:
            plan = _install_with_confirmation(client, arguments.server, settings, may_ask=may_ask)
            outcomes.append(ClientOutcome(plan.client.id, plan))
        except PaddockError as error:
            # If there is only one client, its error ends the command with exit code 2.
            if len(clients) == 1:
                raise
            outcomes.append(ClientOutcome(str(client), error=error))
    report_outcomes(ctx, outcomes, PlanDisplay(dry_run, show_values), as_json=as_json)


def _select_clients(
    arguments: ClientArguments, settings: InstallSettings, *, everywhere: bool
) -> list[str | None]:
    """Return the clients to install into. None means to detect the client from `--file`.

    Raises:
        UsageError: `--all` is combined with another selection.
        ArgumentError: No client is selected, or none was found on this computer.
    """
    if everywhere and (arguments.clients or settings["file"] or settings["project"]):
        raise click.UsageError("--all cannot be combined with a client, --file or --project")
    if everywhere:
        client_ids = [client.id for client in detected_clients()]
        if not client_ids:
            raise ArgumentError(
                "No client was found on this computer",
                hint="name a client; paddock clients --all lists all supported ones",
            )
        return [*client_ids]
    if arguments.clients:
        return [*arguments.clients]
    if settings["file"] is None:
        purpose = f" to install {arguments.server} into" if arguments.server else ""
        raise ArgumentError(
            f"Name a client{purpose}",
            hint="paddock clients lists those on this computer; --all selects all of them",
        )
    return [None]


def _install_with_confirmation(
    client: str | None, server: str | None, settings: InstallSettings, *, may_ask: bool
) -> Plan:
    """Install into one client. If the entry belongs to another program, ask whether to replace it.

    Raises:
        ForeignEntryError: The entry exists, and the user declined or cannot be asked.
    """
    try:
        with output.show_progress(f"Installing into {client or settings['file']} …"):
            return library.install(client, server, **settings)
    except ForeignEntryError as error:
        if not may_ask:
            raise
        CommandError(error).show()
        # Show the change before asking whether to replace the entry.
        replace_settings: InstallSettings = {**settings, "replace": True, "dry_run": True}
        print_plan(library.install(client, server, **replace_settings), PlanDisplay(is_dry=True))
        if settings["dry_run"] or not output.ask_yes_no("Replace it?"):
            raise
        replace_settings["dry_run"] = False
        # With `may_ask=False`, a second conflict is an error instead of another question.
        return _install_with_confirmation(client, server, replace_settings, may_ask=False)
