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

from paddock.extensions.paclets.versions import version_order

if TYPE_CHECKING:
    from packaging.tags import Tag

    from paddock.extensions.catalogue.document import Entry
    from paddock.extensions.paclets.versions import Order

Rank = tuple[bool, bool, bool, "Version | Order", int]

_UNKNOWN = Version("0.dev0")
"""What a version counts as that is none."""


def rank(entry: Entry) -> Rank:
    """What entries of one name are sorted by, the best last."""
    if entry.kind == "paclet":
        return True, False, True, version_order(entry.version), 0
    place = _place(entry.file)
    version = _version(entry.version)
    suits = place is not None and _is_for_this_python(entry.requires_python)
    return suits, True, not version.is_prerelease, version, -(place or 0)


def _version(text: str) -> Version:
    try:
        return Version(text)
    except InvalidVersion:
        return _UNKNOWN


def _is_for_this_python(wanted: str) -> bool:
    try:
        return SpecifierSet(wanted).contains(".".join(map(str, sys.version_info[:3])))
    except InvalidSpecifier:
        return True  # pip says what it thinks of it


def _place(wheel: str) -> int | None:
    """How soon this interpreter would take a wheel; None if it would not."""
    try:
        tags = parse_wheel_filename(wheel)[3]
    except InvalidWheelFilename:
        return None
    return min((_own_tags()[tag] for tag in tags if tag in _own_tags()), default=None)


@cache
def _own_tags() -> dict[Tag, int]:
    return {tag: place for place, tag in enumerate(sys_tags())}
