"""The public functions for named servers: create, get, list, edit and serve."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from paddock.extensions.extension import get_built_in_extension
from paddock.extensions.registry import ItemRegistry
from paddock.named_servers.definition import canonical_key, parse_definition
from paddock.named_servers.definition_builder import build_stored_definition, check_startable
from paddock.named_servers.loader import get_origin
from paddock.named_servers.named_server import NamedServer
from paddock.named_servers.names import BuiltInServerError, ServerDefinitionError
from paddock.named_servers.pickles import FunctionPickles
from paddock.named_servers.server_builder import DefinitionOrigin, is_building_server
from paddock.named_servers.server_ref import get_default_server_name
from paddock.named_servers.sources import (
    BUILT_IN_LOCATION,
    DefinitionSource,
    find_source,
    get_definition_path,
    get_definitions_directory,
    list_sources,
    make_file_source,
    read_definition_text,
)
from paddock.named_servers.store import (
    check_name_free,
    clean_up_pickles,
    edit_definition_text,
    get_pickles_directory,
    lock_definitions,
    replace_definition_text,
    write_definition,
)
from paddock.named_servers.stored_form import to_plain_table

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping, Sequence

    from paddock.authoring.prompt import Prompt
    from paddock.authoring.resource import Resource, ResourceTemplate
    from paddock.authoring.tool import Tool
    from paddock.named_servers.definition import ServerDefinition
    from paddock.serving.http import HttpOptions

    DefinitionTable = Mapping[str, Any]
    ToolSpec = str | Tool | DefinitionTable | Callable[..., Any]
    PromptSpec = str | Prompt | DefinitionTable | Callable[..., Any]
    ResourceSpec = str | Resource | ResourceTemplate | DefinitionTable


def create_server(
    name: str,
    definition: Mapping[str, Any] | None = None,
    *,
    tools: ToolSpec | Sequence[ToolSpec] | None = None,
    prompts: PromptSpec | Sequence[PromptSpec] | None = None,
    resources: ResourceSpec | Sequence[ResourceSpec] | None = None,
    instructions: str | Sequence[str] | None = None,
    initialization: str | Callable[[], object] | None = None,
    version: str | None = None,
    options: Mapping[str, Mapping[str, Any]] | None = None,
    title: str | None = None,
    description: str | None = None,
    key: str | None = None,
    overwrite: bool = False,
    pickle: bool = False,
) -> NamedServer:
    """Store a server under a name, so that it can be served and installed.

    All names and references are resolved now and again each time the server starts. The
    initialization does not run. A file that the definition refers to may call this function, which
    has no effect while the server is being loaded. Trust level: inspection; extension definitions
    are loaded, but nothing is called.

    Args:
        name: The name of the server.
        definition: A table with any of the following properties. Arguments take precedence over it.
        tools: Names, qualified names, references, functions, `Tool` objects or tables.
        prompts: The same for prompts.
        resources: References, objects or tables.
        instructions: Instructions for models that use the server.
        initialization: A function, or a reference to one, that runs when the server starts.
        version: The server version, 1.0.0 by default.
        options: Option values by tool name.
        title: The display name.
        description: The purpose of the server.
        key: The name of the entry in client config files.
        overwrite: Replace an existing server of the same name.
        pickle: Pickle functions that cannot be stored by reference.

    Raises:
        ServerExistsError: A server with this name exists, and `overwrite` is false.
        DefinitionError: The definition is not valid; nothing was changed.
        LoadError: A reference cannot be resolved.
    """
    arguments = {
        "tools": tools,
        "prompts": prompts,
        "resources": resources,
        "instructions": instructions,
        "initialization": initialization,
        "version": version,
        "options": options,
        "title": title,
        "description": description,
        "key": key,
    }
    new_definition = _merge_definition(name, definition or {}, arguments)
    # The program that creates a server is often also the file that its definition refers to.
    # Without this check, loading the server would create it again.
    if is_building_server():
        return NamedServer(DefinitionSource(name, get_definition_path(name)), new_definition)
    check_name_free(name, overwrite=overwrite)  # before any of the user's code runs
    origin = DefinitionOrigin(f"the server {name!r}", get_definitions_directory())
    pickles = FunctionPickles(get_pickles_directory(name)) if pickle else None
    with clean_up_pickles(name):
        stored = build_stored_definition(new_definition, origin, pickles)
        with lock_definitions():
            check_name_free(name, overwrite=overwrite)
            path = write_definition(stored, pickles)
    return NamedServer(DefinitionSource(name, path), stored)


def get_server(server: str | os.PathLike[str]) -> NamedServer:
    """Return the server with the given name, or the one defined by a file.

    If the server is not installed, its properties come from the cached catalogue that lists it, and
    properties that need its files raise an error that explains how to install it. Trust level:
    discovery; reading the definition, which happens on first use, is inspection.

    Raises:
        ServerNotFoundError: There is no such server; the hint suggests similar names.
        ExtensionError: The name is qualified, and its extension has no such server.
    """
    if isinstance(server, str):
        return NamedServer(find_source(server, include_remote=True))
    return NamedServer(make_file_source(Path(server)))


def list_servers(
    pattern: str = "*",
    *,
    include_built_in: bool = True,
    include_remote: bool = False,
    refresh: bool = False,
) -> list[NamedServer]:
    """Return the servers whose names match a pattern, the user's own first.

    Extension servers have qualified names. A server whose definition cannot be read is included and
    has a `problem`. Trust level: discovery.

    Args:
        pattern: A case-insensitive pattern with `*`, `?` and `[…]`.
        include_built_in: Include the built-in servers.
        include_remote: Include servers that are listed in catalogues but not installed
            (`server.is_remote`).
        refresh: Download the catalogues again, even if the cached copies are recent.

    Raises:
        CatalogueError: The catalogue settings cannot be read.
    """
    return [
        NamedServer(source)
        for source in list_sources(include_remote=include_remote, refresh=refresh)
        if fnmatchcase(source.name.lower(), pattern.lower())
        and (include_built_in or source.location != BUILT_IN_LOCATION)
    ]


def default_servers() -> dict[str, NamedServer]:
    """Return the built-in servers by name. Trust level: discovery."""
    items = ItemRegistry([get_built_in_extension()]).list_items("servers")
    return {item.name: NamedServer(DefinitionSource(item.name, None, item)) for item in items}


def edit_server(
    name: str,
    change: Callable[[ServerDefinition], Mapping[str, Any]] | None = None,
    /,
    *,
    pickle: bool = False,
    **changes: Any,
) -> NamedServer:
    """Change the definition of a user's server, preserving the rest of its file.

    Trust level: inspection, as for `create_server`.

    Args:
        name: The server.
        change: Function that returns the changes to the current definition. It is called again if
            another process has changed the definition in the meantime.
        pickle: Pickle functions that cannot be stored by reference.
        changes: Properties as for `create_server`; None removes a property.

    Raises:
        ServerNotFoundError: There is no such server.
        BuiltInServerError: The server is not one of the user's own.
        DefinitionError: The changed definition is not valid; nothing was changed.
        LoadError: A reference cannot be resolved.
    """
    source = find_user_source(name)
    pickles = FunctionPickles(get_pickles_directory(name)) if pickle else None
    is_done = False
    with clean_up_pickles(name):
        # Resolving references runs the user's code, which can be slow, so the lock is only held for
        # writing. If another process has changed the text by then, the change is applied to the new
        # text.
        while not is_done:
            text = read_definition_text(source.file)
            before = source.parse_as(text)
            all_changes = changes if change is None else {**change(before), **changes}
            changed = _apply_changes(before, all_changes)
            after = build_stored_definition(changed, get_origin(source), pickles, before)
            edited = edit_definition_text(text, to_plain_table(before), to_plain_table(after))
            is_done = replace_definition_text(source.file, text, edited, after, pickles)
    return NamedServer(source)


def rewrite_server(name: str, text: str, since: str | None = None) -> NamedServer:
    """Replace the text of a definition with the user's edited version.

    Args:
        name: The server.
        text: The complete definition.
        since: The text that the user started from. If the definition no longer has this text, it is
            not replaced.

    Raises:
        ServerNotFoundError: There is no such server.
        BuiltInServerError: The server is not one of the user's own.
        DefinitionError: The definition is not valid, or has changed; nothing was changed.
        LoadError: A reference cannot be resolved.
    """
    source = find_user_source(name)
    new_definition, origin = source.parse_as(text), get_origin(source)
    with clean_up_pickles(name):
        # Paths in the user's text are already relative to its file, so there are no new ones.
        after = build_stored_definition(new_definition, origin, None, new_definition)
        check_startable(after, origin, source.try_read())
        edited = edit_definition_text(text, to_plain_table(new_definition), to_plain_table(after))
        if not replace_definition_text(source.file, since, edited, after):
            raise ServerDefinitionError(
                "the definition has been changed since it was opened", where=str(source.file)
            )
    return NamedServer(source)


def find_user_source(name: str) -> DefinitionSource:
    """Return the source of a user's server: the file that contains its definition.

    Raises:
        ServerNotFoundError: There is no such server.
        BuiltInServerError: The server is not one of the user's own.
    """
    source = find_source(name)
    if source.extension_item is not None:
        raise BuiltInServerError(
            f"the server {name!r} is part of {source.extension_item.extension.name!r} and cannot be"
            " changed",
            hint="create your own server; if it has the same name, it takes precedence",
        )
    return source


def serve(name: str | None = None, http: str | None = None, **options: Unpack[HttpOptions]) -> None:
    """Serve a named server on standard input and output, or over HTTP.

    The default is the server named in the environment variable PADDOCK_SERVER, or else `Demo`.
    Trust level: execution.

    Raises:
        ServerNotFoundError: There is no such server.
    """
    get_server(name or get_default_server_name()).run(http, **options)


def _merge_definition(
    name: str, table: Mapping[str, Any], arguments: dict[str, Any]
) -> ServerDefinition:
    """Return the definition in a table, with keyword arguments overriding its properties.

    Args:
        name: The name of the server.
        table: The properties of the definition.
        arguments: The arguments of `create_server`. Those that are None are ignored.
    """
    definition = parse_definition({**table}, name=name)
    definition.name = name
    replaced_properties = {key: value for key, value in arguments.items() if value is not None}
    replacement = parse_definition(replaced_properties, name=name)
    for key in replaced_properties:
        setattr(definition, key, getattr(replacement, key))
    return definition


def _apply_changes(before: ServerDefinition, changes: Mapping[str, Any]) -> ServerDefinition:
    """Return a changed copy of a definition.

    Args:
        before: The definition.
        changes: The new property values by key. None removes a property.

    Raises:
        DefinitionError: A new value is not valid, or the name would change.
    """
    table = to_plain_table(before)
    for key, value in changes.items():
        table_key = canonical_key(key) or key
        table.pop(table_key, None)
        if value is not None:
            table[table_key] = value
    after = parse_definition(table, name=before.name)
    if after.name != before.name:
        raise ServerDefinitionError(
            f"the name of {before.name!r} cannot be changed",
            hint="create a server with the new name, then delete this one",
        )
    return after
