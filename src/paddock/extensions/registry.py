"""Everything that extensions declare, by its name, and what a server's lists mean by it.

Trust level: looking for a declared item is discovery and loads nothing; its definition is loaded
when it is resolved, which is inspection. A short name never has installed extensions looked for.
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
from paddock.extensions.extension import Extension, get_built_in_extension
from paddock.extensions.names import parse_qualified_name
from paddock.extensions.not_found_errors import (
    find_similar_names,
    format_name_list,
    make_extension_name_error,
    make_not_installed_error,
    make_undeclared_item_error,
    make_unknown_extension_error,
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

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from paddock.authoring.prompt import Prompt
    from paddock.authoring.resource import Resource, ResourceTemplate
    from paddock.authoring.tool import Tool
    from paddock.errors import DefinitionError
    from paddock.extensions.definition_files import DefinitionFile
    from paddock.extensions.errors import ExtensionError
    from paddock.extensions.manifest import ItemKind, ManifestItem
    from paddock.extensions.names import QualifiedName

T = TypeVar("T")


class DeclaredItem(NamedTuple):
    """An item that an extension declares."""

    extension: Extension
    kind: ItemKind
    item: ManifestItem

    @property
    def qualified_name(self) -> str:
        """The full name: `package/Item`, or `publisher/package/Item`."""
        return f"{self.extension.name}/{self.item.name}"

    @property
    def name(self) -> str:
        """The name by which everybody can refer to it: short for what is built in."""
        return self.item.name if self.extension.is_built_in else self.qualified_name

    def definition(self) -> DefinitionFile:
        """The file with the definition, neither read nor run.

        Raises:
            LoadError: when there is none.
        """
        return self.extension.definition(self.kind, self.item.name)


class _ItemFactory(NamedTuple):
    """How the items of a kind are made, and what is raised when they cannot be."""

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
    """The items of some extensions, by their names."""

    def __init__(self, extensions: Sequence[Extension]) -> None:
        self._extensions_by_name = {extension.name: extension for extension in extensions}

    def list_extensions(self) -> Iterable[Extension]:
        """All of them."""
        return self._extensions_by_name.values()

    def find_extension(self, name: str) -> Extension | None:
        """The extension of a name.

        Raises:
            PaddockError: when there is one and it is broken.
        """
        return self._extensions_by_name.get(name)

    def find_built_in_extension(self) -> Extension | None:
        """The extension whose items have short names."""
        return next((one for one in self._extensions_by_name.values() if one.is_built_in), None)

    def list_items(self, kind: ItemKind) -> list[DeclaredItem]:
        """Every item of a kind, extension by extension."""
        return [
            DeclaredItem(extension, kind, item)
            for extension in self.list_extensions()
            for item in extension.manifest.get_items(kind)
        ]

    def find_item(
        self, kind: ItemKind, name: str, owner: Extension | None = None
    ) -> DeclaredItem | None:
        """The item that a name means.

        A short name is one of the owner's, if the name stands in an extension's own definition,
        or else a built-in one; a qualified name is one of that extension. No other is looked at.

        Raises:
            PaddockError: when the extension is there and broken.
        """
        qualified = parse_qualified_name(name)
        if qualified is None:
            return _find_in_extension(owner, kind, name) or _find_in_extension(
                self.find_built_in_extension(), kind, name
            )
        if owner is not None and owner.name == qualified.extension_name:
            return _find_in_extension(owner, kind, qualified.item)
        return _find_in_extension(
            self.find_extension(qualified.extension_name), kind, qualified.item
        )

    def resolve_item(
        self,
        kind: ItemKind,
        spec: object,
        *,
        relative_to: Path | None = None,
        owner: Extension | None = None,
        where: str,
    ) -> Any:
        """The tool, prompt or resource that a name, a reference, an object or a table means."""
        making = _ITEM_FACTORIES[kind]
        reject_python(spec, owner, where)
        if not isinstance(spec, str):
            return making.make(spec, relative_to=relative_to, where=where)
        if is_reference(spec):
            found = load_reference(spec, relative_to=relative_to, where=where)
            beside = get_reference_directory(spec, relative_to)
            return making.make(found, relative_to=beside, where=f"{where}: {spec}")
        declared = self.find_item(kind, spec, owner)
        if declared is None:
            raise self._make_not_found_error(kind, spec, owner, where)
        return load_item(declared)

    def _make_not_found_error(
        self, kind: ItemKind, name: str, owner: Extension | None, where: str
    ) -> DefinitionError:
        making, word = _ITEM_FACTORIES[kind], kind.removesuffix("s")
        if not name or name.endswith(".py"):
            expected = f"say which object: {name}:name" if name else f"the name of a {word}"
            return making.invalid_error(repr(name), where=where, hint=expected)
        qualified = parse_qualified_name(name)
        if qualified is not None:
            return self.make_missing_item_error(kind, qualified, owner, where)
        declared = self.list_items(kind)
        known = [one.name for one in declared]
        known += [one.item.name for one in declared if one.extension == owner]
        near = find_similar_names(name, known)
        hint = (
            f"did you mean {' or '.join(near)}?"
            if near
            else f"there are: {format_name_list(known)}; use package.module:name or file.py:name for "
            "your own function"
        )
        message = f'No {word} named "{name}" found in {making.registry_title}'
        return making.not_found_error(message, where=where, hint=hint)

    def make_missing_item_error(
        self,
        kind: ItemKind,
        name: QualifiedName,
        owner: Extension | None = None,
        where: str | None = None,
    ) -> ExtensionError:
        """Why a qualified name leads to nothing."""
        is_own = owner is not None and owner.name == name.extension_name
        extension = owner if is_own else self.find_extension(name.extension_name)
        if extension is not None:
            return make_undeclared_item_error(kind, name, extension, where)
        remote = find_catalogue_extension(name.extension_name)
        if remote is not None:
            return make_not_installed_error(kind, name, remote, where)
        near = find_similar_names(str(name), [one.name for one in self.list_items(kind)])
        bringing = [
            one for one in self.list_extensions() if one.is_provided_by(name.extension_name)
        ]
        if bringing:
            return make_extension_name_error(kind, name, bringing, where)
        return make_unknown_extension_error(
            kind, name, near, where, is_installed=is_package_installed(name.extension_name)
        )


class InstalledItemRegistry(ItemRegistry):
    """The items of all installed extensions; which these are is found out when it matters."""

    def __init__(self) -> None:
        super().__init__([get_built_in_extension()])

    def list_extensions(self) -> Iterable[Extension]:
        """All that can be used."""
        return list_extensions()

    def find_extension(self, name: str) -> Extension | None:
        """The extension of a name, found without looking at others."""
        found = discover_extension(name)
        if found.extensions:
            return found.extensions[0]
        for broken in found.broken:
            raise broken.problem
        return None


class LazyItemMapping(Mapping[str, T], Generic[T]):
    """Items by their names, each loaded when it is asked for."""

    def __init__(self, declared: Sequence[DeclaredItem]) -> None:
        self._items_by_name = {one.item.name: one for one in declared}

    def __getitem__(self, name: str) -> T:
        item: T = load_item(self._items_by_name[name])
        return item

    def __iter__(self) -> Iterator[str]:
        return iter(self._items_by_name)

    def __len__(self) -> int:
        return len(self._items_by_name)

    def __repr__(self) -> str:
        return f"<{', '.join(self._items_by_name)}>"


def load_item(declared: DeclaredItem) -> Any:
    """The tool, prompt or resource that an extension declares.

    Raises:
        LoadError: when its definition is missing or cannot be read.
        SpecificationError: when it is not what it should be.
    """
    file = declared.definition()
    make = _ITEM_FACTORIES[declared.kind].make
    return make(
        file.load(), relative_to=file.directory, where=str(file.path), name=declared.item.name
    )


def find_catalogue_extension(name: str) -> Extension | None:
    """What a catalogue says of an extension that is not installed; nothing is fetched for that."""
    if is_package_installed(name):
        return None
    from paddock.extensions.catalogues.remote import find_remote_extension  # noqa: PLC0415 - names are rarely missing

    try:
        return find_remote_extension(name)
    except CatalogueError:
        return None  # the complaint is about the name


def _find_in_extension(
    extension: Extension | None, kind: ItemKind, name: str
) -> DeclaredItem | None:
    items = () if extension is None else extension.manifest.get_items(kind)
    found = next((item for item in items if item.name == name), None)
    return None if extension is None or found is None else DeclaredItem(extension, kind, found)


def create_installed_registry() -> ItemRegistry:
    """The items of all installed extensions."""
    return InstalledItemRegistry()


def list_declared_items(kind: ItemKind) -> list[DeclaredItem]:
    """Every item of a kind that an installed extension declares; nothing is loaded."""
    return create_installed_registry().list_items(kind)


def find_declared_item(
    kind: ItemKind, name: str, owner: Extension | None = None
) -> DeclaredItem | None:
    """The item that a name means, short for what is built in; None when there is none."""
    return create_installed_registry().find_item(kind, name, owner)


def resolve_tool(
    spec: object, *, relative_to: Path | None = None, owner: Extension | None = None, where: str
) -> Tool:
    """The tool that a name, a reference, a function, an object or a table means.

    Raises:
        ToolNotFoundError: when there is none of that name.
        ToolSpecificationError: when it cannot mean a tool.
        LoadError: when a reference leads nowhere.
    """
    found: Tool = create_installed_registry().resolve_item(
        "tools", spec, relative_to=relative_to, owner=owner, where=where
    )
    return found


def resolve_prompt(
    spec: object, *, relative_to: Path | None = None, owner: Extension | None = None, where: str
) -> Prompt:
    """The prompt that a name, a reference, a function, an object or a table means.

    Raises:
        PromptNotFoundError: when there is none of that name.
        PromptSpecificationError: when it cannot mean a prompt.
        LoadError: when a reference leads nowhere.
    """
    found: Prompt = create_installed_registry().resolve_item(
        "prompts", spec, relative_to=relative_to, owner=owner, where=where
    )
    return found


def resolve_resource(
    spec: object, *, relative_to: Path | None = None, owner: Extension | None = None, where: str
) -> Resource | ResourceTemplate:
    """The resource that a name, a reference, an object or a table means.

    Raises:
        ResourceNameError: when there is none of that name.
        ResourceSpecificationError: when it cannot mean a resource.
        LoadError: when a reference leads nowhere.
    """
    found: Resource | ResourceTemplate = create_installed_registry().resolve_item(
        "resources", spec, relative_to=relative_to, owner=owner, where=where
    )
    return found


def default_tools() -> Mapping[str, Tool]:
    """The built-in tools by their names, each loaded when it is asked for.

    Trust level: discovery for the names, inspection for the tools.
    """
    return LazyItemMapping(ItemRegistry([get_built_in_extension()]).list_items("tools"))


def default_prompts() -> Mapping[str, Prompt]:
    """The built-in prompts by their names, each loaded when it is asked for.

    A name here is not what clients see: several of them may be prompts named `Search`.
    Trust level: discovery for the names, inspection for the prompts.
    """
    return LazyItemMapping(ItemRegistry([get_built_in_extension()]).list_items("prompts"))
