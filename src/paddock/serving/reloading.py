"""Picking up changed source files while a client stays connected."""

from __future__ import annotations

import sys
import time
from _thread import start_new_thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Protocol

    from paddock.authoring.offering import BaseServer
    from paddock.serving.loadable import ServerSource

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
