"""Thread pool for handlers that have proved to be slow.

Threads start on demand, up to a limit, and are kept. If all are busy, requests are queued. The
queue size is also limited, so that a flood of requests cannot exhaust memory.
"""

from __future__ import annotations

from _thread import allocate_lock, start_new_thread
from time import perf_counter

try:
    from _queue import SimpleQueue
except ImportError:  # Not CPython.
    from queue import SimpleQueue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from paddock.protocol.request import Request
    from paddock.transports.channel import FinishRequest

MAX_THREADS = 64
MAX_QUEUED_REQUESTS = 10_000
QUICK_CALL_SECONDS = 0.001
"""Calls shorter than this count as quick."""


class WorkerPool:
    """A pool of threads that run requests and pass their answers to `finish_request`."""

    def __init__(self, finish_request: FinishRequest, max_threads: int = MAX_THREADS) -> None:
        """Create an empty pool. Threads are started when requests need them.

        Args:
            finish_request: Called by a worker with each request and its answer.
            max_threads: The maximum number of threads.
        """
        self._finish_request = finish_request
        self._max_threads = max_threads
        self._queue: SimpleQueue[Request | None] = SimpleQueue()
        self._lock = allocate_lock()
        self._thread_count = 0
        # The number of waiting threads minus the number of queued requests. Negative if requests
        # wait.
        self._spare_threads = 0

    @property
    def is_full(self) -> bool:
        """Whether a request would have to wait for a thread."""
        return self._thread_count >= self._max_threads and self._spare_threads <= 0

    @property
    def is_idle(self) -> bool:
        """Whether all threads are waiting for work."""
        return self._spare_threads >= self._thread_count

    def submit(self, request: Request) -> bool:
        """Run a request in a worker thread, starting one if all are busy and the limit allows it.

        Returns:
            False if too many requests are queued.
        """
        with self._lock:
            if self._spare_threads <= -MAX_QUEUED_REQUESTS:
                return False
            self._spare_threads -= 1
            needs_thread = self._spare_threads < 0 and self._thread_count < self._max_threads
            if needs_thread:
                self._thread_count += 1
                self._spare_threads += 1
        self._queue.put(request)
        if needs_thread:
            start_new_thread(self._run_worker, ())
        return True

    def join_as_worker(self) -> None:
        """Turn the calling thread, counted by `add_busy_thread`, into a worker until `close`."""
        with self._lock:
            self._spare_threads += 1
        self._run_worker()

    def add_busy_thread(self) -> None:
        """Count a thread that is busy with a slow request and will call `join_as_worker`."""
        with self._lock:
            self._thread_count += 1

    def close(self) -> None:
        """Let the threads finish their current requests and end."""
        with self._lock:
            for _ in range(self._thread_count):
                self._queue.put(None)

    def _run_worker(self) -> None:
        """Run queued requests until the pool is closed. The main function of a worker thread.

        Handlers that have proved to be slow run here. If a call is quick again, that is recorded,
        because the handler may then run without a thread switch in the future.
        """
        while (request := self._queue.get()) is not None:
            started_at = perf_counter()
            answer = request.run()
            is_quick = perf_counter() - started_at < QUICK_CALL_SECONDS
            if is_quick and request.slow_tracker is not None:
                request.slow_tracker.record_quick_call()
            with self._lock:
                self._spare_threads += 1
            self._finish_request(request, answer)
            # A waiting thread must not keep the last answer in memory, because it may be large.
            del request, answer
