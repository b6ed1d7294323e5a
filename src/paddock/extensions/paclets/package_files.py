"""The package files of a paclet: which file of its "Kernel" extension holds which context."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from paddock.errors import PaddockError
from paddock.extensions.definition_files import MAX_DEFINITION_BYTES
from paddock.extensions.paclets.definition_source import decode_source
from paddock.extensions.paclets.info import read_extension_tables
from paddock.wolfram.context_resolver import PackageFile

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.extensions.paclets.files import PacletFiles

KERNEL_EXTENSION = "Kernel"
DEFAULT_KERNEL_ROOT = "Kernel"
PACKAGE_SUFFIXES = (".wl", ".m")


class PacletPackageFiles:
    """The contexts that a paclet brings, and the files that define them."""

    def __init__(self, files: PacletFiles) -> None:
        self._files = files
        self._roots_by_context: dict[str, str] = {}
        self._files_by_context: dict[str, str] = {}
        for table in read_extension_tables(files, KERNEL_EXTENSION):
            root = table.get("Root", DEFAULT_KERNEL_ROOT)
            for context, file in _parse_contexts(table.get("Context", [])):
                self._roots_by_context.setdefault(
                    context, root if isinstance(root, str) else DEFAULT_KERNEL_ROOT
                )
                if file is not None:
                    self._files_by_context.setdefault(context, file)

    @property
    def contexts(self) -> list[str]:
        """The contexts that the paclet says it has."""
        return list(self._roots_by_context)

    def find_package(self, context: str) -> PackageFile | None:
        """The file of a context, also of one inside a context of the paclet; None if none has it.

        Raises:
            LoadError: when it cannot be read.
        """
        for name in self._iterate_candidates(context):
            if self._files.has_file(name):
                where = str(self._files.path / name)
                return PackageFile(
                    decode_source(self._files.read_file(name, MAX_DEFINITION_BYTES), where), where
                )
        return None

    def _iterate_candidates(self, context: str) -> Iterator[str]:
        owner = next((one for one in self._roots_by_context if context.startswith(one)), None)
        if owner is None:
            return
        root = PurePosixPath(self._roots_by_context[owner])
        if context in self._files_by_context:
            yield str(root / self._files_by_context[context])
        words = context.strip("`").split("`")
        inner = context.removeprefix(owner).strip("`").replace("`", "/")
        stems = [inner] if inner else ["/".join(words), words[-1], "init", "Kernel/init"]
        for stem in [*stems, words[-1]]:
            for ending in PACKAGE_SUFFIXES:
                yield f"{root / stem}{ending}"


def open_package_files(files: PacletFiles | None) -> PacletPackageFiles | None:
    """The package files of a paclet; None when there is no paclet, or it cannot be read."""
    if files is None:
        return None
    try:
        return PacletPackageFiles(files)
    except PaddockError:
        return None


def _parse_contexts(value: object) -> Iterator[tuple[str, str | None]]:
    """Contexts as a paclet lists them: alone, or each with its file."""
    for one in value if isinstance(value, list) else [value]:
        if isinstance(one, str):
            yield one, None
        elif isinstance(one, list) and len(one) == 2 and all(isinstance(part, str) for part in one):
            yield one[0], one[1]
