"""Registries of the items declared by extensions, and resolution of a server's item lists.

A server's definition lists its tools, prompts and resources by name, by reference or inline. A
registry turns each element into an object. Finding a declared item is discovery and loads nothing;
resolving it is inspection and loads its definition. Resolving a short name never scans for
installed extensions, so servers with built-in items start fast.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from paddock.extensions.discovery import discover_extension, is_package_installed, list_extensions
from paddock.extensions.errors import (
    CatalogueError,
    PromptNotFoundError,
    PromptSpecificationError,
    ResourceNameError,
    ResourceSpecificationError,
    SpecificationError,
    ToolNotFoundError,
    ToolSpecificationError,
)
from paddock.extensions.extension import Extension, get_built_in_extension, is_from_distribution
from paddock.extensions.names import parse_qualified_name
from paddock.extensions.not_found_errors import (
    MissingItem,
    format_name_list,
    make_extension_name_error,
    make_not_installed_error,
    make_undeclared_item_error,
    make_unknown_extension_error,
    suggest_names,
)
from paddock.extensions.prompt_definition import make_prompt
from paddock.extensions.references import (
    get_reference_directory,
    is_reference,
    load_reference,
    reject_python,
)
from paddock.extensions.resource_definition import make_resource
from paddock.extensions.tool_definition import make_tool
from paddock.lazy_modules import LazyModule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from paddock.authoring.prompt import Prompt
    from paddock.authoring.tool import Tool
    from paddock.errors import DefinitionError
    from paddock.extensions.catalogues import remote
    from paddock.extensions.definition_files import DefinitionFile
    from paddock.extensions.errors import ExtensionError
    from paddock.extensions.manifest import ItemKind, ManifestItem
    from paddock.extensions.names import QualifiedName
else:  # saves 40 ms unless an extension is missing
    remote = LazyModule("paddock.extensions.catalogues.remote")

T = TypeVar("T")


class DeclaredItem(NamedTuple):
    """A tool, prompt, resource or server that the manifest of an extension declares."""

    extension: Extension
    kind: ItemKind
    item: ManifestItem

    @property
    def qualified_name(self) -> str:
        """The qualified name: `package/Item` or `publisher/package/Item`."""
        return f"{self.extension.name}/{self.item.name}"

    @property
    def name(self) -> str:
        """The name that any definition can use to refer to the item.

        It is short, such as `Plot`, for Paddock's own items, and qualified for others.
        """
        return self.item.name if self.extension.is_built_in else self.qualified_name

    def definition(self) -> DefinitionFile:
        """Locate the item's definition without reading or running its file.

        Raises:
            LoadError: There is no definition file.
        """
        return self.extension.definition(self.kind, self.item.name)


class _ItemFactory(NamedTuple):
    """The function that creates items of a kind, with the errors for invalid and unknown items."""

    make: Callable[..., Any]
    registry_title: str
    invalid_error: type[SpecificationError]
    not_found_error: type[DefinitionError]


_ITEM_FACTORIES: dict[ItemKind, _ItemFactory] = {
    "tools": _ItemFactory(make_tool, "default_tools()", ToolSpecificationError, ToolNotFoundError),
    "prompts": _ItemFactory(
        make_prompt, "default_prompts()", PromptSpecificationError, PromptNotFoundError
    ),
    "resources": _ItemFactory(
        make_resource, "Paddock's own resources", ResourceSpecificationError, ResourceNameError
    ),
}


class ItemRegistry:
    """The items declared by a set of extensions."""

    def __init__(self, extensions: Sequence[Extension]) -> None:
        self._extensions_by_name = {extension.name: extension for extension in extensions}
        self._built_in = next(
            (extension for extension in extensions if extension.is_built_in), None
        )

    def list_extensions(self) -> Iterable[Extension]:
        """Return all extensions."""
        return self._extensions_by_name.values()

    def find_extension(self, name: str) -> Extension | None:
        """Find an extension by name, or return None.

        Raises:
            PaddockError: The extension is broken.
        """
        return self._extensions_by_name.get(name)

    def list_items(self, kind: ItemKind) -> list[DeclaredItem]:
        """Return all items of a kind, by extension."""
        return [
            DeclaredItem(extension, kind, item)
            for extension in self.list_extensions()
            for item in extension.manifest.get_items(kind)
        ]

    def find_item(
        self, kind: ItemKind, name: str, owner: Extension | None = None
    ) -> DeclaredItem | None:
        """Find a declared item by name, or return None.

        A short name, such as `Plot`, refers to an item of the owner or of Paddock. A qualified
        name, such as `acme/charts/Plot`, refers to an item of the named extension.

        Args:
            kind: The kind of the item, such as `"tools"`.
            name: A short or qualified name.
            owner: The extension whose definition contains the name.

        Raises:
            PaddockError: The named extension is broken.
        """
        qualified = parse_qualified_name(name)
        if qualified is None:
            item_name, extensions = name, [owner, self._built_in]
        else:
            item_name = qualified.item
            extensions = [self._find_named_extension(qualified, owner)]
        for extension in extensions:
            item = None if extension is None else extension.manifest.find_item(kind, item_name)
            if extension is not None and item is not None:
                return DeclaredItem(extension, kind, item)
        return None

    def resolve_item(
        self,
        kind: ItemKind,
        spec: object,
        *,
        relative_to: Path | None = None,
        owner: Extension | None = None,
        where: str,
    ) -> Any:
        """Create the tool, prompt or resource for an element of a server's item list.

        Args:
            kind: The kind of the item, such as `"tools"`.
            spec: The element: a name, a reference to a Python object, a function, a `Tool`,
                `Prompt` or `Resource`, or a table of properties.
            relative_to: The directory for relative paths.
            owner: The extension whose definition contains the element.
            where: The location of the element, for errors.

        Raises:
            ToolNotFoundError, PromptNotFoundError or ResourceNameError: The short name is unknown.
            ExtensionError: The qualified name cannot be resolved.
            SpecificationError: The element is not a valid item of this kind.
            LoadError: A reference cannot be resolved.
        """
        factory = _ITEM_FACTORIES[kind]
        reject_python(spec, owner, where)
        if not isinstance(spec, str):
            return factory.make(spec, relative_to=relative_to, where=where)
        if is_reference(spec):
            definition = load_reference(spec, relative_to=relative_to, where=where)
            directory = get_reference_directory(spec, relative_to)
            return factory.make(definition, relative_to=directory, where=f"{where}: {spec}")
        declared_item = self.find_item(kind, spec, owner)
        if declared_item is None:
            raise self._make_not_found_error(kind, spec, owner, where)
        return load_item(declared_item)

    def make_missing_item_error(
        self,
        kind: ItemKind,
        name: QualifiedName,
        owner: Extension | None = None,
        where: str | None = None,
    ) -> ExtensionError:
        """Return the error for a qualified name that cannot be resolved.

        The error depends on the reason: the extension does not declare the item, is listed in a
        catalogue but not installed, has a different name from its distribution, or is unknown.
        """
        missing = MissingItem(kind, name, where)
        extension = self._find_named_extension(name, owner)
        if extension is not None:
            return make_undeclared_item_error(missing, extension)
        remote = find_catalogue_extension(name.extension_name)
        if remote is not None:
            return make_not_installed_error(missing, remote)
        providers = [
            provider
            for provider in self.list_extensions()
            if is_from_distribution(provider, name.extension_name)
        ]
        if providers:
            return make_extension_name_error(missing, providers)
        return make_unknown_extension_error(
            missing,
            [item.name for item in self.list_items(kind)],
            is_installed=is_package_installed(name.extension_name),
        )

    def _find_named_extension(
        self, name: QualifiedName, owner: Extension | None
    ) -> Extension | None:
        """Return the extension in a qualified name, or None if it is unknown.

        Args:
            name: The qualified name, such as `acme/charts/Plot`.
            owner: The extension whose definition contains the name. It might not be installed,
                because `paddock validate` also reads extensions in project folders.
        """
        if owner is not None and owner.name == name.extension_name:
            return owner
        return self.find_extension(name.extension_name)

    def _make_not_found_error(
        self, kind: ItemKind, name: str, owner: Extension | None, where: str
    ) -> DefinitionError:
        """Return the error for a name in a server's item list that cannot be resolved.

        The hint suggests similar names, or explains how to refer to an object in a file.
        """
        factory, item_kind = _ITEM_FACTORIES[kind], kind.removesuffix("s")
        if not name or name.endswith(".py"):
            hint = (
                f"name the object: {name}:name" if name else f"expected the name of a {item_kind}"
            )
            return factory.invalid_error(repr(name), where=where, hint=hint)
        qualified = parse_qualified_name(name)
        if qualified is not None:
            return self.make_missing_item_error(kind, qualified, owner, where)
        declared_items = self.list_items(kind)
        names = [declared_item.name for declared_item in declared_items]
        names += [
            declared_item.item.name
            for declared_item in declared_items
            if declared_item.extension == owner
        ]
        hint = suggest_names(name, names) or (
            f"there are: {format_name_list(names)}; use package.module:name or file.py:name for "
            "your own function"
        )
        message = f'No {item_kind} named "{name}" found in {factory.registry_title}'
        return factory.not_found_error(message, where=where, hint=hint)


class InstalledItemRegistry(ItemRegistry):
    """The items of all installed extensions, which are searched for on demand."""

    def __init__(self) -> None:
        super().__init__([get_built_in_extension()])

    def list_extensions(self) -> Iterable[Extension]:
        """Return all working installed extensions."""
        return list_extensions()

    def find_extension(self, name: str) -> Extension | None:
        """Find an installed extension by name, or return None.

        Unlike `list_extensions`, this reads only manifests that could belong to the extension.

        Raises:
            PaddockError: The extension is broken.
        """
        discovery = discover_extension(name)
        if discovery.extensions:
            return discovery.extensions[0]
        if discovery.broken:
            raise discovery.broken[0].problem
        return None


class LazyItemMapping(Mapping[str, T], Generic[T]):
    """A mapping of item names to tools, prompts or resources, each loaded on access.

    Listing the names reads no definitions and runs no code.
    """

    def __init__(self, declared_items: Sequence[DeclaredItem]) -> None:
        self._items_by_name = {
            declared_item.item.name: declared_item for declared_item in declared_items
        }

    def __getitem__(self, name: str) -> T:
        item: T = load_item(self._items_by_name[name])
        return item

    def __iter__(self) -> Iterator[str]:
        return iter(self._items_by_name)

    def __len__(self) -> int:
        return len(self._items_by_name)

    def __repr__(self) -> str:
        return f"<{', '.join(self._items_by_name)}>"


def load_item(declared_item: DeclaredItem) -> Any:
    """Read the definition of a declared item and create the tool, prompt or resource.

    Raises:
        LoadError: The definition is missing or cannot be read.
        SpecificationError: The definition is invalid.
    """
    file = declared_item.definition()
    factory = _ITEM_FACTORIES[declared_item.kind]
    return factory.make(
        file.load(), relative_to=file.directory, where=str(file.path), name=declared_item.item.name
    )


def find_catalogue_extension(name: str) -> Extension | None:
    """Return an extension that could be installed from a catalogue, or None.

    Only local copies of the catalogues, which list extensions to download, are searched.
    """
    if is_package_installed(name):
        return None
    try:
        extension: Extension | None = remote.find_remote_extension(name)
    except CatalogueError:
        return None  # the caller reports the missing name, not the catalogue
    return extension


def list_catalogue_items(kind: ItemKind, *, refresh: bool) -> list[DeclaredItem]:
    """Return all items of a kind in extensions that are listed in catalogues but not installed.

    Catalogues are downloaded if their cached copies are missing or outdated. If `refresh` is set,
    all are downloaded.
    """
    extensions = remote.list_remote_extensions(may_fetch=True, refresh=refresh)
    return ItemRegistry(extensions).list_items(kind)


def default_tools() -> Mapping[str, Tool]:
    """Return the built-in tools by name, each loaded on access.

    Trust level: discovery for the names, inspection for the tools.
    """
    return LazyItemMapping(ItemRegistry([get_built_in_extension()]).list_items("tools"))


def default_prompts() -> Mapping[str, Prompt]:
    """Return the built-in prompts by name, each loaded on access.

    A name here can differ from the one that clients see: multiple prompts are named `Search`.
    Trust level: discovery for the names, inspection for the prompts.
    """
    return LazyItemMapping(ItemRegistry([get_built_in_extension()]).list_items("prompts"))
