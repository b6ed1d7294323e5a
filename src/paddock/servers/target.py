"""A named server, or a definition file, as something that can be served.

What it is called and says about itself is read at once, all the rest behind the first answer.
Loaded before the first answer, so it needs nothing but the interpreter.
"""

from __future__ import annotations

import os

from paddock.errors import LoadError
from paddock.extensions.errors import ExtensionError
from paddock.servers.errors import ServerNotFoundError
from paddock.servers.facts import DEFAULT_VERSION, read_facts
from paddock.servers.file_names import (
    SUFFIX,
    built_in_path,
    definition_path,
    looks_like_path,
)
from paddock.servers.paths import may_be_qualified, means_file
from paddock.servers.variables import OPTIONS_VARIABLE, SERVER_VARIABLE
from paddock.serving.target import Target
from paddock.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path
    from typing import Any

    from paddock.authoring.offering import Offering
    from paddock.servers.serving import Serving
    from paddock.serving.loadable import Loadable

DEFAULT_SERVER = "Demo"


class NamedTarget:
    """The server of a name, or with `file` the one that a definition file defines."""

    __slots__ = ("_serving", "complete", "facts", "file", "is_certain", "options", "text")

    def __init__(self, name: str, *, file: str | None = None) -> None:
        self.text = name
        self.file = file
        self.options: Mapping[str, Mapping[str, Any]] = {}
        """Values for options of tools, which win over all others."""
        self.complete: Callable[[Offering], object] | None = None
        """What is to be done with the server once it is loaded."""
        self._serving: Serving | None = None
        version = DEFAULT_VERSION
        path = file or definition_path(name)
        if file is None and not os.path.isfile(path):
            path, version = built_in_path(name), __version__
        self.facts, self.is_certain = read_facts(path, name, version)
        if file is None and (not self.is_certain or self.facts.name != name):
            self.is_certain = False
            self._serving = self._find()

    def load(self) -> Offering:
        """Make the server of its definition; it is initialised when it starts.

        Raises:
            PaddockError: when the definition cannot be read, or nothing of it can be served.
        """
        self._serving = self._serving or self._find()
        offering = self._serving.load(self.options, self.facts if self.is_certain else None)
        if self.complete is not None:
            self.complete(offering)
        return offering

    def files(self) -> list[Path]:
        """The definition, and the files that it refers to."""
        self._serving = self._serving or self._find()
        return self._serving.files()

    def forget(self) -> None:
        """Have the files that it refers to run anew."""
        if self._serving is not None:
            self._serving.forget()

    def _find(self) -> Serving:
        """Look the definition up in earnest, which needs the rest of the library."""
        from paddock.servers.serving import Serving  # noqa: PLC0415 - after the first answer

        return Serving(self.text, self.file)


def find_target(text: str) -> Loadable:
    """What `paddock serve TARGET` means by a text.

    What looks like a path is one, if it is there and no server is called so; anything else is the
    name of a server first.

    Raises:
        LoadError: when it is neither.
        ExtensionError: when it is a qualified name that leads nowhere.
    """
    if means_file(text):
        return _file_target(text)
    try:
        return NamedTarget(text)
    except (ServerNotFoundError, ExtensionError) as error:
        if os.path.exists(text):
            if looks_like_path(text):
                raise  # a broken extension is no reason to run what is called like it
            return _file_target(text)
        if isinstance(error, ExtensionError) and may_be_qualified(text):
            error.hint = f"there is no file or directory of that name either; {error.hint}"
            raise
        if looks_like_path(text):
            return Target(text)  # says what it expected
        raise LoadError(
            f"{text!r} is neither a server nor a file or directory", hint=error.hint
        ) from None


def default_name() -> str:
    """The server that is served when none is named."""
    return os.environ.get(SERVER_VARIABLE) or DEFAULT_SERVER


def _file_target(text: str) -> Loadable:
    if text.endswith(SUFFIX) and os.path.isfile(text):
        stem = os.path.basename(text).removesuffix(SUFFIX)
        return NamedTarget(stem, file=os.path.abspath(text))
    target = Target(text)
    if os.environ.get(OPTIONS_VARIABLE):
        target.complete = _set_options
    return target


def _set_options(offering: Offering) -> None:
    """Set the options of tools that the environment gives; those of other servers may be there."""
    from paddock.servers.tool_options import set_from_environment  # noqa: PLC0415 - as above

    set_from_environment(offering)
