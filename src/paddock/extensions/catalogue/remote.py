"""Extensions that are not installed, as their catalogues describe them. Trust level: discovery.

They have names and manifests, and no files: whatever needs one says how to install it.
"""

from __future__ import annotations

import sys
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING

from paddock.extensions.catalogue.cache import known_entries
from paddock.extensions.discovery import discover
from paddock.extensions.errors import ExtensionNotInstalledError
from paddock.extensions.extension import Extension
from paddock.extensions.missing import install_command
from paddock.extensions.paclets.versions import Order, version_order

if TYPE_CHECKING:
    from collections.abc import Iterable

    from paddock.extensions.catalogue.document import Entry
    from paddock.extensions.definition_files import DefinitionFile
    from paddock.extensions.manifest import Kind


_WHEEL_PARTS = 5
"""What the name of a wheel has at the least: name, version, and three tags."""


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


def remote_extensions(*, may_fetch: bool) -> list[RemoteExtension]:
    """What the catalogues list and is not installed, the best of each name.

    Raises:
        CatalogueError: when the settings cannot be read.
    """
    entries = best(known_entries(may_fetch=may_fetch))
    here = discover() if entries else None
    installed = {one.name for one in here.extensions} if here else set()
    return [_remote(entry) for entry in entries if entry.name not in installed]


def find_remote(name: str, *, may_fetch: bool = False) -> RemoteExtension | None:
    """The extension of a name, as a catalogue describes it; None when none does.

    Raises:
        CatalogueError: when the settings cannot be read.
    """
    found = best(one for one in known_entries(may_fetch=may_fetch) if one.name == name)
    return _remote(found[0]) if found else None


def best(entries: Iterable[Entry]) -> list[Entry]:
    """Of each name the highest version, of that the file that suits this machine best.

    Versions are compared only within a catalogue: the first catalogue that lists a name decides,
    so that no other can take its place with a higher number.
    """
    found: dict[str, Entry] = {}
    for entry in entries:
        chosen = found.setdefault(entry.name, entry)
        if chosen.catalogue == entry.catalogue and _rank(entry) > _rank(chosen):
            found[entry.name] = entry
    return sorted(found.values(), key=lambda one: one.name.casefold())


def _rank(entry: Entry) -> tuple[bool, Order, int]:
    suits = 2 if entry.kind == "paclet" else _suitability(entry.file)
    return suits > 0, version_order(entry.version), suits


def _suitability(wheel: str) -> int:
    """2 for a wheel for any machine, 1 for one that may be for this, 0 for another's."""
    tags = wheel.removesuffix(".whl").split("-")
    if len(tags) < _WHEEL_PARTS:
        return 0
    python, abi, platform = tags[-3:]
    minor = sys.version_info.minor
    own = {"py3", f"py3{minor}", f"cp3{minor}"}
    if abi != "abi3" and not own & set(python.split(".")):
        return 0
    if platform == "any":
        return 2
    here = sysconfig.get_platform().split("-")
    is_machine = here[-1] in platform or "universal2" in platform
    return int(here[0] in platform and is_machine)


def _remote(entry: Entry) -> RemoteExtension:
    return RemoteExtension(
        *(entry.name, Path(), entry.manifest, entry.kind, entry.version, entry.distribution),
        entry=entry,
    )
