"""Plain handlers that are over in a moment, without a detour through worker threads.

The event loop must not run an unknown function itself: a slow one would hold up everybody. But
handing it to a thread and being told when it is done costs several times what a quick handler
takes. So the requests that have come in together go to one thread, and the loop waits for it, for
a moment at the most. When something holds the thread up, the loop goes on with everything else:
the thread is left alone with its slow handler, and its other requests go to the workers, as all
further calls of that handler do (`protocol.pace`).
"""

from __future__ import annotations

from _thread import allocate_lock, start_new_thread
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import asyncio

    from paddock.protocol.request import Request
    from paddock.transports.contract import Finish

MOMENT = 0.001
"""Seconds that the event loop waits at the most."""

Wait = Callable[["Request"], None]
"""Told of a request that will take longer."""


class Helper:
    """A thread that runs requests one after the other, until one holds it up."""

    def __init__(self, finish: Finish) -> None:
        self._finish = finish
        self._begin = allocate_lock()
        self._finished = allocate_lock()
        self._begin.acquire()
        self._finished.acquire()
        self._lock = allocate_lock()
        self._requests: deque[Request] = deque()
        self._done: list[tuple[Request, bytes | None]] = []
        self._current: Request | None = None
        self._is_left_alone = False
        start_new_thread(self._work, ())

    def run(self, requests: list[Request]) -> bool:
        """Have requests run; whether all of them are done within a moment."""
        self._requests.extend(requests)
        self._begin.release()
        return self._finished.acquire(timeout=MOMENT)

    def taken(self) -> list[tuple[Request, bytes | None]]:
        """What is done, with its answers."""
        done, self._done = self._done, []
        return done

    def leave_alone(self) -> tuple[Request | None, list[Request]] | None:
        """Let the thread end after what it is doing; that, and what it has not begun.

        None when all is done after all: the thread is ready for more.
        """
        with self._lock:
            if self._current is not None or self._requests:
                self._is_left_alone = True
                rest, self._requests = list(self._requests), deque()
                return self._current, rest
        self._finished.acquire()  # which it is about to say
        return None

    def close(self) -> None:
        """Let the thread end, which is waiting for requests."""
        self._is_left_alone = True
        self._begin.release()

    def _work(self) -> None:
        while True:
            self._begin.acquire()
            while (request := self._next()) is not None:
                answer = request.run()
                if not self._keep(request, answer):
                    self._finish(request, answer)
                    return
            with self._lock:
                if self._is_left_alone:
                    return
                self._finished.release()

    def _next(self) -> Request | None:
        with self._lock:
            self._current = self._requests.popleft() if self._requests else None
            return self._current

    def _keep(self, request: Request, answer: bytes | None) -> bool:
        with self._lock:
            self._current = None
            if not self._is_left_alone:
                self._done.append((request, answer))
            return not self._is_left_alone


class Lane:
    """Runs plain handlers that have not proved slow, for one event loop."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        flush: Callable[[], None],
        hop: Callable[[Request], None],
        finish: Finish,
    ) -> None:
        self._loop = loop
        self._flush = flush
        self._hop = hop
        self._finish = finish
        self._waits: dict[Request, Wait] = {}
        self._helper: Helper | None = None

    def submit(self, request: Request, wait: Wait) -> None:
        """Run a request soon, together with the others that come in now. Only on the loop."""
        if not self._waits:
            self._loop.call_soon(self._run)
        self._waits[request] = wait

    def close(self) -> None:
        """Let the thread end."""
        if self._helper is not None:
            self._helper.close()

    def _run(self) -> None:
        waits, self._waits = self._waits, {}
        helper = self._helper
        if helper is None:
            helper = self._helper = Helper(self._finish)
        left = None if helper.run(list(waits)) else helper.leave_alone()
        if left is not None:
            self._helper = None
        slow, rest = left or (None, [])
        done = helper.taken()
        self._flush()  # what handlers have said on the way comes before their answers
        for request, answer in done:
            self._finish(request, answer)
        if slow is not None:
            if slow.pace is not None:
                slow.pace.was_slow()
            waits[slow](slow)
        for request in rest:
            waits[request](request)
            self._hop(request)
