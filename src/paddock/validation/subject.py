"""What is being checked: one extension, with its files wherever they are."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from paddock.extensions.definition_files import ENDINGS, MAX_BYTES
from paddock.extensions.extension import Extension
from paddock.extensions.paclets.definitions import CLOSED, FOLDERS, ItemFiles, find_files
from paddock.extensions.paclets.definitions import ENDINGS as PACLET_ENDINGS
from paddock.extensions.paclets.files import PacletFiles
from paddock.validation.finding import Findings, Place, line_with
from paddock.validation.importing import running
from paddock.validation.python_source import PythonSource

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.extensions.manifest import Kind


@dataclass
class Subject:
    """An extension whose manifest has been read as far as it can be."""

    extension: Extension
    files: PacletFiles
    """The directory or archive that holds it."""
    manifest: str
    """The manifest's name among the files."""
    is_static: bool
    is_users: bool = False
    """Whether it is a server of the user's own, whose paths may lead anywhere."""
    packages: str = ""
    """The folder among the files in which its Python packages are, with a slash in the end."""
    findings: Findings = field(default_factory=Findings)
    python_files: list[str] = field(default_factory=list)
    tables: dict[str, Mapping[str, object] | None] = field(default_factory=dict)
    """What the definition files that are data hold, as far as they have been read."""
    siblings: Mapping[str, Extension] = field(default_factory=dict)
    """Other extensions that come with it, by their names."""
    unknown_names: set[str] = field(default_factory=set)
    """Names in servers whose extensions are not here, so that nothing is known of them."""
    _texts: dict[str, str] = field(default_factory=dict)
    _sources: dict[str, PythonSource] = field(default_factory=dict)

    @property
    def is_paclet(self) -> bool:
        """Whether it is a paclet, and not a distribution."""
        return self.extension.kind == "paclet"

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Have its definitions run, if they are; in the end they are forgotten."""
        if self.is_static or self.extension.is_built_in:
            yield
            return
        package = self.manifest.removeprefix(self.packages).partition("/")[0]
        with running(self.files.place / self.packages, package):
            yield

    @property
    def root(self) -> str:
        """The folder of the definition files."""
        folder = PurePosixPath(self.manifest).parent / self.extension.manifest.root
        return str(folder)

    @property
    def endings(self) -> tuple[str, ...]:
        """Those of definition files, the closed format included."""
        return (*PACLET_ENDINGS, CLOSED) if self.is_paclet else ENDINGS

    def folder(self, kind: Kind) -> str:
        """What the folder of a kind is called."""
        return FOLDERS.get(kind, kind) if self.is_paclet else kind

    def path(self, name: str) -> str:
        """A file as findings call it."""
        return str(self.files.place / name)

    def text(self, name: str) -> str:
        """What a file says.

        Raises:
            LoadError: when it cannot be read.
        """
        if name not in self._texts:
            data = self.files.read(name, MAX_BYTES)
            self._texts[name] = data.decode("utf-8-sig", "replace")
        return self._texts[name]

    def python_source(self, name: str) -> PythonSource:
        """What a Python file says, without running it.

        Raises:
            LoadError: when it cannot be read.
            SyntaxError: when it is no Python.
        """
        if name not in self._sources:
            self._sources[name] = PythonSource(self.text(name))
        return self._sources[name]

    def declared_at(self, kind: Kind, item: str) -> Place:
        """Where the manifest declares an item."""
        line = line_with(self.text(self.manifest), item)
        return Place(self.path(self.manifest), line, key=f"{self.folder(kind)}: {item}")

    def item_files(self, kind: Kind, item: str) -> ItemFiles:
        """The files that could define an item."""
        if self.is_paclet:
            return find_files(self.files, self.root, kind, item)
        base = PurePosixPath(self.root) / kind
        own = [f"{base / item}{ending}" for ending in ENDINGS]
        combined = [f"{base}{ending}" for ending in ENDINGS]
        return ItemFiles(
            tuple(filter(self.files.has, own)), tuple(filter(self.files.has, combined))
        )
