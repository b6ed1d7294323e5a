"""What is being checked: one extension, with its files wherever they are."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from paddock.extensions.definition_files import DEFINITION_SUFFIXES, MAX_DEFINITION_BYTES
from paddock.extensions.extension import Extension
from paddock.extensions.paclets.definitions import MX_SUFFIX, DEFINITION_FOLDERS, PacletItemFiles, find_item_files
from paddock.extensions.paclets.definitions import PACLET_DEFINITION_SUFFIXES as PACLET_ENDINGS
from paddock.extensions.paclets.files import PacletFiles
from paddock.validation.finding import FindingCollector, FindingLocation, find_line
from paddock.validation.importing import import_from_directory
from paddock.validation.python_source import PythonSource

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.extensions.manifest import ItemKind


@dataclass
class ValidationSubject:
    """An extension whose manifest has been read as far as it can be."""

    extension: Extension
    files: PacletFiles
    """The directory or archive that holds it."""
    manifest: str
    """The manifest's name among the files."""
    is_static: bool
    is_user_server: bool = False
    """Whether it is a server of the user's own, whose paths may lead anywhere."""
    package_folder: str = ""
    """The folder among the files in which its Python packages are, with a slash in the end."""
    findings: FindingCollector = field(default_factory=FindingCollector)
    python_files: list[str] = field(default_factory=list)
    data_tables: dict[str, Mapping[str, object] | None] = field(default_factory=dict)
    """What the definition files that are data hold, as far as they have been read."""
    siblings: Mapping[str, Extension] = field(default_factory=dict)
    """Other extensions that come with it, by their names."""
    unknown_names: set[str] = field(default_factory=set)
    """Names in servers whose extensions are not here, so that nothing is known of them."""
    _texts: dict[str, str] = field(default_factory=dict)
    _python_sources: dict[str, PythonSource] = field(default_factory=dict)

    @property
    def is_paclet(self) -> bool:
        """Whether it is a paclet, and not a distribution."""
        return self.extension.kind == "paclet"

    @contextmanager
    def enable_imports(self) -> Iterator[None]:
        """Have its definitions run, if they are; in the end they are forgotten."""
        if self.is_static or self.extension.is_built_in:
            yield
            return
        package = self.manifest.removeprefix(self.package_folder).partition("/")[0]
        with import_from_directory(self.files.path / self.package_folder, package):
            yield

    @property
    def definition_folder(self) -> str:
        """The folder of the definition files."""
        folder = PurePosixPath(self.manifest).parent / self.extension.manifest.root
        return str(folder)

    @property
    def definition_suffixes(self) -> tuple[str, ...]:
        """Those of definition files, the closed format included."""
        return (*PACLET_ENDINGS, MX_SUFFIX) if self.is_paclet else DEFINITION_SUFFIXES

    def get_folder(self, kind: ItemKind) -> str:
        """What the folder of a kind is called."""
        return DEFINITION_FOLDERS.get(kind, kind) if self.is_paclet else kind

    def get_path(self, name: str) -> str:
        """A file as findings call it."""
        return str(self.files.path / name)

    def read_text(self, name: str) -> str:
        """What a file says.

        Raises:
            LoadError: when it cannot be read.
        """
        if name not in self._texts:
            data = self.files.read_file(name, MAX_DEFINITION_BYTES)
            self._texts[name] = data.decode("utf-8-sig", "replace")
        return self._texts[name]

    def read_python_source(self, name: str) -> PythonSource:
        """What a Python file says, without running it.

        Raises:
            LoadError: when it cannot be read.
            SyntaxError: when it is no Python.
        """
        if name not in self._python_sources:
            self._python_sources[name] = PythonSource(self.read_text(name))
        return self._python_sources[name]

    def find_declaration(self, kind: ItemKind, item: str) -> FindingLocation:
        """Where the manifest declares an item."""
        line = find_line(self.read_text(self.manifest), item)
        return FindingLocation(self.get_path(self.manifest), line, key=f"{self.get_folder(kind)}: {item}")

    def find_item_files(self, kind: ItemKind, item: str) -> PacletItemFiles:
        """The files that could define an item."""
        if self.is_paclet:
            return find_item_files(self.files, self.definition_folder, kind, item)
        base = PurePosixPath(self.definition_folder) / kind
        own = [f"{base / item}{ending}" for ending in DEFINITION_SUFFIXES]
        combined = [f"{base}{ending}" for ending in DEFINITION_SUFFIXES]
        return PacletItemFiles(
            tuple(filter(self.files.has_file, own)), tuple(filter(self.files.has_file, combined))
        )
