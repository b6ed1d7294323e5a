"""The command `paddock clients`, which lists client applications and their installed servers."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import click

from paddock.cli import output
from paddock.cli.server_details import describe_installation
from paddock.cli.shared_options import json_option
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
    """A client app and its state on this computer, shown as table rows by `paddock clients`."""

    client: Client
    is_detected: bool
    files: list[Path]
    installations: list[Installation]

    @property
    def project_file(self) -> str:
        """The path to the configuration within a project, such as `.cursor/mcp.json`, or ""."""
        return self.client.project[0] if self.client.project else ""


@click.command()
@click.option("--all", "everything", is_flag=True, help="Include clients not found here.")
@json_option
def clients(*, everything: bool, as_json: bool) -> None:
    """List the clients on this computer, with the servers Paddock has installed into them.

    With --all, all supported clients follow.
    """
    client_rows = list(_build_client_rows())
    shown_rows = [row for row in client_rows if everything or row.is_detected or row.installations]
    if as_json:
        output.print_json([_describe_client(row) for row in shown_rows])
        return
    if shown_rows:
        output.print_table(
            ("client", "found", "scope", "file", "installed"),
            [cells for row in shown_rows for cells in _build_cells(row)],
        )
    else:
        output.print_note("No client was found on this computer")
    hidden_count = len(client_rows) - len(shown_rows)
    if hidden_count:
        output.print_note(f"{hidden_count} more are supported: paddock clients --all")


def _build_client_rows() -> Iterator[ClientRow]:
    """Yield a row for each supported client: detected ones first, then the others by name."""
    detected_ids = {client.id for client in detected_clients()}
    installations = read_installations()
    sorted_clients = sorted(
        supported_clients().values(),
        key=lambda client: (client.id not in detected_ids, client.name.casefold()),
    )
    for client in sorted_clients:
        client_installations = [
            installation for installation in installations if installation.client == client.id
        ]
        yield ClientRow(
            client, client.id in detected_ids, _list_files(client), client_installations
        )


def _list_files(client: Client) -> list[Path]:
    """Return the user's configuration files for a client, or an empty list if it has none."""
    try:
        return locate_config_files(client)
    except PaddockError:  # No file on this operating system, or only in projects.
        return []


def _build_cells(row: ClientRow) -> Iterator[tuple[output.Cell, ...]]:
    """Yield a client's table rows, one for each of its configuration files.

    The user's files come first, followed by any other files that have a server installed. A client
    without such files gets a row for its project file.
    """
    leading_cells: tuple[output.Cell, ...] = (
        row.client.id,
        output.StyledCell("yes", "green") if row.is_detected else "no",
    )
    scope_by_file = {str(file): "user" for file in row.files}
    scope_by_file |= {
        installation.file: installation.scope
        for installation in row.installations
        if installation.file not in scope_by_file
    }
    if not scope_by_file:
        scope_by_file = {row.project_file: "project"}
    for file, scope in scope_by_file.items():
        server_names = [
            f"{installation.server}"
            for installation in row.installations
            if installation.file == file
        ]
        yield (*leading_cells, scope, file, ", ".join(server_names))
        # Only the first row shows the client and its detection state.
        leading_cells = ("", "")


def _describe_client(row: ClientRow) -> dict[str, object]:
    """Return the `--json` object for a client and its state on this computer."""
    return {
        **output.select_attributes(row.client, ("id", "name")),
        "is_detected": row.is_detected,
        "files": list(map(str, row.files)),
        "project": row.project_file or None,
        "format": row.client.format,
        "http": row.client.supports_http,
        "url": row.client.url,
        "installations": list(map(describe_installation, row.installations)),
    }
