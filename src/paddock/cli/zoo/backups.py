"""`paddock zoo backup` and `paddock zoo restore`: all of the zoo in a file, and back."""

from __future__ import annotations

from pathlib import Path

import click

from paddock.cli import output
from paddock.cli.errors import ArgumentError
from paddock.zoo.opening import open_zoo


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--replace", is_flag=True, help="Replace a file that is there.")
def backup(file: Path, *, replace: bool) -> None:
    """Write all of the zoo to FILE, with history and bin.

    A name that ends in .db gives a copy of the SQLite database. Any other gives lines of JSON,
    which SQLite and PostgreSQL take back; with .gz they are compressed.
    """
    if file.exists() and not replace:
        raise ArgumentError("There is a file already", where=str(file), hint="add --replace")
    with open_zoo() as zoo:
        click.echo(zoo.backup(file))


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--yes", is_flag=True, help="Ask nothing.")
def restore(file: Path, *, yes: bool) -> None:
    """Make the zoo what it was when the backup FILE was made.

    What is there now is first written to a backup of its own.
    """
    if not yes:
        if not output.can_ask():
            raise ArgumentError(
                "Nobody is there to say whether to replace the zoo", hint="add --yes"
            )
        if not output.ask_yes_no("Replace all of the zoo by what is in that file?"):
            raise click.Abort
    with open_zoo() as zoo:
        kept = zoo.restore_backup(file, source="cli")
    click.echo(f"Restored {file}")
    if kept is not None:
        output.print_note(f"What was there before is in {kept}")
