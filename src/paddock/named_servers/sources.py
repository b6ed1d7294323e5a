"""Finding the definition of a server by its name.

The user's own come first, then what a qualified name says, then the built-in ones. Finding and
listing are discovery; reading the definition of an extension is inspection, since it may be Python.
Nothing is loaded but the one definition that is asked for.

Reading server definitions: which files there are, and what they say.

How they are written is `store`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from paddock.errors import PaddockError
from paddock.extensions.data_formats import parse_toml
from paddock.extensions.names import parse_qualified_name
from paddock.extensions.registry import (
    InstalledItemRegistry,
    ItemRegistry,
    find_catalogue_extension,
    find_declared_item,
    list_declared_items,
)
from paddock.named_servers.definition import WRAPPER_KEY, canonical_key, parse_definition
from paddock.named_servers.names import (
    DEFINITION_SUFFIX,
    ServerDefinitionError,
    ServerNotFoundError,
    build_definition_path,
    decode_name,
    encode_name,
    get_servers_directory,
)
from paddock.named_servers.quick_facts import DEFAULT_VERSION
from paddock.protocol.server_metadata import ServerMetadata
from paddock.server import Server
from paddock.suggestions import did_you_mean

if TYPE_CHECKING:
    from paddock.extensions.extension import Extension
    from paddock.extensions.registry import DeclaredItem
    from paddock.named_servers.definition import ServerDefinition


class StoredDefinition(NamedTuple):
    """A file in the directory of definitions."""

    name: str
    path: Path
    problem: str | None
    """Why no server can be found by the file, if so."""


def get_definitions_directory() -> Path:
    """Where the user's definitions are."""
    return Path(get_servers_directory())


def get_definition_path(name: str) -> Path:
    """The file of the user's server of a name, whether there is one or not."""
    return Path(build_definition_path(name))


def list_stored_definitions() -> list[StoredDefinition]:
    """All files of definitions, by name; none is opened."""
    files = sorted(
        get_definitions_directory().glob(f"*{DEFINITION_SUFFIX}"),
        key=lambda file: file.name.lower(),
    )
    return [_describe_file(file) for file in files if not file.name.startswith(".")]


def read_definition(
    text: str, path: Path, *, name: str | None = None, version: str | None = None
) -> ServerDefinition:
    """What the text of a file defines; `name` and `version` are for one that does not say its own.

    Raises:
        ServerDefinitionError: when it cannot be understood, with the line if it is known.
        DefinitionError: of another kind, when tools or prompts are no lists.
    """
    table = add_default_version(parse_definition_toml(text, path), version)
    return parse_definition(table, name=name, place=lambda key: _locate_key(text, path, key))


def add_default_version(table: Mapping[str, Any], version: str | None) -> dict[str, Any]:
    """A table that says a version, unless it says its own in any spelling."""
    inner = table.get(WRAPPER_KEY)
    said = [*table, *(inner if isinstance(inner, Mapping) else ())]
    if version is None or any(canonical_key(key) == "version" for key in said):
        return {**table}
    return {"version": version, **table}


def parse_definition_toml(text: str, path: Path) -> dict[str, Any]:
    """The table that a file holds.

    Raises:
        ServerDefinitionError: when it is no TOML.
    """
    try:
        return parse_toml(text.encode())
    except ValueError as error:
        raise ServerDefinitionError(f"is no TOML: {error}", where=str(path)) from None


def _describe_file(file: Path) -> StoredDefinition:
    name = decode_name(file.stem)
    if name is not None:
        return StoredDefinition(name, file, None)
    return StoredDefinition(file.stem, file, _explain_wrong_name(file))


def _explain_wrong_name(file: Path) -> str:
    try:
        wanted = encode_name(file.stem)
    except ServerDefinitionError as error:
        return str(error)
    return f"the file of a server {file.stem!r} has to be called {wanted}{DEFINITION_SUFFIX}"


def read_definition_text(path: Path) -> str:
    """The text of a definition file.

    Raises:
        ServerDefinitionError: when it cannot be read.
    """
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ServerDefinitionError("is not UTF-8", where=str(path)) from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise ServerDefinitionError(f"cannot be read: {reason}", where=str(path)) from None


def _locate_key(text: str, path: Path, key: str) -> str:
    """A file with the line where a key stands, as far as that can be seen."""
    for number, line in enumerate(text.splitlines(), 1):
        start = line.strip().lstrip("[").lstrip()
        if start.startswith((key, f'"{key}"')) and start.strip('"')[len(key) :][:1] in (
            *("", " ", "=", "]", ".", '"'),
        ):
            return f"{path}:{number}"
    return str(path)


BUILT_IN_LOCATION = "built-in"
ListedKind = Literal["tools", "prompts", "resources"]
LISTED_KINDS: tuple[ListedKind, ...] = ("tools", "prompts", "resources")
_MIN_SIMILARITY = 0.6


class ServerOutline(NamedTuple):
    """What a list of servers tells about one; None stands for what only its Python file knows."""

    title: str | None
    description: str | None
    version: str
    tools: list[Any] | None
    prompts: list[Any] | None
    resources: list[Any] | None


class DefinitionSource(NamedTuple):
    """Where the definition of a server is."""

    name: str
    path: Path | None
    """The file, if it is one of the user's own."""
    extension_item: DeclaredItem | None = None
    """The item of an extension, if it is one."""
    problem: str | None = None
    """Why there can be no server, if that is known before anything is read."""
    is_standalone_file: bool = False
    """Whether the file is somewhere else, and need not be called like its server."""

    @property
    def location(self) -> Path | str:
        """The user's file, `built-in`, or the name of the extension that brings the server."""
        if self.extension_item is None:
            return self.path or Path()
        extension = self.extension_item.extension
        return BUILT_IN_LOCATION if extension.is_built_in else extension.name

    @property
    def stable_name(self) -> str:
        """The name that leads here, also where a server of the user's has the short one."""
        if self.extension_item is not None and os.path.lexists(get_definition_path(self.name)):
            return self.extension_item.qualified_name
        return self.name

    @property
    def owner(self) -> Extension | None:
        """The extension whose names count in the definition without a prefix."""
        return None if self.extension_item is None else self.extension_item.extension

    @property
    def is_remote(self) -> bool:
        """Whether it is known from a catalogue only, and not installed."""
        return self.extension_item is not None and not self.extension_item.extension.is_installed

    @property
    def file(self) -> Path:
        """The file that holds the definition.

        Raises:
            LoadError: when an extension declares the server and does not define it.
        """
        if self.extension_item is not None:
            return self.extension_item.definition().path
        return self.path or Path()

    def read(self) -> ServerDefinition:
        """The definition.

        Raises:
            DefinitionError: when it cannot be as it is.
            LoadError: when it cannot be read.
        """
        if self.problem is not None:
            raise ServerDefinitionError(self.problem, where=str(self.path))
        if self.extension_item is None:
            return self._read_user_file()
        file = self.extension_item.definition()
        version = self.extension_item.extension.version
        if file.path.suffix == ".toml" and not file.is_combined:
            definition = read_definition(
                read_definition_text(file.path), file.path, name=self.name, version=version
            )
        else:
            definition = self._convert_loaded_object(file.load(), str(file.path), version)
        definition.name = self.name
        return definition

    def outline(self) -> ServerOutline:
        """What can be said of the server and runs nothing, also where its definition is Python.

        Raises:
            PaddockError: when the definition is missing, or cannot be as it is.
        """
        if self.extension_item is None or not (
            self.is_remote or self._has_python_definition(self.extension_item)
        ):
            said = self._read_for_outline()
            return ServerOutline(
                *(said.title, said.description, said.version),
                *(said.tools, said.prompts, said.resources),
            )
        item = self.extension_item.item
        lists = [self._list_manifest_names(self.extension_item, kind) for kind in LISTED_KINDS]
        title = item.properties.get("title")
        version = self.extension_item.extension.version or DEFAULT_VERSION
        return ServerOutline(
            title if isinstance(title, str) else None, item.description, version, *lists
        )

    def _read_for_outline(self) -> ServerDefinition:
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

    def _list_manifest_names(self, declared: DeclaredItem, kind: ListedKind) -> list[Any] | None:
        """What a manifest says of a server's list, for those who do not read its definition.

        Of one that is not installed, everything that its extension declares, if it says nothing.
        """
        said = _get_manifest_list(declared.item.properties, kind)
        if not self.is_remote or kind == "resources":
            return said
        extension = declared.extension
        names = [one.name for one in extension.manifest.get_items(kind)] if said is None else said
        return [_qualify_name(one, kind, extension) for one in names]

    def _has_python_definition(self, declared: DeclaredItem) -> bool:
        return declared.definition().path.suffix == ".py"

    def _read_user_file(self) -> ServerDefinition:
        return self.parse_as(read_definition_text(self.file))

    def parse_as(self, text: str) -> ServerDefinition:
        """What a text would define as this server.

        Raises:
            DefinitionError: when it cannot be.
        """
        definition = read_definition(text, self.file, name=self.name)
        if definition.name != self.name and not self.is_standalone_file:
            raise ServerDefinitionError(
                f"says that its name is {definition.name!r}, but it is the file of {self.name!r}",
                where=str(self.path),
                hint="change the name in it, or rename the file",
            )
        return definition

    def try_read(self) -> ServerDefinition | None:
        """The definition, if it can be read."""
        try:
            return self.read()
        except PaddockError:
            return None

    def _convert_loaded_object(
        self, found: object, where: str, version: str | None
    ) -> ServerDefinition:
        if isinstance(found, Mapping):
            table = add_default_version(found, version)
            return parse_definition(table, name=self.name, place=lambda key: f"{where}: {key}")
        if isinstance(found, Server):
            definition = parse_definition(_describe_prebuilt_server(found, version), name=self.name)
            definition.prebuilt_server = found
            return definition
        raise ServerDefinitionError(
            f"holds {found!r}"[:100], where=where, hint="expected a table or a Server"
        )


def _qualify_name(name: Any, kind: ListedKind, extension: Extension) -> Any:
    """A name in an extension's own list as others have to write it."""
    is_own = any(item.name == name for item in extension.manifest.get_items(kind))
    return f"{extension.name}/{name}" if is_own else name


def _get_manifest_list(properties: Mapping[str, object], kind: str) -> list[Any] | None:
    """A list that a manifest gives for a server, for those who do not read its definition."""
    found = next((properties[key] for key in (kind, f"mcp_{kind}") if key in properties), None)
    return list(found) if isinstance(found, list | tuple) else None


def _describe_prebuilt_server(server: Server, version: str | None) -> dict[str, object]:
    """What can be told of a server that an extension made itself."""
    is_said = server.metadata.version != ServerMetadata("").version
    return {
        "version": server.metadata.version if is_said else version,
        "title": server.metadata.title,
        "description": server.metadata.description,
        "instructions": server.metadata.instructions,
        "tools": list(server.tools),
        "prompts": list(server.prompts),
        "resources": [*server.resources, *server.templates],
    }


def find_source(name: str, *, include_remote: bool = False) -> DefinitionSource:
    """Where the server of a name is defined; if wanted, also one that a catalogue lists.

    Raises:
        ServerNotFoundError: when there is none, with names that are like it.
        ExtensionError: when the name is qualified, and its extension has no such server.
        ServerDefinitionError: when that cannot be the name of a server.
    """
    found = find_installed_source(name) or (_find_remote_source(name) if include_remote else None)
    if found is None:
        raise make_not_found_error(name)
    return found


def find_installed_source(name: str) -> DefinitionSource | None:
    """Where the server of a name is defined, for those who need no reason when it is nowhere.

    Raises:
        ServerDefinitionError: when that cannot be the name of a server.
        PaddockError: when its extension is broken.
    """
    path = get_definition_path(name)
    if os.path.lexists(path):
        return DefinitionSource(name, path)
    for one in list_stored_definitions():
        if one.name == name:
            return DefinitionSource(name, one.path, problem=one.problem)
    item = find_declared_item("servers", name)
    return None if item is None else DefinitionSource(item.name, None, item)


def _find_remote_source(name: str) -> DefinitionSource | None:
    """A server that the copies of catalogues list; nothing is fetched, nothing installed."""
    qualified = parse_qualified_name(name)
    if qualified is None:
        return None
    extension = find_catalogue_extension(qualified.extension_name)
    found = [] if extension is None else ItemRegistry([extension]).list_items("servers")
    return next((DefinitionSource(one.name, None, one) for one in found if one.name == name), None)


def make_file_source(path: Path) -> DefinitionSource:
    """A definition file anywhere, which names its server itself or is called like it."""
    return DefinitionSource(
        path.name.removesuffix(DEFINITION_SUFFIX), path.absolute(), is_standalone_file=True
    )


def list_sources(*, include_remote: bool = False, refresh: bool = False) -> list[DefinitionSource]:
    """Every server there is: the user's own, then those of extensions that they do not shadow.

    If wanted, then those that catalogues list and that are not installed; a catalogue of which
    there is no copy, or an old one, is fetched; with `refresh` all of them.
    """
    own = [
        DefinitionSource(one.name, one.path, problem=one.problem)
        for one in list_stored_definitions()
    ]
    taken = {source.name for source in own}
    further = list_declared_items("servers")
    if include_remote:
        further += _list_remote_items(refresh=refresh)
    others = [DefinitionSource(one.name, None, one) for one in further if one.name not in taken]
    return own + others


def _list_remote_items(*, refresh: bool) -> list[DeclaredItem]:
    from paddock.extensions.catalogues.remote import list_remote_extensions  # noqa: PLC0415 - only for missing extensions
    from paddock.extensions.catalogues.store import refresh_catalogues  # noqa: PLC0415 - only for missing extensions

    if refresh:
        refresh_catalogues()
    return ItemRegistry(list_remote_extensions(may_fetch=True)).list_items("servers")


def make_not_found_error(name: str) -> PaddockError:
    """The complaint about a name that no server has."""
    names = [source.name for source in list_sources()]
    qualified = parse_qualified_name(name)
    if qualified is not None:
        return InstalledItemRegistry().make_missing_item_error("servers", qualified)
    listed = ", ".join(sorted(names, key=str.casefold)[:10])
    hint = did_you_mean(name, names, likeness=_MIN_SIMILARITY) or f"there are: {listed}"
    return ServerNotFoundError(f"there is no server named {name!r}", hint=hint)
