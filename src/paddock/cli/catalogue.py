"""`paddock catalogue`: which catalogues count, and making one."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from paddock.cli import output
from paddock.cli.errors import ArgumentError, CommandError
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
"""A catalogue is there to be handed out."""


@click.group(invoke_without_command=True)
@click.pass_context
def catalogue(ctx: click.Context) -> None:
    """Say where extensions can be found that are not installed, or make such a catalogue."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


@catalogue.command()
@click.argument("places", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="DIR…")
@click.option(
    "--output",
    "target",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="F",
    help="The file to write, instead of standard output.",
)
@click.option("--base-url", metavar="U", help="Where the files will be; else beside the catalogue.")
@click.pass_context
def build(
    ctx: click.Context, places: tuple[Path, ...], *, target: Path | None, base_url: str | None
) -> None:
    """Make a catalogue of the wheels and .paclet files in each DIR.

    They are read, and neither installed nor run. The exit code is 1 when some of them cannot be
    listed; the others are.
    """
    if base_url:
        validate_url(base_url)
    beside = Path.cwd() if target is None else target.absolute().parent
    built = build_catalogue(places, base_url, beside=beside)
    text = format_catalogue(built.entries)
    if target is None:
        click.echo(text, nl=False)
    else:
        try:
            write_atomically(target, text, mode=CATALOGUE_FILE_MODE)
        except OSError as error:
            raise ArgumentError(
                f"The catalogue cannot be written: {error.strerror or error}",
                where=str(target),
                hint="--output takes a file that you may write",
            ) from None
        output.print_note(f"Wrote {target}: {len(built.entries)} extensions")
    for problem in built.problems:
        CommandError(problem).show()
    if built.problems:
        ctx.exit(1)


@catalogue.command()
@click.argument("location", metavar="URL|PATH")
def add(location: str) -> None:
    """Use the catalogue at URL or PATH from now on; it is read first."""
    full = normalize_location(location)
    found = refresh_catalogue(full)
    add_catalogue(full)
    click.echo(f"Added {full}: {len(found.entries)} extensions")
    for problem in found.problems:
        output.print_warning(str(problem))


@catalogue.command()
@click.argument("location", metavar="URL|PATH")
def remove(location: str) -> None:
    """Use the catalogue at URL or PATH no longer."""
    removed = remove_catalogue(location)
    if removed is None:
        raise ArgumentError(
            f"There is no catalogue {location!r} in your settings",
            hint=did_you_mean(location, list_locations()) or "paddock catalogue list lists them",
        )
    delete_copy(removed)
    click.echo(f"Removed {removed}")


@catalogue.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def list_catalogues(*, as_json: bool) -> None:
    """List your catalogues, with what is known of each; nothing is fetched."""
    known = load_catalogues(may_fetch=False)
    if as_json:
        output.print_json([_describe_catalogue(one) for one in known])
    elif not known:
        output.print_note(
            "There is no catalogue\nHint: add one: paddock catalogue add URL, or set "
            f"{CATALOGUES_VARIABLE}"
        )
    else:
        output.print_table(("catalogue", "extensions", "fetched"), map(_build_catalogue_row, known))


@catalogue.command("refresh")
@click.argument("location", required=False, metavar="[URL|PATH]")
@click.pass_context
def refresh_catalogues(ctx: click.Context, location: str | None) -> None:
    """Fetch your catalogues anew, or one of them.

    The exit code is 1 when some could not be fetched; what was known of these stays.
    """
    wanted = list(list_locations()) if location is None else [normalize_location(location)]
    if not set(wanted) <= set(list_locations()):
        raise ArgumentError(
            f"There is no catalogue {location!r} in your settings", hint="paddock catalogue list"
        )
    has_failed = False
    for one in wanted:
        try:
            click.echo(f"{one}: {len(refresh_catalogue(one).entries)} extensions")
        except PaddockError as error:
            CommandError(error).show()
            has_failed = True
    if has_failed:
        ctx.exit(1)


def _build_catalogue_row(one: CatalogueStatus) -> list[output.Cell]:
    if one.problem is not None:
        return [output.StyledCell(one.location, "red"), "", str(one.problem.message)]
    count = "" if one.catalogue is None else str(len(one.catalogue.entries))
    return [one.location, count, _format_fetch_time(one) or ("" if one.catalogue else "never")]


def _describe_catalogue(one: CatalogueStatus) -> dict[str, object]:
    return {
        "location": one.location,
        "extensions": None if one.catalogue is None else len(one.catalogue.entries),
        "fetched": _format_fetch_time(one) or None,
        "problem": None if one.problem is None else str(one.problem),
    }


def _format_fetch_time(one: CatalogueStatus) -> str:
    if one.fetched_at is None:
        return ""
    return datetime.fromtimestamp(one.fetched_at, UTC).isoformat(timespec="seconds")
