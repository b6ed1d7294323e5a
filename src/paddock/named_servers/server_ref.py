"""References to servers that can be served: named servers, and the targets of `paddock serve`.

Qualified names of servers look like paths, so this module also distinguishes the two.

A server's metadata is read immediately, so that the first answer does not wait for the rest of the
library. This module is imported before the first answer, so it imports nothing slow.
"""

from __future__ import annotations

import os

from paddock.errors import LoadError
from paddock.extensions.errors import ExtensionError
from paddock.lazy_modules import LazyModule
from paddock.named_servers.names import (
    DEFINITION_SUFFIX,
    OPTIONS_VARIABLE,
    SERVER_VARIABLE,
    ServerNotFoundError,
    build_built_in_path,
    build_definition_path,
    is_path_like,
)
from paddock.named_servers.quick_facts import find_extension_definition, scan_definition_metadata
from paddock.serving.target import PathTarget
from paddock.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path
    from typing import Any

    from paddock.authoring.base_server import BaseServer
    from paddock.named_servers import loader
    from paddock.named_servers.initialization import ServerInitialization
    from paddock.named_servers.sources import DefinitionSource
    from paddock.protocol.server_metadata import ServerMetadata
    from paddock.serving.server_source import ServerSource
else:  # a hundred modules, while the client waits
    loader = LazyModule("paddock.named_servers.loader")

DEFAULT_SERVER_NAME = "Demo"


class ServerRef:
    """A named server, or one in a definition file, which is loaded after the first answer.

    Args:
        name: The name of the server.
        file: The definition file; None to look up the name.

    Raises:
        ServerNotFoundError: There is no server with the name.
    """

    __slots__ = (
        *("file", "has_certain_metadata", "initialization", "label", "metadata", "on_load"),
        *("options", "script_files", "source"),
    )

    def __init__(self, name: str, *, file: str | None = None) -> None:
        self.label = name
        self.file = file
        self.options: Mapping[str, Mapping[str, Any]] = {}
        """Tool option values, which take precedence over all others."""
        self.on_load: Callable[[BaseServer], object] | None = None
        """Function called with the server after each load."""
        self.source: DefinitionSource | None = None
        """The source of the definition, once it has been found."""
        self.initialization: ServerInitialization | None = None
        """The initialization, with its state across reloads, once the server has been loaded."""
        self.script_files: list[Path] = []
        """The Python files that the loaded definition refers to."""
        if file:
            metadata, is_certain = scan_definition_metadata(file, name)
        else:
            metadata, is_certain = _read_metadata(name)
        self.metadata: ServerMetadata = metadata
        # The metadata is uncertain if there is no readable file for the name. The server may then
        # not exist, so the slow full lookup raises the error now, before the client connects.
        needs_full_lookup = file is None and (not is_certain or metadata.name != name)
        self.has_certain_metadata: bool = is_certain and not needs_full_lookup
        if needs_full_lookup:
            loader.find_server_source(self)

    def load(self) -> BaseServer:
        """Build the server from its definition.

        The server's initialization runs when the server starts, not here.

        Raises:
            PaddockError: The definition cannot be read, or none of its items can be loaded.
        """
        server: BaseServer = loader.load_server(self)
        if self.on_load is not None:
            self.on_load(server)
        return server

    def list_files(self) -> list[Path]:
        """Return the definition and the files that it refers to."""
        files: list[Path] = loader.list_server_files(self)
        return files

    def unload_modules(self) -> None:
        """Make the next load rerun the files that the definition refers to."""
        loader.unload_script_modules(self)


def is_path_target(text: str) -> bool:
    """Return whether a text is the path of an existing file or directory, not a server's name.

    If `acme/charts/Charts` is both, the server takes precedence. Otherwise, files in the working
    directory, such as those of a downloaded project, could replace an installed server.
    """
    path_before_colon = text.rpartition(":")[0]  # the file in a reference such as `app.py:server`
    path_exists = os.path.exists(text) or os.path.exists(path_before_colon)
    if not is_path_like(text) or not path_exists:
        return False
    return not (can_be_qualified_name(text) and loader.is_known_server(text))


def can_be_qualified_name(text: str) -> bool:
    """Return whether a text can be the qualified name of a server."""
    is_path = (
        text.startswith((".", "~")) or text.endswith((".py", DEFINITION_SUFFIX)) or ":" in text
    )
    return not is_path and text.count("/") in (1, 2) and all(text.split("/"))


def find_target(text: str) -> ServerSource:
    """Return the server for the target of `paddock serve TARGET`.

    A target that looks like a path, such as `app.py`, is served as a file if the file exists and
    no server has that name (see `is_path_target`). Any other target is looked up as a server name
    first, and then as a file.

    Raises:
        LoadError: The target is neither a server nor a file or directory.
        ExtensionError: The target is a qualified name, but its extension has no such server or is
            broken.
    """
    if is_path_target(text):
        return _make_file_target(text)
    try:
        return ServerRef(text)
    except (ServerNotFoundError, ExtensionError) as error:
        if os.path.exists(text):
            if is_path_like(text):
                raise  # a file must not run just because it has the name of a broken extension
            return _make_file_target(text)
        if isinstance(error, ExtensionError) and can_be_qualified_name(text):
            error.hint = f"there is no such file or directory either; {error.hint}"
            raise
        if is_path_like(text):
            return PathTarget(text)  # raises an error that describes the expected file
        raise LoadError(
            f"{text!r} is neither a server nor a file or directory", hint=error.hint
        ) from None


def _read_metadata(name: str) -> tuple[ServerMetadata, bool]:
    """Read the metadata of a named server, and return whether it is certain.

    A user's definition takes precedence over an extension's, which takes precedence over a
    built-in one.
    """
    user_path = build_definition_path(name)
    if os.path.lexists(user_path):  # also a broken link, which the full lookup reports
        return scan_definition_metadata(user_path, name)
    if can_be_qualified_name(name):
        extension_definition = find_extension_definition(name)
        if extension_definition is not None:
            path, version = extension_definition
            metadata, is_certain = scan_definition_metadata(path, name, version)
            metadata.name = name  # the qualified name replaces the one in the definition
            return metadata, is_certain
    return scan_definition_metadata(build_built_in_path(name), name, __version__)


def get_default_server_name() -> str:
    """Return the name of the server that is served by default."""
    return os.environ.get(SERVER_VARIABLE) or DEFAULT_SERVER_NAME


def _make_file_target(text: str) -> ServerSource:
    """Return the target for an existing path: a definition file, a Python file or a directory."""
    if text.endswith(DEFINITION_SUFFIX) and os.path.isfile(text):
        stem = os.path.basename(text).removesuffix(DEFINITION_SUFFIX)
        return ServerRef(stem, file=os.path.abspath(text))
    target = PathTarget(text)
    if os.environ.get(OPTIONS_VARIABLE):
        target.on_load = _apply_environment_options
    return target


def _apply_environment_options(server: BaseServer) -> None:
    """Set the tool options of a loaded server from the environment variable."""
    loader.apply_environment_options(server)
