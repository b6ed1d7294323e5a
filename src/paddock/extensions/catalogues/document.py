"""The document that a catalogue is: read, checked and written. What it lists is not looked at.

An entry that cannot be used is told of and left out, and hides no other.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import msgspec

from paddock.errors import PaddockError
from paddock.extensions.data_formats import parse_json
from paddock.extensions.errors import CatalogueError
from paddock.extensions.extension import BUILT_IN_EXTENSION_NAME, format_extension_name
from paddock.extensions.manifest import ITEM_KINDS, ExtensionManifest, build_manifest, is_valid_name

if TYPE_CHECKING:
    from collections.abc import Iterable

    from paddock.extensions.manifest import ManifestItem

CATALOGUE_FORMAT_VERSION = 1
MAX_CATALOGUE_BYTES = 20_000_000
"""Bytes of a catalogue; one that has more is not read on."""
MAX_CATALOGUE_ENTRIES = 20_000
MAX_EXTENSION_FILE_BYTES = 500_000_000
"""Bytes of a file that a catalogue lists."""
MAX_TEXT_CHARACTERS = 2_000

_VERSION_PATTERN = re.compile(r"[0-9A-Za-z][0-9A-Za-z.+!_\-]{0,99}")
_SHA256_PATTERN = re.compile(r"[0-9a-f]{64}")
_FILE_NAME_PATTERNS = {
    "distribution": re.compile(r"[0-9A-Za-z][0-9A-Za-z._+!\-]{0,250}\.whl"),
    "paclet": re.compile(r"[^\W_][\w.+\-]{0,250}\.paclet"),
}
_DISTRIBUTION_NAME_PATTERN = re.compile(r"[0-9A-Za-z]([0-9A-Za-z._\-]{0,100}[0-9A-Za-z])?")


class CatalogueEntry(NamedTuple):
    """One file that a catalogue lists, and one extension that is in it."""

    name: str
    """`package`, or `publisher/package`."""
    kind: Literal["distribution", "paclet"]
    version: str
    distribution: str
    """What is installed with it: the name of the distribution or the paclet."""
    url: str
    """Where the file is; may be relative to the catalogue."""
    file: str
    """The name of the file alone."""
    sha256: str
    size: int
    manifest: ExtensionManifest
    requires: tuple[str, ...] = ()
    """What a distribution depends on, as its metadata says it."""
    requires_python: str = ""
    """The versions of Python that a distribution is for, as its metadata says it."""
    description: str | None = None
    """What a distribution is for, in a line."""
    catalogue: str = ""
    """The catalogue that it stands in."""


class CatalogueDocument(NamedTuple):
    """What a document lists."""

    entries: tuple[CatalogueEntry, ...] = ()
    problems: tuple[PaddockError, ...] = ()
    """Entries that cannot be used, and why."""


def parse_catalogue(data: bytes, where: str) -> CatalogueDocument:
    """What the text of a catalogue lists.

    Raises:
        CatalogueError: when it is none.
    """
    if len(data) > MAX_CATALOGUE_BYTES:
        raise CatalogueError(f"is longer than {MAX_CATALOGUE_BYTES:,} bytes", where=where)
    try:
        table = parse_json(data)
    except ValueError as error:
        raise CatalogueError(f"is no JSON: {error}", where=where) from None
    listed = table.get("extensions") if isinstance(table, dict) else None
    if not isinstance(listed, list) or table.get("catalogue") != CATALOGUE_FORMAT_VERSION:
        raise CatalogueError(
            "is no catalogue",
            where=where,
            hint=f'expected {{"catalogue": {CATALOGUE_FORMAT_VERSION}, "extensions": […]}}, as paddock catalogue '
            "build writes it",
        )
    if len(listed) > MAX_CATALOGUE_ENTRIES:
        raise CatalogueError(
            f"lists {len(listed):,} files, more than {MAX_CATALOGUE_ENTRIES:,}", where=where
        )
    entries: list[CatalogueEntry] = []
    problems: list[PaddockError] = []
    for index, one in enumerate(listed):
        try:
            entries.append(_parse_entry(one, where, f"extensions[{index}]"))
        except PaddockError as error:
            problems.append(error)
        except RecursionError:
            fault = CatalogueError("is nested too deeply", where=f"{where}: extensions[{index}]")
            problems.append(fault)
    return CatalogueDocument(tuple(entries), tuple(problems))


def format_catalogue(entries: Iterable[CatalogueEntry]) -> bytes:
    """The document that lists some entries."""
    table = {
        "catalogue": CATALOGUE_FORMAT_VERSION,
        "extensions": [_entry_to_table(entry) for entry in entries],
    }
    return msgspec.json.format(msgspec.json.encode(table, enc_hook=str), indent=2) + b"\n"


def validate_entry(entry: CatalogueEntry, where: str) -> CatalogueEntry:
    """An entry in which every name can safely be part of a path or a command.

    Raises:
        CatalogueError: with what is wrong with it.
    """
    parts = entry.name.split("/")
    named = format_extension_name(parts[-1], entry.manifest.publisher)
    faults = {
        "name": not all(map(is_valid_name, parts))
        or named != entry.name
        or entry.name == BUILT_IN_EXTENSION_NAME,
        "version": not _VERSION_PATTERN.fullmatch(entry.version),
        "distribution": entry.kind == "distribution"
        and not _DISTRIBUTION_NAME_PATTERN.fullmatch(entry.distribution),
        "file": not _FILE_NAME_PATTERNS[entry.kind].fullmatch(entry.file),
        "url": " " in entry.url or not _is_printable(entry.url),
        "requires": not all(map(_is_printable, entry.requires)),
        "requires_python": not _is_printable(entry.requires_python or "any"),
        "sha256": not _SHA256_PATTERN.fullmatch(entry.sha256),
        "size": not 0 < entry.size <= MAX_EXTENSION_FILE_BYTES,
    }
    for key, is_wrong in faults.items():
        if is_wrong:
            raise CatalogueError(f"{key} is {getattr(entry, key)!r}"[:300], where=where)
    return entry


def _is_printable(text: str) -> bool:
    """Whether a text is what a person sees of it: it is shown to whoever agrees to installing."""
    return 0 < len(text) <= MAX_TEXT_CHARACTERS and text.isprintable()


def _parse_entry(given: object, catalogue: str, key: str) -> CatalogueEntry:
    where = f"{catalogue}: {key}"
    try:
        raw = msgspec.convert(given, _EntryData)
    except msgspec.ValidationError as error:
        raise CatalogueError(str(error), where=where) from None
    return validate_entry(
        CatalogueEntry(
            *(raw.name, raw.kind, raw.version, raw.distribution or raw.name),
            *(raw.url, raw.file or raw.url.rpartition("/")[2], raw.sha256, raw.size),
            build_manifest(raw.manifest, where),
            tuple(raw.requires),
            raw.requires_python,
            raw.description,
            catalogue,
        ),
        where,
    )


class _EntryData(msgspec.Struct):
    """An entry as it is written."""

    name: str
    kind: Literal["distribution", "paclet"]
    version: str
    url: str
    sha256: str
    size: int
    manifest: dict[str, Any]
    distribution: str | None = None
    file: str | None = None
    requires: list[str] = []
    requires_python: str = ""
    description: str | None = None


def _entry_to_table(entry: CatalogueEntry) -> dict[str, object]:
    found = entry._asdict()
    del found["catalogue"]
    manifest = entry.manifest
    lists = {
        kind: [_item_to_data(item) for item in manifest.get_items(kind)] for kind in ITEM_KINDS
    }
    given = {"publisher": manifest.publisher} if manifest.publisher else {}
    found["manifest"] = {
        **given,
        "root": manifest.root,
        **{kind: items for kind, items in lists.items() if items},
    }
    return found


def _item_to_data(item: ManifestItem) -> object:
    if item.properties:
        return {**item.properties, "name": item.name, "description": item.description}
    return item.name if item.description is None else [item.name, item.description]
