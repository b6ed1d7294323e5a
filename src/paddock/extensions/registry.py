"""Everything that extensions declare, by its name, and what a server's lists mean by it.

Trust level: looking for a declared item is discovery and loads nothing; its definition is loaded
when it is resolved, which is inspection. A short name never has installed extensions looked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from paddock.extensions.catalogue.errors import CatalogueError
from paddock.extensions.data_only import refuse_python
from paddock.extensions.discovery import find_extension, find_extensions, is_installed
from paddock.extensions.errors import (
    PromptNotFoundError,
    PromptSpecificationError,
    ResourceNameError,
    ResourceSpecificationError,
    SpecificationError,
    ToolNotFoundError,
    ToolSpecificationError,
)
from paddock.extensions.extension import Extension, built_in
from paddock.extensions.missing import (
    listed,
    near_names,
    no_extension,
    not_declared,
    not_here,
    otherwise_named,
)
from paddock.extensions.names import parse_qualified
from paddock.extensions.prompt_definition import make_prompt
from paddock.extensions.references import directory_of, is_reference, load_reference
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
    from paddock.extensions.manifest import Item, Kind
    from paddock.extensions.names import QualifiedName

T = TypeVar("T")


class Declared(NamedTuple):
    """An item that an extension declares."""

    extension: Extension
    kind: Kind
    item: Item

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


class _Making(NamedTuple):
    """How the items of a kind are made, and what is raised when they cannot be."""

    make: Callable[..., Any]
    registry: str
    invalid: type[SpecificationError]
    not_found: type[DefinitionError]


_MAKING: dict[Kind, _Making] = {
    "tools": _Making(make_tool, "default_tools()", ToolSpecificationError, ToolNotFoundError),
    "prompts": _Making(
        make_prompt, "default_prompts()", PromptSpecificationError, PromptNotFoundError
    ),
    "resources": _Making(
        make_resource, "Paddock's own resources", ResourceSpecificationError, ResourceNameError
    ),
}


class Registry:
    """The items of some extensions, by their names."""

    def __init__(self, extensions: Sequence[Extension]) -> None:
        self._extensions = {extension.name: extension for extension in extensions}

    def extensions(self) -> Iterable[Extension]:
        """All of them."""
        return self._extensions.values()

    def extension(self, name: str) -> Extension | None:
        """The extension of a name.

        Raises:
            PaddockError: when there is one and it is broken.
        """
        return self._extensions.get(name)

    def built_in(self) -> Extension | None:
        """The extension whose items have short names."""
        return next((one for one in self._extensions.values() if one.is_built_in), None)

    def declared(self, kind: Kind) -> list[Declared]:
        """Every item of a kind, extension by extension."""
        return [
            Declared(extension, kind, item)
            for extension in self.extensions()
            for item in extension.manifest.items(kind)
        ]

    def find(self, kind: Kind, name: str, owner: Extension | None = None) -> Declared | None:
        """The item that a name means.

        A short name is one of the owner's, if the name stands in an extension's own definition,
        or else a built-in one; a qualified name is one of that extension. No other is looked at.

        Raises:
            PaddockError: when the extension is there and broken.
        """
        qualified = parse_qualified(name)
        if qualified is None:
            return _in(owner, kind, name) or _in(self.built_in(), kind, name)
        if owner is not None and owner.name == qualified.package_name:
            return _in(owner, kind, qualified.item)
        return _in(self.extension(qualified.package_name), kind, qualified.item)

    def resolve(
        self,
        kind: Kind,
        spec: object,
        *,
        relative_to: Path | None = None,
        owner: Extension | None = None,
        where: str,
    ) -> Any:
        """The tool, prompt or resource that a name, a reference, an object or a table means."""
        making = _MAKING[kind]
        refuse_python(spec, owner, where)
        if not isinstance(spec, str):
            return making.make(spec, relative_to=relative_to, where=where)
        if is_reference(spec):
            found = load_reference(spec, relative_to=relative_to, where=where)
            beside = directory_of(spec, relative_to)
            return making.make(found, relative_to=beside, where=f"{where}: {spec}")
        declared = self.find(kind, spec, owner)
        if declared is None:
            raise self._not_found(kind, spec, owner, where)
        return load_item(declared)

    def _not_found(
        self, kind: Kind, name: str, owner: Extension | None, where: str
    ) -> DefinitionError:
        making, word = _MAKING[kind], kind.removesuffix("s")
        if not name or name.endswith(".py"):
            expected = f"say which object: {name}:name" if name else f"the name of a {word}"
            return making.invalid(repr(name), where=where, hint=expected)
        qualified = parse_qualified(name)
        if qualified is not None:
            return self.absent(kind, qualified, owner, where)
        declared = self.declared(kind)
        known = [one.name for one in declared]
        known += [one.item.name for one in declared if one.extension == owner]
        near = near_names(name, known)
        hint = (
            f"did you mean {' or '.join(near)}?"
            if near
            else f"there are: {listed(known)}; a function of yours is package.module:name or"
            " file.py:name"
        )
        message = f'No {word} named "{name}" found in {making.registry}'
        return making.not_found(message, where=where, hint=hint)

    def absent(
        self,
        kind: Kind,
        name: QualifiedName,
        owner: Extension | None = None,
        where: str | None = None,
    ) -> ExtensionError:
        """Why a qualified name leads to nothing."""
        is_own = owner is not None and owner.name == name.package_name
        extension = owner if is_own else self.extension(name.package_name)
        if extension is not None:
            return not_declared(kind, name, extension, where)
        remote = find_not_installed(name.package_name)
        if remote is not None:
            return not_here(kind, name, remote, where)
        near = near_names(str(name), [one.name for one in self.declared(kind)])
        bringing = [one for one in self.extensions() if one.is_brought_by(name.package_name)]
        if bringing:
            return otherwise_named(kind, name, bringing, where)
        return no_extension(kind, name, near, where, is_installed=is_installed(name.package_name))


class InstalledRegistry(Registry):
    """The items of all installed extensions; which these are is found out when it matters."""

    def __init__(self) -> None:
        super().__init__([built_in()])

    def extensions(self) -> Iterable[Extension]:
        """All that can be used."""
        return find_extensions()

    def extension(self, name: str) -> Extension | None:
        """The extension of a name, found without looking at others."""
        found = find_extension(name)
        if found.extensions:
            return found.extensions[0]
        for broken in found.broken:
            raise broken.problem
        return None


class LazyItems(Mapping[str, T], Generic[T]):
    """Items by their names, each loaded when it is asked for."""

    def __init__(self, declared: Sequence[Declared]) -> None:
        self._declared = {one.item.name: one for one in declared}

    def __getitem__(self, name: str) -> T:
        item: T = load_item(self._declared[name])
        return item

    def __iter__(self) -> Iterator[str]:
        return iter(self._declared)

    def __len__(self) -> int:
        return len(self._declared)

    def __repr__(self) -> str:
        return f"<{', '.join(self._declared)}>"


def load_item(declared: Declared) -> Any:
    """The tool, prompt or resource that an extension declares.

    Raises:
        LoadError: when its definition is missing or cannot be read.
        SpecificationError: when it is not what it should be.
    """
    file = declared.definition()
    make = _MAKING[declared.kind].make
    return make(
        file.load(), relative_to=file.directory, where=str(file.path), name=declared.item.name
    )


def find_not_installed(name: str) -> Extension | None:
    """What a catalogue says of an extension that is not installed; nothing is fetched for that."""
    if is_installed(name):
        return None
    from paddock.extensions.catalogue.remote import (  # noqa: PLC0415 - few names are missing
        find_remote,
    )

    try:
        return find_remote(name)
    except CatalogueError:
        return None  # the complaint is about the name


def _in(extension: Extension | None, kind: Kind, name: str) -> Declared | None:
    items = () if extension is None else extension.manifest.items(kind)
    found = next((item for item in items if item.name == name), None)
    return None if extension is None or found is None else Declared(extension, kind, found)


def registry() -> Registry:
    """The items of all installed extensions."""
    return InstalledRegistry()


def declared(kind: Kind) -> list[Declared]:
    """Every item of a kind that an installed extension declares; nothing is loaded."""
    return registry().declared(kind)


def find_declared(kind: Kind, name: str, owner: Extension | None = None) -> Declared | None:
    """The item that a name means, short for what is built in; None when there is none."""
    return registry().find(kind, name, owner)


def resolve_tool(
    spec: object, *, relative_to: Path | None = None, owner: Extension | None = None, where: str
) -> Tool:
    """The tool that a name, a reference, a function, an object or a table means.

    Raises:
        ToolNotFoundError: when there is none of that name.
        ToolSpecificationError: when it cannot mean a tool.
        LoadError: when a reference leads nowhere.
    """
    found: Tool = registry().resolve(
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
    found: Prompt = registry().resolve(
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
    found: Resource | ResourceTemplate = registry().resolve(
        "resources", spec, relative_to=relative_to, owner=owner, where=where
    )
    return found


def default_tools() -> Mapping[str, Tool]:
    """The built-in tools by their names, each loaded when it is asked for.

    Trust level: discovery for the names, inspection for the tools.
    """
    return LazyItems(Registry([built_in()]).declared("tools"))


def default_prompts() -> Mapping[str, Prompt]:
    """The built-in prompts by their names, each loaded when it is asked for.

    A name here is not what clients see: several of them may be prompts named `Search`.
    Trust level: discovery for the names, inspection for the prompts.
    """
    return LazyItems(Registry([built_in()]).declared("prompts"))
