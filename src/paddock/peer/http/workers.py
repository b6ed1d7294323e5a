"""Threads for work that waits: made when needed, used again, gone when idle."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from queue import Empty, SimpleQueue
from time import monotonic

Job = Callable[[], None]

IDLE_TIME = 10.0
"""Seconds after which a thread without work ends."""


class Workers:
    """Runs jobs, up to `limit` at a time; up to `line` more wait for their turn."""

    def __init__(self, name: str, limit: int, line: int) -> None:
        self._name = name
        self._limit = limit
        self._line_limit = line
        self._lock = threading.Lock()
        self._line: deque[Job] = deque()
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._threads: set[threading.Thread] = set()
        self._idle = 0
        self._is_closed = False

    def submit(self, job: Job) -> bool:
        """Have a job run; False when too many are waiting, or it is too late."""
        with self._lock:
            if self._is_closed:
                return False
            if self._idle:
                self._idle -= 1
                self._jobs.put(job)
            elif len(self._threads) < self._limit:
                self._start(job)
            elif len(self._line) < self._line_limit:
                self._line.append(job)
            else:
                return False
        return True

    def close(self, seconds: float) -> None:
        """Take no more jobs, and wait until those that run have ended."""
        with self._lock:
            self._is_closed = True
            self._line.clear()
            for _ in range(self._idle):
                self._jobs.put(None)
            self._idle = 0
            threads = list(self._threads)
        until = monotonic() + seconds
        for thread in threads:
            if thread is not threading.current_thread():
                thread.join(max(0.0, until - monotonic()))

    def _start(self, job: Job) -> None:
        thread = threading.Thread(target=self._run, args=(job,), name=self._name, daemon=True)
        self._threads.add(thread)
        thread.start()

    def _run(self, first: Job) -> None:
        job: Job | None = first
        while job is not None:
            job()
            job = self._next()

    def _next(self) -> Job | None:
        with self._lock:
            if self._line:
                return self._line.popleft()
            if self._is_closed:
                self._leave()
                return None
            self._idle += 1
        while True:
            try:
                job = self._jobs.get(timeout=IDLE_TIME)
            except Empty:
                with self._lock:
                    if self._idle:
                        self._idle -= 1
                        self._leave()
                        return None
                # A job has been put for us at this very moment.
                continue
            if job is None:
                with self._lock:
                    self._leave()
            return job

    def _leave(self) -> None:
        self._threads.discard(threading.current_thread())
