"""Running an author's file or directory, and finding the server in it.

Picking up changed source files while a client stays connected.
"""

from __future__ import annotations

import sys
import time
from _thread import start_new_thread
from pathlib import Path
from typing import TYPE_CHECKING

from paddock.authoring.base_server import BaseServer
from paddock.authoring.script_runner import run_script
from paddock.errors import LoadError
from paddock.serving.server_source import PREFERRED_VARIABLE_NAMES

if TYPE_CHECKING:
    import os
    from types import ModuleType
    from typing import Protocol

    from paddock.protocol.server_metadata import ServerMetadata

    class ServerPath(Protocol):
        """A file, optionally with the name of an object in it, or a directory."""

        path: str
        attribute: str | None
        is_directory: bool
        metadata: ServerMetadata


def load_server_from_path(target: ServerPath) -> BaseServer:
    """The server that a file or directory holds.

    Raises:
        LoadError: when it cannot be run or holds no server, saying why.
    """
    if target.is_directory:
        directory = Path(target.path).resolve()
        return BaseServer(target.metadata.name, auto_register_dir=directory)
    return _find_server(run_script(Path(target.path).resolve()), target)


def unload_modules(place: str | os.PathLike[str]) -> None:
    """Have modules of a directory imported anew when they are next asked for."""
    directory = Path(place).resolve()
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if file and name != "__main__" and _is_source_inside(Path(file), directory):
            del sys.modules[name]


def list_source_files(place: str | os.PathLike[str], *, is_directory: bool) -> list[Path]:
    """The files that a file or directory consists of, as far as they are known by now."""
    path = Path(place).resolve()
    directory = path if is_directory else path.parent
    loaded = (getattr(module, "__file__", None) for module in list(sys.modules.values()))
    imported = {Path(file) for file in loaded if file and _is_source_inside(Path(file), directory)}
    own = set(directory.rglob("*.py")) if is_directory else {path}
    skills = {file for file in (directory / "skills").rglob("[!.]*") if file.is_file()}
    return sorted(imported | own | skills)


def _is_source_inside(file: Path, directory: Path) -> bool:
    inside = file.suffix == ".py" and file.is_relative_to(directory)
    return inside and not {"site-packages", ".venv"} & set(file.parts)


def _find_server(module: ModuleType, target: ServerPath) -> BaseServer:
    if target.attribute is not None:
        found = getattr(module, target.attribute, None)
        return _require_server(
            found() if callable(found) and not _is_server(found) else found, target
        )
    servers = {name: value for name, value in vars(module).items() if isinstance(value, BaseServer)}
    if len({id(server) for server in servers.values()}) == 1:
        return next(iter(servers.values()))
    for name in PREFERRED_VARIABLE_NAMES:
        if name in servers:
            return servers[name]
    if servers:
        named = ", ".join(f"{target.path}:{name}" for name in servers)
        raise LoadError("holds several servers", where=target.path, hint=f"choose one: {named}")
    raise LoadError(
        "holds no server", where=target.path, hint='define one: server = Server("name")'
    )


def _is_server(found: object) -> bool:
    return isinstance(found, BaseServer)


def _require_server(found: object, target: ServerPath) -> BaseServer:
    if isinstance(found, BaseServer):
        return found
    raise LoadError(
        f"{target.attribute!r} is {found!r}"[:120],
        where=target.path,
        hint="expected a Server, or a function that returns one",
    )


if TYPE_CHECKING:
    from typing import Protocol

    from paddock.serving.server_source import ServerSource

    class ReloadTarget(Protocol):
        """What a newly loaded server can be put into."""

        def replace_server(self, offering: BaseServer) -> None:
            """Put it in the place of the one that is served."""


POLL_SECONDS = 0.3
"""Seconds between two looks at the files."""


SourceStamp = tuple[int, int]


class Reloader:
    """Watches a target's files and puts what they hold now into what is being served.

    Made before the target is loaded, so that no change between is missed.
    """

    def __init__(self, target: ServerSource) -> None:
        self._source = target
        self._load_started_ns = 0
        self._known_stamps: dict[Path, SourceStamp] = {}
        self._record_stamps()

    def start(self, served: ReloadTarget) -> None:
        """Begin to watch, in a thread of its own, once the target is loaded."""
        self._add_loaded_files()
        start_new_thread(self._watch_files, (served,))

    def _watch_files(self, served: ReloadTarget) -> None:
        while True:
            time.sleep(POLL_SECONDS)
            if self._read_stamps() != self._known_stamps:
                self._reload(served)

    def _reload(self, served: ReloadTarget) -> None:
        self._record_stamps()
        self._source.unload_modules()
        try:
            fresh = self._source.load()
        except Exception as error:  # noqa: BLE001 - the author's code: keep what works, tell why
            _write_stderr(f"Reload failed, the server goes on as it was: {error}")
        else:
            served.replace_server(fresh)
            _write_stderr(f"Reloaded {self._source.label}")
        self._add_loaded_files()

    def _record_stamps(self) -> None:
        """The files are about to be loaded as they are now."""
        self._load_started_ns = time.time_ns()
        self._known_stamps = self._read_stamps()

    def _add_loaded_files(self) -> None:
        """Take note of the modules that the load has brought in, unless they changed since."""
        for file, stamp in self._read_stamps().items():
            if stamp[0] < self._load_started_ns:
                self._known_stamps.setdefault(file, stamp)

    def _read_stamps(self) -> dict[Path, SourceStamp]:
        found = {}
        for file in self._source.list_files():
            try:
                status = file.stat()
            except OSError:
                continue
            found[file] = (status.st_mtime_ns, status.st_size)
        return found


def _write_stderr(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()
