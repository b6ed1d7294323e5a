"""Paclets as extensions, read from a directory or directly from an archive."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from paddock.extensions.definition_files import find_item_files
from paddock.extensions.errors import ExtensionNotFoundError
from paddock.extensions.extension import Extension
from paddock.extensions.paclets.definitions import (
    DEFINITION_FOLDERS,
    PACLET_DEFINITION_SUFFIXES,
    PacletDefinition,
)
from paddock.extensions.paclets.files import ExtensionFiles, open_extension_files
from paddock.extensions.paclets.info import AGENT_TOOLS_EXTENSION, read_paclet_info

if TYPE_CHECKING:
    from pathlib import Path

    from paddock.extensions.definition_files import DefinitionFile, ItemFiles
    from paddock.extensions.manifest import ItemKind
    from paddock.extensions.paclets.info import PacletInfo


class PacletExtension(Extension, frozen=True, kw_only=True):
    """The extension in a paclet: a Wolfram package that declares tools, prompts or servers.

    It is declared as the "AgentTools" extension in the paclet's `PacletInfo` file.
    """

    files: ExtensionFiles

    def definition(self, kind: ItemKind, item: str) -> DefinitionFile:
        """Locate the definition file of an item, without reading it.

        Args:
            kind: The kind of the item, such as `"tools"`.
            item: The name of the item, such as `"Plot"`.

        Raises:
            LoadError: There is no definition file.
        """
        files = self.find_item_files(kind, item)
        if files.selected_file is None:
            expected = f"{DEFINITION_FOLDERS.get(kind, kind)}/{item}.wl or .wxf"
            raise self.make_missing_definition_error(kind, item, expected)
        declared = self.manifest.find_item(kind, item)
        return PacletDefinition(
            self.directory / files.selected_file,
            kind,
            item,
            is_combined=not files.own,
            files=self.files,
            inner_path=files.selected_file,
            paclet=self.name,
            version=self.version,
            description=None if declared is None else declared.description,
        )

    def find_item_files(self, kind: ItemKind, item: str) -> ItemFiles:
        """Find the existing files that define an item, without reading them."""
        folder = PurePosixPath(self.manifest.root) / DEFINITION_FOLDERS.get(kind, kind)
        return find_item_files(self.files.has_file, folder, item, PACLET_DEFINITION_SUFFIXES)


def read_paclet(path: Path) -> PacletExtension:
    """Read the extension of a paclet in a directory or archive.

    Raises:
        ManifestError: There is no `PacletInfo` file, or it is invalid.
        ArchiveError: The archive cannot be read, or is not safe.
        ExtensionNotFoundError: The paclet has no "AgentTools" extension.
    """
    info, extension = inspect_paclet(path)
    if extension is None:
        raise ExtensionNotFoundError(
            f'the paclet {info.name!r} has no "{AGENT_TOOLS_EXTENSION}" extension',
            where=str(path),
            hint=f'expected "Extensions" -> {{{{"{AGENT_TOOLS_EXTENSION}", "Tools" -> {{…}}, …}}}}',
        )
    return extension


class PacletContents(NamedTuple):
    """The contents of a paclet's `PacletInfo` file, and its extension if it declares one."""

    info: PacletInfo
    extension: PacletExtension | None


def inspect_paclet(path: Path) -> PacletContents:
    """Read a paclet in a directory or archive, and its extension if it declares one.

    Unlike `read_paclet`, this function accepts paclets without an "AgentTools" extension.

    Raises:
        ManifestError: There is no `PacletInfo` file, or it is invalid.
        ArchiveError: The archive cannot be read, or is not safe.
    """
    files = open_extension_files(path)
    info = read_paclet_info(files)
    return PacletContents(info, make_paclet_extension(info, files))


def make_paclet_extension(info: PacletInfo, files: ExtensionFiles) -> PacletExtension | None:
    """Create a paclet's extension, or return None if it does not declare one.

    Args:
        info: The contents of the `PacletInfo` file.
        files: The files of the paclet.
    """
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
    )
