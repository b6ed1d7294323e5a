"""Paclets as extensions, read from a directory or from an archive without unpacking it."""

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
    """Invalid items in the declaration, which are ignored."""

    def definition(self, kind: ItemKind, item: str) -> DefinitionFile:
        """Return the definition of an item, without reading the file.

        Raises:
            LoadError: There is no definition file.
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
        return next((entry.description for entry in declared if entry.name == item), None)


def read_paclet(path: Path) -> PacletExtension:
    """Read the extension of a paclet in a directory or an archive.

    Raises:
        ManifestError: There is no `PacletInfo` file, or it is invalid.
        ArchiveError: The archive cannot be read, or is not safe.
        ExtensionNotFoundError: The paclet has no "AgentTools" extension.
    """
    files = open_paclet_files(path)
    info = read_paclet_info(files)
    extension = make_paclet_extension(info, files)
    if extension is None:
        raise ExtensionNotFoundError(
            f'the paclet {info.name!r} has no "{AGENT_TOOLS_EXTENSION}" extension',
            where=str(path),
            hint=f'expected "Extensions" -> {{{{"{AGENT_TOOLS_EXTENSION}", "Tools" -> {{…}}, …}}}}',
        )
    return extension


def make_paclet_extension(info: PacletInfo, files: PacletFiles) -> PacletExtension | None:
    """Return the extension of a paclet, or None if it declares none."""
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
