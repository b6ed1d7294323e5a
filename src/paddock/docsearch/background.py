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

from paddock.docsearch.corpora.table import load_corpora
from paddock.docsearch.database import IndexStore, get_index_file
from paddock.docsearch.indexing import IndexProgress, update_index
from paddock.errors import PaddockError
from paddock.files import FileBusyError, lock_file

if TYPE_CHECKING:
    from collections.abc import Sequence

PROGRESS_SETTING = "progress"
"""The setting of the index that says how far the work is, as words with blanks between."""
STALE_PROGRESS_SECONDS = 120.0
"""After so long without progress, whoever was at work is taken to be gone."""
BACKGROUND_INDEX_VARIABLE = "PADDOCK_INDEX_IN_BACKGROUND"
"""Set to 0, nothing is indexed but by `paddock docs index`, and what takes a moment."""
NICE_INCREMENT = 10


class IndexJob(NamedTuple):
    """What is being indexed now."""

    corpus: str
    done: int
    total: int


def start_background_indexing(names: Sequence[str]) -> bool:
    """Have corpora indexed by another process; whether one was started."""
    if os.environ.get(BACKGROUND_INDEX_VARIABLE) == "0":
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
    threading.Thread(target=_wait_for_exit, args=[process], name="indexing", daemon=True).start()
    return True


def _wait_for_exit(process: subprocess.Popen[bytes]) -> None:
    process.wait()  # and only then close what tells it that we are here
    if process.stdin is not None:
        process.stdin.close()


def get_running_job(database: IndexStore) -> IndexJob | None:
    """What some process is indexing now, if any."""
    found = str(database.get_setting(PROGRESS_SETTING) or "").split(" ")
    if len(found) != len(IndexJob._fields) + 1 or time() - float(found[3]) > STALE_PROGRESS_SECONDS:
        return None
    return IndexJob(found[0], int(found[1]), int(found[2]))


def index_corpora(names: Sequence[str], report: object = None) -> bool:
    """Index corpora and tell others how far it is; False when another process is at it already.

    Raises:
        PaddockError: when the index cannot be written, or a corpus cannot be read.
    """
    file = get_index_file()
    try:
        with lock_file(file, seconds=0.0):
            database = IndexStore(file)
            try:
                _index_with_progress(database, names, report)
            finally:
                with suppress(PaddockError):
                    database.set_setting(PROGRESS_SETTING, "")
                database.close()
    except FileBusyError:
        return False
    return True


def _index_with_progress(database: IndexStore, names: Sequence[str], report: object) -> None:
    last = [0.0]

    def tell(progress: IndexProgress) -> None:
        if callable(report):
            report(progress)
        now = time()
        if now - last[0] > 1.0:
            last[0] = now
            state = f"{progress.corpus} {progress.indexed_sources} {progress.total_sources} {now}"
            database.set_setting(PROGRESS_SETTING, state)

    update_index(database, load_corpora(names), report=tell)


def _exit_with_parent() -> None:
    """End this process when whoever started it is gone."""
    while os.read(0, 4_096):  # not by sys.stdin, whose lock would be held when this process ends
        pass
    os._exit(0)  # SQLite takes back what is half done


def _main(names: Sequence[str]) -> int:
    if hasattr(os, "nice"):
        os.nice(NICE_INCREMENT)
    threading.Thread(target=_exit_with_parent, daemon=True).start()
    try:
        index_corpora(names)
    except PaddockError:
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(_main(sys.argv[1:]))
