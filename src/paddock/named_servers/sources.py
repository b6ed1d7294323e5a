"""Sources of server definitions, with functions to look up, list and read them.

The user's own definitions take precedence, then extensions by qualified name, then the built-in
ones. Finding and listing are discovery. Reading is inspection, because the definition of an
extension may be in Python; only the requested definition is loaded.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from paddock.errors import PaddockError
from paddock.extensions.data_formats import parse_toml
from paddock.extensions.manifest import LISTED_KINDS
from paddock.extensions.names import parse_qualified_name
from paddock.extensions.registry import (
    InstalledItemRegistry,
    ItemRegistry,
    find_catalogue_extension,
    list_catalogue_items,
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
    from paddock.extensions.manifest import ListedKind
    from paddock.extensions.registry import DeclaredItem
    from paddock.named_servers.definition import ServerDefinition


def get_definitions_directory() -> Path:
    """Return the directory that contains the user's definitions."""
    return Path(get_servers_directory())


def get_definition_path(name: str) -> Path:
    """Return the path of the user's definition with a name, which may not exist."""
    return Path(build_definition_path(name))


def list_user_sources() -> list[DefinitionSource]:
    """Return the user's definitions by name, without opening their files."""
    files = sorted(
        get_definitions_directory().glob(f"*{DEFINITION_SUFFIX}"),
        key=lambda file: file.name.lower(),
    )
    return [_make_user_source(file) for file in files if not file.name.startswith(".")]


def read_definition(
    text: str, path: Path, *, name: str | None = None, version: str | None = None
) -> ServerDefinition:
    """Parse the text of a definition file.

    Args:
        text: The content of the file, in TOML.
        path: The path of the file, for error messages.
        name: The name of the server, if the text does not contain one.
        version: The version of the server, if the text does not contain one.

    Raises:
        ServerDefinitionError: The definition is not valid. If known, the line is included in
            `where`.
        DefinitionError: `tools` or `prompts` is not a list.
    """
    table = add_default_version(parse_definition_toml(text, path), version)
    return parse_definition(table, name=name, place=lambda key: _locate_key(text, path, key))


def add_default_version(table: Mapping[str, Any], version: str | None) -> dict[str, Any]:
    """Return a copy of a definition's table that includes a version.

    The default is added only if the table has no version under any spelling, such as `Version`. An
    extension's version is the default for its servers.
    """
    wrapped_table = table.get(WRAPPER_KEY)
    keys = [*table, *(wrapped_table if isinstance(wrapped_table, Mapping) else ())]
    has_version = any(canonical_key(key) == "version" for key in keys)
    if version is None or has_version:
        return {**table}
    return {"version": version, **table}


def parse_definition_toml(text: str, path: Path) -> dict[str, Any]:
    """Parse the TOML text of a definition file into a table.

    Raises:
        ServerDefinitionError: The text is not valid TOML.
    """
    try:
        return parse_toml(text.encode())
    except ValueError as error:
        raise ServerDefinitionError(f"not valid TOML: {error}", where=str(path)) from None


def _make_user_source(file: Path) -> DefinitionSource:
    """Return the source for a definition file in the user's directory.

    If the file name is not an encoded server name, the source has a `problem` that gives the
    correct file name. Reading the source then raises this error.
    """
    name = decode_name(file.stem)
    if name is not None:
        return DefinitionSource(name, file)
    try:
        expected_name = f"{encode_name(file.stem)}{DEFINITION_SUFFIX}"
        problem = f"the file of a server {file.stem!r} must be called {expected_name}"
    except ServerDefinitionError as error:
        problem = str(error)
    return DefinitionSource(file.stem, file, problem=problem)


def read_definition_text(path: Path) -> str:
    """Return a definition file's text.

    Raises:
        ServerDefinitionError: The file cannot be read, or is not UTF-8.
    """
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ServerDefinitionError("the file is not UTF-8", where=str(path)) from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise ServerDefinitionError(f"cannot be read: {reason}", where=str(path)) from None


def _locate_key(text: str, path: Path, key: str) -> str:
    """Return the location of a key, such as `Calc.toml:12`, or only the file if it is not found.

    The key may begin an assignment, such as `tools = […]`, or a table, such as `[options.Plot]`.
    """
    pattern = rf'^[ \t]*\[*[ \t]*"?{re.escape(key)}(?=[ =\]."\r]|$)'
    match = re.search(pattern, text, re.MULTILINE)
    if match is None:
        return str(path)
    line = text.count("\n", 0, match.end()) + 1
    return f"{path}:{line}"


BUILT_IN_LOCATION = "built-in"
_MIN_SIMILARITY = 0.6


class ServerOutline(NamedTuple):
    """The summary of a server in a list, which is read without running code.

    A field is None if its value is missing, or if the server's Python file must run to determine
    it.
    """

    title: str | None
    description: str | None
    version: str
    tools: list[Any] | None
    """The tools as the definition specifies them: names, references or tables."""
    prompts: list[Any] | None
    resources: list[Any] | None


class DefinitionSource(NamedTuple):
    """The source of a server's definition: a user's file or an extension's item.

    Creating it reads nothing, so listing servers stays fast. `read_outline` does not run code, but
    `read` may run an extension's Python file.
    """

    name: str
    path: Path | None
    """The file of a user's server."""
    extension_item: DeclaredItem | None = None
    """The item of an extension's server."""
    problem: str | None = None
    """The reason the definition cannot be used, if known without reading it."""
    is_standalone_file: bool = False
    """True for a file in another directory. Its name may differ from the server's."""

    @property
    def location(self) -> Path | str:
        """The user's file, `built-in`, or the name of the extension."""
        if self.extension_item is None:
            return self.path or Path()
        extension = self.extension_item.extension
        return BUILT_IN_LOCATION if extension.is_built_in else extension.name

    @property
    def stable_name(self) -> str:
        """A name for this server that none of the user's servers shadows."""
        # A broken link counts too. Once the user repairs it, it takes precedence.
        if self.extension_item is not None and os.path.lexists(get_definition_path(self.name)):
            return self.extension_item.qualified_name
        return self.name

    @property
    def owner(self) -> Extension | None:
        """The extension that contains the definition, or None for a user's definition."""
        return None if self.extension_item is None else self.extension_item.extension

    @property
    def is_remote(self) -> bool:
        """True if the extension is not installed but listed in a catalogue."""
        return self.extension_item is not None and not self.extension_item.extension.is_installed

    @property
    def file(self) -> Path:
        """The file that contains the definition.

        Raises:
            LoadError: The extension's manifest declares the server, but no file defines it.
        """
        if self.extension_item is not None:
            return self.extension_item.definition().path
        return self.path or Path()

    def read(self) -> ServerDefinition:
        """Read the definition from the user's file or from the extension.

        This may run an extension's Python file.

        Raises:
            DefinitionError: The definition is not valid.
            LoadError: The definition cannot be read.
        """
        if self.problem is not None:
            raise ServerDefinitionError(self.problem, where=str(self.path))
        if self.extension_item is None:
            return self.parse_as(read_definition_text(self.file))
        file = self.extension_item.definition()
        version = self.extension_item.extension.version
        # A TOML file with one server is parsed from its text, so that errors have line numbers.
        # All other definitions are objects that the extension's loader returns.
        if file.path.suffix == ".toml" and not file.is_combined:
            definition = read_definition(
                read_definition_text(file.path), file.path, name=self.name, version=version
            )
        else:
            definition = self._convert_loaded_object(file.load(), str(file.path), version)
        definition.name = self.name
        return definition

    def read_outline(self) -> ServerOutline:
        """Return a summary of the server without running code.

        If the definition is in Python, or the server is not installed, the summary only contains
        values from the extension's manifest.

        Raises:
            PaddockError: The definition is missing or not valid.
        """
        item = self.extension_item
        if item is not None and (self.is_remote or item.definition().path.suffix == ".py"):
            return _outline_manifest_item(item)
        try:
            definition = self.read()
        except PaddockError:
            raise
        # Callers that list servers only handle PaddockError. Any other error in one server would
        # hide all the others.
        except Exception as error:  # noqa: BLE001 - the content of the file is arbitrary
            reason = f"cannot be read: {type(error).__name__}: {error}"
            raise ServerDefinitionError(reason, where=str(self.file)) from None
        return ServerOutline(*(getattr(definition, field) for field in ServerOutline._fields))

    def parse_as(self, text: str) -> ServerDefinition:
        """Parse a text as the definition of this server.

        A file in the user's directory must contain the server's own name, because the server is
        looked up by the name of the file.

        Raises:
            DefinitionError: The text is not a valid definition of this server.
        """
        definition = read_definition(text, self.file, name=self.name)
        if definition.name != self.name and not self.is_standalone_file:
            raise ServerDefinitionError(
                f"the name in the file is {definition.name!r}, expected {self.name!r}",
                where=str(self.path),
                hint="change the name in the file, or rename the file",
            )
        return definition

    def try_read(self) -> ServerDefinition | None:
        """Return the definition, or None if it cannot be read."""
        try:
            return self.read()
        except PaddockError:
            return None

    def _convert_loaded_object(
        self, value: object, where: str, version: str | None
    ) -> ServerDefinition:
        """Return the definition for an object returned by an extension's loader.

        Args:
            value: A table with the fields of a definition, or a `Server` object.
            where: The location of the object, for error messages.
            version: The version of the extension, which is the default for the server.

        Raises:
            ServerDefinitionError: The object has a different type, or the table is not valid.
        """
        if isinstance(value, Mapping):
            table = add_default_version(value, version)
            return parse_definition(table, name=self.name, place=lambda key: f"{where}: {key}")
        if isinstance(value, Server):
            definition = parse_definition(_describe_prebuilt_server(value, version), name=self.name)
            definition.prebuilt_server = value
            return definition
        raise ServerDefinitionError(
            f"the definition is {value!r}"[:100], where=where, hint="use a table or a Server"
        )


def _outline_manifest_item(server_item: DeclaredItem) -> ServerOutline:
    """Return the summary of a server from its extension's manifest."""
    title = server_item.item.properties.get("title")
    return ServerOutline(
        title if isinstance(title, str) else None,
        server_item.item.description,
        server_item.extension.version or DEFAULT_VERSION,
        *(_list_manifest_names(server_item, kind) for kind in LISTED_KINDS),
    )


def _list_manifest_names(server_item: DeclaredItem, kind: ListedKind) -> list[Any] | None:
    """Return the names of a server's tools, prompts or resources according to the manifest.

    If the manifest has no such list for a server that is not installed, the server is assumed to
    contain all of its extension's items. The extension's own items are returned with their
    qualified names, such as `charts/Plot`.
    """
    properties, extension = server_item.item.properties, server_item.extension
    names = properties.get(kind, properties.get(f"mcp_{kind}"))
    listed_names = list(names) if isinstance(names, list | tuple) else None
    if extension.is_installed or kind == "resources":
        return listed_names
    own_names = [item.name for item in extension.manifest.get_items(kind)]
    return [
        f"{extension.name}/{name}" if name in own_names else name
        for name in (own_names if listed_names is None else listed_names)
    ]


def _describe_prebuilt_server(server: Server, version: str | None) -> dict[str, object]:
    """Return a definition table that describes a `Server` object and contains its items.

    Args:
        server: The server, which Python code has created.
        version: The extension's version, used if the server still has the default version.
    """
    has_own_version = server.metadata.version != ServerMetadata("").version
    return {
        "version": server.metadata.version if has_own_version else version,
        "title": server.metadata.title,
        "description": server.metadata.description,
        "instructions": server.metadata.instructions,
        "tools": list(server.tools),
        "prompts": list(server.prompts),
        "resources": [*server.resources, *server.templates],
    }


def find_source(name: str, *, include_remote: bool = False) -> DefinitionSource:
    """Return the source of a server's definition.

    Args:
        name: The name of the server.
        include_remote: Include servers that are listed in a catalogue but not installed.

    Raises:
        ServerNotFoundError: There is no such server; the hint suggests similar names.
        ExtensionError: The name is qualified, and its extension has no such server.
        ServerDefinitionError: The name is not valid.
    """
    source = find_installed_source(name) or (_find_remote_source(name) if include_remote else None)
    if source is None:
        raise make_not_found_error(name)
    return source


def find_installed_source(name: str) -> DefinitionSource | None:
    """Return the source of an installed server's definition, or None.

    Searches the user's definitions first, then the items that extensions declare.

    Raises:
        ServerDefinitionError: The name is not valid.
        PaddockError: The server's extension is broken.
    """
    path = get_definition_path(name)
    # Unlike exists, lexists also finds broken links. If the user's file cannot be read, a built-in
    # server with the same name must not silently replace it.
    if os.path.lexists(path):
        return DefinitionSource(name, path)
    # This also finds a file whose name is encoded incorrectly. Reading it reports the problem.
    for source in list_user_sources():
        if source.name == name:
            return source
    item = InstalledItemRegistry().find_item("servers", name)
    return None if item is None else DefinitionSource(item.name, None, item)


def _find_remote_source(name: str) -> DefinitionSource | None:
    """Return the source of a server that is only listed in a catalogue, or None.

    Searches the cached copies of the catalogues. Nothing is downloaded or installed.
    """
    qualified_name = parse_qualified_name(name)
    if qualified_name is None:
        return None
    extension = find_catalogue_extension(qualified_name.extension_name)
    if extension is None:
        return None
    for item in ItemRegistry([extension]).list_items("servers"):
        if item.name == name:
            return DefinitionSource(item.name, None, item)
    return None


def make_file_source(path: Path) -> DefinitionSource:
    """Return the source for a definition file in any directory."""
    return DefinitionSource(
        path.name.removesuffix(DEFINITION_SUFFIX), path.absolute(), is_standalone_file=True
    )


def list_sources(*, include_remote: bool = False, refresh: bool = False) -> list[DefinitionSource]:
    """Return all servers: the user's own, then the extension servers that these do not shadow.

    Args:
        include_remote: Include servers that are listed in catalogues but not installed. Catalogues
            are downloaded if their cached copies are missing or old.
        refresh: Download all catalogues.
    """
    user_sources = list_user_sources()
    user_names = {source.name for source in user_sources}
    items = InstalledItemRegistry().list_items("servers")
    if include_remote:
        items += list_catalogue_items("servers", refresh=refresh)
    extension_sources = [
        DefinitionSource(item.name, None, item) for item in items if item.name not in user_names
    ]
    return user_sources + extension_sources


def make_not_found_error(name: str) -> PaddockError:
    """Return the error for a name that no server has.

    The hint suggests similar names, or else lists some servers. For a qualified name, such as
    `acme/charts/Charts`, the error distinguishes a missing extension from a missing server.
    """
    qualified_name = parse_qualified_name(name)
    if qualified_name is not None:
        return InstalledItemRegistry().make_missing_item_error("servers", qualified_name)
    names = [source.name for source in list_sources()]
    first_names = ", ".join(sorted(names, key=str.casefold)[:10])
    hint = did_you_mean(name, names, likeness=_MIN_SIMILARITY) or f"servers: {first_names}"
    return ServerNotFoundError(f"there is no server named {name!r}", hint=hint)
