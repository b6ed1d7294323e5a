"""Finding the definition of a server by its name.

The user's own come first, then what a qualified name says, then the built-in ones. Finding and
listing are discovery; reading the definition of an extension is inspection, since it may be Python.
Nothing is loaded but the one definition that is asked for.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from paddock.errors import PaddockError
from paddock.extensions.names import parse_qualified
from paddock.extensions.registry import (
    Registry,
    declared,
    find_declared,
    find_not_installed,
    registry,
)
from paddock.protocol.facts import ServerFacts
from paddock.server import Server
from paddock.servers.definition import from_mapping
from paddock.servers.errors import ServerDefinitionError, ServerNotFoundError
from paddock.servers.facts import DEFAULT_VERSION
from paddock.servers.file_names import SUFFIX
from paddock.servers.reading import path_of, read_definition, read_text, stored, with_version
from paddock.suggestions import did_you_mean

if TYPE_CHECKING:
    from paddock.extensions.extension import Extension
    from paddock.extensions.registry import Declared
    from paddock.servers.definition import ServerDefinition

BUILT_IN = "built-in"
Listed = Literal["tools", "prompts", "resources"]
LISTED: tuple[Listed, ...] = ("tools", "prompts", "resources")
_NEAR = 0.6


class Outline(NamedTuple):
    """What a list of servers tells about one; None stands for what only its Python file knows."""

    title: str | None
    description: str | None
    version: str
    tools: list[Any] | None
    prompts: list[Any] | None
    resources: list[Any] | None


class Source(NamedTuple):
    """Where the definition of a server is."""

    name: str
    path: Path | None
    """The file, if it is one of the user's own."""
    declared: Declared | None = None
    """The item of an extension, if it is one."""
    problem: str | None = None
    """Why there can be no server, if that is known before anything is read."""
    is_free: bool = False
    """Whether the file is somewhere else, and need not be called like its server."""

    @property
    def location(self) -> Path | str:
        """The user's file, `built-in`, or the name of the extension that brings the server."""
        if self.declared is None:
            return self.path or Path()
        extension = self.declared.extension
        return BUILT_IN if extension.is_built_in else extension.name

    @property
    def lasting_name(self) -> str:
        """The name that leads here, also where a server of the user's has the short one."""
        if self.declared is not None and os.path.lexists(path_of(self.name)):
            return self.declared.qualified_name
        return self.name

    @property
    def owner(self) -> Extension | None:
        """The extension whose names count in the definition without a prefix."""
        return None if self.declared is None else self.declared.extension

    @property
    def is_remote(self) -> bool:
        """Whether it is known from a catalogue only, and not installed."""
        return self.declared is not None and not self.declared.extension.is_installed

    @property
    def file(self) -> Path:
        """The file that holds the definition.

        Raises:
            LoadError: when an extension declares the server and does not define it.
        """
        if self.declared is not None:
            return self.declared.definition().path
        return self.path or Path()

    def read(self) -> ServerDefinition:
        """The definition.

        Raises:
            DefinitionError: when it cannot be as it is.
            LoadError: when it cannot be read.
        """
        if self.problem is not None:
            raise ServerDefinitionError(self.problem, where=str(self.path))
        if self.declared is None:
            return self._read_own()
        file = self.declared.definition()
        version = self.declared.extension.version
        if file.path.suffix == ".toml" and not file.is_combined:
            definition = read_definition(
                read_text(file.path), file.path, name=self.name, version=version
            )
        else:
            definition = self._read_loaded(file.load(), str(file.path), version)
        definition.name = self.name
        return definition

    def outline(self) -> Outline:
        """What can be said of the server and runs nothing, also where its definition is Python.

        Raises:
            PaddockError: when the definition is missing, or cannot be as it is.
        """
        if self.declared is None or not (self.is_remote or self._is_python(self.declared)):
            said = self._read_safely()
            return Outline(
                *(said.title, said.description, said.version),
                *(said.tools, said.prompts, said.resources),
            )
        item = self.declared.item
        lists = [self._names(self.declared, kind) for kind in LISTED]
        title = item.properties.get("title")
        version = self.declared.extension.version or DEFAULT_VERSION
        return Outline(title if isinstance(title, str) else None, item.description, version, *lists)

    def _read_safely(self) -> ServerDefinition:
        """The definition, for a list, in which no server may hide the others.

        Raises:
            PaddockError: whatever is wrong with it.
        """
        try:
            return self.read()
        except PaddockError:
            raise
        except Exception as error:  # noqa: BLE001 - what it may hold is without end
            reason = f"cannot be read: {type(error).__name__}: {error}"
            raise ServerDefinitionError(reason, where=str(self.file)) from None

    def _names(self, declared: Declared, kind: Listed) -> list[Any] | None:
        """What a manifest says of a server's list, for those who do not read its definition.

        Of one that is not installed, everything that its extension declares, if it says nothing.
        """
        said = _names_in(declared.item.properties, kind)
        if not self.is_remote or kind == "resources":
            return said
        extension = declared.extension
        names = [one.name for one in extension.manifest.items(kind)] if said is None else said
        return [_qualified(one, kind, extension) for one in names]

    def _is_python(self, declared: Declared) -> bool:
        return declared.definition().path.suffix == ".py"

    def _read_own(self) -> ServerDefinition:
        return self.understood(read_text(self.file))

    def understood(self, text: str) -> ServerDefinition:
        """What a text would define as this server.

        Raises:
            DefinitionError: when it cannot be.
        """
        definition = read_definition(text, self.file, name=self.name)
        if definition.name != self.name and not self.is_free:
            raise ServerDefinitionError(
                f"says that its name is {definition.name!r}, but it is the file of {self.name!r}",
                where=str(self.path),
                hint="change the name in it, or rename the file",
            )
        return definition

    def current(self) -> ServerDefinition | None:
        """The definition, if it can be read."""
        try:
            return self.read()
        except PaddockError:
            return None

    def _read_loaded(self, found: object, where: str, version: str | None) -> ServerDefinition:
        if isinstance(found, Mapping):
            table = with_version(found, version)
            return from_mapping(table, name=self.name, place=lambda key: f"{where}: {key}")
        if isinstance(found, Server):
            definition = from_mapping(_parts_of(found, version), name=self.name)
            definition.made = found
            return definition
        raise ServerDefinitionError(
            f"holds {found!r}"[:100], where=where, hint="expected a table or a Server"
        )


def _qualified(name: Any, kind: Listed, extension: Extension) -> Any:
    """A name in an extension's own list as others have to write it."""
    is_own = any(item.name == name for item in extension.manifest.items(kind))
    return f"{extension.name}/{name}" if is_own else name


def _names_in(properties: Mapping[str, object], kind: str) -> list[Any] | None:
    """A list that a manifest gives for a server, for those who do not read its definition."""
    found = next((properties[key] for key in (kind, f"mcp_{kind}") if key in properties), None)
    return list(found) if isinstance(found, list | tuple) else None


def _parts_of(server: Server, version: str | None) -> dict[str, object]:
    """What can be told of a server that an extension made itself."""
    is_said = server.facts.version != ServerFacts("").version
    return {
        "version": server.facts.version if is_said else version,
        "title": server.facts.title,
        "description": server.facts.description,
        "instructions": server.facts.instructions,
        "tools": list(server.tools),
        "prompts": list(server.prompts),
        "resources": [*server.resources, *server.templates],
    }


def find_source(name: str, *, include_remote: bool = False) -> Source:
    """Where the server of a name is defined; if wanted, also one that a catalogue lists.

    Raises:
        ServerNotFoundError: when there is none, with names that are like it.
        ExtensionError: when the name is qualified, and its extension has no such server.
        ServerDefinitionError: when that cannot be the name of a server.
    """
    found = find_installed(name) or (_find_remote(name) if include_remote else None)
    if found is None:
        raise not_found(name)
    return found


def find_installed(name: str) -> Source | None:
    """Where the server of a name is defined, for those who need no reason when it is nowhere.

    Raises:
        ServerDefinitionError: when that cannot be the name of a server.
        PaddockError: when its extension is broken.
    """
    path = path_of(name)
    if os.path.lexists(path):
        return Source(name, path)
    for one in stored():
        if one.name == name:
            return Source(name, one.path, problem=one.problem)
    item = find_declared("servers", name)
    return None if item is None else Source(item.name, None, item)


def _find_remote(name: str) -> Source | None:
    """A server that the copies of catalogues list; nothing is fetched, nothing installed."""
    qualified = parse_qualified(name)
    if qualified is None:
        return None
    extension = find_not_installed(qualified.package_name)
    found = [] if extension is None else Registry([extension]).declared("servers")
    return next((Source(one.name, None, one) for one in found if one.name == name), None)


def file_source(path: Path) -> Source:
    """A definition file anywhere, which names its server itself or is called like it."""
    return Source(path.name.removesuffix(SUFFIX), path.absolute(), is_free=True)


def all_sources(*, include_remote: bool = False, refresh: bool = False) -> list[Source]:
    """Every server there is: the user's own, then those of extensions that they do not shadow.

    If wanted, then those that catalogues list and that are not installed; a catalogue of which
    there is no copy, or an old one, is fetched; with `refresh` all of them.
    """
    own = [Source(one.name, one.path, problem=one.problem) for one in stored()]
    taken = {source.name for source in own}
    further = declared("servers")
    if include_remote:
        further += _remote_servers(refresh=refresh)
    others = [Source(one.name, None, one) for one in further if one.name not in taken]
    return own + others


def _remote_servers(*, refresh: bool) -> list[Declared]:
    from paddock.extensions.catalogue.cache import (  # noqa: PLC0415 - only when asked for
        refresh_all,
    )
    from paddock.extensions.catalogue.remote import (  # noqa: PLC0415 - only when asked for
        remote_extensions,
    )

    if refresh:
        refresh_all()
    return Registry(remote_extensions(may_fetch=True)).declared("servers")


def not_found(name: str) -> PaddockError:
    """The complaint about a name that no server has."""
    names = [source.name for source in all_sources()]
    qualified = parse_qualified(name)
    if qualified is not None:
        return registry().absent("servers", qualified)
    listed = ", ".join(sorted(names, key=str.casefold)[:10])
    hint = did_you_mean(name, names, likeness=_NEAR) or f"there are: {listed}"
    return ServerNotFoundError(f"there is no server named {name!r}", hint=hint)
