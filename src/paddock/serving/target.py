"""What `paddock serve` was asked to serve, as far as it is known before any of it is run.

A server's name, version and instructions are read from the source text, so that a client that
connects is answered before the author's imports have begun. Loaded before msgspec, so it needs
nothing but the interpreter.
"""

from __future__ import annotations

import os
from _ast import Assign, Call, Constant, Name

from paddock.errors import LoadError
from paddock.protocol.server_metadata import ServerMetadata
from paddock.serving.server_source import PREFERRED_VARIABLE_NAMES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _ast import AST
    from collections.abc import Callable
    from pathlib import Path

    from paddock.authoring.base_server import BaseServer

_ONLY_AST_FLAG = 0x400
_LITERAL_ARGUMENTS = frozenset(
    {"name", "version", "title", "description", "instructions", "website_url"}
)
_UNREADABLE_ARGUMENTS = frozenset(
    {"icons", "capabilities", "cache_ttl_ms", "cache_scope", "skills"}
)
_EXTENSION_MARKERS = (
    b".skill(",
    b".skills(",
    b"Skill(",
    b"Skill.",
    b"AppView(",
    b"ui=",
    b"visibility=",
)
"""What stands in a source where the server may have an extension that it then declares."""


class PathTarget:
    """A file, optionally with the name of an object in it, or a directory."""

    __slots__ = (
        "attribute",
        "has_certain_metadata",
        "is_directory",
        "label",
        "metadata",
        "on_load",
        "path",
    )

    def __init__(self, text: str) -> None:
        self.label = text
        self.on_load: Callable[[BaseServer], object] | None = None
        """What is to be done with the server once it is loaded."""
        self.path, self.attribute = _split_target(text)
        if os.path.isfile(os.path.join(self.path, "server.py")):
            self.path = os.path.join(self.path, "server.py")
        self.is_directory = os.path.isdir(self.path)
        stem = os.path.splitext(os.path.basename(os.path.abspath(self.path)))[0]
        self.metadata = ServerMetadata(stem)
        self.has_certain_metadata = self.is_directory and not _has_skills(self.path)
        if not self.is_directory:
            self._read_metadata()

    def load(self) -> BaseServer:
        """Run it, and find the server in it.

        Raises:
            LoadError: when it cannot be run or holds no server, saying why.
        """
        from paddock.serving.loader import load_server_from_path  # noqa: PLC0415 - after the first answer

        offering = load_server_from_path(self)
        if self.on_load is not None:
            self.on_load(offering)
        return offering

    def list_files(self) -> list[Path]:
        """The files that it consists of, as far as they are known by now."""
        from paddock.serving.loader import list_source_files  # noqa: PLC0415 - only for reloading

        return list_source_files(self.path, is_directory=self.is_directory)

    def unload_modules(self) -> None:
        """Have its modules imported anew when they are next asked for."""
        from paddock.serving.loader import unload_modules  # noqa: PLC0415 - only for reloading

        unload_modules(self.path if self.is_directory else os.path.dirname(self.path))

    def _read_metadata(self) -> None:
        """Read what the source says about the server; certain if it says it in plain literals."""
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
        found, is_certain = _read_literal_arguments(call)
        self.has_certain_metadata = is_certain and not self._can_have_extension(source, call)
        self.metadata = ServerMetadata(found.pop("name", self.metadata.name), **found)  # type: ignore[arg-type]  # all text

    def _can_have_extension(self, source: bytes, call: Call) -> bool:
        """Whether the server may turn out to have an extension."""
        if any(word in source for word in _EXTENSION_MARKERS):
            return True
        for keyword in call.keywords:
            if keyword.arg == "auto_register_dir":
                given = getattr(keyword.value, "value", None)
                here = os.path.dirname(self.path)
                return not isinstance(given, str) or _has_skills(os.path.join(here, given))
        return False


def _has_skills(directory: str) -> bool:
    return os.path.isdir(os.path.join(directory, "skills"))


def _split_target(text: str) -> tuple[str, str | None]:
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
    """The top-level assignments of `Server(…)`, by the name assigned to."""
    found = {}
    for statement in getattr(tree, "body", ()):
        if isinstance(statement, Assign) and isinstance(statement.value, Call):
            function = statement.value.func
            called = function.id if isinstance(function, Name) else getattr(function, "attr", "")
            target = statement.targets[0]
            if called == "Server" and isinstance(target, Name):
                found[target.id] = statement.value
    return found


def _choose_call(calls: dict[str, Call]) -> Call | None:
    if len(calls) == 1:
        return next(iter(calls.values()))
    return next((calls[name] for name in PREFERRED_VARIABLE_NAMES if name in calls), None)


def _read_literal_arguments(call: Call) -> tuple[dict[str, str], bool]:
    given = dict(zip(["name"], call.args, strict=False))
    given.update({keyword.arg or "**": keyword.value for keyword in call.keywords})
    found = {
        key: value.value
        for key, value in given.items()
        if key in _LITERAL_ARGUMENTS
        and isinstance(value, Constant)
        and isinstance(value.value, str)
    }
    is_certain = all(key in found for key in given if key in _LITERAL_ARGUMENTS)
    return found, is_certain and not any(key in given for key in (*_UNREADABLE_ARGUMENTS, "**"))
