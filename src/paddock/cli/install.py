"""`paddock install`: a server written into the configuration of clients."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from paddock.cli import completion, output
from paddock.cli.client_arguments import ClientArguments, parse_client_arguments
from paddock.cli.consent import consent_options, install_missing_extensions, resolve_install_policy
from paddock.cli.errors import ArgumentError, CommandError
from paddock.cli.plan_output import PlanDisplay, print_plan, report_outcomes
from paddock.cli.shared_options import (
    EntryOptions,
    build_entry_options,
    entry_options,
    location_options,
)
from paddock.errors import PaddockError
from paddock.installer import install as library
from paddock.installer.detection import detected_clients
from paddock.installer.entry_change import ForeignEntryError
from paddock.installer.plan import Outcome

if TYPE_CHECKING:
    from pathlib import Path

    from paddock.installer.plan import Plan


class InstallSettings(EntryOptions):
    """What is the same for every client of one command."""

    project: Path | None
    file: Path | None
    replace: bool
    check: bool
    dry_run: bool


@click.command()
@click.argument(
    "words",
    nargs=-1,
    metavar="CLIENT... [SERVER]",
    shell_complete=completion.complete_clients_and_servers,
)
@click.option("--all", "everywhere", is_flag=True, help="Install into every client found here.")
@location_options
@entry_options
@consent_options
@click.option("--replace", is_flag=True, help="Replace an entry that is not Paddock's.")
@click.option("--no-check", is_flag=True, help="Do not start the server first to see if it works.")
@click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")
@click.option("--show-values", is_flag=True, help="With --dry-run: the file as it is, secrets too.")
@click.option("--yes", is_flag=True, help="Ask nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, and ask nothing.")
@click.pass_context
def install(
    ctx: click.Context,
    words: tuple[str, ...],
    *,
    everywhere: bool,
    server: str | None,
    project: Path | None,
    file: Path | None,
    name: str | None,
    env: tuple[str, ...],
    http: str | None,
    headers: tuple[str, ...],
    options: tuple[str, ...],
    may_install: bool,
    no_install: bool,
    replace: bool,
    no_check: bool,
    dry_run: bool,
    show_values: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Install SERVER into each CLIENT, that is, into the file where it keeps its servers.

    The last word is the server unless a client is called that; without one it is the built-in
    server that suits the client. A server may also be a file (./server.py). With --file the client
    can be left out: the file tells which it is.

    An entry that Paddock has not made is replaced only with --replace, or when you say so on a
    terminal. The exit code is 1 when some of several clients failed.
    """
    settings = InstallSettings(
        **build_entry_options(name, env, http, headers, options),
        project=project,
        file=file,
        replace=replace,
        check=not no_check,
        dry_run=dry_run,
    )
    given = parse_client_arguments(words, server)
    agreement = resolve_install_policy(may_install=may_install, no_install=no_install)
    may_ask = output.can_ask() and not (yes or as_json)
    if given.server and not dry_run and (agreement or may_ask):
        install_missing_extensions(given.server, agreement)
    clients = _select_clients(given, settings, everywhere=everywhere)
    if everywhere and may_ask and not dry_run:
        output.print_note("Clients found here: " + ", ".join(filter(None, clients)))
        if not output.ask_yes_no("Install into all of them?"):
            raise click.Abort
    outcomes = [
        _install_into_client(
            client, given.server, settings, may_ask=may_ask, is_one=len(clients) == 1
        )
        for client in clients
    ]
    report_outcomes(ctx, outcomes, PlanDisplay(dry_run, show_values), as_json=as_json)


def _select_clients(
    given: ClientArguments, settings: InstallSettings, *, everywhere: bool
) -> list[str | None]:
    """The clients to install into; None is the one that the file tells."""
    if everywhere and (given.clients or settings["file"] or settings["project"]):
        raise click.UsageError("--all goes with no client, --file or --project")
    if everywhere:
        found = [client.id for client in detected_clients()]
        if not found:
            raise ArgumentError(
                "No client was found on this computer",
                hint="name one: paddock clients --all lists all that Paddock knows",
            )
        return [*found]
    if given.clients:
        return [*given.clients]
    if settings["file"] is None:
        what = f" to install {given.server} into" if given.server else ""
        raise ArgumentError(
            f"Name a client{what}",
            hint="paddock clients lists those on this computer; --all is all of them",
        )
    return [None]


def _install_into_client(
    client: str | None,
    server: str | None,
    settings: InstallSettings,
    *,
    may_ask: bool,
    is_one: bool,
) -> Outcome:
    """Install into one client; an error is raised at once when it is the only one."""
    name = client or str(settings["file"])
    try:
        return Outcome(name, _install_with_confirmation(client, server, settings, may_ask=may_ask))
    except PaddockError as error:
        if is_one:
            raise
        return Outcome(name, error=error)


def _install_with_confirmation(
    client: str | None, server: str | None, settings: InstallSettings, *, may_ask: bool
) -> Plan:
    try:
        with output.show_progress(f"Installing into {client or settings['file']} …"):
            return library.install(client, server, **settings)
    except ForeignEntryError as error:
        if not may_ask:
            raise
        CommandError(error).show()
        wanted: InstallSettings = {**settings, "replace": True, "dry_run": True}
        print_plan(library.install(client, server, **wanted), PlanDisplay(is_dry=True))
        if settings["dry_run"] or not output.ask_yes_no("Replace it?"):
            raise
        wanted["dry_run"] = False
        return _install_with_confirmation(client, server, wanted, may_ask=False)
