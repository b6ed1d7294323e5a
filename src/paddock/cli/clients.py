"""`paddock clients`: what servers can be installed into, and what of ours is there."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import click

from paddock.cli import output
from paddock.cli.server_details import describe_installation
from paddock.errors import PaddockError
from paddock.installer.apps import supported_clients
from paddock.installer.detection import detected_clients
from paddock.installer.locations import locate_config_files
from paddock.named_servers.installations import read_installations

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from paddock.installer.client_app import Client
    from paddock.named_servers.installations import Installation


class ClientRow(NamedTuple):
    """A client, and what is known of it here."""

    client: Client
    is_detected: bool
    files: list[Path]
    installations: list[Installation]

    @property
    def project_file(self) -> str:
        """The file for a project, as it is called below its directory."""
        return self.client.project[0] if self.client.project else ""


@click.command()
@click.option("--all", "everything", is_flag=True, help="Also those that are not found here.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def clients(*, everything: bool, as_json: bool) -> None:
    """List the clients found on this computer, with what Paddock has installed into them.

    With --all, those found here come first.
    """
    known = list(_build_client_rows())
    shown = [row for row in known if everything or row.is_detected or row.installations]
    if as_json:
        output.print_json([_describe_client(row) for row in shown])
        return
    if shown:
        output.print_table(
            ("client", "found", "scope", "file", "installed"),
            [cells for row in shown for cells in _build_cells(row)],
        )
    else:
        output.print_note("No client was found on this computer")
    rest = len(known) - len(shown)
    if rest:
        output.print_note(f"{rest} more are supported: paddock clients --all")


def _build_client_rows() -> Iterator[ClientRow]:
    """All clients, those that are here first."""
    here = {client.id for client in detected_clients()}
    recorded = read_installations()
    ordered = sorted(
        supported_clients().values(), key=lambda one: (one.id not in here, one.name.casefold())
    )
    for client in ordered:
        installed = [one for one in recorded if one.client == client.id]
        yield ClientRow(client, client.id in here, _list_files(client), installed)


def _list_files(client: Client) -> list[Path]:
    try:
        return locate_config_files(client)
    except PaddockError:  # it has no file on this system, or none but in projects
        return []


def _build_cells(row: ClientRow) -> Iterator[tuple[output.Cell, ...]]:
    """A line for each file: those of the user, then those with something of ours in them."""
    head: tuple[output.Cell, ...] = (
        row.client.id,
        output.StyledCell("yes", "green") if row.is_detected else "no",
    )
    files = {str(file): "user" for file in row.files}
    files |= {one.file: one.scope for one in row.installations if one.file not in files}
    if not files:
        files = {row.project_file: "project"}
    for file, scope in files.items():
        ours = [f"{one.server}" for one in row.installations if one.file == file]
        yield (*head, scope, file, ", ".join(ours))
        head = ("", "")


def _describe_client(row: ClientRow) -> dict[str, object]:
    client = row.client
    return {
        "id": client.id,
        "name": client.name,
        "is_detected": row.is_detected,
        "files": [str(file) for file in row.files],
        "project": row.project_file or None,
        "format": client.format,
        "http": client.supports_http,
        "url": client.url,
        "installations": [describe_installation(one) for one in row.installations],
    }
