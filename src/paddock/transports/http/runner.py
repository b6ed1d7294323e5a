"""Where the work of requests runs: coroutines on the event loop, plain functions in threads.

A plain function that is declared cheap (`inline=True`) runs on the loop itself, one that has not
proved slow while the loop waits for a moment (`lane`). What other threads have to say comes to
the loop through a mailbox, with one wake-up for many messages.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from collections import deque
from functools import partial
from time import monotonic, sleep
from typing import TYPE_CHECKING

from paddock.transports.http.lane import BriefWaitExecutor
from paddock.transports.workers import WorkerPool

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from paddock.protocol.request import Request
    from paddock.transports.http.lane import NotifyDelayed


MAX_POSTED_CALLS = 10_000
"""Messages that wait for the loop, before those who have more to say must wait themselves."""

RECHECK_SECONDS = 0.005
"""Seconds after which such a thread looks again."""

log = logging.getLogger("paddock.http")


class LoopMailbox:
    """Calls functions on an event loop, in the order in which they were posted."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._calls: deque[tuple[Callable[..., object], tuple[Any, ...]]] = deque()
        self._has_wakeup = False

    def post(self, function: Callable[..., object], *arguments: Any) -> None:
        """Have a function called on the loop. May be called by any thread."""
        self._calls.append((function, arguments))
        if not self._has_wakeup:
            try:
                self._has_wakeup = True
                self._loop.call_soon_threadsafe(self._run_calls)
            except RuntimeError:  # the loop is closed: nobody is left to be told
                self._calls.clear()
            except BaseException:
                # A handler that is cancelled is interrupted anywhere, also here.
                self._has_wakeup = False
                raise

    def wait_for_room(self) -> None:
        """Hold up a thread that says more than the loop can pass on. Never on the loop."""
        # No lock that the loop takes as well: a handler that is cancelled is interrupted anywhere,
        # and would keep it.
        while len(self._calls) > MAX_POSTED_CALLS and self._loop.is_running():
            sleep(RECHECK_SECONDS)

    def flush(self) -> None:
        """Call what has been posted so far now. Only on the loop."""
        if self._calls:
            self._run_calls()

    def _run_calls(self) -> None:
        self._has_wakeup = False
        for _ in range(len(self._calls)):  # what comes meanwhile waits for its turn
            function, arguments = self._calls.popleft()
            try:
                function(*arguments)
            except Exception:
                log.exception("A message could not be passed on")
        if self._calls and not self._has_wakeup:
            self._has_wakeup = True
            self._loop.call_soon(self._run_calls)


class RequestExecutor:
    """Runs requests for one event loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self.mailbox = LoopMailbox(loop)
        self._workers = WorkerPool(_finish_request)
        self._brief_executor = BriefWaitExecutor(loop, self.mailbox.flush, self._run_in_worker, _finish_request)
        self._tasks: set[asyncio.Task[None]] = set()

    def execute(self, request: Request, wait: NotifyDelayed) -> None:
        """Have the work of a request done; its exchange gets the answer. Only on the loop.

        `wait` is told of the request unless it is done in a moment.
        """
        pace = request.slow_tracker
        if request.async_work is not None:
            wait(request)
            self._start_async_work(request)
        elif pace is not None and pace.is_trusted:
            _finish_request(request, request.run())
        elif pace is not None and not pace.is_slow:
            self._brief_executor.submit(request, wait)
        else:
            wait(request)
            self._run_in_worker(request)

    def spawn_task(self, work: Any) -> None:
        """Run a coroutine of our own on the loop, and keep hold of it until it is done."""
        task = self.loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def cancel_and_wait(self, seconds: float) -> None:
        """Stop the coroutines that are left; let them, and the threads, clean up for a while."""
        tasks = [task for task in self._tasks if task is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=seconds)
        deadline = monotonic() + seconds
        while not self._workers.is_idle and monotonic() < deadline:  # noqa: ASYNC110 - at the end
            await asyncio.sleep(RECHECK_SECONDS)

    def close(self) -> None:
        """Let the threads end, each after what it is doing."""
        self._brief_executor.close()
        self._workers.close()

    def _run_in_worker(self, request: Request) -> None:
        if not self._workers.submit(request):
            _finish_request(request, request.reject_busy())

    def _start_async_work(self, request: Request) -> None:
        task = self._create_task(request)
        if request.is_done:
            return
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        request.stop = partial(self.mailbox.post, task.cancel)
        if request.is_cancelled:
            request.stop()

    def _create_task(self, request: Request) -> asyncio.Task[None]:
        work = request.run_async(_finish_request)
        if sys.version_info >= (3, 12):  # a handler that does not wait is done at once
            return asyncio.Task(work, loop=self.loop, eager_start=True)
        return self.loop.create_task(work)


def _finish_request(request: Request, answer: bytes | None) -> None:
    if request.exchange is not None:
        request.exchange.finish(request, answer)
