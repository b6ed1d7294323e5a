"""Files that define many items: each is parsed once for all of them, until it changes.

Definition files of an extension: which one holds an item, and what it holds.

An item has a file of its own, `<root>/tools/NAME.py`, or stands in a combined one,
`<root>/tools.py`; each may also be `.toml` or `.json`, looked for in this order. A file of its own
wins even when it is broken. What a definition means is left to those who make tools, prompts,
resources and servers of it.
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
"""How many files are kept: items are loaded file by file."""


class _CachedFile(NamedTuple, Generic[T]):
    state: tuple[int, ...]
    content: T


class ParseCache(Generic[T]):
    """The last few files that were parsed. What they hold is shared, so nobody may change it."""

    def __init__(self) -> None:
        self._files_by_key: dict[str, _CachedFile[T]] = {}

    def get_or_parse(self, key: str, file: Path, parse: Callable[[], T]) -> T:
        """What a file holds: as it was, unless it has changed since then.

        Args:
            key: Which file it is; in an archive, with its name there.
            file: The file, or the archive, whose changes count.
            parse: Reads and parses it; what it raises is not kept.
        """
        state = _get_file_state(file)
        kept = self._files_by_key.pop(key, None)
        if kept is None or state is None or kept.state != state:
            kept = _CachedFile(state or (), parse())
        if state is not None:
            self._files_by_key[key] = kept
            while len(self._files_by_key) > _MAX_CACHED_FILES:
                self._files_by_key.pop(next(iter(self._files_by_key)), None)
        return kept.content


def _get_file_state(file: Path) -> tuple[int, ...] | None:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


DEFINITION_SUFFIXES = (".py", ".toml", ".json")
MAX_DEFINITION_BYTES = 2_000_000
"""More than any definition file that is data has; what is longer is not read on."""

_ITEM_TYPES: dict[str, tuple[type, ...]] = {
    "tools": (Tool,),
    "prompts": (Prompt,),
    "resources": (Resource, ResourceTemplate),
    "servers": (BaseServer,),
}
_combined_tables: ParseCache[object] = ParseCache()
_FUNCTION_KINDS = ("tools", "prompts")
"""Kinds of which a function alone is a definition."""


class DefinitionFile(msgspec.Struct, frozen=True):
    """The file that holds the definition of an item; other kinds of files load it otherwise."""

    path: Path
    kind: ItemKind
    item: str
    is_combined: bool

    @property
    def directory(self) -> Path:
        """From where relative paths in it count."""
        return self.path.parent

    def load(self) -> object:
        """The definition: an object or a table of properties. Python files are run for it.

        Raises:
            LoadError: when the file cannot be read, or does not hold the item.
        """
        if self.path.suffix == ".py":
            module = load_definition_module(self.path)
            found = (
                _find_in_combined_module(self, module)
                if self.is_combined
                else _find_in_own_module(self, module)
            )
        else:
            found = self._load_combined_item() if self.is_combined else _read_table(self.path)
        if found is None:
            raise _make_missing_item_error(self)
        return found

    def _load_combined_item(self) -> object:
        path = self.path
        table = _combined_tables.get_or_parse(str(path), path, lambda: _read_table(path))
        found = table.get(self.item) if isinstance(table, Mapping) else None
        return deepcopy(found)  # the table is for others too


class ModuleDefinition(DefinitionFile, frozen=True, kw_only=True):
    """A definition in a module of the extension's package, to which the manifest refers."""

    reference: str
    """`package.module:name`."""

    def load(self) -> object:
        """Import the module and return the object that the reference names.

        Raises:
            LoadError: The module cannot be imported, or has no such attribute.
        """
        module_name, _, attribute = self.reference.partition(":")
        module = import_module(module_name, str(self.path))
        if not hasattr(module, attribute):
            raise _make_missing_item_error(self)
        return getattr(module, attribute)


def find_module_file(package_directory: Path, module_name: str) -> Path | None:
    """Return the file of a module of a package, or None if the package has no such module.

    Nothing is imported, because `importlib.util.find_spec` would run the parent packages. Only
    modules of the given package are found: a manifest cannot refer to other distributions.

    Args:
        package_directory: The directory of the package, which ends in its dotted name.
        module_name: The absolute name of the module, which begins with the package's name.
    """
    paths = list_module_paths(package_directory, module_name)
    files = (package_directory / path for path in paths)
    return next((file for file in files if file.is_file()), None)


def list_module_paths(package_directory: Path, module_name: str) -> list[PurePosixPath]:
    """Return the paths, relative to a package, where the source of one of its modules may be."""
    parts = tuple(module_name.split("."))
    for length in range(1, len(parts) + 1):
        if package_directory.parts[-length:] == parts[:length]:
            path = PurePosixPath(*parts[length:])
            return [*([path.with_suffix(".py")] if path.name else []), path / "__init__.py"]
    return []


def find_definition_file(root: Path, kind: ItemKind, item: str) -> DefinitionFile | None:
    """The file that an item's definition is in, if there is one; nothing is read or run."""
    for ending in DEFINITION_SUFFIXES:
        path = root / kind / f"{item}{ending}"
        if path.is_file():
            return DefinitionFile(path, kind, item, is_combined=False)
    for ending in DEFINITION_SUFFIXES:
        path = root / f"{kind}{ending}"
        if path.is_file():
            return DefinitionFile(path, kind, item, is_combined=True)
    return None


def _read_table(path: Path) -> object:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_DEFINITION_BYTES + 1)
        return parse_definition(data, path.suffix)
    except (OSError, ValueError) as error:
        raise LoadError(f"cannot be read: {error}", where=str(path)) from None


def parse_definition(data: bytes, suffix: str) -> object:
    """What the bytes of a definition file that is data hold.

    Raises:
        ValueError: when they cannot be read, with the reason.
    """
    if len(data) > MAX_DEFINITION_BYTES:
        raise ValueError(f"it is longer than {MAX_DEFINITION_BYTES:,} bytes")
    return parse_json(data) if suffix == ".json" else parse_toml(data)


def _find_in_own_module(file: DefinitionFile, module: ModuleType) -> object:
    """What a file for one item defines: by the kind's name, by the item's, or the only one."""
    public = _get_public_names(module)
    for name in (file.kind.removesuffix("s"), file.item):
        if name in public:
            return public[name]
    types = _ITEM_TYPES[file.kind]
    return (
        _get_only_value(public, lambda value: isinstance(value, types))
        or _get_only_value(public, lambda value: isinstance(value, Mapping))
        or (
            _get_only_value(public, lambda value: _is_function_from(value, module))
            if file.kind in _FUNCTION_KINDS
            else None
        )
    )


def _find_in_combined_module(file: DefinitionFile, module: ModuleType) -> object:
    """What a file for several items defines: in a table or a list of them, or by its name."""
    public = _get_public_names(module)
    several = public.get(file.kind)
    if isinstance(several, Mapping):
        return several.get(file.item)
    types = _ITEM_TYPES[file.kind]
    candidates = [*several] if isinstance(several, list | tuple) else [*public.values()]
    for one in candidates:
        if isinstance(one, types) and getattr(one, "name", None) == file.item:
            return one
    return public.get(file.item)


def _get_public_names(module: ModuleType) -> dict[str, object]:
    return {name: value for name, value in vars(module).items() if not name.startswith("_")}


def _get_only_value(public: Mapping[str, object], is_suitable: Callable[[object], bool]) -> object:
    found = {id(value): value for value in public.values() if is_suitable(value)}
    return next(iter(found.values())) if len(found) == 1 else None


def _is_function_from(value: object, module: ModuleType) -> bool:
    return hasattr(value, "__code__") and getattr(value, "__module__", None) == module.__name__


def _make_missing_item_error(file: DefinitionFile) -> LoadError:
    word = file.kind.removesuffix("s")
    if isinstance(file, ModuleDefinition):
        expected = f"an attribute {file.reference.rpartition(':')[2]!r}"
    elif file.path.suffix != ".py":
        expected = f"a table {file.item!r}" if file.is_combined else "a table of properties"
    elif file.is_combined:
        expected = f"{file.kind} = {{{file.item!r}: …}}"
    else:
        expected = f"{word} = …"
    return LoadError(
        f"holds no definition of the {word} {file.item!r}",
        where=str(file.path),
        hint=f"expected {expected}",
    )
