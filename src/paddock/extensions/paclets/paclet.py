"""A paclet as an extension: read from its directory or from its archive, which stays packed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.extensions.errors import ExtensionNotFoundError
from paddock.extensions.extension import Extension
from paddock.extensions.paclets.definitions import (
    PacletDefinition,
    find_item_files,
    make_missing_files_error,
)
from paddock.extensions.paclets.files import PacletFiles, open_paclet_files
from paddock.extensions.paclets.info import AGENT_TOOLS_EXTENSION, MalformedItem, read_paclet_info

if TYPE_CHECKING:
    from pathlib import Path

    from paddock.extensions.definition_files import DefinitionFile
    from paddock.extensions.manifest import ItemKind
    from paddock.extensions.paclets.info import PacletInfo


class PacletExtension(Extension, frozen=True, kw_only=True):
    """A paclet with an "AgentTools" extension."""

    files: PacletFiles
    malformed_items: tuple[MalformedItem, ...] = ()
    """What stands in the declaration and does not count."""

    def definition(self, kind: ItemKind, item: str) -> DefinitionFile:
        """The file with the definition of an item, neither read nor run.

        A file that cannot be read here says so when it is loaded.

        Raises:
            LoadError: when there is none.
        """
        files = find_item_files(self.files, self.manifest.root, kind, item)
        if files.selected_file is None:
            raise make_missing_files_error(self.name, self.root, kind, item)
        return PacletDefinition(
            self.directory / files.selected_file,
            kind,
            item,
            is_combined=not files.own,
            files=self.files,
            inner_path=files.selected_file,
            paclet=self.name,
            version=self.version,
            description=self._find_declared_description(kind, item),
        )

    def _find_declared_description(self, kind: ItemKind, item: str) -> str | None:
        declared = self.manifest.get_items(kind)
        return next((one.description for one in declared if one.name == item), None)


def read_paclet(place: Path) -> PacletExtension:
    """The extension that a paclet is, in a directory or an archive.

    Raises:
        ManifestError: when it is no paclet, or its `PacletInfo` cannot be used.
        ArchiveError: when the archive cannot be read, or is not safe.
        ExtensionNotFoundError: when it has no "AgentTools" extension.
    """
    files = open_paclet_files(place)
    info = read_paclet_info(files)
    found = make_paclet_extension(info, files)
    if found is None:
        raise ExtensionNotFoundError(
            f'the paclet {info.name!r} has no "{AGENT_TOOLS_EXTENSION}" extension',
            where=str(place),
            hint=f'expected "Extensions" -> {{{{"{AGENT_TOOLS_EXTENSION}", "Tools" -> {{…}}, …}}}}',
        )
    return found


def make_paclet_extension(info: PacletInfo, files: PacletFiles) -> PacletExtension | None:
    """The extension that a paclet is; None when it declares none."""
    if info.manifest is None:
        return None
    return PacletExtension(
        info.name,
        files.path,
        info.manifest,
        "paclet",
        info.version,
        info.name,
        files=files,
        malformed_items=info.malformed_items,
    )
