"""The manifest of a distribution, read to its end: each part that cannot be is a finding.

Every part is given to the reader that is used in earnest, alone.
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
    """What can be used of a manifest; None when it cannot be read at all."""
    if len(data) > MAX_MANIFEST_BYTES:
        findings.add("unreadable-manifest", f"is longer than {MAX_MANIFEST_BYTES:,} bytes", file)
        return None
    try:
        table = parse_toml(data)
    except ValueError as error:
        reason = ManifestError(f"cannot be read: {error}", where=file, hint="it has to be TOML")
        findings.add_error("unreadable-manifest", reason, file)
        return None
    manifest = _ManifestReader(data.decode("utf-8-sig"), file, findings).read(table)
    check_item_names(manifest, file, findings)
    return manifest


def report_unknown_key(
    key: str, known: Iterable[str], place: FindingLocation, findings: FindingCollector
) -> None:
    """Tell of a key that nothing looks at."""
    words = list(known)
    remedy = did_you_mean(key, words, most=1) or f"known are {', '.join(words)}"
    findings.add("unknown-key", f"the key {key!r} is unknown", place, remedy)


def check_item_names(manifest: ExtensionManifest, file: str, findings: FindingCollector) -> None:
    """Tell of names that would be one file where systems do not tell case, and of no names."""
    if not any(manifest.get_items(kind) for kind in ITEM_KINDS):
        findings.add("empty-extension", "declares nothing", file, f"list {', '.join(ITEM_KINDS)}")
    for kind in ITEM_KINDS:
        seen: dict[str, str] = {}
        for item in manifest.get_items(kind):
            other = seen.setdefault(item.name.casefold(), item.name)
            if other != item.name:
                findings.add(
                    "names-differ-by-case",
                    f"{other!r} and {item.name!r} differ by case alone",
                    FindingLocation(file, key=kind),
                    "rename one: on some systems their files are the same",
                )


class _ManifestReader:
    """One manifest, part by part."""

    def __init__(self, text: str, file: str, findings: FindingCollector) -> None:
        self._text = text
        self._file = file
        self._findings = findings

    def read(self, table: Mapping[str, object]) -> ExtensionManifest:
        made = ExtensionManifest()
        spelled: dict[str, str] = {}
        for key, value in table.items():
            first = spelled.setdefault(_find_kind(key) or normalize_key(key), key)
            if first != key:
                message = f"{first!r} and {key!r} mean the same"
                self._findings.add(
                    "invalid-value", message, self._get_location(key, key), "keep one"
                )
            single = self._read_entry({key: value}, "invalid-value")
            if single is not None and single.extra:
                report_unknown_key(key, MANIFEST_KEYS, self._get_location(key, key), self._findings)
            kind = _find_kind(key)
            if kind is not None and isinstance(value, list):
                made = _replace_field(made, kind, self._read_items(kind, key, value))
            elif single is not None and not single.extra:
                name = normalize_key(key)
                if name != "schema" and kind is None:
                    made = _replace_field(made, name, getattr(single, name))
        return made

    def _read_items(
        self, kind: ItemKind, key: str, values: list[object]
    ) -> tuple[ManifestItem, ...]:
        found: dict[str, ManifestItem] = {}
        for index, value in enumerate(values):
            single = self._read_entry({key: [value]}, "invalid-item", f"{key}[{index}]")
            for item in single.get_items(kind) if single is not None else ():
                if item.name in found:
                    place = self._get_location(item.name, f"{key}[{index}]")
                    message = f"{item.name!r} is declared twice"
                    self._findings.add("duplicate-item", message, place, "keep one of them")
                found.setdefault(item.name, item)
                self._check_properties(item, f"{key}[{index}]")
        return tuple(found.values())

    def _check_properties(self, item: ManifestItem, key: str) -> None:
        """Tell of what is like a key that is known; others are the extension's own business."""
        for one in item.properties:
            remedy = did_you_mean(one, _ITEM_KEYS, most=1, likeness=_MIN_LIKENESS)
            if one not in _ITEM_KEYS and remedy is not None:
                place = self._get_location(item.name, f"{key}.{one}")
                self._findings.add("unknown-key", f"the key {one!r} is unknown", place, remedy)

    def _read_entry(
        self, table: dict[str, object], code: str, element: str | None = None
    ) -> ExtensionManifest | None:
        ((key, value),) = table.items()
        if element is None and isinstance(value, list) and _find_kind(key) is not None:
            return None
        try:
            return build_manifest(table, self._file)
        except ManifestError as error:
            what = "unsupported-schema" if normalize_key(key) == "schema" else code
            given = value[0] if element is not None and isinstance(value, list) else value
            self._findings.add(
                what,
                f"is {shorten_repr(given)}",
                self._get_location(key, element or key),
                error.hint,
            )
            return None

    def _get_location(self, word: str, key: str) -> FindingLocation:
        return FindingLocation(self._file, find_line(self._text, word), key=key)


def _replace_field(manifest: ExtensionManifest, key: str, value: object) -> ExtensionManifest:
    return ExtensionManifest(**{**manifest._asdict(), key: value})


def _find_kind(key: str) -> ItemKind | None:
    """The kind of items that stand under a key, in any spelling."""
    normal = normalize_key(key)
    name = "" if normal == "mcp_tools" else normal.removeprefix("mcp_")
    return next((kind for kind in ITEM_KINDS if kind == name), None)
