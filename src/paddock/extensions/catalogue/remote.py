"""Extensions that are not installed, as their catalogues describe them. Trust level: discovery.

They have names and manifests, and no files: whatever needs one says how to install it.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from paddock.extensions.catalogue.cache import known_entries
from paddock.extensions.catalogue.suitability import rank
from paddock.extensions.discovery import discover
from paddock.extensions.errors import ExtensionNotInstalledError
from paddock.extensions.extension import Extension
from paddock.extensions.missing import install_command

if TYPE_CHECKING:
    from collections.abc import Iterable

    from paddock.extensions.catalogue.cache import Report
    from paddock.extensions.catalogue.document import Entry
    from paddock.extensions.definition_files import DefinitionFile
    from paddock.extensions.manifest import Kind


class RemoteExtension(Extension, frozen=True, kw_only=True):
    """An extension that a catalogue lists and that is not installed."""

    entry: Entry

    @property
    def is_installed(self) -> bool:
        """It is not."""
        return False

    def definition(self, kind: Kind, item: str) -> DefinitionFile:
        """Refuse: the files are not here.

        Raises:
            ExtensionNotInstalledError: always, with the command that installs it.
        """
        raise ExtensionNotInstalledError(
            f'the {kind.removesuffix("s")} "{self.name}/{item}" is in the extension '
            f'"{self.name}", which is not installed',
            where=self.entry.catalogue,
            hint=f"install it: {install_command(self.name)}",
            extension=self.name,
        )


def remote_extensions(*, may_fetch: bool, report: Report | None = None) -> list[RemoteExtension]:
    """What the catalogues list and is not installed, the best of each name.

    `report` is given why a catalogue could not be read.

    Raises:
        CatalogueError: when the settings cannot be read.
    """
    entries = best(known_entries(may_fetch=may_fetch, report=report))
    here = discover() if entries else None
    installed = {one.name for one in here.extensions} if here else set()
    return [_remote(entry) for entry in entries if entry.name not in installed]


def find_remote(
    name: str, *, may_fetch: bool = False, report: Report | None = None
) -> RemoteExtension | None:
    """The extension of a name, as a catalogue describes it; None when none does.

    `report` is given why a catalogue could not be read.

    Raises:
        CatalogueError: when the settings cannot be read.
    """
    entries = known_entries(may_fetch=may_fetch, report=report)
    found = best(one for one in entries if one.name == name)
    return _remote(found[0]) if found else None


def best(entries: Iterable[Entry]) -> list[Entry]:
    """Of each name the highest version that suits this machine, of that the best file.

    Versions are compared only within a catalogue: the first catalogue that lists a name decides,
    so that no other can take its place with a higher number.
    """
    found: dict[str, Entry] = {}
    for entry in entries:
        chosen = found.setdefault(entry.name, entry)
        if chosen.catalogue == entry.catalogue and rank(entry) > rank(chosen):
            found[entry.name] = entry
    return sorted(found.values(), key=lambda one: one.name.casefold())


def _remote(entry: Entry) -> RemoteExtension:
    return RemoteExtension(
        *(entry.name, Path(), entry.manifest, entry.kind, entry.version, entry.distribution),
        entry=entry,
    )
