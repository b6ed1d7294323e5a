"""The commands `paddock extensions search` and `install`, for extensions in catalogues."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from paddock.cli import output, text_layout
from paddock.cli.extension_installation import find_catalogue_entry, install_extension
from paddock.cli.shared_options import json_option, yes_option
from paddock.extensions.catalogues.remote import select_best_entries
from paddock.extensions.catalogues.store import load_catalogues
from paddock.extensions.discovery import discover, discover_extension
from paddock.extensions.manifest import ITEM_KINDS

if TYPE_CHECKING:
    from paddock.extensions.catalogues.document import CatalogueEntry

Json = dict[str, Any]


@click.command()
@click.argument("search_text", default="", metavar="[WORD]")
@json_option
def search(search_text: str, *, as_json: bool) -> None:
    """List the extensions in your catalogues, installed or not.

    WORD is searched for in the names and descriptions of extensions and their items.
    """
    catalogues = load_catalogues(may_fetch=True)
    for status in catalogues:
        if status.problem is not None:
            output.print_warning(
                f"{status.location}: {status.problem.message}", status.problem.hint
            )
    entries = [
        entry for status in catalogues if status.catalogue for entry in status.catalogue.entries
    ]
    matches = [
        entry
        for entry in select_best_entries(entries)
        if search_text.casefold() in _get_searchable_text(entry)
    ]
    installed_versions = {extension.name: extension.version for extension in discover().extensions}
    if as_json:
        output.print_json([_describe_entry(entry, installed_versions) for entry in matches])
    elif not catalogues:
        output.print_note("There are no catalogues\nHint: add one: paddock catalogue add URL")
    elif not matches:
        output.print_note(f"No catalogue lists anything like {search_text!r}")
    else:
        headings = ("extension", "version", "kind", "installed", "servers", "brings")
        output.print_table(
            headings, [_build_extension_row(entry, installed_versions) for entry in matches]
        )


@click.command()
@click.argument("name", metavar="NAME")
@yes_option
def install(name: str, *, yes: bool) -> None:
    """Show what installing the extension NAME does, ask, and install it from your catalogues.

    The file is downloaded and must have the hash in the catalogue. pip or uv installs it into the
    environment of this Python. A paclet is unpacked into Paddock's data directory.
    """
    installed = discover_extension(name).extensions
    if installed:
        output.print_note(
            f"{name} {installed[0].version or ''} is installed: {installed[0].directory}"
        )
        return
    install_extension(find_catalogue_entry(name), is_agreed=yes)


def _get_searchable_text(entry: CatalogueEntry) -> str:
    """Return the case-folded names and descriptions of an extension and its items."""
    items = [item for kind in ITEM_KINDS for item in entry.manifest.get_items(kind)]
    item_texts = [text for item in items for text in (item.name, item.description or "")]
    extension_texts = [entry.name, entry.distribution, entry.description or ""]
    return "\n".join([*extension_texts, *item_texts]).casefold()


def _build_extension_row(
    entry: CatalogueEntry, installed_versions: dict[str, str | None]
) -> list[output.Cell]:
    """Return an extension's row in the table printed by `paddock extensions search`.

    Args:
        entry: The extension in a catalogue.
        installed_versions: The versions of the installed extensions by name. The version of an
            installed extension is None if it is unknown.
    """
    servers = ", ".join(item.name for item in entry.manifest.servers)
    # Servers are the last kind and have their own column.
    item_names = [item.name for kind in ITEM_KINDS[:-1] for item in entry.manifest.get_items(kind)]
    items = text_layout.to_single_line(", ".join(item_names))
    is_installed = entry.name in installed_versions
    installed = (installed_versions[entry.name] or "yes") if is_installed else ""
    return [entry.name, entry.version, entry.kind, installed, servers, items]


def _describe_entry(entry: CatalogueEntry, installed_versions: dict[str, str | None]) -> Json:
    """Return a catalogue entry, its items and the installed version as a JSON object."""
    description: Json = entry._asdict()
    del description["manifest"]
    for kind in ITEM_KINDS:
        description[kind] = [
            {"name": f"{entry.name}/{item.name}", "description": item.description}
            for item in entry.manifest.get_items(kind)
        ]
    return description | {
        "is_installed": entry.name in installed_versions,
        "installed_version": installed_versions.get(entry.name),
    }
