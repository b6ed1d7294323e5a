"""Loading of the server in an author's file, and reloading when source files change."""

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
    from collections.abc import Callable
    from types import ModuleType

    from paddock.serving.server_source import ServerSource

SourceStamp = tuple[int, int]

POLL_SECONDS = 0.3
"""Interval between checks for changed files."""


def load_server_file(path: str, attribute: str | None) -> BaseServer:
    """Import a Python file and return the server that it defines.

    Args:
        path: The Python file.
        attribute: The name of the server, or of a function that returns it. The default is the only
            server in the file, or the one with a conventional name.

    Raises:
        LoadError: The file cannot be imported, contains no server, or contains more than one.
    """
    module = run_script(Path(path).resolve())
    if attribute is None:
        return _find_server(module, path)
    value = getattr(module, attribute, None)
    server = value() if callable(value) and not isinstance(value, BaseServer) else value
    if isinstance(server, BaseServer):
        return server
    raise LoadError(
        f"{attribute!r} is {server!r}"[:120],
        where=path,
        hint="expected a Server, or a function that returns one",
    )


def load_server_directory(path: str, name: str) -> BaseServer:
    """Return a server with the items defined in a directory's files."""
    return BaseServer(name, auto_register_dir=Path(path).resolve())


def unload_modules(directory_path: str | os.PathLike[str]) -> None:
    """Remove a directory's modules, so that they are imported again."""
    directory = Path(directory_path).resolve()
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if file and name != "__main__" and _is_source_inside(Path(file), directory):
            del sys.modules[name]


def list_source_files(target_path: str | os.PathLike[str], *, is_directory: bool) -> list[Path]:
    """Return the files that must cause a reload when they change.

    These are the target's own sources, the imported modules in the same directory, and the files in
    the `skills` subdirectory.

    Args:
        target_path: The file or directory that is served.
        is_directory: True for a directory of definitions, False for a single file.
    """
    path = Path(target_path).resolve()
    directory = path if is_directory else path.parent
    module_files = (getattr(module, "__file__", None) for module in list(sys.modules.values()))
    imported_files = {
        Path(file) for file in module_files if file and _is_source_inside(Path(file), directory)
    }
    own_files = set(directory.rglob("*.py")) if is_directory else {path}
    skill_files = {file for file in (directory / "skills").rglob("[!.]*") if file.is_file()}
    return sorted(imported_files | own_files | skill_files)


def _is_source_inside(file: Path, directory: Path) -> bool:
    is_inside = file.suffix == ".py" and file.is_relative_to(directory)
    return is_inside and not {"site-packages", ".venv"} & set(file.parts)


def _find_server(module: ModuleType, path: str) -> BaseServer:
    """Return the only server in a module, or the one with a conventional name.

    Args:
        module: The imported module.
        path: The path of its file, for error messages.

    Raises:
        LoadError: The module defines no server, or more than one without a conventional name.
    """
    servers = {name: value for name, value in vars(module).items() if isinstance(value, BaseServer)}
    if len({id(server) for server in servers.values()}) == 1:
        return next(iter(servers.values()))
    for name in PREFERRED_VARIABLE_NAMES:
        if name in servers:
            return servers[name]
    if servers:
        targets = ", ".join(f"{path}:{name}" for name in servers)
        raise LoadError("defines several servers", where=path, hint=f"choose one: {targets}")
    raise LoadError("defines no server", where=path, hint='define one: server = Server("name")')


class Reloader:
    """Watches the source files of a target and reloads it after changes.

    Create it before loading the target, so that changes during the load are noticed.
    """

    def __init__(self, target: ServerSource) -> None:
        self._source = target
        self._load_started_ns = 0
        self._known_stamps: dict[Path, SourceStamp] = {}
        self._record_stamps()

    def start(self, replace_server: Callable[[BaseServer], None]) -> None:
        """Start watching in a new thread. Call this after the target has been loaded.

        `replace_server` is called with each reloaded server.
        """
        self._add_loaded_files()
        start_new_thread(self._watch_files, (replace_server,))

    def _watch_files(self, replace_server: Callable[[BaseServer], None]) -> None:
        # Polling is fast enough to reload within 300 ms, and does not need a dependency for file
        # events.
        while True:
            time.sleep(POLL_SECONDS)
            if self._read_stamps() != self._known_stamps:
                self._reload(replace_server)

    def _reload(self, replace_server: Callable[[BaseServer], None]) -> None:
        """Reload the changed target. If that fails, the current server stays in use.

        The outcome is reported on standard error.
        """
        # The files' state is recorded before they are loaded, so that a change during the load
        # causes another reload.
        self._record_stamps()
        self._source.unload_modules()
        try:
            server = self._source.load()
        except Exception as error:  # noqa: BLE001 - any error in the author's code: keep serving
            _write_stderr(f"Reload failed, the server is unchanged: {error}")
        else:
            replace_server(server)
            _write_stderr(f"Reloaded {self._source.label}")
        self._add_loaded_files()

    def _record_stamps(self) -> None:
        """Record the state of the files before they are loaded."""
        self._load_started_ns = time.time_ns()
        self._known_stamps = self._read_stamps()

    def _add_loaded_files(self) -> None:
        """Watch modules that the load imported, unless they changed after the load started."""
        for file, stamp in self._read_stamps().items():
            if stamp[0] < self._load_started_ns:
                self._known_stamps.setdefault(file, stamp)

    def _read_stamps(self) -> dict[Path, SourceStamp]:
        """Return each source file's modification time and size, for detecting changes.

        Files that no longer exist are omitted.
        """
        stamps = {}
        for file in self._source.list_files():
            try:
                status = file.stat()
            except OSError:
                continue
            stamps[file] = (status.st_mtime_ns, status.st_size)
        return stamps


def _write_stderr(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()
