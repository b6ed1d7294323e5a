"""The commands `paddock catalogue ...`, which manage catalogues of extensions and build them."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from paddock.cli import output
from paddock.cli.errors import ArgumentError, CommandError
from paddock.cli.shared_options import json_option
from paddock.errors import PaddockError
from paddock.extensions.catalogues.builder import build_catalogue
from paddock.extensions.catalogues.document import format_catalogue
from paddock.extensions.catalogues.download import normalize_location, validate_url
from paddock.extensions.catalogues.store import (
    CATALOGUES_VARIABLE,
    add_catalogue,
    delete_copy,
    list_locations,
    load_catalogues,
    refresh_catalogue,
    remove_catalogue,
)
from paddock.files import write_atomically
from paddock.suggestions import did_you_mean

if TYPE_CHECKING:
    from paddock.extensions.catalogues.store import CatalogueStatus

CATALOGUE_FILE_MODE = 0o644
"""Readable by all users, unlike Paddock's own files: a catalogue is published."""


@click.group(invoke_without_command=True)
@click.pass_context
def catalogue(ctx: click.Context) -> None:
    """Manage the catalogues extensions are installed from, or build a catalogue."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


@catalogue.command()
@click.argument(
    "directories", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="DIR…"
)
@click.option(
    "--output",
    "target",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="F",
    help="File to write (default: standard output).",
)
@click.option(
    "--base-url",
    metavar="U",
    help="URL of the directory with the files (default: relative to the catalogue).",
)
@click.pass_context
def build(
    ctx: click.Context, directories: tuple[Path, ...], *, target: Path | None, base_url: str | None
) -> None:
    """Build a catalogue of the wheels and .paclet files in each DIR.

    The files are read, but neither installed nor run. The exit code is 1 if some files cannot be
    listed. The catalogue then contains the others.
    """
    if base_url:
        # Check the URL before reading and hashing all files.
        validate_url(base_url)
    base_directory = Path.cwd() if target is None else target.absolute().parent
    result = build_catalogue(directories, base_url, catalogue_directory=base_directory)
    text = format_catalogue(result.entries)
    if target is None:
        click.echo(text, nl=False)
    else:
        try:
            write_atomically(target, text, mode=CATALOGUE_FILE_MODE)
        except OSError as error:
            raise ArgumentError(
                f"The catalogue cannot be written: {error.strerror or error}",
                where=str(target),
                hint="pass a writable file with --output",
            ) from None
        output.print_note(f"Wrote {target}: {len(result.entries)} extensions")
    for problem in result.problems:
        CommandError(problem).show()
    if result.problems:
        ctx.exit(1)


@catalogue.command()
@click.argument("location", metavar="URL|PATH")
def add(location: str) -> None:
    """Download the catalogue at URL or PATH and add it to your settings."""
    full_location = normalize_location(location)
    # Download first, so that a location without a valid catalogue is not added.
    catalogue_document = refresh_catalogue(full_location)
    add_catalogue(full_location)
    click.echo(f"Added {full_location}: {len(catalogue_document.entries)} extensions")
    for problem in catalogue_document.problems:
        output.print_warning(str(problem))


@catalogue.command()
@click.argument("location", metavar="URL|PATH")
def remove(location: str) -> None:
    """Remove the catalogue at URL or PATH from your settings."""
    removed_location = remove_catalogue(location)
    if removed_location is None:
        raise ArgumentError(
            f"There is no catalogue {location!r} in your settings",
            hint=did_you_mean(location, list_locations()) or "paddock catalogue list lists them",
        )
    delete_copy(removed_location)
    click.echo(f"Removed {removed_location}")


@catalogue.command("list")
@json_option
def list_catalogues(*, as_json: bool) -> None:
    """List your catalogues with the state of their local copies. Downloads nothing."""
    statuses = load_catalogues(may_fetch=False)
    if as_json:
        output.print_json([_describe_catalogue(status) for status in statuses])
    elif not statuses:
        output.print_note(
            "There are no catalogues\nHint: add one: paddock catalogue add URL, or set "
            f"{CATALOGUES_VARIABLE}"
        )
    else:
        output.print_table(
            ("catalogue", "extensions", "fetched"), map(_build_catalogue_row, statuses)
        )


@catalogue.command("refresh")
@click.argument("location", required=False, metavar="[URL|PATH]")
@click.pass_context
def refresh_catalogues(ctx: click.Context, location: str | None) -> None:
    """Download your catalogues again, or only the one at URL or PATH.

    The exit code is 1 if a download failed. The local copy is then kept.
    """
    locations = list(list_locations()) if location is None else [normalize_location(location)]
    if not set(locations) <= set(list_locations()):
        raise ArgumentError(
            f"There is no catalogue {location!r} in your settings", hint="paddock catalogue list"
        )
    exit_code = 0
    for catalogue_location in locations:
        try:
            entries = refresh_catalogue(catalogue_location).entries
            click.echo(f"{catalogue_location}: {len(entries)} extensions")
        except PaddockError as error:
            CommandError(error).show()
            exit_code = 1
    ctx.exit(exit_code)


def _build_catalogue_row(status: CatalogueStatus) -> list[output.Cell]:
    """Return a catalogue's table row: its location, number of extensions, and download time.

    If the catalogue cannot be used, the row shows the problem instead of the time.
    """
    if status.problem is not None:
        return [output.StyledCell(status.location, "red"), "", str(status.problem.message)]
    if status.catalogue is None:
        return [status.location, "", _format_fetch_time(status) or "never"]
    return [status.location, len(status.catalogue.entries), _format_fetch_time(status)]


def _describe_catalogue(status: CatalogueStatus) -> dict[str, object]:
    """Return the `--json` object for a catalogue and the state of its local copy."""
    return {
        "location": status.location,
        "extensions": None if status.catalogue is None else len(status.catalogue.entries),
        "fetched": _format_fetch_time(status) or None,
        "problem": None if status.problem is None else str(status.problem),
    }


def _format_fetch_time(status: CatalogueStatus) -> str:
    if status.fetched_at is None:
        return ""
    return datetime.fromtimestamp(status.fetched_at, UTC).isoformat(timespec="seconds")
