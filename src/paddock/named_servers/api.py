"""Creating, finding, listing, editing and serving named servers."""

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
    """Store a server under a name; it can then be served and installed by that name.

    Everything that it names is looked up now, and again whenever it starts. Its initialization is
    not run. A file that a server refers to may call this: while it is being served, that does
    nothing. Trust level: inspection; definitions of extensions are loaded, nothing is called.

    Args:
        name: What the server is called.
        definition: A table with any of what follows; the arguments win over it.
        tools: Names, qualified names, references, functions, `Tool` objects or tables.
        prompts: The same for prompts.
        resources: References, objects or tables.
        instructions: What a model should know before it uses the server.
        initialization: A function, or the reference of one, that runs when the server starts.
        version: The version of the server; 1.0.0 when left out.
        options: Values for options of tools, by the name of the tool.
        title: What people read.
        description: What the server is for.
        key: What the server is called in the files of clients.
        overwrite: Put it in the place of a server of that name.
        pickle: Store functions as they are where no reference leads to them.

    Raises:
        ServerExistsError: when there is one of that name, and `overwrite` was not asked for.
        DefinitionError: when the definition cannot be; what was there stays.
        LoadError: when a reference leads nowhere.
    """
    given = {
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
    wanted = _merge_definition(name, definition or {}, given)
    if is_building_server():
        return NamedServer(DefinitionSource(name, get_definition_path(name)), wanted)
    check_name_free(name, overwrite=overwrite)  # before anything of the user's is run
    origin = DefinitionOrigin(f"the server {name!r}", get_definitions_directory())
    pickles = FunctionPickles(get_pickles_directory(name)) if pickle else None
    with clean_up_pickles(name):
        stored = build_stored_definition(wanted, origin, pickles)
        with lock_definitions():
            check_name_free(name, overwrite=overwrite)
            path = write_definition(stored, pickles)
    return NamedServer(DefinitionSource(name, path), stored)


def get_server(server: str | os.PathLike[str]) -> NamedServer:
    """The server of a name, or the one that a definition file defines.

    One that is not installed is described by the copies of the catalogues that list it; what needs
    its files then raises an error that says how to install it.
    Trust level: discovery; what it is made of is inspection, and loaded when it is asked for.

    Raises:
        ServerNotFoundError: when there is none, with names that are like it.
        ExtensionError: when the name is qualified, and its extension has no such server.
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
    """The servers whose names match a pattern with `*`, `?` and `[…]`, the user's own first.

    Letters match in either case. Those of extensions are called by their qualified names. One whose
    definition cannot be read is among them, and says why: `server.problem`. With
    `include_remote` also those that catalogues list and that are not installed: `server.is_remote`;
    with `refresh` the catalogues are fetched for that, however new their copies are.
    Trust level: discovery.

    Raises:
        CatalogueError: when the settings for catalogues cannot be read.
    """
    return [
        NamedServer(source)
        for source in list_sources(include_remote=include_remote, refresh=refresh)
        if fnmatchcase(source.name.lower(), pattern.lower())
        and (include_built_in or source.location != BUILT_IN_LOCATION)
    ]


def default_servers() -> dict[str, NamedServer]:
    """The built-in servers by their names. Trust level: discovery."""
    own = ItemRegistry([get_built_in_extension()]).list_items("servers")
    return {one.name: NamedServer(DefinitionSource(one.name, None, one)) for one in own}


def edit_server(
    name: str,
    change: Callable[[ServerDefinition], Mapping[str, Any]] | None = None,
    /,
    *,
    pickle: bool = False,
    **changes: Any,
) -> NamedServer:
    """Change the definition of one of the user's servers; the rest of its file stays.

    Trust level: inspection, as for `create_server`.

    Args:
        name: Which server.
        change: Makes the changes of the definition as it is. Called again when somebody else has
            changed it meanwhile.
        pickle: Store functions as they are where no reference leads to them.
        changes: What `create_server` takes besides; None takes something out.

    Raises:
        ServerNotFoundError: when there is none of that name.
        BuiltInServerError: when it is not one of the user's own.
        DefinitionError: when the definition could not be so; it stays as it was.
        LoadError: when a reference leads nowhere.
    """
    source = find_user_source(name)
    pickles = FunctionPickles(get_pickles_directory(name)) if pickle else None
    is_done = False
    with clean_up_pickles(name):
        while not is_done:
            text = read_definition_text(source.file)
            before = source.parse_as(text)
            wanted = changes if change is None else {**change(before), **changes}
            after = build_stored_definition(
                _apply_changes(before, wanted), get_origin(source), pickles, before
            )
            edited = edit_definition_text(text, to_plain_table(before), to_plain_table(after))
            is_done = replace_definition_text(source.file, text, edited, after, pickles)
    return NamedServer(source)


def rewrite_server(name: str, text: str, since: str | None = None) -> NamedServer:
    """Put another text, as a person has edited it, in the place of a definition.

    Args:
        name: Which server.
        text: The whole definition.
        since: What it was made of; when the definition says something else by now it stays.

    Raises:
        ServerNotFoundError: when there is no server of that name.
        BuiltInServerError: when it is not one of the user's own.
        DefinitionError: when the definition could not be so; it stays as it was.
        LoadError: when a reference leads nowhere.
    """
    source = find_user_source(name)
    wanted = source.parse_as(text)
    with clean_up_pickles(name):
        # Paths in a text of the user's own count from its file, so all of them are kept.
        after = build_stored_definition(wanted, get_origin(source), None, wanted)
        check_startable(after, get_origin(source), source.try_read())
        edited = edit_definition_text(text, to_plain_table(wanted), to_plain_table(after))
        if not replace_definition_text(source.file, since, edited, after):
            raise ServerDefinitionError(
                "somebody else has changed it meanwhile", where=str(source.file)
            )
    return NamedServer(source)


def find_user_source(name: str) -> DefinitionSource:
    """Where the user's server of a name is defined.

    Raises:
        ServerNotFoundError: when there is none of that name.
        BuiltInServerError: when it is not one of the user's own.
    """
    source = find_source(name)
    if source.extension_item is not None:
        raise BuiltInServerError(
            f"the server {name!r} comes with {source.extension_item.extension.name!r} and cannot be"
            " changed",
            hint="create one of your own; it may have the same name, and then counts instead",
        )
    return source


def serve(name: str | None = None, http: str | None = None, **options: Unpack[HttpOptions]) -> None:
    """Serve a named server on standard input and output, or on an address over HTTP.

    Without a name it is the one that the environment variable PADDOCK_SERVER names, or `Demo`.
    Trust level: execution.

    Raises:
        ServerNotFoundError: when there is none of that name.
    """
    get_server(name or get_default_server_name()).run(http, **options)


def _merge_definition(
    name: str, table: Mapping[str, Any], given: dict[str, Any]
) -> ServerDefinition:
    """What a table and the arguments define together."""
    definition = parse_definition({**table}, name=name)
    definition.name = name
    named = {key: value for key, value in given.items() if value is not None}
    overlay = parse_definition(named, name=name)
    for key in named:
        setattr(definition, key, getattr(overlay, key))
    return definition


def _apply_changes(before: ServerDefinition, changes: Mapping[str, Any]) -> ServerDefinition:
    table = to_plain_table(before)
    for key, value in changes.items():
        own = canonical_key(key) or key
        table.pop(own, None)
        if value is not None:
            table[own] = value
    after = parse_definition(table, name=before.name)
    if after.name != before.name:
        raise ServerDefinitionError(
            f"the name of {before.name!r} cannot be changed",
            hint="create a server of the other name, then delete this one",
        )
    return after
