"""Loading a named server behind its first answer, as often as its files change."""

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
    """The definition of one server that is being served.

    Raises:
        ServerNotFoundError: when there is no server of that name.
    """

    def __init__(self, name: str, file: str | None = None) -> None:
        self._name = name
        self._source = find_source(name) if file is None else make_file_source(Path(file))
        self._initialization = ServerInitialization()
        self._script_files: list[Path] = []
        self._problems: list[PaddockError] = []
        self._is_loaded = False

    def load(
        self, options: Mapping[str, Mapping[str, Any]], facts: ServerMetadata | None
    ) -> BaseServer:
        """Make the server; what of it cannot be used is reported on standard error.

        Clients are told the facts before that, if there are some.

        Raises:
            PaddockError: when the definition cannot be read, or nothing of it can be used.
        """
        self._problems = []
        if self._source.extension_item is not None:
            self._source = find_source(self._name)  # its manifest may have changed
        is_anew, self._is_loaded = self._is_loaded, True
        definition = self._source.read()
        self._script_files = _find_script_files(definition, self._source.file.parent)
        server = build_server(
            definition,
            get_origin(self._source),
            report=self._problems.append,
            options=collect_option_values(options, self._problems.append),
            initialization=self._initialization,
        )
        if self._problems and not _has_items(server):
            raise self._problems[0]
        if is_anew:
            self._initialization.rerun(server)
        for problem in self._problems:
            _write_stderr(f"{definition.name}: {problem}")
        _warn_undeclared_views(server, facts)
        return server

    def list_files(self) -> list[Path]:
        """The definition, the files that it refers to, and what those have imported nearby.

        Of an extension's server also the extension's other files.
        """
        found = {self._source.file.resolve(), *self._script_files}
        for script in self._script_files:
            found.update(list_source_files(script, is_directory=False))
        owner = self._source.owner
        if owner is not None and not owner.is_built_in:
            found.update(list_source_files(owner.directory, is_directory=True))
            found.update(
                _list_definition_files(owner.root), owner.directory.glob(f"*{DEFINITION_SUFFIX}")
            )
        return sorted(found)

    def forget_script_modules(self) -> None:
        """Have the files that the definition refers to run anew."""
        for script in self._script_files:
            unload_modules(script.parent)
        owner = self._source.owner
        if owner is not None and not owner.is_built_in:
            unload_modules(owner.directory)


def _list_definition_files(root: Path) -> list[Path]:
    found = (file for file in root.rglob("*") if "__pycache__" not in file.parts)
    return [file for file in found if file.is_file()]


def get_origin(source: DefinitionSource) -> DefinitionOrigin:
    """How the names in a definition are meant."""
    file = source.file
    return DefinitionOrigin(str(file), file.parent, source.owner)


def _find_script_files(definition: ServerDefinition, directory: Path) -> list[Path]:
    """The files that a definition refers to."""
    specs = [*definition.tools, *definition.prompts, *definition.resources]
    specs.append(definition.initialization)
    texts = [text for spec in specs for text in _list_texts(spec)]
    homes = [text.rpartition(":")[0] for text in texts if is_reference(text)]
    found = {
        (directory / Path(home).expanduser()).resolve() for home in homes if _is_python_file(home)
    }
    return sorted(found)


def _list_texts(spec: Any) -> list[str]:
    values = spec.values() if isinstance(spec, dict) else [spec]
    return [value for value in values if isinstance(value, str)]


def _is_python_file(home: str) -> bool:
    return home.endswith(".py")


def _has_items(server: Server) -> bool:
    held = (server.tools, server.prompts, server.resources, server.templates)
    return any(len(catalogue) for catalogue in held)


def _warn_undeclared_views(server: Server, facts: ServerMetadata | None) -> None:
    """Say so when a client has not been told of pages, because the definition does not say it."""
    is_told = facts is None or facts.get_extension_settings(UI_EXTENSION) is not None
    if server.metadata.get_extension_settings(UI_EXTENSION) is not None and not is_told:
        _write_stderr(
            f"{server.name}: a tool of it has a page, which clients are not told of until its "
            "definition says views = true"
        )


def _write_stderr(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()
