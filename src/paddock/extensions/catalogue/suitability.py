"""Which of several files of an extension is the best for this machine and this Python.

Wheels are compared as pip does: by their tags, by the versions of Python that they are for, and
by their own versions, of which those before a release count only where there are no others.
"""

from __future__ import annotations

import sys
from functools import cache
from typing import TYPE_CHECKING

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.tags import sys_tags
from packaging.utils import InvalidWheelFilename, parse_wheel_filename
from packaging.version import InvalidVersion, Version

from paddock.extensions.paclets.versions import make_version_key

if TYPE_CHECKING:
    from packaging.tags import Tag

    from paddock.extensions.catalogue.document import CatalogueEntry
    from paddock.extensions.paclets.versions import PacletVersionKey

EntryRank = tuple[bool, bool, bool, "Version | PacletVersionKey", int]

_UNKNOWN_VERSION = Version("0.dev0")
"""What a version counts as that is none."""


def rank_entry(entry: CatalogueEntry) -> EntryRank:
    """What entries of one name are sorted by, the best last."""
    if entry.kind == "paclet":
        return True, False, True, make_version_key(entry.version), 0
    place = _get_wheel_tag_rank(entry.file)
    version = _parse_version(entry.version)
    suits = place is not None and _supports_current_python(entry.requires_python)
    return suits, True, not version.is_prerelease, version, -(place or 0)


def _parse_version(text: str) -> Version:
    try:
        return Version(text)
    except InvalidVersion:
        return _UNKNOWN_VERSION


def _supports_current_python(wanted: str) -> bool:
    try:
        return SpecifierSet(wanted).contains(".".join(map(str, sys.version_info[:3])))
    except InvalidSpecifier:
        return True  # pip says what it thinks of it


def _get_wheel_tag_rank(wheel: str) -> int | None:
    """How soon this interpreter would take a wheel; None if it would not."""
    try:
        tags = parse_wheel_filename(wheel)[3]
    except InvalidWheelFilename:
        return None
    return min((_rank_supported_tags()[tag] for tag in tags if tag in _rank_supported_tags()), default=None)


@cache
def _rank_supported_tags() -> dict[Tag, int]:
    return {tag: place for place, tag in enumerate(sys_tags())}
