"""`paddock link` and `paddock bundle`: servers for people who click rather than type."""

from __future__ import annotations

from pathlib import Path

import click

from paddock.cli import completing, output
from paddock.cli.complaints import ArgumentError
from paddock.cli.entry_options import entry_options, entry_wishes
from paddock.cli.pairs import variables
from paddock.clients import bundle as bundles
from paddock.clients import links


@click.command()
@click.argument("client", shell_complete=completing.clients)
@click.argument("server", required=False, shell_complete=completing.servers)
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
    wishes = entry_wishes(name, env, http, headers, options)
    address = links.link(client, server, web=web, **wishes)
    click.echo(address)
    if is_opened and click.launch(address) != 0:
        raise ArgumentError(
            f"Nothing here opens links of {client}", hint="copy the link into a browser"
        )


@click.command()
@click.argument("server", shell_complete=completing.servers)
@click.option(
    "--file",
    type=click.Path(path_type=Path),
    metavar="F",
    help="The file to write, or a directory for it.",
)
@click.option("--portable", is_flag=True, help="Put the server itself in, for other computers.")
@click.option(
    "--env",
    multiple=True,
    metavar="NAME=VALUE",
    help="Environment variable for the server; may be repeated.",
)
def bundle(server: str, *, file: Path | None, portable: bool, env: tuple[str, ...]) -> None:
    """Write SERVER as an .mcpb bundle, which Claude Desktop and others install by a double click.

    It starts the server as this computer has it, unless it is to be portable.
    """
    written = bundles.bundle(server, file, portable=portable, env=variables(env, "--env"))
    click.echo(written)
    if not portable:
        output.note("It is of use on this computer only; --portable makes one for others")
