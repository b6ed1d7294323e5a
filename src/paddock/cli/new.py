"""`paddock new`: a directory to begin with."""

from __future__ import annotations

from pathlib import Path

import click

from paddock.cli import output
from paddock.extensions.starting import start_extension


@click.group(no_args_is_help=True)
def new() -> None:
    """Write a directory to begin with."""


@new.command()
@click.argument("directory", type=click.Path(file_okay=False, path_type=Path), metavar="DIR")
@click.option("--name", help="What the extension is called; the directory's name if left out.")
@click.option("--publisher", help="Gives its items names of three parts: publisher/name/Item.")
def extension(directory: Path, *, name: str | None, publisher: str | None) -> None:
    """Write an extension into DIR: a Python distribution with a tool, a prompt and a server.

    It works as it is, and has tests. Its README.md says how to go on.
    """
    started = start_extension(directory, name=name, publisher=publisher)
    click.echo(f"Created the extension {started.name}: {directory}")
    for file in started.files:
        click.echo(f"  {file}")
    output.note(f"Install it: pip install -e {directory}. Then: paddock inspect {started.server}")
