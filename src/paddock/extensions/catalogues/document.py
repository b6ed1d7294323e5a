"""The catalogue document: parsing, validation and formatting.

Invalid entries are reported and omitted; they do not hide the others. The listed files are not
read.
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
"""Maximum size of a catalogue document."""
MAX_CATALOGUE_ENTRIES = 20_000
MAX_EXTENSION_FILE_BYTES = 500_000_000
"""Maximum size of a listed file."""
MAX_TEXT_CHARACTERS = 2_000

# Versions and names end up in paths and pip arguments, so they cannot begin with a dot or a hyphen,
# and cannot contain a slash.
_VERSION_PATTERN = re.compile(r"[0-9A-Za-z][0-9A-Za-z.+!_\-]{0,99}")
_SHA256_PATTERN = re.compile(r"[0-9a-f]{64}")
_FILE_NAME_PATTERNS = {
    "distribution": re.compile(r"[0-9A-Za-z][0-9A-Za-z._+!\-]{0,250}\.whl"),
    "paclet": re.compile(r"[^\W_][\w.+\-]{0,250}\.paclet"),
}
_DISTRIBUTION_NAME_PATTERN = re.compile(r"[0-9A-Za-z]([0-9A-Za-z._\-]{0,100}[0-9A-Za-z])?")


class CatalogueEntry(NamedTuple):
    """An extension in a catalogue, with the file to download."""

    name: str
    """`package`, or `publisher/package`."""
    kind: Literal["distribution", "paclet"]
    version: str
    distribution: str
    """The name of the distribution or paclet to install."""
    url: str
    """The URL of the file, absolute or relative to the catalogue."""
    file: str
    """The file name, without directories."""
    sha256: str
    """The file's hash in hexadecimal."""
    size: int
    """The file size in bytes."""
    manifest: ExtensionManifest
    requires: tuple[str, ...] = ()
    """The `Requires-Dist` headers of a distribution."""
    requires_python: str = ""
    """The `Requires-Python` header of a distribution."""
    description: str | None = None
    """The summary of a distribution."""
    catalogue: str = ""
    """The location of the catalogue."""


class CatalogueDocument(NamedTuple):
    """The contents of a catalogue document."""

    entries: tuple[CatalogueEntry, ...] = ()
    problems: tuple[PaddockError, ...] = ()
    """One error for each invalid entry."""


def parse_catalogue(data: bytes, where: str) -> CatalogueDocument:
    """Parse a catalogue: the JSON document that lists extensions to download.

    An invalid entry is not an error, because a newer version of Paddock may have written it. It is
    omitted, and the result reports the problem.

    Args:
        data: The contents of the document.
        where: The location of the catalogue for error messages.

    Raises:
        CatalogueError: The data is not a catalogue, or exceeds a limit.
    """
    if len(data) > MAX_CATALOGUE_BYTES:
        raise CatalogueError(f"is longer than {MAX_CATALOGUE_BYTES:,} bytes", where=where)
    try:
        table = parse_json(data)
    except ValueError as error:
        raise CatalogueError(f"is not JSON: {error}", where=where) from None
    entry_tables = table.get("extensions") if isinstance(table, dict) else None
    if not isinstance(entry_tables, list) or table.get("catalogue") != CATALOGUE_FORMAT_VERSION:
        raise CatalogueError(
            "is not a catalogue",
            where=where,
            hint=f'expected {{"catalogue": {CATALOGUE_FORMAT_VERSION}, "extensions": […]}}, as '
            "written by paddock catalogue build",
        )
    if len(entry_tables) > MAX_CATALOGUE_ENTRIES:
        raise CatalogueError(
            f"lists {len(entry_tables):,} files, more than {MAX_CATALOGUE_ENTRIES:,}", where=where
        )
    entries: list[CatalogueEntry] = []
    problems: list[PaddockError] = []
    for index, entry_table in enumerate(entry_tables):
        try:
            entries.append(_parse_entry(entry_table, where, f"extensions[{index}]"))
        except PaddockError as error:
            problems.append(error)
        # An entry is untrusted and may be nested more deeply than Python can recurse.
        except RecursionError:
            nesting_error = CatalogueError(
                "is nested too deeply", where=f"{where}: extensions[{index}]"
            )
            problems.append(nesting_error)
    return CatalogueDocument(tuple(entries), tuple(problems))


def format_catalogue(entries: Iterable[CatalogueEntry]) -> bytes:
    """Format catalogue entries as a catalogue document."""
    table = {
        "catalogue": CATALOGUE_FORMAT_VERSION,
        "extensions": [_entry_to_table(entry) for entry in entries],
    }
    return msgspec.json.format(msgspec.json.encode(table, enc_hook=str), indent=2) + b"\n"


def validate_entry(entry: CatalogueEntry, where: str) -> CatalogueEntry:
    """Check that all fields of an entry are safe to use in paths, commands and questions.

    Catalogues are untrusted: a name could contain `..`, a pip option, or a control character that
    hides what the user is agreeing to.

    Args:
        entry: The entry to check, which is returned unchanged.
        where: The location of the entry for error messages.

    Raises:
        CatalogueError: A field is invalid.
    """
    parts = entry.name.split("/")
    expected_name = format_extension_name(parts[-1], entry.manifest.publisher)
    has_invalid_value = {
        "name": not all(map(is_valid_name, parts))
        or expected_name != entry.name
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
    for field_name, is_invalid in has_invalid_value.items():
        if is_invalid:
            message = f"{field_name} is {getattr(entry, field_name)!r}"
            raise CatalogueError(message[:300], where=where)
    return entry


def _is_printable(text: str) -> bool:
    """Return whether a text can be shown as is when the user is asked to agree.

    Control characters could hide part of it.
    """
    return 0 < len(text) <= MAX_TEXT_CHARACTERS and text.isprintable()


def _parse_entry(table: object, catalogue: str, key: str) -> CatalogueEntry:
    """Parse and validate a catalogue entry.

    The distribution defaults to the extension's name, and the file to the last part of the URL.

    Args:
        table: The entry as a JSON object.
        catalogue: The location of the catalogue.
        key: The position of the entry in the document, such as `extensions[3]`.

    Raises:
        CatalogueError: The entry is invalid.
        ManifestError: The entry's manifest is invalid.
    """
    where = f"{catalogue}: {key}"
    try:
        data = msgspec.convert(table, _EntryData)
    except msgspec.ValidationError as error:
        raise CatalogueError(str(error), where=where) from None
    entry = CatalogueEntry(
        name=data.name,
        kind=data.kind,
        version=data.version,
        distribution=data.distribution or data.name,
        url=data.url,
        file=data.file or data.url.rpartition("/")[2],
        sha256=data.sha256,
        size=data.size,
        manifest=build_manifest(data.manifest, where),
        requires=tuple(data.requires),
        requires_python=data.requires_python,
        description=data.description,
        catalogue=catalogue,
    )
    return validate_entry(entry, where)


class _EntryData(msgspec.Struct):
    """A catalogue entry as written in the JSON document, before validation."""

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
    """Convert a catalogue entry to a JSON object, such as `{"name": "acme/charts", …}`."""
    table = entry._asdict()
    del table["catalogue"]
    manifest = entry.manifest
    items_by_kind = {
        kind: [_item_to_data(item) for item in manifest.get_items(kind)] for kind in ITEM_KINDS
    }
    publisher_field = {"publisher": manifest.publisher} if manifest.publisher else {}
    table["manifest"] = {
        **publisher_field,
        "root": manifest.root,
        **{kind: items for kind, items in items_by_kind.items() if items},
    }
    return table


def _item_to_data(item: ManifestItem) -> object:
    if item.properties:
        return {**item.properties, "name": item.name, "description": item.description}
    return item.name if item.description is None else [item.name, item.description]
