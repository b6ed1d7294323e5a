"""Search index updates, in this process or in a background process.

Only changed sources are read, and each is committed immediately. An unreadable source is recorded
with the reason, and read again when it changes. The background process ends when it is done or when
its parent ends, which closes its standard input. Everything it has indexed is kept.
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


MAX_EMBEDDED_CHARACTERS = 1_500  # Beginning of a page from which its vector is computed.
MAX_PAGE_CHARACTERS = 200_000  # The rest of a longer page is not searchable.

# A stored stamp consists of the stamp of the source, this separator and the name of the embedding.
VECTORS_STAMP_SEPARATOR = " vectors: "
PROGRESS_SETTING = "progress"
"""The setting that stores the indexing progress, as fields separated by spaces."""
# A process without progress for this time is assumed to have been killed.
STALE_PROGRESS_SECONDS = 120.0
BACKGROUND_INDEX_VARIABLE = "PADDOCK_INDEX_IN_BACKGROUND"
"""Set to 0 to disable background indexing, except by `paddock docs index`."""
NICE_INCREMENT = 10  # Indexing must not slow down the user's programs.


class IndexProgress(NamedTuple):
    """The indexing progress of one corpus."""

    corpus: str
    indexed_sources: int
    total_sources: int
    indexed_pages: int
    """Number of pages written during this run."""


def update_index(
    database: IndexStore,
    corpora: Iterable[Corpus],
    *,
    seconds: float | None = None,
    vectors: str | None = None,
    report: Callable[[IndexProgress], None] = lambda _progress: None,
) -> bool:
    """Index changed sources, and remove those that no longer exist.

    Each source has a stamp, which is stored with its pages. A source is indexed again if its stamp
    has changed, or if its vectors were produced by a different embedding.

    Args:
        database: The index.
        corpora: The corpora to update.
        seconds: The time limit. Defaults to no limit.
        vectors: The embedding for new pages. Existing pages keep their vectors, even if they are
            from another embedding. By default, all pages get vectors from the configured embedding.
        report: Called with the progress before and after each source.

    Returns:
        False if the time limit was reached.

    Raises:
        IndexUnavailableError: The index cannot be written.
        ModelError: The user's sentence model cannot be read.
    """
    end_time = None if seconds is None else monotonic() + seconds
    embedding_name = embeddings.choose_embedding() if vectors is None else vectors
    accepts_any_vectors = vectors is not None or embedding_name == embeddings.NO_VECTORS
    for corpus in corpora:
        stale_sources = _find_stale_sources(
            database, corpus, embedding_name, accepts_any_vectors=accepts_any_vectors
        )
        source_count, page_count = len(stale_sources), 0
        for indexed_count, source in enumerate(stale_sources):
            # The time limit is checked between sources, since a source is always indexed as a
            # whole.
            report(IndexProgress(corpus.name, indexed_count, source_count, page_count))
            if end_time is not None and monotonic() > end_time:
                return False
            page_count += _index_source(database, corpus, source, embedding_name)
        if stale_sources:
            report(IndexProgress(corpus.name, source_count, source_count, page_count))
    return True


def _find_stale_sources(
    database: IndexStore, corpus: Corpus, embedding_name: str, *, accepts_any_vectors: bool
) -> list[CorpusSource]:
    """Return the new and changed sources of a corpus, with the stamps to store for them.

    Sources that the corpus no longer lists are removed from the index. A stored stamp has the form
    `STAMP vectors: EMBEDDING`, so it also changes with the embedding.

    Args:
        database: The index.
        corpus: The corpus.
        embedding_name: The embedding for new pages, which becomes part of the stamps.
        accepts_any_vectors: Whether an unchanged source may keep vectors from another embedding.
    """
    indexed_stamps = database.get_stamps(corpus.name)
    sources = list(corpus.list_sources())
    removed_keys = indexed_stamps.keys() - {source.key for source in sources}
    if removed_keys:
        database.remove_sources(corpus.name, removed_keys)
    stale_sources = []
    for key, content_stamp in sources:
        stamp = f"{content_stamp}{VECTORS_STAMP_SEPARATOR}{embedding_name}"
        indexed_stamp = indexed_stamps.get(key, "")
        is_same_content = indexed_stamp.partition(VECTORS_STAMP_SEPARATOR)[0] == content_stamp
        if indexed_stamp != stamp and not (accepts_any_vectors and is_same_content):
            stale_sources.append(CorpusSource(key, stamp))
    return stale_sources


def _index_source(
    database: IndexStore, corpus: Corpus, source: CorpusSource, embedding_name: str
) -> int:
    """Read a source's pages, compute their vectors and store both in the index.

    A source that cannot be read is stored with the reason and without pages, so it is not read
    again until it changes.

    Returns:
        The number of pages.
    """
    problem = None
    pages: list[DocPage] = []
    try:
        pages += (
            replace(page, text=page.text[:MAX_PAGE_CHARACTERS])
            for page in corpus.read_pages(source.key)
        )
    # Any file can be malformed. One of them must not end the indexing of the others.
    except (OSError, ValueError, RecursionError, SyntaxError, MemoryError) as error:
        problem = f"{type(error).__name__}: {error}"[:500]
    embedded_pages = _embed_pages(pages, embedding_name)
    database.replace_source(
        corpus.name, source, embedded_pages, kind=embedding_name, problem=problem
    )
    return len(pages)


def _embed_pages(pages: Sequence[DocPage], name: str) -> list[tuple[DocPage, bytes | None]]:
    """Pair pages with their quantized vectors, or with None if there is no embedding."""
    embedding = embeddings.load_embedding(name)
    if embedding is None or not pages:
        return [(page, None) for page in pages]
    vectors = embedding.encode_texts([get_embedding_text(page) for page in pages])
    return list(zip(pages, vectors, strict=True))


def get_embedding_text(page: DocPage) -> str:
    """Return the part of a page that its vector is computed from."""
    names = split_identifiers(" ".join(page.names[:1] or (page.title,)))
    return f"{names}. {page.keywords}. {page.text[:MAX_EMBEDDED_CHARACTERS]}"


class IndexJob(NamedTuple):
    """The indexing progress of a corpus, possibly in another process.

    `done` and `total` count sources.
    """

    corpus: str
    done: int
    total: int


def start_background_indexing(names: Sequence[str]) -> bool:
    """Start a process that indexes the named corpora, and return without waiting for it.

    The new process's standard input is a pipe, which closes when this process ends. The indexing
    process then also ends.

    Returns:
        False if background indexing is disabled, or the process cannot be started.
    """
    if os.environ.get(BACKGROUND_INDEX_VARIABLE) == "0":
        return False
    try:
        process = subprocess.Popen(  # noqa: S603 - this interpreter and module
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
    """Reap the background process when it has ended, and close its pipe."""
    # The open pipe shows the process that its parent is alive, so it is only closed afterwards.
    process.wait()
    if process.stdin is not None:
        process.stdin.close()


def get_running_job(database: IndexStore) -> IndexJob | None:
    """Return the progress of any indexing by this or another process, or None.

    The process publishes its progress as a setting in the index. Progress that has not changed for
    two minutes is ignored, because the process was probably killed.
    """
    progress = database.get_setting(PROGRESS_SETTING)
    if not progress:
        return None
    corpus, done, total, written_at = progress.split(" ")
    if time() - float(written_at) > STALE_PROGRESS_SECONDS:
        return None
    return IndexJob(corpus, int(done), int(total))


def index_corpora(
    names: Sequence[str], report: Callable[[IndexProgress], None] = lambda _progress: None
) -> bool:
    """Bring the index file up to date for some corpora.

    The index file's lock ensures that only one process indexes at a time.

    Args:
        names: The names of the corpora.
        report: Called with the progress before and after each source.

    Returns:
        False if another process is already indexing. In that case, nothing is done.

    Raises:
        PaddockError: The index cannot be written, or a corpus cannot be read.
    """
    file = get_index_file()
    try:
        # Two processes would duplicate the work, so the second one does not wait.
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


def _index_with_progress(
    database: IndexStore, names: Sequence[str], report: Callable[[IndexProgress], None]
) -> None:
    """Index corpora, publishing the progress for other processes as a setting in the index.

    The setting is written at most once per second, because each change is a transaction.
    """
    published_at = 0.0

    def publish_progress(progress: IndexProgress) -> None:
        nonlocal published_at
        report(progress)
        now = time()
        if now - published_at > 1.0:
            published_at = now
            text = f"{progress.corpus} {progress.indexed_sources} {progress.total_sources} {now}"
            database.set_setting(PROGRESS_SETTING, text)

    update_index(database, load_corpora(names), report=publish_progress)


def _exit_with_parent() -> None:
    """End this process when its parent ends, which closes standard input."""
    # Read the descriptor directly. With `sys.stdin`, this thread would hold that file's lock when
    # the interpreter shuts down.
    while os.read(0, 4_096):
        pass
    os._exit(0)  # SQLite rolls back an unfinished transaction


def _main(names: Sequence[str]) -> int:
    """Run as the background process that indexes corpora, and return the exit code.

    The process has a low priority and ends when the process that started it ends.
    """
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
