"""`paddock link`: a link that installs a server, for people who click rather than type."""

from __future__ import annotations

import click

from paddock.cli import completion
from paddock.cli.errors import ArgumentError
from paddock.cli.shared_options import build_entry_options, entry_options
from paddock.installer import links


@click.command()
@click.argument("client", shell_complete=completion.complete_clients)
@click.argument("server", required=False, shell_complete=completion.complete_servers)
@click.option("--open", "is_opened", is_flag=True, help="Open the link too.")
@click.option("--web", is_flag=True, help="A link that web pages and chats can show.")
@click.option("--name", metavar="KEY", help="What the client is to call the server.")
@entry_options
def link(
    client: str,
    server: str | None,
    *,
    is_opened: bool,
    web: bool,
    name: str | None,
    env: tuple[str, ...],
    http: str | None,
    headers: tuple[str, ...],
    options: tuple[str, ...],
) -> None:
    """Print a link that installs SERVER into CLIENT when it is clicked.

    It starts the server as this computer has it; with --http it works everywhere.
    """
    wishes = build_entry_options(name, env, http, headers, options)
    address = links.link(client, server, web=web, **wishes)
    click.echo(address)
    if is_opened and click.launch(address) != 0:
        raise ArgumentError(
            f"Nothing here opens links of {client}", hint="copy the link into a browser"
        )
