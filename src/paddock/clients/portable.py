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
    list_server_files,
    collect_imported_files,
    find_requirement,
    collect_requirements,
)
from paddock.extensions.keys import normalize_key
from paddock.extensions.names import parse_qualified_name
from paddock.extensions.references import is_reference
from paddock.files import path_exists
from paddock.servers.lookup import BUILT_IN_LOCATION
from paddock.servers.toml_text import format_toml
from paddock.servers.unpickling import is_pickle
from paddock.serving.target import PathTarget

if TYPE_CHECKING:
    from paddock.clients.entries import InstallableServer
    from paddock.servers.named_server import NamedServer

DEFINITION_NAME = "server.toml"
CODE_DIRECTORY = "code"
VERBATIM_TABLES = frozenset({"options", "parameters", "arguments", "annotations", "input_schema"})
"""Tables whose keys are names that the author chose."""
MAX_DIRECTORY_BYTES = 50_000_000
"""Bytes of a directory beyond which something is in it that does not belong."""


@dataclass
class BundleContents:
    """The files of a bundle by their places in it, what to serve, and what has to be installed."""

    files: dict[str, bytes] = field(default_factory=dict)
    target: str = DEFINITION_NAME
    requirements: set[str] = field(default_factory=set)
    directory_names: dict[Path, str] = field(default_factory=dict)
    """The directories on this machine that files are from, and what they are in the bundle."""

    def add_file(self, file: Path) -> str:
        """Put a file in, with those beside it that it imports; its place in the bundle.

        Raises:
            BundleError: when there is none.
        """
        if not path_exists(file):
            raise BundleError("there is no such file", where=str(file), hint="put it back")
        file = file.resolve()
        together = collect_imported_files(file)
        self.requirements.update(collect_requirements(together))
        for one in together:
            self.files[self._assign_path(one, file.parent)] = one.read_bytes()
        return self._assign_path(file, file.parent)

    def _assign_path(self, file: Path, folder: Path) -> str:
        known = len(self.directory_names)
        name = self.directory_names.setdefault(folder, f"{CODE_DIRECTORY}{known + 1 if known else ''}")
        return f"{name}/{file.relative_to(folder).as_posix()}"


def collect_contents(server: InstallableServer) -> BundleContents:
    """What a server consists of.

    Raises:
        BundleError: when some of it cannot be taken to another machine.
    """
    return _collect_definition(server.named_server) if server.named_server is not None else _collect_path(server.name)


def _collect_definition(server: NamedServer) -> BundleContents:
    contents = BundleContents()
    place = server.location
    directory = place.parent if isinstance(place, Path) else None
    if directory is None and place != BUILT_IN_LOCATION:
        raise BundleError(
            f"{server.name!r} belongs to the extension {place!r}, which a bundle cannot bring",
            hint="make a bundle for this machine: leave out --portable",
        )
    table = {
        key: _convert_value(value, key, directory, contents)
        for key, value in server.properties.items()
    }
    contents.files[DEFINITION_NAME] = format_toml(table).encode()
    return contents


def _convert_value(value: Any, key: str, directory: Path | None, contents: BundleContents) -> Any:
    """A value of the definition as it is to stand in the bundle."""
    if is_pickle(value):
        raise BundleError(
            "a function that is stored as it is runs with this Python only",
            where=key,
            hint="define it in a file; or make a bundle for this machine: leave out --portable",
        )
    if normalize_key(key) in VERBATIM_TABLES:
        return value
    if isinstance(value, dict):
        return {inner: _convert_value(one, inner, directory, contents) for inner, one in value.items()}
    if isinstance(value, list):
        return [_convert_value(one, key, directory, contents) for one in value]
    if isinstance(value, str):
        return _convert_text(value, key, directory, contents)
    return value


REFERENCE_KEYS = frozenset({"tools", "prompts", "resources", "initialization", "function"})
"""Where a text can be a name or a reference, and is not just a text."""


def _convert_text(value: str, key: str, directory: Path | None, contents: BundleContents) -> str:
    place = normalize_key(key)
    if place == "file":
        return contents.add_file((directory or Path()) / Path(value).expanduser())
    is_file = is_reference(value) and ".py:" in value
    if place not in REFERENCE_KEYS and not (place == "content" and is_file):
        return value
    if is_reference(value):
        return _convert_reference(value, key, directory, contents)
    qualified = parse_qualified_name(value)
    if qualified is not None and qualified.extension_name != "paddock":
        raise BundleError(
            f"{value!r} belongs to an extension, which a bundle cannot bring",
            where=key,
            hint="make a bundle for this machine: leave out --portable",
        )
    return value


def _convert_reference(value: str, key: str, directory: Path | None, contents: BundleContents) -> str:
    home, _, name = value.rpartition(":")
    if home.endswith(".py"):
        return f"{contents.add_file((directory or Path()) / Path(home).expanduser())}:{name}"
    package = home.partition(".")[0]
    if package != "paddock":
        contents.requirements.add(find_requirement(package, key))
    return value


def _collect_path(text: str) -> BundleContents:
    contents = BundleContents()
    target = PathTarget(text)
    path = Path(target.path).resolve()
    if not target.is_directory:
        place = contents.add_file(path)
        contents.target = f"{place}:{target.attribute}" if target.attribute else place
        return contents
    files = list_server_files(path)
    if sum(one.stat().st_size for one in files) > MAX_DIRECTORY_BYTES:
        raise BundleError(
            f"holds more than {MAX_DIRECTORY_BYTES // 1_000_000} MB",
            where=str(path),
            hint="keep what the server does not need elsewhere",
        )
    for one in files:
        contents.files[f"{CODE_DIRECTORY}/{one.relative_to(path).as_posix()}"] = one.read_bytes()
    contents.requirements.update(collect_requirements(files))
    contents.target = CODE_DIRECTORY
    return contents
