"""The extension being validated: reads its files and Python sources, and imports its definitions.

When Python definitions are run, the project's packages take precedence over installed ones of the
same name. Their output goes to standard error, because standard output is for the report.
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
    ItemFiles,
    find_item_files,
    list_module_paths,
)
from paddock.extensions.extension import Extension
from paddock.extensions.paclets.definitions import DEFINITION_FOLDERS, PACLET_DEFINITION_SUFFIXES
from paddock.extensions.paclets.files import ExtensionFiles
from paddock.validation.findings import FindingCollector, FindingLocation, find_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import ModuleType

    from paddock.extensions.manifest import ItemKind

    ModulePredicate = Callable[[str, ModuleType], bool]

_DYNAMIC_ATTRIBUTE_HOOK = "__getattr__"


class PythonSource:
    """The names that a Python file defines at its top level, found without running it.

    Raises:
        SyntaxError: The text is not valid Python.
    """

    def __init__(self, text: str) -> None:
        try:
            self._body = ast.parse(text).body
        # ast.parse raises these for null bytes and for deeply nested code.
        except (ValueError, RecursionError, MemoryError) as error:
            raise SyntaxError(str(error) or "nested too deeply") from None
        self._names = set(_iter_bound_names(self._body))
        self._text = text

    @property
    def has_dynamic_names(self) -> bool:
        """True if the file may define names that this analysis cannot see."""
        return "*" in self._names or _DYNAMIC_ATTRIBUTE_HOOK in self._names

    def has_string(self, text: str) -> bool:
        """Return whether the file contains this string literal, which may be an item name."""
        # Searching the text is cheap and rules out most files, whose trees need not be walked.
        if text not in self._text:
            return False
        nodes = (node for statement in self._body for node in ast.walk(statement))
        return any(isinstance(node, ast.Constant) and node.value == text for node in nodes)

    @property
    def has_foreign_imports(self) -> bool:
        """True if the file has `from ... import` statements for third-party modules.

        Without running the file, nothing is known about the objects that they import.
        """
        known_packages = ("paddock", *sys.stdlib_module_names)
        return any(
            isinstance(statement, ast.ImportFrom)
            and (statement.module or "").partition(".")[0] not in known_packages
            for statement in self._body
        )

    def can_define(self, name: str) -> bool:
        """Return whether a name is or may be defined."""
        return name in self._names or self.has_dynamic_names

    @property
    def public_names(self) -> set[str]:
        """The names without a leading underscore."""
        return {name for name in self._names if not name.startswith("_")}


def _iter_bound_names(statements: list[ast.stmt]) -> Iterator[str]:
    """Yield the names that statements bind by definition, import or assignment.

    Statements inside `if`, `try`, `with` and loops are included, because they run in the same
    scope. Function and class bodies are not.
    """
    for statement in statements:
        match statement:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield name
            case ast.ClassDef(name=name):
                yield name
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                yield from (alias.asname or alias.name.partition(".")[0] for alias in names)
            case _:
                yield from _iter_nested_names(statement)


def _iter_nested_names(statement: ast.stmt) -> Iterator[str]:
    """Yield the names that parts of a statement bind, such as the target of a `for` loop."""
    for node in ast.iter_child_nodes(statement):
        if isinstance(node, ast.stmt):
            yield from _iter_bound_names([node])
        elif isinstance(node, ast.ExceptHandler | ast.match_case):
            yield from _iter_bound_names(node.body)
        else:
            yield from (
                target.id
                for target in ast.walk(node)
                if isinstance(target, ast.Name) and isinstance(target.ctx, ast.Store)
            )


@contextmanager
def import_from_directory(directory: Path, package: str) -> Iterator[None]:
    """Make a package importable from a directory within a `with` block.

    The package takes precedence over an installed one with the same name. On exit, `sys.path` and
    `sys.modules` are restored. If the directory is already on `sys.path`, the package is the
    installed one, so modules imported from it earlier are kept. Within the block, standard output
    is redirected to standard error.

    Args:
        directory: The directory that contains the package.
        package: The name of the top-level package.
    """
    # Importing an installed package again would create its classes twice in this process.
    is_installed = str(directory) in sys.path
    hidden_modules = (
        {} if is_installed else _remove_modules(lambda name, _: name.partition(".")[0] == package)
    )
    known_modules = set(sys.modules)
    original_path, original_setting = list(sys.path), sys.dont_write_bytecode
    if not is_installed:
        sys.path.insert(0, str(directory))
        # Validation must not leave __pycache__ directories in the project.
        sys.dont_write_bytecode = True
        importlib.invalidate_caches()
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        # The list is modified in place, because imported code may have kept a reference to it.
        sys.path[:] = original_path
        sys.dont_write_bytecode = original_setting
        _remove_modules(
            lambda name, module: (
                name not in known_modules and _is_module_below(module, directory / package)
            )
        )
        sys.modules.update(hidden_modules)


def _remove_modules(should_remove: ModulePredicate) -> dict[str, ModuleType]:
    """Remove modules that match a predicate from `sys.modules`, and return them by name."""
    modules = {
        name: module for name, module in list(sys.modules.items()) if should_remove(name, module)
    }
    for name in modules:
        del sys.modules[name]
    return modules


def _is_module_below(module: ModuleType, directory: Path) -> bool:
    file = getattr(module, "__file__", None)
    return isinstance(file, str) and Path(file).is_relative_to(directory)


@dataclass
class ValidationSubject:
    """An extension whose manifest has been read, and the findings about it."""

    extension: Extension
    files: ExtensionFiles
    """The extension's directory or archive."""
    manifest: str
    """Name of the manifest file."""
    is_static: bool
    is_user_server: bool = False
    """True for a user's own server, whose paths may point outside the directory."""
    package_folder: str = ""
    """Folder that contains the Python packages, with a trailing slash."""
    findings: FindingCollector = field(default_factory=FindingCollector)
    python_files: list[str] = field(default_factory=list)
    data_tables: dict[str, Mapping[str, object] | None] = field(default_factory=dict)
    """Contents of the definition files in data formats that have been read so far."""
    siblings: Mapping[str, Extension] = field(default_factory=dict)
    """Other extensions in the same target, by name."""
    unknown_names: set[str] = field(default_factory=set)
    """Names in server definitions that belong to extensions that are not installed."""
    _texts: dict[str, str] = field(default_factory=dict)
    _python_sources: dict[str, PythonSource] = field(default_factory=dict)

    @property
    def is_paclet(self) -> bool:
        """True if the extension is a paclet rather than a distribution."""
        return self.extension.kind == "paclet"

    @contextmanager
    def enable_imports(self) -> Iterator[None]:
        """Make the extension's package importable within a `with` block.

        This has no effect in static validation, which runs no code, or on the built-in extension,
        which is always importable.
        """
        if self.is_static or self.extension.is_built_in:
            yield
            return
        package = self.manifest.removeprefix(self.package_folder).partition("/")[0]
        with import_from_directory(self.files.path / self.package_folder, package):
            yield

    @property
    def definition_folder(self) -> str:
        """The folder that contains the definition files."""
        # `root` is relative to the manifest.
        folder = PurePosixPath(self.manifest).parent / self.extension.manifest.root
        return str(folder)

    @property
    def definition_suffixes(self) -> tuple[str, ...]:
        """Suffixes of definition files, including the closed .mx format."""
        return PACLET_DEFINITION_SUFFIXES if self.is_paclet else DEFINITION_SUFFIXES

    def get_folder(self, kind: ItemKind) -> str:
        """Return the folder name for a kind of item."""
        return DEFINITION_FOLDERS.get(kind, kind) if self.is_paclet else kind

    def get_path(self, name: str) -> str:
        """Return the path of a file as shown in findings."""
        return str(self.files.path / name)

    def read_text(self, name: str) -> str:
        """Return the text of one of the extension's files. The result is cached.

        Raises:
            LoadError: The file cannot be read.
        """
        if name not in self._texts:
            data = self.files.read_file(name, MAX_DEFINITION_BYTES)
            self._texts[name] = data.decode("utf-8-sig", "replace")
        return self._texts[name]

    def read_python_source(self, name: str) -> PythonSource:
        """Parse one of the extension's Python files without running it. The result is cached.

        Raises:
            LoadError: The file cannot be read.
            SyntaxError: The file is not valid Python.
        """
        if name not in self._python_sources:
            self._python_sources[name] = PythonSource(self.read_text(name))
        return self._python_sources[name]

    def find_declaration(self, kind: ItemKind, item: str) -> FindingLocation:
        """Return the location of an item's declaration in the manifest."""
        line = find_line(self.read_text(self.manifest), item)
        return FindingLocation(
            self.get_path(self.manifest), line, key=f"{self.get_folder(kind)}: {item}"
        )

    def find_item_files(self, kind: ItemKind, item: str) -> ItemFiles:
        """Return the files that may define an item, such as a tool.

        If the manifest refers to a Python module for the item, these are the module's files.
        Otherwise, they are the item's own file or a combined file that defines all items of its
        kind.
        """
        reference = self.extension.manifest.find_reference(kind, item)
        if reference is not None:
            package, module_name = PurePosixPath(self.manifest).parent, reference.partition(":")[0]
            paths = list_module_paths(self.extension.directory, module_name)
            modules = [str(package / path) for path in paths]
            return ItemFiles(combined=tuple(filter(self.files.has_file, modules)))
        folder = PurePosixPath(self.definition_folder) / self.get_folder(kind)
        return find_item_files(self.files.has_file, folder, item, self.definition_suffixes)
