"""`paddock new`: a directory to begin with."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from paddock.cli import output
from paddock.extensions.scaffold import create_extension


@click.group(invoke_without_command=True)
@click.pass_context
def new(ctx: click.Context) -> None:
    """Write a directory to begin with."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


@new.command(short_help="Write an extension: a distribution with tool, prompt and server.")
@click.argument("directory", type=click.Path(file_okay=False, path_type=Path), metavar="DIR")
@click.option("--name", help="What the extension is called; the directory's name if left out.")
@click.option("--publisher", help="Gives its items names of three parts: publisher/name/Item.")
def extension(directory: Path, *, name: str | None, publisher: str | None) -> None:
    """Write an extension into DIR: a Python distribution with a tool, a prompt and a server.

    It works as it is, and has tests. Its README.md says how to go on.
    """
    started = create_extension(directory, name=name, publisher=publisher)
    click.echo(f"Created the extension {started.name}: {directory}")
    for file in started.files:
        click.echo(f"  {file}")
    place = shlex.quote(_to_explicit_path(directory))
    output.print_note(f"Install it: pip install -e {place}")
    output.print_note(f"Look at it: paddock inspect {started.server}")
    output.print_note(f"Check it: paddock validate {place}")


def _to_explicit_path(directory: Path) -> str:
    """A path that cannot be taken for a name."""
    text = str(directory)
    return text if directory.is_absolute() or text.startswith(".") else f"./{text}"
