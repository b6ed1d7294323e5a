"""Extensions that catalogues list but that are not installed. Trust level: discovery.

Such an extension has a manifest but no files, so its items can be listed but not loaded. If an
extension has multiple files, the best one for this machine is selected the way pip does it: by
wheel tags, `Requires-Python` and version, with pre-releases last.
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

from paddock.extensions.catalogues.store import load_entries, refresh_catalogues
from paddock.extensions.discovery import list_extensions
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
"""Used instead of an invalid version; lower than any valid one."""


def rank_entry(entry: CatalogueEntry) -> EntryRank:
    """Return a sort key that orders the files of an extension; the best file has the highest key.

    Compatible files come before incompatible ones, wheels before paclets, releases before
    pre-releases, and newer versions before older ones.
    """
    if entry.kind == "paclet":
        return True, False, True, make_version_key(entry.version), 0
    tag_rank = _get_wheel_tag_rank(entry.file)
    version = _parse_version(entry.version)
    is_compatible = tag_rank is not None and _supports_current_python(entry.requires_python)
    return is_compatible, True, not version.is_prerelease, version, -(tag_rank or 0)


def _parse_version(text: str) -> Version:
    try:
        return Version(text)
    except InvalidVersion:
        return _UNKNOWN_VERSION


def _supports_current_python(specifier: str) -> bool:
    try:
        return SpecifierSet(specifier).contains(".".join(map(str, sys.version_info[:3])))
    except InvalidSpecifier:
        return True  # pip reports the invalid specifier


def _get_wheel_tag_rank(wheel: str) -> int | None:
    """Return the rank of a wheel for this interpreter; a lower rank is more specific.

    The file name of a wheel contains tags, such as `cp312-cp312-linux_x86_64`. Each interpreter
    has an ordered list of tags that it supports.

    Args:
        wheel: The file name of the wheel.

    Returns:
        The position of the wheel's best tag in that list, or None if the wheel is not supported.
    """
    try:
        tags = parse_wheel_filename(wheel)[3]
    except InvalidWheelFilename:
        return None
    ranks = _rank_supported_tags()
    return min((ranks[tag] for tag in tags if tag in ranks), default=None)


@cache
def _rank_supported_tags() -> dict[Tag, int]:
    return {tag: rank for rank, tag in enumerate(sys_tags())}


class RemoteExtension(Extension, frozen=True, kw_only=True):
    """An extension that is listed in a catalogue but not installed."""

    entry: CatalogueEntry

    @property
    def is_installed(self) -> bool:
        """Always False."""
        return False

    def definition(self, kind: ItemKind, item: str) -> DefinitionFile:
        """Raise an error, because the files of the extension are not installed.

        Raises:
            ExtensionNotInstalledError: Always. The hint is the install command.
        """
        raise ExtensionNotInstalledError(
            f'the {kind.removesuffix("s")} "{self.name}/{item}" is in the extension '
            f'"{self.name}", which is not installed',
            where=self.entry.catalogue,
            hint=f"install it: {format_install_command(self.name)}",
            extension=self.name,
        )


def list_remote_extensions(
    *, may_fetch: bool, refresh: bool = False, report: ProblemReporter | None = None
) -> list[RemoteExtension]:
    """Return the extensions in the user's catalogues that are not installed.

    If a catalogue lists multiple files for an extension, the best one is selected.

    Args:
        may_fetch: Download catalogues whose copy is missing or outdated.
        refresh: Download all catalogues first.
        report: Called with the error of each catalogue that cannot be read.

    Raises:
        CatalogueError: The settings cannot be read.
    """
    if refresh:
        refresh_catalogues()
    entries = select_best_entries(load_entries(may_fetch=may_fetch, report=report))
    installed = {extension.name for extension in list_extensions()} if entries else set()
    return [_make_remote_extension(entry) for entry in entries if entry.name not in installed]


def find_remote_extension(
    name: str, *, may_fetch: bool = False, report: ProblemReporter | None = None
) -> RemoteExtension | None:
    """Find an extension by name in the user's catalogues, or return None.

    Args:
        name: The name of the extension.
        may_fetch: Download catalogues whose copy is missing or outdated.
        report: Called with the error of each catalogue that cannot be read.

    Raises:
        CatalogueError: The settings cannot be read.
    """
    entries = load_entries(may_fetch=may_fetch, report=report)
    matches = select_best_entries(entry for entry in entries if entry.name == name)
    return _make_remote_extension(matches[0]) if matches else None


def select_best_entries(entries: Iterable[CatalogueEntry]) -> list[CatalogueEntry]:
    """Return the best entry for each extension: the highest compatible version.

    Only entries of the first catalogue that lists a name are compared. Otherwise another catalogue
    could replace an extension by publishing a higher version.
    """
    best_entries: dict[str, CatalogueEntry] = {}
    for entry in entries:
        best = best_entries.setdefault(entry.name, entry)
        if best.catalogue == entry.catalogue and rank_entry(entry) > rank_entry(best):
            best_entries[entry.name] = entry
    return sorted(best_entries.values(), key=lambda entry: entry.name.casefold())


def _make_remote_extension(entry: CatalogueEntry) -> RemoteExtension:
    return RemoteExtension(
        *(entry.name, Path(), entry.manifest, entry.kind, entry.version, entry.distribution),
        entry=entry,
    )
