"""Picking up changed source files while a client stays connected."""

from __future__ import annotations

import sys
import time
from _thread import start_new_thread
from pathlib import Path
from typing import TYPE_CHECKING

from paddock.serving.loading import files_of, forget_modules, load_target

if TYPE_CHECKING:
    from paddock.serving.session import Session
    from paddock.serving.target import Target

INTERVAL = 0.3
"""Seconds between two looks at the files."""


class Reloader:
    """Watches a target's files and puts what they hold now into a running session."""

    def __init__(self, session: Session, target: Target) -> None:
        self._session = session
        self._target = target
        path = Path(target.path).resolve()
        self._directory = path if target.is_directory else path.parent
        self._seen = self._stamps()

    def start(self) -> None:
        """Begin to watch, in a thread of its own."""
        start_new_thread(self._watch, ())

    def _watch(self) -> None:
        while True:
            time.sleep(INTERVAL)
            now = self._stamps()
            if now != self._seen:
                self._seen = now
                self._reload()

    def _reload(self) -> None:
        forget_modules(self._directory)
        try:
            fresh = load_target(self._target)
        except Exception as error:  # noqa: BLE001 - the author's code: keep what works, tell why
            _say(f"Reload failed, the server goes on as it was: {error}")
            return
        self._session.replace(fresh)
        self._seen = self._stamps()
        _say(f"Reloaded {self._target.text}")

    def _stamps(self) -> dict[Path, tuple[int, int]]:
        found = {}
        for file in files_of(self._target):
            try:
                status = file.stat()
            except OSError:
                continue
            found[file] = (status.st_mtime_ns, status.st_size)
        return found


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()
