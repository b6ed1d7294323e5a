"""The commands `paddock link` and `paddock bundle`, which let other people install a server."""

from __future__ import annotations

from pathlib import Path
from typing import Unpack

import click

from paddock.cli import completion, output
from paddock.cli.errors import ArgumentError
from paddock.cli.shared_options import (
    EntryOptions,
    entry_name_option,
    entry_options,
    parse_variables,
)
from paddock.installer import bundle as bundles
from paddock.installer import links


@click.command()
@click.argument("client", shell_complete=completion.complete_clients)
@click.argument("server", required=False, shell_complete=completion.complete_servers)
@click.option("--open", "is_opened", is_flag=True, help="Also open the link.")
@click.option("--web", is_flag=True, help="Print a web link, for pages that allow only https.")
@entry_name_option
@entry_options
def link(
    client: str,
    server: str | None,
    *,
    is_opened: bool,
    web: bool,
    **entry: Unpack[EntryOptions],
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


@click.command()
@click.argument("server", shell_complete=completion.complete_servers)
@click.option(
    "--file",
    type=click.Path(path_type=Path),
    metavar="F",
    help="File to write, or directory to write it in.",
)
@click.option("--portable", is_flag=True, help="Include the server's files, for other computers.")
@click.option(
    "--env",
    multiple=True,
    metavar="NAME=VALUE",
    callback=parse_variables,
    help="Environment variable for the server. Can be repeated.",
)
def bundle(server: str, *, file: Path | None, portable: bool, env: dict[str, str]) -> None:
    """Write SERVER as an .mcpb bundle that Claude Desktop and other clients can open.

    Without --portable, the bundle contains the command that starts the server on this computer.
    """
    bundle_file = bundles.bundle(server, file, portable=portable, env=env)
    click.echo(bundle_file)
    if portable:
        output.print_note(f"It contains {', '.join(bundles.list_bundle_files(bundle_file))}")
    else:
        output.print_note("It works on this computer only. Use --portable for other computers.")
