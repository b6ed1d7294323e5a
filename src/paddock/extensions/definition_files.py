"""Locates and loads an extension's definition files.

An item is defined in its own file, `<root>/tools/NAME.py`, or in a combined file,
`<root>/tools.py`. Both can also be `.toml` or `.json`, in this order of precedence. The item's own
file takes precedence even if it is broken. The manifest can also refer to an object in a module
(`ModuleDefinition`).
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

import msgspec

from paddock.authoring.base_server import BaseServer
from paddock.authoring.prompt import Prompt
from paddock.authoring.resource import Resource, ResourceTemplate
from paddock.authoring.tool import Tool
from paddock.errors import LoadError
from paddock.extensions.data_formats import parse_json, parse_toml
from paddock.extensions.manifest import ItemKind
from paddock.extensions.python_modules import import_module, load_definition_module

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType


T = TypeVar("T")
_MAX_CACHED_FILES = 8
"""Maximum number of cached files. A few are enough, because items are loaded file by file."""
DEFINITION_SUFFIXES = (".py", ".toml", ".json")
MAX_DEFINITION_BYTES = 2_000_000
"""Maximum size of a TOML or JSON definition file."""
_ITEM_TYPES: dict[str, tuple[type, ...]] = {
    "tools": (Tool,),
    "prompts": (Prompt,),
    "resources": (Resource, ResourceTemplate),
    "servers": (BaseServer,),
}
_FUNCTION_KINDS = ("tools", "prompts")
"""Kinds of items that can be defined by just a function."""


class _CachedFile(NamedTuple, Generic[T]):
    state: tuple[int, ...]
    content: T


class ParseCache(Generic[T]):
    """A cache of the most recently parsed files. Callers must not modify the parsed content."""

    def __init__(self) -> None:
        self._files_by_key: dict[str, _CachedFile[T]] = {}

    def get_or_parse(self, key: str, file: Path, parse: Callable[[], T]) -> T:
        """Return the parsed content of a file from the cache, or parse the file if it has changed.

        Args:
            key: The key of the file. For files in an archive, it includes the name in the archive.
            file: The file or archive to check for changes.
            parse: Reads and parses the file. Its exceptions are not cached.
        """
        state = _get_file_state(file)
        # Removing and reinserting the entry keeps the least recently used one first.
        cached = self._files_by_key.pop(key, None)
        if cached is None or state is None or cached.state != state:
            cached = _CachedFile(state or (), parse())
        if state is not None:
            self._files_by_key[key] = cached
            while len(self._files_by_key) > _MAX_CACHED_FILES:
                self._files_by_key.pop(next(iter(self._files_by_key)), None)
        return cached.content


def _get_file_state(file: Path) -> tuple[int, ...] | None:
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


_combined_tables: ParseCache[object] = ParseCache()


class DefinitionFile(msgspec.Struct, frozen=True):
    """A file that defines an item of an extension: a tool, prompt, resource or server.

    Subclasses load other file formats.
    """

    path: Path
    kind: ItemKind
    item: str
    """The name of the item."""
    is_combined: bool
    """True if the file defines all items of this kind, not just this one."""

    @property
    def directory(self) -> Path:
        """The directory for relative paths in the definition."""
        return self.path.parent

    def load(self) -> object:
        """Load the definition: an object from a Python file, or a table of properties.

        A Python file is run.

        Raises:
            LoadError: The file cannot be read or run, or does not define the item.
        """
        if self.path.suffix == ".py":
            module = load_definition_module(self.path)
            definition = (
                _find_in_combined_module(self, module)
                if self.is_combined
                else _find_in_own_module(self, module)
            )
        else:
            definition = self._load_combined_item() if self.is_combined else _read_table(self.path)
        if definition is None:
            raise _make_missing_item_error(self)
        return definition

    def _load_combined_item(self) -> object:
        path = self.path
        table = _combined_tables.get_or_parse(str(path), path, lambda: _read_table(path))
        definition = table.get(self.item) if isinstance(table, Mapping) else None
        return deepcopy(definition)  # the cached table is shared


class ModuleDefinition(DefinitionFile, frozen=True, kw_only=True):
    """A definition in a module of an extension's package that the manifest refers to."""

    reference: str
    """A reference of the form `package.module:name`."""

    def load(self) -> object:
        """Import the module and return the referenced object.

        Raises:
            LoadError: The module cannot be imported, or has no such attribute.
        """
        module_name, _, attribute = self.reference.partition(":")
        module = import_module(module_name, str(self.path))
        if not hasattr(module, attribute):
            raise _make_missing_item_error(self)
        return getattr(module, attribute)


def find_module_file(package_directory: Path, module_name: str) -> Path | None:
    """Return the source file of a module in an extension's package, or None if it does not exist.

    The paths are checked here, because `importlib.util.find_spec` would run the parent packages.
    Only modules of the given package are found, because a manifest must not refer to other
    distributions.

    Args:
        package_directory: The package directory, whose path ends with the package's name.
        module_name: The absolute name of the module, which begins with the package's name.
    """
    paths = list_module_paths(package_directory, module_name)
    files = (package_directory / path for path in paths)
    return next((file for file in files if file.is_file()), None)


def list_module_paths(package_directory: Path, module_name: str) -> list[PurePosixPath]:
    """Return the paths where the source of a module in a package may be, relative to the package.

    For the package `site-packages/acme/charts` and the module `acme.charts.plots`, these are
    `plots.py` and `plots/__init__.py`. The list is empty if the package cannot contain the module.
    """
    name_parts = tuple(module_name.split("."))
    # The directory ends in the name of the package, which has one or more parts.
    for package_length in range(1, len(name_parts) + 1):
        if package_directory.parts[-package_length:] == name_parts[:package_length]:
            path = PurePosixPath(*name_parts[package_length:])
            module_file = [path.with_suffix(".py")] if path.name else []
            return [*module_file, path / "__init__.py"]
    return []


class ItemFiles(NamedTuple):
    """The existing files that could define an item, by precedence.

    File names are relative paths with slashes.
    """

    own: tuple[str, ...] = ()
    """Files for this item, such as `agenttools/tools/Plot.toml`."""
    combined: tuple[str, ...] = ()
    """Files for all items of its kind, such as `agenttools/tools.toml`."""

    @property
    def selected_file(self) -> str | None:
        """The file that defines the item, or None if there are no files."""
        return next(iter(self.own or self.combined), None)


def find_item_files(
    has_file: Callable[[str], bool], folder: PurePosixPath, item: str, suffixes: tuple[str, ...]
) -> ItemFiles:
    """Find the files that could define an item of an extension, without reading them.

    Args:
        has_file: Returns whether the extension contains a file with this path.
        folder: The folder for the kind of item, such as `agenttools/tools`.
        item: The name of the item.
        suffixes: The definition file suffixes, by precedence.
    """
    own_files = [f"{folder / item}{suffix}" for suffix in suffixes]
    combined_files = [f"{folder}{suffix}" for suffix in suffixes]
    return ItemFiles(tuple(filter(has_file, own_files)), tuple(filter(has_file, combined_files)))


def find_definition_file(root: Path, kind: ItemKind, item: str) -> DefinitionFile | None:
    """Return the definition file of an item, such as `tools/Plot.toml`, or None.

    The file is neither read nor run.

    Args:
        root: The directory of the extension's definition files.
        kind: The kind of the item, such as `"tools"`.
        item: The name of the item, such as `"Plot"`.
    """
    files = find_item_files(
        lambda name: (root / name).is_file(), PurePosixPath(kind), item, DEFINITION_SUFFIXES
    )
    if files.selected_file is None:
        return None
    return DefinitionFile(root / files.selected_file, kind, item, is_combined=not files.own)


def _read_table(path: Path) -> object:
    """Read and parse a TOML or JSON definition file.

    Raises:
        LoadError: The file cannot be read or parsed.
    """
    try:
        with path.open("rb") as file:
            # Reading one extra byte lets the parser notice a file that is too long.
            data = file.read(MAX_DEFINITION_BYTES + 1)
        return parse_definition(data, path.suffix)
    except (OSError, ValueError) as error:
        raise LoadError(f"cannot be read: {error}", where=str(path)) from None


def parse_definition(data: bytes, suffix: str) -> object:
    """Parse the contents of a TOML or JSON definition file.

    Args:
        data: The contents of the file.
        suffix: `".json"` for JSON; any other suffix means TOML.

    Raises:
        ValueError: The data is invalid, or longer than `MAX_DEFINITION_BYTES`.
    """
    # The parsers accept data of any length and use several times its size in memory.
    if len(data) > MAX_DEFINITION_BYTES:
        raise ValueError(f"it is longer than {MAX_DEFINITION_BYTES:,} bytes")
    return parse_json(data) if suffix == ".json" else parse_toml(data)


def _find_in_own_module(file: DefinitionFile, module: ModuleType) -> object:
    """Return an item's definition from the module of its own Python file.

    For `tools/Plot.py`, this is the variable `tool` or `Plot`. If neither exists, it is the only
    `Tool` object in the module, the only dictionary, or the only function, in this order.

    Returns:
        The definition, or None if it is missing or ambiguous.
    """
    public_values = _get_public_names(module)
    for variable in (file.kind.removesuffix("s"), file.item):
        if variable in public_values:
            return public_values[variable]
    item_types = _ITEM_TYPES[file.kind]
    predicates: list[Callable[[object], bool]] = [
        lambda value: isinstance(value, item_types),
        lambda value: isinstance(value, Mapping),
    ]
    if file.kind in _FUNCTION_KINDS:
        predicates.append(lambda value: _is_function_from(value, module))
    for is_suitable in predicates:
        definition = _get_only_value(public_values, is_suitable)
        if definition:
            return definition
    return None


def _find_in_combined_module(file: DefinitionFile, module: ModuleType) -> object:
    """Return an item's definition from the module of a combined file, such as `tools.py`.

    If the module has a dictionary `tools`, the definition is its value for the item name.
    Otherwise, it is the `Tool` object with that name, in a list `tools` or any variable. Failing
    that, it is the variable with that name.

    Returns:
        The definition, or None if the module does not contain one.
    """
    public_values = _get_public_names(module)
    collection = public_values.get(file.kind)
    if isinstance(collection, Mapping):
        return collection.get(file.item)
    item_types = _ITEM_TYPES[file.kind]
    candidates = (
        [*collection] if isinstance(collection, list | tuple) else [*public_values.values()]
    )
    for candidate in candidates:
        if isinstance(candidate, item_types) and getattr(candidate, "name", None) == file.item:
            return candidate
    return public_values.get(file.item)


def _get_public_names(module: ModuleType) -> dict[str, object]:
    return {name: value for name, value in vars(module).items() if not name.startswith("_")}


def _get_only_value(
    public_values: Mapping[str, object], is_suitable: Callable[[object], bool]
) -> object:
    """Return the suitable value among a module's variables, or None if there is not exactly one.

    Multiple variables that refer to the same object count as one value.

    Args:
        public_values: The public variables of a module, by name.
        is_suitable: Returns whether a value can be the definition.
    """
    matches = {id(value): value for value in public_values.values() if is_suitable(value)}
    return next(iter(matches.values())) if len(matches) == 1 else None


def _is_function_from(value: object, module: ModuleType) -> bool:
    # Imported functions do not count.
    return hasattr(value, "__code__") and getattr(value, "__module__", None) == module.__name__


def _make_missing_item_error(file: DefinitionFile) -> LoadError:
    """Return the error for a definition file that does not define its item.

    The hint shows the expected code, such as `tools = {"Plot": …}` for a combined Python file,
    which defines all tools of an extension.
    """
    item_kind = file.kind.removesuffix("s")
    if isinstance(file, ModuleDefinition):
        expected = f"an attribute {file.reference.rpartition(':')[2]!r}"
    elif file.path.suffix != ".py":
        expected = f"a table {file.item!r}" if file.is_combined else "a table of properties"
    elif file.is_combined:
        expected = f"{file.kind} = {{{file.item!r}: …}}"
    else:
        expected = f"{item_kind} = …"
    return LoadError(
        f"contains no definition of the {item_kind} {file.item!r}",
        where=str(file.path),
        hint=f"expected {expected}",
    )
