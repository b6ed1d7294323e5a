"""Which of several files of an extension is the best for this machine and this Python.

Wheels are compared as pip does: by their tags, by the versions of Python that they are for, and
by their own versions, of which those before a release count only where there are no others.

Extensions that are not installed, as their catalogues describe them. Trust level: discovery.

They have names and manifests, and no files: whatever needs one says how to install it.
"""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.tags import sys_tags
from packaging.utils import InvalidWheelFilename, parse_wheel_filename
from packaging.version import InvalidVersion, Version

from paddock.extensions.catalogues.store import load_entries
from paddock.extensions.discovery import discover
from paddock.extensions.errors import ExtensionNotInstalledError
from paddock.extensions.extension import Extension
from paddock.extensions.not_found_errors import format_install_command
from paddock.extensions.paclets.discovery import make_version_key

if TYPE_CHECKING:
    from collections.abc import Iterable

    from packaging.tags import Tag

    from paddock.extensions.catalogues.document import CatalogueEntry
    from paddock.extensions.catalogues.store import ProblemReporter
    from paddock.extensions.definition_files import DefinitionFile
    from paddock.extensions.manifest import ItemKind
    from paddock.extensions.paclets.discovery import PacletVersionKey


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
    return min(
        (_rank_supported_tags()[tag] for tag in tags if tag in _rank_supported_tags()), default=None
    )


@cache
def _rank_supported_tags() -> dict[Tag, int]:
    return {tag: place for place, tag in enumerate(sys_tags())}


class RemoteExtension(Extension, frozen=True, kw_only=True):
    """An extension that a catalogue lists and that is not installed."""

    entry: CatalogueEntry

    @property
    def is_installed(self) -> bool:
        """It is not."""
        return False

    def definition(self, kind: ItemKind, item: str) -> DefinitionFile:
        """Refuse: the files are not here.

        Raises:
            ExtensionNotInstalledError: always, with the command that installs it.
        """
        raise ExtensionNotInstalledError(
            f'the {kind.removesuffix("s")} "{self.name}/{item}" is in the extension '
            f'"{self.name}", which is not installed',
            where=self.entry.catalogue,
            hint=f"install it: {format_install_command(self.name)}",
            extension=self.name,
        )


def list_remote_extensions(
    *, may_fetch: bool, report: ProblemReporter | None = None
) -> list[RemoteExtension]:
    """What the catalogues list and is not installed, the best of each name.

    `report` is given why a catalogue could not be read.

    Raises:
        CatalogueError: when the settings cannot be read.
    """
    entries = select_best_entries(load_entries(may_fetch=may_fetch, report=report))
    here = discover() if entries else None
    installed = {one.name for one in here.extensions} if here else set()
    return [_make_remote_extension(entry) for entry in entries if entry.name not in installed]


def find_remote_extension(
    name: str, *, may_fetch: bool = False, report: ProblemReporter | None = None
) -> RemoteExtension | None:
    """The extension of a name, as a catalogue describes it; None when none does.

    `report` is given why a catalogue could not be read.

    Raises:
        CatalogueError: when the settings cannot be read.
    """
    entries = load_entries(may_fetch=may_fetch, report=report)
    found = select_best_entries(one for one in entries if one.name == name)
    return _make_remote_extension(found[0]) if found else None


def select_best_entries(entries: Iterable[CatalogueEntry]) -> list[CatalogueEntry]:
    """Of each name the highest version that suits this machine, of that the best file.

    Versions are compared only within a catalogue: the first catalogue that lists a name decides,
    so that no other can take its place with a higher number.
    """
    found: dict[str, CatalogueEntry] = {}
    for entry in entries:
        chosen = found.setdefault(entry.name, entry)
        if chosen.catalogue == entry.catalogue and rank_entry(entry) > rank_entry(chosen):
            found[entry.name] = entry
    return sorted(found.values(), key=lambda one: one.name.casefold())


def _make_remote_extension(entry: CatalogueEntry) -> RemoteExtension:
    return RemoteExtension(
        *(entry.name, Path(), entry.manifest, entry.kind, entry.version, entry.distribution),
        entry=entry,
    )
