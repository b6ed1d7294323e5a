"""A named server, or a definition file, as something that can be served.

What it is called and says about itself is read at once, all the rest behind the first answer.
Loaded before the first answer, so it needs nothing but the interpreter.
"""

from __future__ import annotations

import os

from paddock.errors import LoadError
from paddock.extensions.errors import ExtensionError
from paddock.named_servers.names import (
    DEFINITION_SUFFIX,
    OPTIONS_VARIABLE,
    SERVER_VARIABLE,
    ServerNotFoundError,
    build_built_in_path,
    build_definition_path,
    is_path_like,
)
from paddock.named_servers.path_detection import can_be_qualified_name, is_path_target
from paddock.named_servers.quick_facts import DEFAULT_VERSION, read_quick_facts
from paddock.serving.target import PathTarget
from paddock.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path
    from typing import Any

    from paddock.authoring.base_server import BaseServer
    from paddock.named_servers.loader import NamedServerLoader
    from paddock.serving.server_source import ServerSource

DEFAULT_SERVER_NAME = "Demo"


class ServerRef:
    """The server of a name, or with `file` the one that a definition file defines."""

    __slots__ = (
        "_loader",
        "file",
        "has_certain_metadata",
        "label",
        "metadata",
        "on_load",
        "options",
    )

    def __init__(self, name: str, *, file: str | None = None) -> None:
        self.label = name
        self.file = file
        self.options: Mapping[str, Mapping[str, Any]] = {}
        """Values for options of tools, which win over all others."""
        self.on_load: Callable[[BaseServer], object] | None = None
        """What is to be done with the server once it is loaded."""
        self._loader: NamedServerLoader | None = None
        version = DEFAULT_VERSION
        path = file or build_definition_path(name)
        if file is None and not os.path.isfile(path):
            path, version = build_built_in_path(name), __version__
        self.metadata, self.has_certain_metadata = read_quick_facts(path, name, version)
        if file is None and (not self.has_certain_metadata or self.metadata.name != name):
            self.has_certain_metadata = False
            self._loader = self._find_loader()

    def load(self) -> BaseServer:
        """Make the server of its definition; it is initialised when it starts.

        Raises:
            PaddockError: when the definition cannot be read, or nothing of it can be served.
        """
        self._loader = self._loader or self._find_loader()
        offering = self._loader.load(
            self.options, self.metadata if self.has_certain_metadata else None
        )
        if self.on_load is not None:
            self.on_load(offering)
        return offering

    def list_files(self) -> list[Path]:
        """The definition, and the files that it refers to."""
        self._loader = self._loader or self._find_loader()
        return self._loader.list_files()

    def unload_modules(self) -> None:
        """Have the files that it refers to run anew."""
        if self._loader is not None:
            self._loader.forget_script_modules()

    def _find_loader(self) -> NamedServerLoader:
        """Look the definition up in earnest, which needs the rest of the library."""
        from paddock.named_servers.loader import NamedServerLoader  # noqa: PLC0415 - after the first answer

        return NamedServerLoader(self.label, self.file)


def find_target(text: str) -> ServerSource:
    """What `paddock serve TARGET` means by a text.

    What looks like a path is one, if it is there and no server is called so; anything else is the
    name of a server first.

    Raises:
        LoadError: when it is neither.
        ExtensionError: when it is a qualified name that leads nowhere.
    """
    if is_path_target(text):
        return _make_file_target(text)
    try:
        return ServerRef(text)
    except (ServerNotFoundError, ExtensionError) as error:
        if os.path.exists(text):
            if is_path_like(text):
                raise  # a broken extension is no reason to run what is called like it
            return _make_file_target(text)
        if isinstance(error, ExtensionError) and can_be_qualified_name(text):
            error.hint = f"there is no file or directory of that name either; {error.hint}"
            raise
        if is_path_like(text):
            return PathTarget(text)  # says what it expected
        raise LoadError(
            f"{text!r} is neither a server nor a file or directory", hint=error.hint
        ) from None


def get_default_server_name() -> str:
    """The server that is served when none is named."""
    return os.environ.get(SERVER_VARIABLE) or DEFAULT_SERVER_NAME


def _make_file_target(text: str) -> ServerSource:
    if text.endswith(DEFINITION_SUFFIX) and os.path.isfile(text):
        stem = os.path.basename(text).removesuffix(DEFINITION_SUFFIX)
        return ServerRef(stem, file=os.path.abspath(text))
    target = PathTarget(text)
    if os.environ.get(OPTIONS_VARIABLE):
        target.on_load = _set_environment_options
    return target


def _set_environment_options(offering: BaseServer) -> None:
    """Set the options of tools that the environment gives; those of other servers may be there."""
    from paddock.named_servers.tool_options import set_environment_options  # noqa: PLC0415 - as above

    set_environment_options(offering)
