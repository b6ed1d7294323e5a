"""A thread pool for blocking work. Threads start on demand and end when they are idle."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue
from time import monotonic


def call_safely(callback: Callable[..., object], *arguments: object) -> None:
    """Call a function, and print any exception so that the calling thread survives."""
    try:
        callback(*arguments)
    except Exception as error:  # noqa: BLE001 - a callback may raise anything
        report_callback_error(error)


def report_callback_error(error: BaseException) -> None:
    """Print a callback's exception with `threading.excepthook`, like one that ends a thread."""
    args = (type(error), error, error.__traceback__, threading.current_thread())
    threading.excepthook(threading.ExceptHookArgs(args))
    sys.stderr.flush()


Job = Callable[[], None]

IDLE_SECONDS = 10.0
"""Seconds without work after which a thread ends."""


class ThreadPool:
    """Runs up to `max_threads` jobs at a time and queues up to `max_queued` more."""

    def __init__(self, name: str, max_threads: int, max_queued: int) -> None:
        self._name = name
        self._max_threads = max_threads
        self._max_jobs = max_threads + max_queued
        self._lock = threading.Lock()
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        """The queued jobs, and None for each thread that must end."""
        self._unfinished_count = 0
        """The number of jobs that are queued or running."""
        self._threads: set[threading.Thread] = set()
        self._is_closed = False

    def submit(self, job: Job) -> bool:
        """Queue a job, and start another thread if all are busy.

        Returns:
            False if the queue is full or the pool is closed, which means the job will not run.
        """
        with self._lock:
            if self._is_closed or self._unfinished_count >= self._max_jobs:
                return False
            self._unfinished_count += 1
            self._jobs.put(job)
            is_any_idle = len(self._threads) >= self._unfinished_count
            if not is_any_idle and len(self._threads) < self._max_threads:
                thread = threading.Thread(target=self._run_jobs, name=self._name, daemon=True)
                self._threads.add(thread)
                thread.start()
        return True

    def close(self, seconds: float) -> None:
        """Close the pool: drop the queued jobs and wait for the running ones.

        Args:
            seconds: Maximum time to wait for all running jobs together.
        """
        with self._lock:
            self._is_closed = True
            with suppress(Empty):
                while True:
                    self._jobs.get_nowait()
            threads = list(self._threads)
            for _ in threads:
                self._jobs.put(None)
        deadline = monotonic() + seconds
        for thread in threads:
            if thread is not threading.current_thread():
                thread.join(max(0.0, deadline - monotonic()))

    def _run_jobs(self) -> None:
        """Run jobs in this thread until none have arrived for `IDLE_SECONDS`."""
        while (job := self._get_next_job()) is not None:
            call_safely(job)
            with self._lock:
                self._unfinished_count -= 1

    def _get_next_job(self) -> Job | None:
        """Wait for a job and return it, or None if this thread has been idle for too long."""
        with suppress(Empty):
            return self._jobs.get(timeout=IDLE_SECONDS)
        with self._lock:
            # Jobs are submitted under the lock, so none can arrive after the thread is removed.
            with suppress(Empty):
                return self._jobs.get_nowait()
            self._threads.discard(threading.current_thread())
        return None
