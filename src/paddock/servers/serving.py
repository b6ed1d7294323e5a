"""Loading a named server behind its first answer, as often as its files change."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paddock.extensions.references import is_reference
from paddock.protocol.extensions import UI
from paddock.servers.assembly import Origin, assemble, serving_options
from paddock.servers.file_names import SUFFIX
from paddock.servers.initialization import Initialization
from paddock.servers.lookup import Source, file_source, find_source
from paddock.serving.loading import files_of, forget_modules

if TYPE_CHECKING:
    from collections.abc import Mapping

    from paddock.authoring.offering import Offering
    from paddock.errors import PaddockError
    from paddock.protocol.facts import ServerFacts
    from paddock.server import Server
    from paddock.servers.definition import ServerDefinition


class Serving:
    """The definition of one server that is being served.

    Raises:
        ServerNotFoundError: when there is no server of that name.
    """

    def __init__(self, name: str, file: str | None = None) -> None:
        self._name = name
        self._source = find_source(name) if file is None else file_source(Path(file))
        self._initialization = Initialization()
        self._scripts: list[Path] = []
        self._problems: list[PaddockError] = []
        self._is_loaded = False

    def load(self, options: Mapping[str, Mapping[str, Any]], facts: ServerFacts | None) -> Offering:
        """Make the server; what of it cannot be used is reported on standard error.

        Clients are told the facts before that, if there are some.

        Raises:
            PaddockError: when the definition cannot be read, or nothing of it can be used.
        """
        self._problems = []
        if self._source.declared is not None:
            self._source = find_source(self._name)  # its manifest may have changed
        is_anew, self._is_loaded = self._is_loaded, True
        definition = self._source.read()
        self._scripts = _scripts(definition, self._source.file.parent)
        server = assemble(
            definition,
            origin_of(self._source),
            report=self._problems.append,
            options=serving_options(options, self._problems.append),
            initialization=self._initialization,
        )
        if self._problems and not _has_anything(server):
            raise self._problems[0]
        if is_anew:
            self._initialization.repeat(server)
        for problem in self._problems:
            _say(f"{definition.name}: {problem}")
        _check_views(server, facts)
        return server

    def files(self) -> list[Path]:
        """The definition, the files that it refers to, and what those have imported nearby.

        Of an extension's server also the extension's other files.
        """
        found = {self._source.file.resolve(), *self._scripts}
        for script in self._scripts:
            found.update(files_of(script, is_directory=False))
        owner = self._source.owner
        if owner is not None and not owner.is_built_in:
            found.update(files_of(owner.directory, is_directory=True))
            found.update(_definitions(owner.root), owner.directory.glob(f"*{SUFFIX}"))
        return sorted(found)

    def forget(self) -> None:
        """Have the files that the definition refers to run anew."""
        for script in self._scripts:
            forget_modules(script.parent)
        owner = self._source.owner
        if owner is not None and not owner.is_built_in:
            forget_modules(owner.directory)


def _definitions(root: Path) -> list[Path]:
    found = (file for file in root.rglob("*") if "__pycache__" not in file.parts)
    return [file for file in found if file.is_file()]


def origin_of(source: Source) -> Origin:
    """How the names in a definition are meant."""
    file = source.file
    return Origin(str(file), file.parent, source.owner)


def _scripts(definition: ServerDefinition, directory: Path) -> list[Path]:
    """The files that a definition refers to."""
    specs = [*definition.tools, *definition.prompts, *definition.resources]
    specs.append(definition.initialization)
    texts = [text for spec in specs for text in _texts(spec)]
    homes = [text.rpartition(":")[0] for text in texts if is_reference(text)]
    found = {(directory / Path(home).expanduser()).resolve() for home in homes if _is_file(home)}
    return sorted(found)


def _texts(spec: Any) -> list[str]:
    values = spec.values() if isinstance(spec, dict) else [spec]
    return [value for value in values if isinstance(value, str)]


def _is_file(home: str) -> bool:
    return home.endswith(".py")


def _has_anything(server: Server) -> bool:
    held = (server.tools, server.prompts, server.resources, server.templates)
    return any(len(catalogue) for catalogue in held)


def _check_views(server: Server, facts: ServerFacts | None) -> None:
    """Say so when a client has not been told of pages, because the definition does not say it."""
    is_told = facts is None or facts.extension(UI) is not None
    if server.facts.extension(UI) is not None and not is_told:
        _say(
            f"{server.name}: a tool of it has a page, which clients are not told of until its "
            "definition says views = true"
        )


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()
