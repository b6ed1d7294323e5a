"""Loading and reloading of a named server that is being served, after its first answer."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paddock.extensions.references import is_reference
from paddock.named_servers.initialization import ServerInitialization
from paddock.named_servers.names import DEFINITION_SUFFIX
from paddock.named_servers.server_builder import (
    DefinitionOrigin,
    build_server,
    collect_option_values,
)
from paddock.named_servers.sources import DefinitionSource, find_source, make_file_source
from paddock.protocol.versions import UI_EXTENSION
from paddock.serving.loader import list_source_files, unload_modules

if TYPE_CHECKING:
    from collections.abc import Mapping

    from paddock.authoring.base_server import BaseServer
    from paddock.errors import PaddockError
    from paddock.named_servers.definition import ServerDefinition
    from paddock.protocol.server_metadata import ServerMetadata
    from paddock.server import Server


class NamedServerLoader:
    """The source of a server that is being served, and its state across reloads.

    `load` builds the server the first time and again for each reload.

    Raises:
        ServerNotFoundError: There is no server with the name.
    """

    def __init__(self, name: str, file: str | None = None) -> None:
        self._name = name
        self._source = find_source(name) if file is None else make_file_source(Path(file))
        self._initialization = ServerInitialization()
        self._script_files: list[Path] = []
        self._problems: list[PaddockError] = []
        self._is_loaded = False

    def load(
        self, options: Mapping[str, Mapping[str, Any]], metadata: ServerMetadata | None
    ) -> BaseServer:
        """Build the server.

        Items that cannot be loaded are reported on standard error, and the other items are served.

        Args:
            options: Option values of tools, which take precedence over all others.
            metadata: The metadata that clients have already received, if any.

        Raises:
            PaddockError: The definition cannot be read, or none of its items can be loaded.
        """
        self._problems = []
        if self._source.extension_item is not None:
            self._source = find_source(self._name)  # its manifest may have changed
        is_reload, self._is_loaded = self._is_loaded, True
        definition = self._source.read()
        self._script_files = _find_script_files(definition, self._source.file.parent)
        server = build_server(
            definition,
            get_origin(self._source),
            report=self._problems.append,
            options=collect_option_values(options, self._problems.append),
            initialization=self._initialization,
        )
        # A server without any item would be useless to the client, so the first error is raised
        # instead of being reported.
        if self._problems and not _has_items(server):
            raise self._problems[0]
        if is_reload:
            self._initialization.rerun(server)
        for problem in self._problems:
            _write_stderr(f"{definition.name}: {problem}")
        _warn_undeclared_views(server, metadata)
        return server

    def list_files(self) -> list[Path]:
        """Return the definition, the files that it refers to, and modules that these import.

        For an extension's server, the extension's other files are included.
        """
        files = {self._source.file.resolve(), *self._script_files}
        for script in self._script_files:
            files.update(list_source_files(script, is_directory=False))
        owner = self._source.owner
        if owner is not None and not owner.is_built_in:
            files.update(list_source_files(owner.directory, is_directory=True))
            files.update(
                _list_definition_files(owner.root), owner.directory.glob(f"*{DEFINITION_SUFFIX}")
            )
        return sorted(files)

    def forget_script_modules(self) -> None:
        """Make the next load run the files that the definition refers to again."""
        for script in self._script_files:
            unload_modules(script.parent)
        owner = self._source.owner
        if owner is not None and not owner.is_built_in:
            unload_modules(owner.directory)


def _list_definition_files(root: Path) -> list[Path]:
    paths = (path for path in root.rglob("*") if "__pycache__" not in path.parts)
    return [path for path in paths if path.is_file()]


def get_origin(source: DefinitionSource) -> DefinitionOrigin:
    """Return the context in which names and paths in a definition are resolved."""
    file = source.file
    return DefinitionOrigin(str(file), file.parent, source.owner)


def _find_script_files(definition: ServerDefinition, directory: Path) -> list[Path]:
    """Return the Python files that a definition refers to."""
    specs = [*definition.tools, *definition.prompts, *definition.resources]
    specs.append(definition.initialization)
    texts = [text for spec in specs for text in _list_texts(spec)]
    sources = [text.rpartition(":")[0] for text in texts if is_reference(text)]
    files = [Path(source).expanduser() for source in sources if source.endswith(".py")]
    return sorted({(directory / file).resolve() for file in files})


def _list_texts(spec: Any) -> list[str]:
    values = spec.values() if isinstance(spec, dict) else [spec]
    return [value for value in values if isinstance(value, str)]


def _has_items(server: Server) -> bool:
    registries = (server.tools, server.prompts, server.resources, server.templates)
    return any(len(registry) for registry in registries)


def _warn_undeclared_views(server: Server, metadata: ServerMetadata | None) -> None:
    """Warn if a tool has a page, but the metadata that clients have received does not say so."""
    is_declared = metadata is None or metadata.get_extension_settings(UI_EXTENSION) is not None
    if server.metadata.get_extension_settings(UI_EXTENSION) is not None and not is_declared:
        _write_stderr(
            f"{server.name}: a tool has a page, which clients do not show unless the definition "
            "contains views = true"
        )


def _write_stderr(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()
