"""`paddock bundle`: a server as one file, which applications install by a double click."""

from __future__ import annotations

from pathlib import Path

import click

from paddock.cli import completion, output
from paddock.cli.shared_options import parse_variables
from paddock.installer import bundle as bundles


@click.command()
@click.argument("server", shell_complete=completion.complete_servers)
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
    written = bundles.bundle(server, file, portable=portable, env=parse_variables(env, "--env"))
    click.echo(written)
    if portable:
        output.print_note(f"It holds {', '.join(bundles.list_bundle_files(written))}")
    else:
        output.print_note("It is of use on this computer only; --portable makes one for others")
