"""The command `paddock new`, which creates projects from templates."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from paddock.cli import output
from paddock.extensions.scaffold import create_extension


@click.group(invoke_without_command=True)
@click.pass_context
def new(ctx: click.Context) -> None:
    """Create a project from a template."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


@new.command(short_help="Create an extension: a distribution with a tool, a prompt and a server.")
@click.argument("directory", type=click.Path(file_okay=False, path_type=Path), metavar="DIR")
@click.option("--name", help="Name of the extension (default: the name of the directory).")
@click.option("--publisher", help="Publisher, for item names of the form publisher/name/Item.")
def extension(directory: Path, *, name: str | None, publisher: str | None) -> None:
    """Create an extension in DIR: a Python distribution with a tool, a prompt and a server.

    DIR must be empty or not exist. The extension works and has tests. Its README.md describes the
    next steps.
    """
    scaffold = create_extension(directory, name=name, publisher=publisher)
    click.echo(f"Created the extension {scaffold.name}: {directory}")
    for file in scaffold.files:
        click.echo(f"  {file}")
    quoted_directory = shlex.quote(_to_explicit_path(directory))
    output.print_note(f"Install it: pip install -e {quoted_directory}")
    output.print_note(f"Inspect it: paddock inspect {scaffold.server}")
    output.print_note(f"Check it: paddock validate {quoted_directory}")


def _to_explicit_path(directory: Path) -> str:
    """Return the path in a form that commands do not mistake for a server or extension name."""
    text = str(directory)
    return text if directory.is_absolute() or text.startswith(".") else f"./{text}"
