"""The package files of a paclet: which file of its "Kernel" extension holds which context."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from paddock.errors import PaddockError
from paddock.extensions.definition_files import MAX_BYTES
from paddock.extensions.paclets.info import extension_tables
from paddock.extensions.paclets.sources import source_text
from paddock.wolfram.packages import Unit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.extensions.paclets.files import PacletFiles

EXTENSION = "Kernel"
DEFAULT_ROOT = "Kernel"
ENDINGS = (".wl", ".m")


class KernelFiles:
    """The contexts that a paclet brings, and the files that define them."""

    def __init__(self, files: PacletFiles) -> None:
        self._files = files
        self._roots: dict[str, str] = {}
        self._named: dict[str, str] = {}
        for table in extension_tables(files, EXTENSION):
            root = table.get("Root", DEFAULT_ROOT)
            for context, file in _contexts(table.get("Context", [])):
                self._roots.setdefault(context, root if isinstance(root, str) else DEFAULT_ROOT)
                if file is not None:
                    self._named.setdefault(context, file)

    @property
    def contexts(self) -> list[str]:
        """The contexts that the paclet says it has."""
        return list(self._roots)

    def find(self, context: str) -> Unit | None:
        """The file of a context, also of one inside a context of the paclet; None if none has it.

        Raises:
            LoadError: when it cannot be read.
        """
        for name in self._candidates(context):
            if self._files.has(name):
                where = str(self._files.place / name)
                return Unit(source_text(self._files.read(name, MAX_BYTES), where), where)
        return None

    def _candidates(self, context: str) -> Iterator[str]:
        owner = next((one for one in self._roots if context.startswith(one)), None)
        if owner is None:
            return
        root = PurePosixPath(self._roots[owner])
        if context in self._named:
            yield str(root / self._named[context])
        words = context.strip("`").split("`")
        inner = context.removeprefix(owner).strip("`").replace("`", "/")
        stems = [inner] if inner else ["/".join(words), words[-1], "init", "Kernel/init"]
        for stem in [*stems, words[-1]]:
            for ending in ENDINGS:
                yield f"{root / stem}{ending}"


def kernel_files(files: PacletFiles | None) -> KernelFiles | None:
    """The package files of a paclet; None when there is no paclet, or it cannot be read."""
    if files is None:
        return None
    try:
        return KernelFiles(files)
    except PaddockError:
        return None


def _contexts(value: object) -> Iterator[tuple[str, str | None]]:
    """Contexts as a paclet lists them: alone, or each with its file."""
    for one in value if isinstance(value, list) else [value]:
        if isinstance(one, str):
            yield one, None
        elif isinstance(one, list) and len(one) == 2 and all(isinstance(part, str) for part in one):
            yield one[0], one[1]
