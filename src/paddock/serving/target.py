"""Targets of `paddock serve`: a file or directory, and the metadata read from its source.

The name, version and instructions are read from the syntax tree, so that the handshake can be
answered before the author's imports run. This module is loaded before msgspec, so it imports
nothing outside the standard library.
"""

from __future__ import annotations

import os
from _ast import Assign, Call, Constant, Name

from paddock.errors import LoadError
from paddock.lazy_modules import LazyModule
from paddock.protocol.server_metadata import ServerMetadata
from paddock.serving.server_source import PREFERRED_VARIABLE_NAMES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _ast import AST
    from collections.abc import Callable
    from pathlib import Path

    from paddock.authoring.base_server import BaseServer
    from paddock.serving import loader
else:  # saves 30 ms before the first answer
    loader = LazyModule("paddock.serving.loader")

_ONLY_AST_FLAG = 0x400
_LITERAL_ARGUMENTS = frozenset(
    {"name", "version", "title", "description", "instructions", "website_url"}
)
_UNREADABLE_ARGUMENTS = frozenset(
    {"icons", "capabilities", "cache_ttl_ms", "cache_scope", "skills"}
)
_EXTENSION_MARKERS = (
    *(b".skill(", b".skills(", b"Skill(", b"Skill."),
    *(b"AppView(", b"ui=", b"visibility="),
)
"""Source text that suggests an extension, which the server only declares when it is loaded."""


class PathTarget:
    """A target of `paddock serve`: a file such as `server.py`, an object in it, or a directory.

    Creating it reads the server's metadata without running its code, so that a client's first
    message can be answered before the server is loaded.

    Args:
        text: The target, such as `server.py`, `server.py:object` or `definitions`.

    Raises:
        LoadError: The path does not exist.
    """

    def __init__(self, text: str) -> None:
        self.label = text
        self.on_load: Callable[[BaseServer], object] | None = None
        """Function called with the server after each load."""
        path, self.attribute = _split_target(text)
        server_file = os.path.join(path, "server.py")
        self.path: str = server_file if os.path.isfile(server_file) else path
        self.is_directory = os.path.isdir(self.path)
        stem = os.path.splitext(os.path.basename(os.path.abspath(self.path)))[0]
        self.metadata = ServerMetadata(stem)
        self.has_certain_metadata = self.is_directory and not _has_skills(self.path)
        # A server from a directory of definitions is named after the directory and has no other
        # metadata. For a file, the arguments of `Server(…)` are read.
        if not self.is_directory:
            self._read_metadata()

    def load(self) -> BaseServer:
        """Import the file or directory and return the server that it defines.

        Raises:
            LoadError: The import failed, or the target defines no server.
        """
        server: BaseServer = (
            loader.load_server_directory(self.path, self.metadata.name)
            if self.is_directory
            else loader.load_server_file(self.path, self.attribute)
        )
        if self.on_load is not None:
            self.on_load(server)
        return server

    def list_files(self) -> list[Path]:
        """Return the source files known so far."""
        files: list[Path] = loader.list_source_files(self.path, is_directory=self.is_directory)
        return files

    def unload_modules(self) -> None:
        """Remove the target's modules, so that the next load imports them again."""
        directory = self.path if self.is_directory else os.path.dirname(self.path)
        loader.unload_modules(directory)

    def _read_metadata(self) -> None:
        """Read the metadata from the call `Server("name", …)` in the source, without running it.

        The metadata is certain if these arguments are string literals and the server cannot declare
        a protocol extension later. Otherwise, the handshake must wait until the server is loaded.
        """
        try:
            with open(self.path, "rb") as file:
                source = file.read()
            tree = compile(source, self.path, "exec", _ONLY_AST_FLAG, dont_inherit=True)
        except (OSError, SyntaxError, ValueError):
            return
        calls = _find_server_calls(tree)
        call = calls.get(self.attribute) if self.attribute else _choose_call(calls)
        if call is None:
            return
        literals, is_certain = _read_literal_arguments(call)
        self.has_certain_metadata = is_certain and not self._can_have_extension(source, call)
        self.metadata = ServerMetadata(literals.pop("name", self.metadata.name), **literals)  # type: ignore[arg-type]  # only strings

    def _can_have_extension(self, source: bytes, call: Call) -> bool:
        """Return whether the server may declare a protocol extension when it is loaded.

        Args:
            source: The source code of the file.
            call: The `Server(…)` call in it.
        """
        if any(word in source for word in _EXTENSION_MARKERS):
            return True
        for keyword in call.keywords:
            if keyword.arg == "auto_register_dir":
                value = getattr(keyword.value, "value", None)
                base = os.path.dirname(self.path)
                return not isinstance(value, str) or _has_skills(os.path.join(base, value))
        return False


def _has_skills(directory: str) -> bool:
    return os.path.isdir(os.path.join(directory, "skills"))


def _split_target(text: str) -> tuple[str, str | None]:
    """Split a target such as `server.py:object` into its path and object name.

    The name is None if the target is only a path.

    Raises:
        LoadError: The path does not exist.
    """
    if os.path.exists(text):
        return text, None
    path, colon, attribute = text.rpartition(":")
    if colon and os.path.exists(path):
        return path, attribute
    raise LoadError(
        f"{text!r} is neither a file nor a directory",
        hint="expected server.py, server.py:object, or a directory with tools/",
    )


def _find_server_calls(tree: AST) -> dict[str, Call]:
    """Return the `Server(…)` calls in a module that are assigned to top-level variables.

    The keys of the result are the variable names.
    """
    calls = {}
    for statement in getattr(tree, "body", ()):
        if isinstance(statement, Assign) and isinstance(statement.value, Call):
            function = statement.value.func
            # Both `Server(…)` and `paddock.Server(…)` are recognized.
            function_name = (
                function.id if isinstance(function, Name) else getattr(function, "attr", "")
            )
            variable = statement.targets[0]
            if function_name == "Server" and isinstance(variable, Name):
                calls[variable.id] = statement.value
    return calls


def _choose_call(calls: dict[str, Call]) -> Call | None:
    if len(calls) == 1:
        return next(iter(calls.values()))
    return next((calls[name] for name in PREFERRED_VARIABLE_NAMES if name in calls), None)


def _read_literal_arguments(call: Call) -> tuple[dict[str, str], bool]:
    """Return the string literals in the arguments of `Server(…)`.

    The second element of the result is True if these are all of the server's metadata. It is False
    if a metadata argument is not a literal, or if `**` may contain more arguments.
    """
    arguments = dict(zip(["name"], call.args, strict=False))
    arguments.update({keyword.arg or "**": keyword.value for keyword in call.keywords})
    literals = {
        name: value.value
        for name, value in arguments.items()
        if name in _LITERAL_ARGUMENTS
        and isinstance(value, Constant)
        and isinstance(value.value, str)
    }
    are_all_literals = all(name in literals for name in arguments if name in _LITERAL_ARGUMENTS)
    has_unreadable = any(name in arguments for name in (*_UNREADABLE_ARGUMENTS, "**"))
    return literals, are_all_literals and not has_unreadable
