"""A bounded set of threads for handlers that have proved slow.

Threads are made when they are needed, up to the limit, and then kept. Work beyond that waits in
line; beyond a second limit it is refused, so that a flood cannot fill the memory.
"""

from __future__ import annotations

from _thread import allocate_lock, start_new_thread
from time import perf_counter

try:
    from _queue import SimpleQueue
except ImportError:  # an interpreter without the accelerator
    from queue import SimpleQueue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from paddock.protocol.request import Request
    from paddock.transports.contract import Finish

MAX_THREADS = 64
MAX_WAITING = 10_000
QUICK = 0.001
"""Seconds within which a handler counts as quick again."""


class Workers:
    """Threads that run requests and hand on the answers."""

    def __init__(self, finish: Finish, limit: int = MAX_THREADS) -> None:
        self._finish = finish
        self._limit = limit
        self._queue: SimpleQueue[Request | None] = SimpleQueue()
        self._lock = allocate_lock()
        self._threads = 0
        self._spare = 0  # threads that wait for work, less the work that waits for a thread

    @property
    def is_full(self) -> bool:
        """Whether a request would have to wait for a thread."""
        return self._threads >= self._limit and self._spare <= 0

    @property
    def is_idle(self) -> bool:
        """Whether every thread waits for work."""
        return self._spare >= self._threads

    def submit(self, request: Request) -> bool:
        """Run a request in some thread; False when too many are waiting already."""
        with self._lock:
            if self._spare <= -MAX_WAITING:
                return False
            self._spare -= 1
            is_short = self._spare < 0 and self._threads < self._limit
            if is_short:
                self._threads += 1
                self._spare += 1
        self._queue.put(request)
        if is_short:
            start_new_thread(self._work, ())
        return True

    def join(self) -> None:
        """Make the calling thread a worker, after it has finished a request of its own."""
        with self._lock:
            self._spare += 1
        self._work()

    def adopt(self) -> None:
        """Count a thread that is busy with a slow request and will `join` when it is done."""
        with self._lock:
            self._threads += 1

    def close(self) -> None:
        """Let the threads end, each after what it is doing."""
        with self._lock:
            for _ in range(self._threads):
                self._queue.put(None)

    def _work(self) -> None:
        while (request := self._queue.get()) is not None:
            started = perf_counter()
            answer = request.run()
            if request.pace is not None and perf_counter() - started < QUICK:
                request.pace.was_quick()
            with self._lock:
                self._spare += 1
            self._finish(request, answer)
            del (
                request,
                answer,
            )  # a thread that waits must not keep the last answer, which may be big
