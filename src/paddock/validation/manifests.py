"""Validation of a distribution's manifest, with one finding for each invalid part.

The reader that serves extensions stops at the first error. Validation passes each part of the
manifest to it separately, so that an invalid part does not hide the problems of the others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.extensions.data_formats import parse_toml
from paddock.extensions.errors import ManifestError
from paddock.extensions.manifest import (
    ITEM_KINDS,
    MAX_MANIFEST_BYTES,
    ExtensionManifest,
    build_manifest,
)
from paddock.extensions.names import normalize_key
from paddock.extensions.properties import shorten_repr
from paddock.suggestions import did_you_mean
from paddock.validation.findings import FindingLocation, find_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from paddock.extensions.manifest import ItemKind, ManifestItem
    from paddock.validation.findings import FindingCollector

MANIFEST_KEYS = ("schema", "publisher", "root", *ITEM_KINDS)
_ITEM_KEYS = ("name", "description", "title", "parameters", "arguments", *ITEM_KINDS)
_MIN_LIKENESS = 0.8


def check_manifest(data: bytes, file: str, findings: FindingCollector) -> ExtensionManifest | None:
    """Return the valid parts of a manifest, or None if it cannot be parsed."""
    if len(data) > MAX_MANIFEST_BYTES:
        findings.add("unreadable-manifest", f"is longer than {MAX_MANIFEST_BYTES:,} bytes", file)
        return None
    try:
        table = parse_toml(data)
    except ValueError as error:
        reason = ManifestError(f"cannot be read: {error}", where=file, hint="it must be TOML")
        findings.add_error("unreadable-manifest", reason, file)
        return None
    manifest = _ManifestReader(data.decode("utf-8-sig"), file, findings).read(table)
    check_item_names(manifest, file, findings)
    return manifest


def report_unknown_key(
    key: str, known_keys: Iterable[str], location: FindingLocation, findings: FindingCollector
) -> None:
    """Report a key that has no meaning."""
    known_keys = list(known_keys)
    remedy = did_you_mean(key, known_keys, most=1) or f"known are {', '.join(known_keys)}"
    findings.add("unknown-key", f"the key {key!r} is unknown", location, remedy)


def check_item_names(manifest: ExtensionManifest, file: str, findings: FindingCollector) -> None:
    """Report an empty manifest, and names whose files collide on case-insensitive systems."""
    if not any(manifest.get_items(kind) for kind in ITEM_KINDS):
        findings.add("empty-extension", "declares nothing", file, f"list {', '.join(ITEM_KINDS)}")
    for kind in ITEM_KINDS:
        names_by_casefold: dict[str, str] = {}
        for item in manifest.get_items(kind):
            # Windows and macOS do not distinguish case in file names by default.
            first_name = names_by_casefold.setdefault(item.name.casefold(), item.name)
            if first_name != item.name:
                findings.add(
                    "names-differ-by-case",
                    f"{first_name!r} and {item.name!r} differ only in case",
                    FindingLocation(file, key=kind),
                    "rename one: on some systems their files are the same",
                )


class _ManifestReader:
    """Reads a manifest key by key."""

    def __init__(self, text: str, file: str, findings: FindingCollector) -> None:
        self._text = text
        self._file = file
        self._findings = findings

    def read(self, table: Mapping[str, object]) -> ExtensionManifest:
        """Return a manifest with the valid parts of a table, and report the other parts."""
        manifest = ExtensionManifest()
        spelling_by_key: dict[str, str] = {}
        for key, value in table.items():
            first_spelling = spelling_by_key.setdefault(_find_kind(key) or normalize_key(key), key)
            if first_spelling != key:
                message = f"{first_spelling!r} and {key!r} mean the same"
                self._findings.add(
                    "invalid-value", message, self._get_location(key, key), "keep one"
                )
            # Each key is read alone, so that an invalid one does not hide problems of the others.
            entry = self._read_entry({key: value}, "invalid-value")
            if entry is not None and entry.extra:
                report_unknown_key(key, MANIFEST_KEYS, self._get_location(key, key), self._findings)
            kind = _find_kind(key)
            if kind is not None and isinstance(value, list):
                manifest = _replace_field(manifest, kind, self._read_items(kind, key, value))
            elif entry is not None and not entry.extra:
                name = normalize_key(key)
                if name != "schema" and kind is None:
                    manifest = _replace_field(manifest, name, getattr(entry, name))
        return manifest

    def _read_items(
        self, kind: ItemKind, key: str, values: list[object]
    ) -> tuple[ManifestItem, ...]:
        items_by_name: dict[str, ManifestItem] = {}
        for index, value in enumerate(values):
            # Each item is read alone too, for the same reason.
            entry = self._read_entry({key: [value]}, "invalid-item", f"{key}[{index}]")
            for item in entry.get_items(kind) if entry is not None else ():
                if item.name in items_by_name:
                    location = self._get_location(item.name, f"{key}[{index}]")
                    message = f"{item.name!r} is declared twice"
                    self._findings.add("duplicate-item", message, location, "keep one of them")
                items_by_name.setdefault(item.name, item)
                self._check_properties(item, f"{key}[{index}]")
        return tuple(items_by_name.values())

    def _check_properties(self, item: ManifestItem, key: str) -> None:
        """Report misspellings of known keys.

        Other unknown keys are not reported, because an extension may use them for itself.
        """
        for name in item.properties:
            remedy = did_you_mean(name, _ITEM_KEYS, most=1, likeness=_MIN_LIKENESS)
            if name not in _ITEM_KEYS and remedy is not None:
                location = self._get_location(item.name, f"{key}.{name}")
                self._findings.add("unknown-key", f"the key {name!r} is unknown", location, remedy)

    def _read_entry(
        self, table: dict[str, object], code: str, element: str | None = None
    ) -> ExtensionManifest | None:
        """Read a manifest with a single key, or return None after reporting its error.

        Args:
            table: The key with its value. A list of items is skipped unless `element` is given.
            code: The code of the finding.
            element: The label of the element, if the value is a list with a single item.
        """
        ((key, value),) = table.items()
        if element is None and isinstance(value, list) and _find_kind(key) is not None:
            return None
        try:
            return build_manifest(table, self._file)
        except ManifestError as error:
            is_schema = normalize_key(key) == "schema"
            invalid_value = value[0] if element is not None and isinstance(value, list) else value
            self._findings.add(
                "unsupported-schema" if is_schema else code,
                f"is {shorten_repr(invalid_value)}",
                self._get_location(key, element or key),
                error.hint,
            )
            return None

    def _get_location(self, word: str, key: str) -> FindingLocation:
        return FindingLocation(self._file, find_line(self._text, word), key=key)


def _replace_field(manifest: ExtensionManifest, key: str, value: object) -> ExtensionManifest:
    return ExtensionManifest(**{**manifest._asdict(), key: value})


def _find_kind(key: str) -> ItemKind | None:
    """Return the kind of items that a key lists, in any spelling of the key."""
    normal = normalize_key(key)
    name = "" if normal == "mcp_tools" else normal.removeprefix("mcp_")
    return next((kind for kind in ITEM_KINDS if kind == name), None)
