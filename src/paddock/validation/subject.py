"""Python files looked at without running them: whether they can be read, and what they define.

Running definitions, of installed extensions and of projects that are not, and forgetting them.

The packages of a project come before installed ones of the same names, and whatever is printed
goes where it disturbs no report.

What is being checked: one extension, with its files wherever they are.
"""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Mapping
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from paddock.extensions.definition_files import (
    DEFINITION_SUFFIXES,
    MAX_DEFINITION_BYTES,
    list_module_paths,
)
from paddock.extensions.extension import Extension
from paddock.extensions.paclets.definitions import (
    DEFINITION_FOLDERS,
    MX_SUFFIX,
    PacletItemFiles,
    find_item_files,
)
from paddock.extensions.paclets.definitions import PACLET_DEFINITION_SUFFIXES as PACLET_ENDINGS
from paddock.extensions.paclets.files import PacletFiles
from paddock.validation.findings import FindingCollector, FindingLocation, find_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.extensions.manifest import ItemKind


_DYNAMIC_ATTRIBUTE_HOOK = "__getattr__"


class PythonSource:
    """What a Python file says at its top level.

    Raises:
        SyntaxError: when it is no Python.
    """

    def __init__(self, text: str) -> None:
        try:
            self._body = ast.parse(text).body
        except (ValueError, RecursionError, MemoryError) as error:
            raise SyntaxError(str(error) or "nested too deeply") from None
        self._names = set(_iter_bound_names(self._body))
        self._text = text

    @property
    def has_dynamic_names(self) -> bool:
        """Whether it may define names that cannot be seen."""
        return "*" in self._names or _DYNAMIC_ATTRIBUTE_HOOK in self._names

    def has_string(self, text: str) -> bool:
        """Whether a text stands somewhere as such, and so may be the name of what is defined."""
        if text not in self._text:
            return False
        everything = (node for one in self._body for node in ast.walk(one))
        return any(isinstance(node, ast.Constant) and node.value == text for node in everything)

    @property
    def has_foreign_imports(self) -> bool:
        """Whether it imports names from elsewhere than Paddock and Python: they may be anything."""
        known = ("paddock", *sys.stdlib_module_names)
        return any(
            isinstance(one, ast.ImportFrom) and (one.module or "").partition(".")[0] not in known
            for one in self._body
        )

    def can_define(self, name: str) -> bool:
        """Whether a name is, or may be, defined."""
        return name in self._names or self.has_dynamic_names

    @property
    def public_names(self) -> set[str]:
        """Those names that do not begin with an underscore."""
        return {one for one in self._names if not one.startswith("_")}


def _iter_bound_names(statements: list[ast.stmt]) -> Iterator[str]:
    """The names that statements bind, also inside of `if`, `try`, `with` and loops."""
    for statement in statements:
        match statement:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield name
            case ast.ClassDef(name=name):
                yield name
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                yield from (one.asname or one.name.partition(".")[0] for one in names)
            case _:
                yield from _iter_nested_names(statement)


def _iter_nested_names(statement: ast.stmt) -> Iterator[str]:
    for node in ast.iter_child_nodes(statement):
        if isinstance(node, ast.stmt):
            yield from _iter_bound_names([node])
        elif isinstance(node, ast.ExceptHandler | ast.match_case):
            yield from _iter_bound_names(node.body)
        else:
            yield from (
                one.id
                for one in ast.walk(node)
                if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
            )


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import ModuleType

    ModulePredicate = Callable[[str, ModuleType], bool]


@contextmanager
def import_from_directory(directory: Path, package: str) -> Iterator[None]:
    """Have a package imported from a directory, and forget afterwards what was loaded for it.

    Where the directory is on the path already, what has been imported from it stays as it is.
    """
    is_installed = str(directory) in sys.path
    aside = (
        {} if is_installed else _remove_modules(lambda name, _: name.partition(".")[0] == package)
    )
    known = set(sys.modules)
    path, writes = list(sys.path), sys.dont_write_bytecode
    if not is_installed:
        sys.path.insert(0, str(directory))
        sys.dont_write_bytecode = True
        importlib.invalidate_caches()
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        sys.path[:] = path
        sys.dont_write_bytecode = writes
        _remove_modules(
            lambda name, module: name not in known and _is_module_below(module, directory / package)
        )
        sys.modules.update(aside)


def _remove_modules(is_taken: ModulePredicate) -> dict[str, ModuleType]:
    """Remove modules from those that are loaded."""
    taken = {name: one for name, one in list(sys.modules.items()) if is_taken(name, one)}
    for name in taken:
        del sys.modules[name]
    return taken


def _is_module_below(module: ModuleType, directory: Path) -> bool:
    file = getattr(module, "__file__", None)
    return isinstance(file, str) and Path(file).is_relative_to(directory)


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
        return FindingLocation(
            self.get_path(self.manifest), line, key=f"{self.get_folder(kind)}: {item}"
        )

    def find_item_files(self, kind: ItemKind, item: str) -> PacletItemFiles:
        """The files that could define an item."""
        if self.is_paclet:
            return find_item_files(self.files, self.definition_folder, kind, item)
        reference = self.extension.manifest.find_reference(kind, item)
        if reference is not None:
            package, module_name = PurePosixPath(self.manifest).parent, reference.partition(":")[0]
            paths = list_module_paths(self.extension.directory, module_name)
            modules = [str(package / path) for path in paths]
            return PacletItemFiles(combined=tuple(filter(self.files.has_file, modules)))
        base = PurePosixPath(self.definition_folder) / kind
        own = [f"{base / item}{ending}" for ending in DEFINITION_SUFFIXES]
        combined = [f"{base}{ending}" for ending in DEFINITION_SUFFIXES]
        return PacletItemFiles(
            tuple(filter(self.files.has_file, own)), tuple(filter(self.files.has_file, combined))
        )
