"""Picking up changed source files while a client stays connected."""

from __future__ import annotations

import sys
import time
from _thread import start_new_thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Protocol

    from paddock.authoring.offering import Offering
    from paddock.serving.loadable import Loadable

    class Served(Protocol):
        """What a newly loaded server can be put into."""

        def replace(self, offering: Offering) -> None:
            """Put it in the place of the one that is served."""


INTERVAL = 0.3
"""Seconds between two looks at the files."""


Stamp = tuple[int, int]


class Reloader:
    """Watches a target's files and puts what they hold now into what is being served.

    Made before the target is loaded, so that no change between is missed.
    """

    def __init__(self, target: Loadable) -> None:
        self._target = target
        self._since = 0
        self._seen: dict[Path, Stamp] = {}
        self._begin()

    def start(self, served: Served) -> None:
        """Begin to watch, in a thread of its own, once the target is loaded."""
        self._learn()
        start_new_thread(self._watch, (served,))

    def _watch(self, served: Served) -> None:
        while True:
            time.sleep(INTERVAL)
            if self._stamps() != self._seen:
                self._reload(served)

    def _reload(self, served: Served) -> None:
        self._begin()
        self._target.forget()
        try:
            fresh = self._target.load()
        except Exception as error:  # noqa: BLE001 - the author's code: keep what works, tell why
            _say(f"Reload failed, the server goes on as it was: {error}")
        else:
            served.replace(fresh)
            _say(f"Reloaded {self._target.text}")
        self._learn()

    def _begin(self) -> None:
        """The files are about to be loaded as they are now."""
        self._since = time.time_ns()
        self._seen = self._stamps()

    def _learn(self) -> None:
        """Take note of the modules that the load has brought in, unless they changed since."""
        for file, stamp in self._stamps().items():
            if stamp[0] < self._since:
                self._seen.setdefault(file, stamp)

    def _stamps(self) -> dict[Path, Stamp]:
        found = {}
        for file in self._target.files():
            try:
                status = file.stat()
            except OSError:
                continue
            found[file] = (status.st_mtime_ns, status.st_size)
        return found


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()
