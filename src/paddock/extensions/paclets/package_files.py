"""The package files in the "Kernel" extension of a paclet, by context."""

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

    from paddock.extensions.paclets.files import ExtensionFiles

KERNEL_EXTENSION = "Kernel"
DEFAULT_KERNEL_ROOT = "Kernel"
PACKAGE_SUFFIXES = (".wl", ".m")


class PacletPackageFiles:
    """The contexts of a paclet, and the files that define them."""

    def __init__(self, files: ExtensionFiles) -> None:
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
        """The contexts that the paclet declares."""
        return list(self._roots_by_context)

    def find_package(self, context: str) -> PackageFile | None:
        """Return the file of a declared context or of a context below one, or None.

        Raises:
            LoadError: The file cannot be read.
        """
        for name in self._iterate_candidates(context):
            if self._files.has_file(name):
                where = str(self._files.path / name)
                return PackageFile(
                    decode_source(self._files.read_file(name, MAX_DEFINITION_BYTES), where), where
                )
        return None

    def _iterate_candidates(self, context: str) -> Iterator[str]:
        """Yield the files that may define a context, the most likely first.

        A declared context may name its file. Otherwise, the file is named after the context, or
        after the part of it below the declared context.
        """
        parent_context = next(
            (
                known_context
                for known_context in self._roots_by_context
                if context.startswith(known_context)
            ),
            None,
        )
        if parent_context is None:
            return
        root = PurePosixPath(self._roots_by_context[parent_context])
        if context in self._files_by_context:
            yield str(root / self._files_by_context[context])
        parts = context.strip("`").split("`")
        inner_path = context.removeprefix(parent_context).strip("`").replace("`", "/")
        stems = [inner_path] if inner_path else ["/".join(parts), parts[-1], "init", "Kernel/init"]
        for stem in [*stems, parts[-1]]:
            for ending in PACKAGE_SUFFIXES:
                yield f"{root / stem}{ending}"


def open_package_files(files: ExtensionFiles | None) -> PacletPackageFiles | None:
    """Return the package files of a paclet, or None if there is no readable paclet."""
    if files is None:
        return None
    try:
        return PacletPackageFiles(files)
    except PaddockError:
        return None


def _parse_contexts(value: object) -> Iterator[tuple[str, str | None]]:
    """Yield each context in a `Context` property with its file, if it has one."""
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, str):
            yield item, None
        elif (
            isinstance(item, list)
            and len(item) == 2
            and all(isinstance(text, str) for text in item)
        ):
            yield item[0], item[1]
