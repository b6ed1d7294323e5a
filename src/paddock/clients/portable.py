"""What goes into a bundle that runs anywhere: the definition and the files that it refers to.

References to files are rewritten to where the files stand in the bundle, modules become
requirements of the distributions that they come from. What cannot travel is refused.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paddock.clients.requirements import (
    BundleError,
    files_below,
    files_with,
    requirement,
    requirements_of,
)
from paddock.extensions.keys import normal_key
from paddock.extensions.names import parse_qualified
from paddock.extensions.references import is_reference
from paddock.files import is_there
from paddock.servers.lookup import BUILT_IN
from paddock.servers.toml_text import toml_text
from paddock.servers.unpickling import is_pickle
from paddock.serving.target import Target

if TYPE_CHECKING:
    from paddock.clients.entries import Installable
    from paddock.servers.named_server import NamedServer

DEFINITION = "server.toml"
CODE = "code"
AS_THEY_ARE = frozenset({"options", "parameters", "arguments", "annotations", "input_schema"})
"""Tables whose keys are names that the author chose."""
LIMIT = 50_000_000
"""Bytes of a directory beyond which something is in it that does not belong."""


@dataclass
class Contents:
    """The files of a bundle by their places in it, what to serve, and what has to be installed."""

    files: dict[str, bytes] = field(default_factory=dict)
    target: str = DEFINITION
    requirements: set[str] = field(default_factory=set)
    folders: dict[Path, str] = field(default_factory=dict)
    """The directories on this machine that files are from, and what they are in the bundle."""

    def take(self, file: Path) -> str:
        """Put a file in, with those beside it that it imports; its place in the bundle.

        Raises:
            BundleError: when there is none.
        """
        if not is_there(file):
            raise BundleError("there is no such file", where=str(file), hint="put it back")
        file = file.resolve()
        together = files_with(file)
        self.requirements.update(requirements_of(together))
        for one in together:
            self.files[self._place(one, file.parent)] = one.read_bytes()
        return self._place(file, file.parent)

    def _place(self, file: Path, folder: Path) -> str:
        known = len(self.folders)
        name = self.folders.setdefault(folder, f"{CODE}{known + 1 if known else ''}")
        return f"{name}/{file.relative_to(folder).as_posix()}"


def contents_of(server: Installable) -> Contents:
    """What a server consists of.

    Raises:
        BundleError: when some of it cannot be taken to another machine.
    """
    return _of_definition(server.named) if server.named is not None else _of_path(server.name)


def _of_definition(server: NamedServer) -> Contents:
    contents = Contents()
    place = server.location
    directory = place.parent if isinstance(place, Path) else None
    if directory is None and place != BUILT_IN:
        raise BundleError(
            f"{server.name!r} belongs to the extension {place!r}, which a bundle cannot bring",
            hint="make a bundle for this machine: leave out --portable",
        )
    table = {
        key: _travelling(value, key, directory, contents)
        for key, value in server.properties.items()
    }
    contents.files[DEFINITION] = toml_text(table).encode()
    return contents


def _travelling(value: Any, key: str, directory: Path | None, contents: Contents) -> Any:
    """A value of the definition as it is to stand in the bundle."""
    if is_pickle(value):
        raise BundleError(
            "a function that is stored as it is runs with this Python only",
            where=key,
            hint="define it in a file; or make a bundle for this machine: leave out --portable",
        )
    if normal_key(key) in AS_THEY_ARE:
        return value
    if isinstance(value, dict):
        return {inner: _travelling(one, inner, directory, contents) for inner, one in value.items()}
    if isinstance(value, list):
        return [_travelling(one, key, directory, contents) for one in value]
    if isinstance(value, str):
        return _text(value, key, directory, contents)
    return value


REFERRING = frozenset({"tools", "prompts", "resources", "initialization", "function"})
"""Where a text can be a name or a reference, and is not just a text."""


def _text(value: str, key: str, directory: Path | None, contents: Contents) -> str:
    place = normal_key(key)
    if place == "file":
        return contents.take((directory or Path()) / Path(value).expanduser())
    is_file = is_reference(value) and ".py:" in value
    if place not in REFERRING and not (place == "content" and is_file):
        return value
    if is_reference(value):
        return _reference(value, key, directory, contents)
    qualified = parse_qualified(value)
    if qualified is not None and qualified.package_name != "paddock":
        raise BundleError(
            f"{value!r} belongs to an extension, which a bundle cannot bring",
            where=key,
            hint="make a bundle for this machine: leave out --portable",
        )
    return value


def _reference(value: str, key: str, directory: Path | None, contents: Contents) -> str:
    home, _, name = value.rpartition(":")
    if home.endswith(".py"):
        return f"{contents.take((directory or Path()) / Path(home).expanduser())}:{name}"
    package = home.partition(".")[0]
    if package != "paddock":
        contents.requirements.add(requirement(package, key))
    return value


def _of_path(text: str) -> Contents:
    contents = Contents()
    target = Target(text)
    path = Path(target.path).resolve()
    if not target.is_directory:
        place = contents.take(path)
        contents.target = f"{place}:{target.attribute}" if target.attribute else place
        return contents
    files = files_below(path)
    if sum(one.stat().st_size for one in files) > LIMIT:
        raise BundleError(
            f"holds more than {LIMIT // 1_000_000} MB",
            where=str(path),
            hint="keep what the server does not need elsewhere",
        )
    for one in files:
        contents.files[f"{CODE}/{one.relative_to(path).as_posix()}"] = one.read_bytes()
    contents.requirements.update(requirements_of(files))
    contents.target = CODE
    return contents
