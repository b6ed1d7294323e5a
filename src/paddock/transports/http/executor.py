"""Plain handlers that are over in a moment, without a detour through worker threads.

The event loop must not run an unknown function itself: a slow one would hold up everybody. But
handing it to a thread and being told when it is done costs several times what a quick handler
takes. So the requests that have come in together go to one thread, and the loop waits for it, for
a moment at the most. When something holds the thread up, the loop goes on with everything else:
the thread is left alone with its slow handler, and its other requests go to the workers, as all
further calls of that handler do (`protocol.pace`).

Where the work of requests runs: coroutines on the event loop, plain functions in threads.

A plain function that is declared cheap (`inline=True`) runs on the loop itself, one that has not
proved slow while the loop waits for a moment (`lane`). What other threads have to say comes to
the loop through a mailbox, with one wake-up for many messages.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from _thread import allocate_lock, start_new_thread
from collections import deque
from collections.abc import Callable
from functools import partial
from time import monotonic, sleep
from typing import TYPE_CHECKING

from paddock.transports.worker_pool import WorkerPool

if TYPE_CHECKING:
    from typing import Any

    from paddock.protocol.request import Request
    from paddock.transports.channel import FinishRequest


BRIEF_WAIT_SECONDS = 0.001
"""Seconds that the event loop waits for one request."""
MAX_BRIEF_WAITS = 5
"""How many it waits for all that came in together."""

MAX_SINGLE_TURNS = 8
"""Turns of the loop with one request only, after which the next ones are not looked out for."""
UNBATCHED_REQUESTS = 64
"""Requests that are then run one by one."""

NotifyDelayed = Callable[["Request"], None]
"""Told of a request that will take longer."""


class ExecutorThread:
    """A thread that runs requests one after the other, until one holds it up.

    It is woken through a pipe: a write lets go of the interpreter's lock, so that the thread can
    run at once. Woken by a lock it would only wait for that other one, which takes three times as
    long (docs/decisions/0005).
    """

    def __init__(self, finish_request: FinishRequest) -> None:
        self._finish = finish_request
        self._reader, self._writer = os.pipe()
        self._idle_lock = allocate_lock()
        self._idle_lock.acquire()
        self._lock = allocate_lock()
        self._requests: deque[Request] = deque()
        self._finished_requests: list[tuple[Request, bytes | None]] = []
        self._current_request: Request | None = None
        self._is_detached = False
        start_new_thread(self._run_thread, ())

    def run_requests(self, requests: list[Request]) -> bool:
        """Have requests run; False as soon as one of them takes longer than a moment."""
        self._requests.extend(requests)
        os.write(self._writer, b"!")
        for _ in range(MAX_BRIEF_WAITS):
            current_request = self._current_request
            if self._idle_lock.acquire(timeout=BRIEF_WAIT_SECONDS):
                return True
            if current_request is not None and self._current_request is current_request:
                return False
        return False

    def take_finished(self) -> list[tuple[Request, bytes | None]]:
        """What is done, with its answers."""
        finished_requests, self._finished_requests = self._finished_requests, []
        return finished_requests

    def detach_if_busy(self) -> tuple[Request | None, list[Request]] | None:
        """Let the thread end after what it is doing; that, and what it has not begun.

        None when all is done after all: the thread is ready for more.
        """
        with self._lock:
            if self._current_request is not None or self._requests:
                self._is_detached = True
                remaining_requests, self._requests = list(self._requests), deque()
                return self._current_request, remaining_requests
        self._idle_lock.acquire()  # which it is about to say
        return None

    def close(self) -> None:
        """Let the thread end, once it is done with what it has been given."""
        os.close(self._writer)

    def _run_thread(self) -> None:
        while os.read(self._reader, 1) and not self._is_detached:
            while (request := self._next_request()) is not None:
                answer = request.run()
                if not self._store_finished(request, answer):
                    self._finish(request, answer)
            with self._lock:
                if not self._is_detached:
                    self._idle_lock.release()
        os.close(self._reader)

    def _next_request(self) -> Request | None:
        with self._lock:
            self._current_request = self._requests.popleft() if self._requests else None
            return self._current_request

    def _store_finished(self, request: Request, answer: bytes | None) -> bool:
        with self._lock:
            self._current_request = None
            if not self._is_detached:
                self._finished_requests.append((request, answer))
            return not self._is_detached


class BriefWaitExecutor:
    """Runs plain handlers that have not proved slow, for one event loop."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        flush_mailbox: Callable[[], None],
        run_in_worker: Callable[[Request], None],
        finish_request: FinishRequest,
    ) -> None:
        self._loop = loop
        self._flush = flush_mailbox
        self._run_in_worker = run_in_worker
        self._finish = finish_request
        self._delay_callbacks: dict[Request, NotifyDelayed] = {}
        self._is_collecting = False
        self._single_turns = 0
        self._unbatched_left = 0
        self._thread: ExecutorThread | None = None

    def submit(self, request: Request, notify_delayed: NotifyDelayed) -> None:
        """Run a request now if it is the first, else soon, together with the others that come in.

        Only on the loop.
        """
        if self._is_collecting:
            self._delay_callbacks[request] = notify_delayed
            return
        if self._unbatched_left:  # nobody else is to be expected
            self._unbatched_left -= 1
        else:
            self._is_collecting = True
            self._loop.call_soon(self._run_collected)
        self._run_requests({request: notify_delayed})

    def close(self) -> None:
        """Let the thread end."""
        if self._thread is not None:
            self._thread.close()

    def _run_collected(self) -> None:
        """Run what has come in together with the first; see how often nothing has."""
        self._is_collecting = False
        notify_by_request, self._delay_callbacks = self._delay_callbacks, {}
        if notify_by_request:
            self._single_turns = 0
            self._run_requests(notify_by_request)
            return
        self._single_turns += 1
        if self._single_turns >= MAX_SINGLE_TURNS:
            self._unbatched_left = UNBATCHED_REQUESTS

    def _run_requests(self, notify_by_request: dict[Request, NotifyDelayed]) -> None:
        thread = self._thread
        if thread is None:
            thread = self._thread = ExecutorThread(self._finish)
        detached = None if thread.run_requests(list(notify_by_request)) else thread.detach_if_busy()
        if detached is not None:
            thread.close()
            self._thread = None
        slow_request, remaining_requests = detached or (None, [])
        finished_requests = thread.take_finished()
        self._flush()  # what handlers have said on the way comes before their answers
        for request, answer in finished_requests:
            self._finish(request, answer)
        if slow_request is not None:
            if slow_request.slow_tracker is not None:
                slow_request.slow_tracker.record_slow_call()
            notify_by_request[slow_request](slow_request)
        for request in remaining_requests:
            notify_by_request[request](request)
            self._run_in_worker(request)


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
        self._brief_executor = BriefWaitExecutor(
            loop, self.mailbox.flush, self._run_in_worker, _finish_request
        )
        self._tasks: set[asyncio.Task[None]] = set()

    def execute(self, request: Request, notify_delayed: NotifyDelayed) -> None:
        """Have the work of a request done; its exchange gets the answer. Only on the loop.

        `wait` is told of the request unless it is done in a moment.
        """
        slow_tracker = request.slow_tracker
        if request.async_work is not None:
            notify_delayed(request)
            self._start_async_work(request)
        elif slow_tracker is not None and slow_tracker.is_trusted:
            _finish_request(request, request.run())
        elif slow_tracker is not None and not slow_tracker.is_slow:
            self._brief_executor.submit(request, notify_delayed)
        else:
            notify_delayed(request)
            self._run_in_worker(request)

    def spawn_task(self, coroutine: Any) -> None:
        """Run a coroutine of our own on the loop, and keep hold of it until it is done."""
        task = self.loop.create_task(coroutine)
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
        coroutine = request.run_async(_finish_request)
        if sys.version_info >= (3, 12):  # a handler that does not wait is done at once
            return asyncio.Task(coroutine, loop=self.loop, eager_start=True)
        return self.loop.create_task(coroutine)


def _finish_request(request: Request, answer: bytes | None) -> None:
    if request.exchange is not None:
        request.exchange.finish(request, answer)
