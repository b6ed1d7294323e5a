"""The commands `paddock zoo backup` and `paddock zoo restore`."""

from __future__ import annotations

from pathlib import Path

import click

from paddock.cli import output
from paddock.cli.errors import ArgumentError
from paddock.cli.shared_options import yes_option
from paddock.zoo.opening import open_zoo


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--replace", is_flag=True, help="Replace an existing file.")
def backup(file: Path, *, replace: bool) -> None:
    """Back up the zoo to FILE, with its history and bin.

    If FILE ends in .db, it is a copy of the SQLite database. Otherwise it contains JSON lines,
    which can be restored to SQLite and PostgreSQL. With .gz it is compressed.
    """
    if file.exists() and not replace:
        raise ArgumentError("The file already exists", where=str(file), hint="add --replace")
    with open_zoo() as zoo:
        click.echo(zoo.backups.create(file))


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@yes_option
def restore(file: Path, *, yes: bool) -> None:
    """Replace the zoo by the content of the backup FILE.

    The current content is first written to another backup.
    """
    if not yes:
        output.require_confirmation(
            "Replace the entire zoo by the content of this file?", "Replacing the zoo"
        )
    with open_zoo() as zoo:
        safety_backup = zoo.backups.restore(file, source="cli")
    click.echo(f"Restored {file}")
    if safety_backup is not None:
        output.print_note(f"The previous content is in {safety_backup}")
