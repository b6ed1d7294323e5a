"""Loading and reloading of a named server that is already being served.

`ServerRef` imports this module once the handshake has been answered.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paddock.errors import PaddockError
from paddock.extensions.references import is_reference
from paddock.named_servers.initialization import ServerInitialization
from paddock.named_servers.names import DEFINITION_SUFFIX, ServerDefinitionError
from paddock.named_servers.server_builder import (
    DefinitionOrigin,
    build_server,
    collect_option_values,
)
from paddock.named_servers.sources import (
    DefinitionSource,
    find_installed_source,
    find_source,
    make_file_source,
)
from paddock.named_servers.tool_options import set_option_values
from paddock.protocol.versions import UI_EXTENSION
from paddock.serving.loader import list_source_files, unload_modules

if TYPE_CHECKING:
    from paddock.authoring.base_server import BaseServer
    from paddock.named_servers.definition import ServerDefinition
    from paddock.named_servers.server_ref import ServerRef
    from paddock.protocol.server_metadata import ServerMetadata
    from paddock.server import Server


def load_server(ref: ServerRef) -> BaseServer:
    """Build the server for a reference, either for the first load or for a reload.

    The source, the script files and the initialization are stored in the reference. Items that
    cannot be loaded are reported on standard error, and the other items are served.

    Raises:
        ServerNotFoundError: No server has this name. PaddockError: The definition cannot be read,
        or none of its items can be loaded.
    """
    source = find_server_source(ref)
    if source.extension_item is not None:
        # The extension's manifest may have changed since the last load.
        source = ref.source = find_source(ref.label)
    is_reload = ref.initialization is not None
    if ref.initialization is None:
        ref.initialization = ServerInitialization()
    definition = source.read()
    ref.script_files = _find_script_files(definition, source.file.parent)
    problems: list[PaddockError] = []
    server = build_server(
        definition,
        get_origin(source),
        report=problems.append,
        options=collect_option_values(ref.options, problems.append),
        initialization=ref.initialization,
    )
    # A server without any items would be useless to the client, so the first error is raised
    # instead of reported.
    if problems and not _has_items(server):
        raise problems[0]
    if is_reload:
        ref.initialization.rerun(server)
    for problem in problems:
        _write_stderr(f"{definition.name}: {problem}")
    if ref.has_certain_metadata:
        _warn_undeclared_views(server, ref.metadata)
    return server


def find_server_source(ref: ServerRef) -> DefinitionSource:
    """Return the source of a server reference's definition.

    The source is looked up only on the first call, and stored in the reference.

    Raises:
        ServerNotFoundError: There is no server with the name.
    """
    if ref.source is None:
        ref.source = (
            find_source(ref.label) if ref.file is None else make_file_source(Path(ref.file))
        )
    return ref.source


def list_server_files(ref: ServerRef) -> list[Path]:
    """Return the files to watch for changes: the definition, its scripts, and their imports.

    For an installed extension's server, all files of the extension are included.
    """
    source = find_server_source(ref)
    files = {source.file.resolve(), *ref.script_files}
    for script in ref.script_files:
        files.update(list_source_files(script, is_directory=False))
    if source.owner is not None and not source.owner.is_built_in:
        directory = source.owner.directory
        files.update(list_source_files(directory, is_directory=True))
        files.update(_list_definition_files(source.owner.root))
        files.update(directory.glob(f"*{DEFINITION_SUFFIX}"))
    return sorted(files)


def unload_script_modules(ref: ServerRef) -> None:
    """Make the next load rerun the files that the definition refers to."""
    for script in ref.script_files:
        unload_modules(script.parent)
    owner = None if ref.source is None else ref.source.owner
    if owner is not None and not owner.is_built_in:
        unload_modules(owner.directory)


def is_known_server(name: str) -> bool:
    """Return whether a server with this name exists, even if it cannot be loaded."""
    try:
        return find_installed_source(name) is not None
    except ServerDefinitionError:
        return False
    except PaddockError:
        return True  # its extension is broken; serving it reports the reason


def apply_environment_options(server: BaseServer) -> None:
    """Set the options of a server's tools from the environment variable.

    Invalid values are reported on standard error.
    """

    def report(error: PaddockError) -> None:
        _write_stderr(f"{server.name}: {error}")

    for values in collect_option_values({}, report):
        set_option_values(server, values, report)


def _list_definition_files(root: Path) -> list[Path]:
    paths = (path for path in root.rglob("*") if "__pycache__" not in path.parts)
    return [path for path in paths if path.is_file()]


def get_origin(source: DefinitionSource) -> DefinitionOrigin:
    """Return the context for resolving names and paths in a definition."""
    file = source.file
    return DefinitionOrigin(str(file), file.parent, source.owner)


def _find_script_files(definition: ServerDefinition, directory: Path) -> list[Path]:
    """Return the Python files that a definition refers to, such as `tools.py` in `tools.py:add`.

    Relative paths are resolved against the given directory.
    """
    specs = [*definition.tools, *definition.prompts, *definition.resources]
    specs.append(definition.initialization)
    texts = [text for spec in specs for text in _list_texts(spec)]
    # A reference is a file or a module, a colon, and the name of a function.
    locations = [text.rpartition(":")[0] for text in texts if is_reference(text)]
    files = [Path(location).expanduser() for location in locations if location.endswith(".py")]
    return sorted({(directory / file).resolve() for file in files})


def _list_texts(spec: Any) -> list[str]:
    values = spec.values() if isinstance(spec, dict) else [spec]
    return [value for value in values if isinstance(value, str)]


def _has_items(server: Server) -> bool:
    registries = (server.tools, server.prompts, server.resources, server.templates)
    return any(len(registry) for registry in registries)


def _warn_undeclared_views(server: Server, metadata: ServerMetadata) -> None:
    """Warn if a tool has a view, an HTML page, that the definition does not declare.

    Args:
        server: The loaded server.
        metadata: The metadata that was sent to the client before the server was loaded.
    """
    has_views = server.metadata.get_extension_settings(UI_EXTENSION) is not None
    declares_views = metadata.get_extension_settings(UI_EXTENSION) is not None
    if has_views and not declares_views:
        _write_stderr(
            f"{server.name}: a tool has a page, which clients do not show unless the definition "
            "contains views = true"
        )


def _write_stderr(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()
