"""Indexing in another process, while this one goes on answering.

The process ends when it is done, or when the one that started it has gone: that is seen by its
standard input, which nobody writes to. What it has indexed by then stays.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from time import time
from typing import TYPE_CHECKING, NamedTuple

from paddock.docsearch.corpora.table import corpora
from paddock.docsearch.database import Database, index_file
from paddock.docsearch.indexing import Progress, update
from paddock.errors import PaddockError
from paddock.files import FileBusyError, locked

if TYPE_CHECKING:
    from collections.abc import Sequence

PROGRESS = "progress"
"""The setting of the index that says how far the work is, as words with blanks between."""
FORGOTTEN_SECONDS = 120.0
"""After so long without progress, whoever was at work is taken to be gone."""
SWITCH = "PADDOCK_INDEX_IN_BACKGROUND"
"""Set to 0, nothing is indexed but by `paddock docs index`, and what takes a moment."""
LOW_PRIORITY = 10


class Work(NamedTuple):
    """What is being indexed now."""

    corpus: str
    done: int
    total: int


def start_indexing(names: Sequence[str]) -> bool:
    """Have corpora indexed by another process; whether one was started."""
    if os.environ.get(SWITCH) == "0":
        return False
    try:
        process = subprocess.Popen(  # noqa: S603 - this interpreter, with our module
            [sys.executable, "-m", __name__, *names],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=Path.home() if Path.home().is_dir() else None,
        )
    except OSError:
        return False
    threading.Thread(target=_await, args=[process], name="indexing", daemon=True).start()
    return True


def _await(process: subprocess.Popen[bytes]) -> None:
    process.wait()  # and only then close what tells it that we are here
    if process.stdin is not None:
        process.stdin.close()


def work_in_progress(database: Database) -> Work | None:
    """What some process is indexing now, if any."""
    found = str(database.setting(PROGRESS) or "").split(" ")
    if len(found) != len(Work._fields) + 1 or time() - float(found[3]) > FORGOTTEN_SECONDS:
        return None
    return Work(found[0], int(found[1]), int(found[2]))


def index(names: Sequence[str], report: object = None) -> bool:
    """Index corpora and tell others how far it is; False when another process is at it already.

    Raises:
        PaddockError: when the index cannot be written, or a corpus cannot be read.
    """
    file = index_file()
    try:
        with locked(file, seconds=0.0):
            database = Database(file)
            try:
                _index(database, names, report)
            finally:
                with suppress(PaddockError):
                    database.set(PROGRESS, "")
                database.close()
    except FileBusyError:
        return False
    return True


def _index(database: Database, names: Sequence[str], report: object) -> None:
    last = [0.0]

    def tell(progress: Progress) -> None:
        if callable(report):
            report(progress)
        now = time()
        if now - last[0] > 1.0:
            last[0] = now
            state = f"{progress.corpus} {progress.done} {progress.total} {now}"
            database.set(PROGRESS, state)

    update(database, corpora(names), report=tell)


def _end_with_parent() -> None:
    """End this process when whoever started it is gone."""
    while os.read(0, 4_096):  # not by sys.stdin, whose lock would be held when this process ends
        pass
    os._exit(0)  # SQLite takes back what is half done


def _main(names: Sequence[str]) -> int:
    if hasattr(os, "nice"):
        os.nice(LOW_PRIORITY)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        index(names)
    except PaddockError:
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(_main(sys.argv[1:]))
