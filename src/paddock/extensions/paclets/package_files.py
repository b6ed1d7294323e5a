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
    """The package files that define a paclet's functions, found by context.

    A context is the namespace of symbols in the Wolfram Language, such as ``Charts`Private` ``. The
    paclet's "Kernel" extensions declare its contexts and can name their files.
    """

    def __init__(self, files: ExtensionFiles) -> None:
        self._files = files
        self._roots_by_context: dict[str, str] = {}
        self._files_by_context: dict[str, str] = {}
        for properties in read_extension_tables(files, KERNEL_EXTENSION):
            root = properties.get("Root")
            if not isinstance(root, str):
                root = DEFAULT_KERNEL_ROOT
            for context, file in _parse_contexts(properties.get("Context", [])):
                self._roots_by_context.setdefault(context, root)
                if file is not None:
                    self._files_by_context.setdefault(context, file)

    @property
    def contexts(self) -> list[str]:
        """The contexts that the paclet declares."""
        return list(self._roots_by_context)

    def find_package(self, context: str) -> PackageFile | None:
        """Return the package file that defines a context, such as ``Charts` ``, or None.

        The paclet must declare the context or one of its parents.

        Raises:
            LoadError: The file cannot be read.
        """
        for name in self._iter_candidate_files(context):
            if self._files.has_file(name):
                where = str(self._files.path / name)
                data = self._files.read_file(name, MAX_DEFINITION_BYTES)
                return PackageFile(decode_source(data, where), where)
        return None

    def _iter_candidate_files(self, context: str) -> Iterator[str]:
        """Yield the names of files that may define a context, most likely first.

        The declaration of a context can name its file. Otherwise, the file is named after the
        context: for example, ``Charts`Axes` `` below the declared context ``Charts` `` is in
        `Kernel/Axes.wl`. The files need not exist.
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
    """Return the package files of a paclet, or None if its `PacletInfo` file cannot be read.

    Args:
        files: The files of the paclet; None for code that does not come from a paclet.
    """
    if files is None:
        return None
    try:
        return PacletPackageFiles(files)
    except PaddockError:
        return None


def _parse_contexts(value: object) -> Iterator[tuple[str, str | None]]:
    """Yield each context in the `Context` property of a "Kernel" extension, with its file or None.

    An element of the property is a context, or a pair such as ``{"Charts`", "Charts.wl"}``. Other
    elements are ignored.
    """
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, str):
            yield item, None
        elif (
            isinstance(item, list)
            and len(item) == 2
            and all(isinstance(text, str) for text in item)
        ):
            yield item[0], item[1]
