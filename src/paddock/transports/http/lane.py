"""Plain handlers that are over in a moment, without a detour through worker threads.

The event loop must not run an unknown function itself: a slow one would hold up everybody. But
handing it to a thread and being told when it is done costs several times what a quick handler
takes. So the requests that have come in together go to one thread, and the loop waits for it, for
a moment at the most. When something holds the thread up, the loop goes on with everything else:
the thread is left alone with its slow handler, and its other requests go to the workers, as all
further calls of that handler do (`protocol.pace`).
"""

from __future__ import annotations

import os
from _thread import allocate_lock, start_new_thread
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import asyncio

    from paddock.protocol.request import Request
    from paddock.transports.contract import Finish

MOMENT = 0.001
"""Seconds that the event loop waits for one request."""
MOMENTS = 5
"""How many it waits for all that came in together."""

QUIET_TURNS = 8
"""Turns of the loop with one request only, after which the next ones are not looked out for."""
CALM = 64
"""Requests that are then run one by one."""

Wait = Callable[["Request"], None]
"""Told of a request that will take longer."""


class Helper:
    """A thread that runs requests one after the other, until one holds it up.

    It is woken through a pipe: a write lets go of the interpreter's lock, so that the thread can
    run at once. Woken by a lock it would only wait for that other one, which takes three times as
    long (docs/decisions/0005).
    """

    def __init__(self, finish: Finish) -> None:
        self._finish = finish
        self._reader, self._writer = os.pipe()
        self._finished = allocate_lock()
        self._finished.acquire()
        self._lock = allocate_lock()
        self._requests: deque[Request] = deque()
        self._done: list[tuple[Request, bytes | None]] = []
        self._current: Request | None = None
        self._is_left_alone = False
        start_new_thread(self._work, ())

    def run(self, requests: list[Request]) -> bool:
        """Have requests run; False as soon as one of them takes longer than a moment."""
        self._requests.extend(requests)
        os.write(self._writer, b"!")
        for _ in range(MOMENTS):
            running = self._current
            if self._finished.acquire(timeout=MOMENT):
                return True
            if running is not None and self._current is running:
                return False
        return False

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
        """Let the thread end, once it is done with what it has been given."""
        os.close(self._writer)

    def _work(self) -> None:
        while os.read(self._reader, 1) and not self._is_left_alone:
            while (request := self._next()) is not None:
                answer = request.run()
                if not self._keep(request, answer):
                    self._finish(request, answer)
            with self._lock:
                if not self._is_left_alone:
                    self._finished.release()
        os.close(self._reader)

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
        self._is_crowded = False
        self._turns_alone = 0
        self._calm = 0
        self._helper: Helper | None = None

    def submit(self, request: Request, wait: Wait) -> None:
        """Run a request now if it is the first, else soon, together with the others that come in.

        Only on the loop.
        """
        if self._is_crowded:
            self._waits[request] = wait
            return
        if self._calm:  # nobody else is to be expected
            self._calm -= 1
        else:
            self._is_crowded = True
            self._loop.call_soon(self._next_turn)
        self._run({request: wait})

    def close(self) -> None:
        """Let the thread end."""
        if self._helper is not None:
            self._helper.close()

    def _next_turn(self) -> None:
        """Run what has come in together with the first; see how often nothing has."""
        self._is_crowded = False
        waits, self._waits = self._waits, {}
        if waits:
            self._turns_alone = 0
            self._run(waits)
            return
        self._turns_alone += 1
        if self._turns_alone >= QUIET_TURNS:
            self._calm = CALM

    def _run(self, waits: dict[Request, Wait]) -> None:
        helper = self._helper
        if helper is None:
            helper = self._helper = Helper(self._finish)
        left = None if helper.run(list(waits)) else helper.leave_alone()
        if left is not None:
            helper.close()
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
