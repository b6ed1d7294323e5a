"""A thread pool for blocking work, whose threads start on demand and end when they are idle."""

from __future__ import annotations

import sys
import threading
from collections import deque
from collections.abc import Callable
from queue import Empty, SimpleQueue
from time import monotonic


def call_safely(callback: Callable[..., object], *arguments: object) -> None:
    """Call a function. Its exception is printed, so that the calling thread survives."""
    try:
        callback(*arguments)
    except Exception as error:  # noqa: BLE001 - a callback may raise anything
        report_callback_error(error)


def report_callback_error(error: BaseException) -> None:
    """Print an exception of a callback like one that ends a thread: by `threading.excepthook`."""
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
        self._max_queued = max_queued
        self._lock = threading.Lock()
        self._queued_jobs: deque[Job] = deque()
        self._idle_jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._threads: set[threading.Thread] = set()
        self._idle_count = 0
        self._is_closed = False

    def submit(self, job: Job) -> bool:
        """Run a job in some thread. Return False if the queue is full or the pool is closed."""
        with self._lock:
            if self._is_closed:
                return False
            if self._idle_count:
                # The idle thread is counted as taken before it wakes, so that no second job
                # relies on it.
                self._idle_count -= 1
                self._idle_jobs.put(job)
            elif len(self._threads) < self._max_threads:
                self._start_thread(job)
            elif len(self._queued_jobs) < self._max_queued:
                self._queued_jobs.append(job)
            else:
                return False
        return True

    def close(self, seconds: float) -> None:
        """Accept no more jobs, drop the queued ones, and wait for the running ones."""
        with self._lock:
            self._is_closed = True
            self._queued_jobs.clear()
            for _ in range(self._idle_count):
                self._idle_jobs.put(None)
            self._idle_count = 0
            threads = list(self._threads)
        deadline = monotonic() + seconds
        for thread in threads:
            if thread is not threading.current_thread():
                thread.join(max(0.0, deadline - monotonic()))

    def _start_thread(self, job: Job) -> None:
        thread = threading.Thread(target=self._run_jobs, args=(job,), name=self._name, daemon=True)
        self._threads.add(thread)
        thread.start()

    def _run_jobs(self, first: Job) -> None:
        job: Job | None = first
        while job is not None:
            call_safely(job)
            job = self._next_job()

    def _next_job(self) -> Job | None:
        """Wait for the next job of this thread. Return None if the thread must end."""
        with self._lock:
            if self._queued_jobs:
                return self._queued_jobs.popleft()
            if self._is_closed:
                self._remove_thread()
                return None
            self._idle_count += 1
        while True:
            try:
                job = self._idle_jobs.get(timeout=IDLE_SECONDS)
            except Empty:
                with self._lock:
                    if self._idle_count:
                        self._idle_count -= 1
                        self._remove_thread()
                        return None
                # `submit` has just counted this thread as taken, so its job is about to arrive.
                continue
            if job is None:
                with self._lock:
                    self._remove_thread()
            return job

    def _remove_thread(self) -> None:
        self._threads.discard(threading.current_thread())
