"""`paddock extensions search` and `paddock extensions install`: what catalogues list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from paddock.cli import output, text_layout
from paddock.cli.consent import find_catalogue_entry, install_extension
from paddock.extensions.catalogues.remote import select_best_entries
from paddock.extensions.catalogues.store import load_catalogues
from paddock.extensions.discovery import discover, discover_extension
from paddock.extensions.manifest import ITEM_KINDS

if TYPE_CHECKING:
    from paddock.extensions.catalogues.document import CatalogueEntry

Json = dict[str, Any]


@click.command()
@click.argument("word", default="", metavar="[WORD]")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def search(word: str, *, as_json: bool) -> None:
    """List the extensions in your catalogues, installed or not.

    WORD is looked for in names and descriptions of extensions and of what they bring. Nothing is
    installed.
    """
    known = load_catalogues(may_fetch=True)
    for one in known:
        if one.problem is not None:
            output.print_warning(f"{one.location}: {one.problem.message}", one.problem.hint)
    entries = [entry for one in known if one.catalogue for entry in one.catalogue.entries]
    found = [
        entry
        for entry in select_best_entries(entries)
        if word.casefold() in _get_searchable_text(entry)
    ]
    here = {one.name: one.version for one in discover().extensions}
    if as_json:
        output.print_json([_describe_entry(entry, here) for entry in found])
    elif not known:
        output.print_note("There is no catalogue\nHint: add one: paddock catalogue add URL")
    elif not found:
        output.print_note(f"No catalogue lists anything like {word!r}")
    else:
        headings = ("extension", "version", "kind", "installed", "servers", "brings")
        output.print_table(headings, [_build_extension_row(entry, here) for entry in found])


@click.command()
@click.argument("name", metavar="NAME")
@click.option("--yes", is_flag=True, help="Ask nothing.")
def install(name: str, *, yes: bool) -> None:
    """Install the extension NAME from your catalogues, after saying what that does.

    The file is fetched, has to have the hash that the catalogue gives, and is installed by pip or
    uv into the environment of this Python; a paclet is unpacked into Paddock's data directory.
    """
    found = discover_extension(name).extensions
    if found:
        output.print_note(f"{name} {found[0].version or ''} is installed: {found[0].directory}")
        return
    install_extension(find_catalogue_entry(name), is_agreed=yes)


def _get_searchable_text(entry: CatalogueEntry) -> str:
    items = [item for kind in ITEM_KINDS for item in entry.manifest.get_items(kind)]
    texts = [text for item in items for text in (item.name, item.description or "")]
    about = [entry.name, entry.distribution, entry.description or ""]
    return "\n".join([*about, *texts]).casefold()


def _build_extension_row(entry: CatalogueEntry, here: dict[str, str | None]) -> list[output.Cell]:
    servers = ", ".join(item.name for item in entry.manifest.servers)
    others = [item.name for kind in ITEM_KINDS[:-1] for item in entry.manifest.get_items(kind)]
    brings = text_layout.to_single_line(", ".join(others))
    installed = here.get(entry.name, "") or ("yes" if entry.name in here else "")
    return [entry.name, entry.version, entry.kind, installed, servers, brings]


def _describe_entry(entry: CatalogueEntry, here: dict[str, str | None]) -> Json:
    found: Json = entry._asdict()
    del found["manifest"]
    for kind in ITEM_KINDS:
        found[kind] = [
            {"name": f"{entry.name}/{item.name}", "description": item.description}
            for item in entry.manifest.get_items(kind)
        ]
    return found | {"is_installed": entry.name in here, "installed_version": here.get(entry.name)}
