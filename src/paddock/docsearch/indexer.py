"""Bringing the index up to date: only what has changed is read, and each part is kept at once.

A part that cannot be read is put down as such, with the reason, and tried again when it changes.

Indexing in another process, while this one goes on answering.

The process ends when it is done, or when the one that started it has gone: that is seen by its
standard input, which nobody writes to. What it has indexed by then stays.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from time import monotonic, time
from typing import TYPE_CHECKING, NamedTuple

from paddock.docsearch.corpora.registry import load_corpora
from paddock.docsearch.embeddings import model_choice as embeddings
from paddock.docsearch.index_store import IndexStore, get_index_file
from paddock.docsearch.model import CorpusSource, split_identifiers
from paddock.errors import PaddockError
from paddock.files import FileBusyError, lock_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from paddock.docsearch.model import Corpus, DocPage


MAX_EMBEDDED_CHARACTERS = 1_500
"""Of a page's text, that its vector is made of."""
MAX_PAGE_CHARACTERS = 200_000
"""Characters of one page; what comes after is not searched."""


VECTORS_STAMP_SEPARATOR = " vectors: "
"""Comes before the name of the vectors in a stamp."""


class IndexProgress(NamedTuple):
    """How far the indexing of one corpus has come."""

    corpus: str
    indexed_sources: int
    total_sources: int
    indexed_pages: int
    """Written in this run."""


def update_index(
    database: IndexStore,
    corpora: Iterable[Corpus],
    *,
    seconds: float | None = None,
    vectors: str | None = None,
    report: Callable[[IndexProgress], None] = lambda _progress: None,
) -> bool:
    """Index what has changed; False when the time was over before everything was done.

    Args:
        database: The index.
        corpora: What is to be in it.
        seconds: How long it may take.
        vectors: Which vectors pages get when they have none yet; those that are chosen here, for
            all pages, unless given.
        report: Is told how far it has come.

    Raises:
        IndexUnavailableError: when the index cannot be written.
        ModelError: when the user's sentence model cannot be read.
    """
    end = None if seconds is None else monotonic() + seconds
    with_vectors = embeddings.choose_embedding() if vectors is None else vectors
    any_vectors = vectors is not None or with_vectors == embeddings.NO_VECTORS
    for corpus in corpora:
        sources = [
            CorpusSource(key, f"{stamp}{VECTORS_STAMP_SEPARATOR}{with_vectors}")
            for key, stamp in corpus.list_sources()
        ]
        known = database.get_stamps(corpus.name)
        gone = known.keys() - {source.key for source in sources}
        if gone:
            database.remove_sources(corpus.name, gone)
        stale = [s for s in sources if not _is_up_to_date(s, known, any_vectors=any_vectors)]
        written = 0
        for done, source in enumerate(stale):
            report(IndexProgress(corpus.name, done, len(stale), written))
            if end is not None and monotonic() > end:
                return False
            written += _index_source(database, corpus, source, with_vectors)
        if stale:
            report(IndexProgress(corpus.name, len(stale), len(stale), written))
    return True


def _is_up_to_date(source: CorpusSource, known: dict[str, str], *, any_vectors: bool) -> bool:
    """Whether a part is in the index as it is, with the wanted vectors or, if so said, with any."""
    there = known.get(source.key)
    if not any_vectors or there is None:
        return there == source.stamp
    return (
        there.partition(VECTORS_STAMP_SEPARATOR)[0]
        == source.stamp.partition(VECTORS_STAMP_SEPARATOR)[0]
    )


def _index_source(
    database: IndexStore, corpus: Corpus, source: CorpusSource, with_vectors: str
) -> int:
    problem = None
    pages: list[DocPage] = []
    try:
        pages += (_truncate_page(page) for page in corpus.read_pages(source.key))
    except (OSError, ValueError, RecursionError, SyntaxError, MemoryError) as error:
        problem = f"{type(error).__name__}: {error}"[:500]
    database.replace_source(
        corpus.name, source, _embed_pages(pages, with_vectors), kind=with_vectors, problem=problem
    )
    return len(pages)


def _truncate_page(page: DocPage) -> DocPage:
    return (
        page
        if len(page.text) <= MAX_PAGE_CHARACTERS
        else replace(page, text=page.text[:MAX_PAGE_CHARACTERS])
    )


def _embed_pages(pages: Sequence[DocPage], name: str) -> list[tuple[DocPage, bytes | None]]:
    embedding = embeddings.load_embedding(name)
    if embedding is None or not pages:
        return [(page, None) for page in pages]
    from paddock.docsearch.embeddings.static_vectors import quantize_vectors  # noqa: PLC0415 - needs numpy

    vectors = quantize_vectors(embedding.embed([get_embedding_text(page) for page in pages]))
    return list(zip(pages, vectors, strict=True))


def get_embedding_text(page: DocPage) -> str:
    """The part of a page that its vector is made of."""
    names = split_identifiers(" ".join(page.names[:1] or (page.title,)))
    return f"{names}. {page.keywords}. {page.text[:MAX_EMBEDDED_CHARACTERS]}"


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
