"""The command `paddock link`, which prints a link that installs a server when clicked."""

from __future__ import annotations

import click

from paddock.cli import completion
from paddock.cli.errors import ArgumentError
from paddock.cli.shared_options import EntryOptions, entry_options
from paddock.installer import links


@click.command()
@click.argument("client", shell_complete=completion.complete_clients)
@click.argument("server", required=False, shell_complete=completion.complete_servers)
@click.option("--open", "is_opened", is_flag=True, help="Also open the link.")
@click.option("--web", is_flag=True, help="Print a web link, for pages that allow only https.")
@click.option("--name", metavar="KEY", help="Name of the entry in the client's file.")
@entry_options
def link(
    client: str,
    server: str | None,
    *,
    is_opened: bool,
    web: bool,
    entry: EntryOptions,
) -> None:
    """Print a link that installs SERVER into CLIENT when it is clicked.

    The link contains the command that starts the server on this computer. With --http it works on
    any computer.
    """
    address = links.link(client, server, web=web, **entry)
    click.echo(address)
    if is_opened and click.launch(address) != 0:
        raise ArgumentError(
            f"No program on this computer opens links of {client}",
            hint="copy the link into a browser",
        )
