"""The manifest of a distribution, read to its end: each part that cannot be is a finding.

Every part is given to the reader that is used in earnest, alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.extensions.errors import ManifestError
from paddock.extensions.keys import normal_key
from paddock.extensions.manifest import KINDS, MAX_MANIFEST, Manifest, make_manifest
from paddock.extensions.plain_data import parse_toml
from paddock.extensions.properties import shown
from paddock.suggestions import did_you_mean
from paddock.validation.finding import Place, line_with

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from paddock.extensions.manifest import Item, Kind
    from paddock.validation.finding import Findings

KEYS = ("schema", "publisher", "root", *KINDS)
_ITEM_KEYS = ("name", "description", "title", "parameters", "arguments", *KINDS)
_NEAR = 0.8


def check_manifest(data: bytes, file: str, findings: Findings) -> Manifest | None:
    """What can be used of a manifest; None when it cannot be read at all."""
    if len(data) > MAX_MANIFEST:
        findings.add("unreadable-manifest", f"is longer than {MAX_MANIFEST:,} bytes", file)
        return None
    try:
        table = parse_toml(data)
    except ValueError as error:
        reason = ManifestError(f"cannot be read: {error}", where=file, hint="it has to be TOML")
        findings.add_error("unreadable-manifest", reason, file)
        return None
    manifest = _Reading(data.decode("utf-8-sig"), file, findings).read(table)
    check_names(manifest, file, findings)
    return manifest


def unknown_key(key: str, known: Iterable[str], place: Place, findings: Findings) -> None:
    """Tell of a key that nothing looks at."""
    words = list(known)
    remedy = did_you_mean(key, words, most=1) or f"known are {', '.join(words)}"
    findings.add("unknown-key", f"the key {key!r} is unknown", place, remedy)


def check_names(manifest: Manifest, file: str, findings: Findings) -> None:
    """Tell of names that would be one file where systems do not tell case, and of no names."""
    if not any(manifest.items(kind) for kind in KINDS):
        findings.add("empty-extension", "declares nothing", file, f"list {', '.join(KINDS)}")
    for kind in KINDS:
        seen: dict[str, str] = {}
        for item in manifest.items(kind):
            other = seen.setdefault(item.name.casefold(), item.name)
            if other != item.name:
                findings.add(
                    "names-differ-by-case",
                    f"{other!r} and {item.name!r} differ by case alone",
                    Place(file, key=kind),
                    "rename one: on some systems their files are the same",
                )


class _Reading:
    """One manifest, part by part."""

    def __init__(self, text: str, file: str, findings: Findings) -> None:
        self._text = text
        self._file = file
        self._findings = findings

    def read(self, table: Mapping[str, object]) -> Manifest:
        made = Manifest()
        spelled: dict[str, str] = {}
        for key, value in table.items():
            first = spelled.setdefault(_kind(key) or normal_key(key), key)
            if first != key:
                message = f"{first!r} and {key!r} mean the same"
                self._findings.add("invalid-value", message, self._place(key, key), "keep one")
            single = self._made({key: value}, "invalid-value")
            if single is not None and single.extra:
                unknown_key(key, KEYS, self._place(key, key), self._findings)
            kind = _kind(key)
            if kind is not None and isinstance(value, list):
                made = _with(made, kind, self._items(kind, key, value))
            elif single is not None and not single.extra:
                name = normal_key(key)
                if name != "schema" and kind is None:
                    made = _with(made, name, getattr(single, name))
        return made

    def _items(self, kind: Kind, key: str, values: list[object]) -> tuple[Item, ...]:
        found: dict[str, Item] = {}
        for index, value in enumerate(values):
            single = self._made({key: [value]}, "invalid-item", f"{key}[{index}]")
            for item in single.items(kind) if single is not None else ():
                if item.name in found:
                    place = self._place(item.name, f"{key}[{index}]")
                    message = f"{item.name!r} is declared twice"
                    self._findings.add("duplicate-item", message, place, "keep one of them")
                found.setdefault(item.name, item)
                self._check_properties(item, f"{key}[{index}]")
        return tuple(found.values())

    def _check_properties(self, item: Item, key: str) -> None:
        """Tell of what is like a key that is known; others are the extension's own business."""
        for one in item.properties:
            remedy = did_you_mean(one, _ITEM_KEYS, most=1, likeness=_NEAR)
            if one not in _ITEM_KEYS and remedy is not None:
                place = self._place(item.name, f"{key}.{one}")
                self._findings.add("unknown-key", f"the key {one!r} is unknown", place, remedy)

    def _made(
        self, table: dict[str, object], code: str, element: str | None = None
    ) -> Manifest | None:
        ((key, value),) = table.items()
        if element is None and isinstance(value, list) and _kind(key) is not None:
            return None
        try:
            return make_manifest(table, self._file)
        except ManifestError as error:
            what = "unsupported-schema" if normal_key(key) == "schema" else code
            given = value[0] if element is not None and isinstance(value, list) else value
            self._findings.add(
                what, f"is {shown(given)}", self._place(key, element or key), error.hint
            )
            return None

    def _place(self, word: str, key: str) -> Place:
        return Place(self._file, line_with(self._text, word), key=key)


def _with(manifest: Manifest, key: str, value: object) -> Manifest:
    return Manifest(**{**manifest._asdict(), key: value})


def _kind(key: str) -> Kind | None:
    """The kind of items that stand under a key, in any spelling."""
    normal = normal_key(key)
    name = "" if normal == "mcp_tools" else normal.removeprefix("mcp_")
    return next((kind for kind in KINDS if kind == name), None)
