"""A paclet as an extension: read from its directory or from its archive, which stays packed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.extensions.errors import ExtensionNotFoundError
from paddock.extensions.extension import Extension
from paddock.extensions.paclets.definitions import PacletDefinition, find_files, no_files
from paddock.extensions.paclets.files import PacletFiles, paclet_files
from paddock.extensions.paclets.info import EXTENSION, Malformed, read_info

if TYPE_CHECKING:
    from pathlib import Path

    from paddock.extensions.definition_files import DefinitionFile
    from paddock.extensions.manifest import Kind
    from paddock.extensions.paclets.info import PacletInfo


class Paclet(Extension, frozen=True, kw_only=True):
    """A paclet with an "AgentTools" extension."""

    files: PacletFiles
    malformed: tuple[Malformed, ...] = ()
    """What stands in the declaration and does not count."""

    def definition(self, kind: Kind, item: str) -> DefinitionFile:
        """The file with the definition of an item, neither read nor run.

        A file that cannot be read here says so when it is loaded.

        Raises:
            LoadError: when there is none.
        """
        files = find_files(self.files, self.manifest.root, kind, item)
        if files.used is None:
            raise no_files(self.name, self.root, kind, item)
        return PacletDefinition(
            self.directory / files.used,
            kind,
            item,
            is_combined=not files.own,
            files=self.files,
            inner=files.used,
            paclet=self.name,
            version=self.version,
            description=self._declared(kind, item),
        )

    def _declared(self, kind: Kind, item: str) -> str | None:
        declared = self.manifest.items(kind)
        return next((one.description for one in declared if one.name == item), None)


def read_paclet(place: Path) -> Paclet:
    """The extension that a paclet is, in a directory or an archive.

    Raises:
        ManifestError: when it is no paclet, or its `PacletInfo` cannot be used.
        ArchiveError: when the archive cannot be read, or is not safe.
        ExtensionNotFoundError: when it has no "AgentTools" extension.
    """
    files = paclet_files(place)
    info = read_info(files)
    found = as_extension(info, files)
    if found is None:
        raise ExtensionNotFoundError(
            f'the paclet {info.name!r} has no "{EXTENSION}" extension',
            where=str(place),
            hint=f'expected "Extensions" -> {{{{"{EXTENSION}", "Tools" -> {{…}}, …}}}}',
        )
    return found


def as_extension(info: PacletInfo, files: PacletFiles) -> Paclet | None:
    """The extension that a paclet is; None when it declares none."""
    if info.manifest is None:
        return None
    return Paclet(
        info.name,
        files.place,
        info.manifest,
        "paclet",
        info.version,
        info.name,
        files=files,
        malformed=info.malformed,
    )
