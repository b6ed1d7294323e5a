"""The command `paddock bundle`, which writes a server as an installable .mcpb file."""

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
