"""What `paddock serve` was asked to serve, as far as it is known before any of it is run.

A server's name, version and instructions are read from the source text, so that a client that
connects is answered before the author's imports have begun. Loaded before msgspec, so it needs
nothing but the interpreter.
"""

from __future__ import annotations

import os
from _ast import Assign, Call, Constant, Name

from paddock.errors import LoadError
from paddock.protocol.facts import ServerFacts
from paddock.serving.loadable import PREFERRED_NAMES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _ast import AST
    from collections.abc import Callable
    from pathlib import Path

    from paddock.authoring.offering import Offering

_ONLY_AST = 0x400
_LITERAL_FACTS = frozenset(
    {"name", "version", "title", "description", "instructions", "website_url"}
)
_UNKNOWN_FACTS = frozenset({"icons", "capabilities", "cache_ttl_ms", "cache_scope", "skills"})
_EXTENDING = (b".skill(", b".skills(", b"Skill(", b"Skill.", b"AppView(", b"ui=", b"visibility=")
"""What stands in a source where the server may have an extension that it then declares."""


class Target:
    """A file, optionally with the name of an object in it, or a directory."""

    __slots__ = ("attribute", "complete", "facts", "is_certain", "is_directory", "path", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.complete: Callable[[Offering], object] | None = None
        """What is to be done with the server once it is loaded."""
        self.path, self.attribute = _split(text)
        if os.path.isfile(os.path.join(self.path, "server.py")):
            self.path = os.path.join(self.path, "server.py")
        self.is_directory = os.path.isdir(self.path)
        stem = os.path.splitext(os.path.basename(os.path.abspath(self.path)))[0]
        self.facts = ServerFacts(stem)
        self.is_certain = self.is_directory and not _holds_skills(self.path)
        if not self.is_directory:
            self._read_facts()

    def load(self) -> Offering:
        """Run it, and find the server in it.

        Raises:
            LoadError: when it cannot be run or holds no server, saying why.
        """
        from paddock.serving.loading import load_path  # noqa: PLC0415 - after the first answer

        offering = load_path(self)
        if self.complete is not None:
            self.complete(offering)
        return offering

    def files(self) -> list[Path]:
        """The files that it consists of, as far as they are known by now."""
        from paddock.serving.loading import files_of  # noqa: PLC0415 - only for reloading

        return files_of(self.path, is_directory=self.is_directory)

    def forget(self) -> None:
        """Have its modules imported anew when they are next asked for."""
        from paddock.serving.loading import forget_modules  # noqa: PLC0415 - only for reloading

        forget_modules(self.path if self.is_directory else os.path.dirname(self.path))

    def _read_facts(self) -> None:
        """Read what the source says about the server; certain if it says it in plain literals."""
        try:
            with open(self.path, "rb") as file:
                source = file.read()
            tree = compile(source, self.path, "exec", _ONLY_AST, dont_inherit=True)
        except (OSError, SyntaxError, ValueError):
            return
        calls = _server_calls(tree)
        call = calls.get(self.attribute) if self.attribute else _preferred(calls)
        if call is None:
            return
        found, is_certain = _literal_arguments(call)
        self.is_certain = is_certain and not self._is_extended(source, call)
        self.facts = ServerFacts(found.pop("name", self.facts.name), **found)  # type: ignore[arg-type]  # all text

    def _is_extended(self, source: bytes, call: Call) -> bool:
        """Whether the server may turn out to have an extension."""
        if any(word in source for word in _EXTENDING):
            return True
        for keyword in call.keywords:
            if keyword.arg == "auto_register_dir":
                given = getattr(keyword.value, "value", None)
                here = os.path.dirname(self.path)
                return not isinstance(given, str) or _holds_skills(os.path.join(here, given))
        return False


def _holds_skills(directory: str) -> bool:
    return os.path.isdir(os.path.join(directory, "skills"))


def _split(text: str) -> tuple[str, str | None]:
    if os.path.exists(text):
        return text, None
    path, colon, attribute = text.rpartition(":")
    if colon and os.path.exists(path):
        return path, attribute
    raise LoadError(
        f"{text!r} is neither a file nor a directory",
        hint="expected server.py, server.py:object, or a directory with tools/",
    )


def _server_calls(tree: AST) -> dict[str, Call]:
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


def _preferred(calls: dict[str, Call]) -> Call | None:
    if len(calls) == 1:
        return next(iter(calls.values()))
    return next((calls[name] for name in PREFERRED_NAMES if name in calls), None)


def _literal_arguments(call: Call) -> tuple[dict[str, str], bool]:
    given = dict(zip(["name"], call.args, strict=False))
    given.update({keyword.arg or "**": keyword.value for keyword in call.keywords})
    found = {
        key: value.value
        for key, value in given.items()
        if key in _LITERAL_FACTS and isinstance(value, Constant) and isinstance(value.value, str)
    }
    is_certain = all(key in found for key in given if key in _LITERAL_FACTS)
    return found, is_certain and not any(key in given for key in (*_UNKNOWN_FACTS, "**"))
