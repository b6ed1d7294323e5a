"""Request execution: coroutines on the event loop, plain functions in threads.

An event loop must not run an unknown function, since a slow one would block all connections. But
passing each call to a worker thread and back takes several times as long as a quick handler.
Therefore, requests that arrive together are passed to one thread, which the loop waits for briefly.

If the thread takes longer, the loop continues without it. The thread keeps its slow handler. Its
other requests go to the worker pool, and so do all later calls to that handler. Handlers that are
declared cheap (`inline=True`) run on the loop itself.
"""

from __future__ import annotations

import asyncio
import logging
import os
from _thread import allocate_lock, start_new_thread
from collections import deque
from collections.abc import Callable
from functools import partial
from time import monotonic, sleep
from typing import TYPE_CHECKING

from paddock.transports.event_loop import create_eager_task
from paddock.transports.worker_pool import WorkerPool

if TYPE_CHECKING:
    from typing import Any

    from paddock.protocol.request import Request
    from paddock.transports.channel import FinishRequest


BRIEF_WAIT_SECONDS = 0.001
"""Time that the event loop waits for one request."""
MAX_BRIEF_WAITS = 5
"""Maximum number of brief waits for a group of requests that arrived together."""

MAX_SINGLE_TURNS = 8
"""Consecutive loop turns with only one request before collecting is switched off."""
UNBATCHED_REQUESTS = 64
"""Number of requests to run one by one before trying to collect them again."""

NotifyDelayed = Callable[["Request"], None]
"""Called with a request that takes longer than the brief wait."""


class ExecutorThread:
    """A thread that runs requests one after another until one blocks it.

    A pipe wakes the thread: writing to it releases the interpreter lock, so the thread runs
    immediately. A lock would leave it waiting for the interpreter, which takes three times as long
    (docs/decisions/0005).
    """

    def __init__(self, finish_request: FinishRequest) -> None:
        """Start the thread.

        Args:
            finish_request: Delivers the answers to requests that the loop no longer waits for.
        """
        self._finish_request = finish_request
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
        """Run requests in the thread and wait briefly for all of them to finish.

        Called on the event loop, which is blocked while it waits.

        Returns:
            True if all requests have finished, or False as soon as one of them proves slow.
        """
        self._requests.extend(requests)
        os.write(self._writer, b"!")
        # The loop cannot serve other connections while it waits, so it waits only briefly.
        for _ in range(MAX_BRIEF_WAITS):
            # If the same request is running before and after the wait, it is slow. If a different
            # one is running, the thread is making progress and the loop may wait once more.
            current_request = self._current_request
            if self._idle_lock.acquire(timeout=BRIEF_WAIT_SECONDS):
                return True
            if current_request is not None and self._current_request is current_request:
                return False
        return False

    def take_finished(self) -> list[tuple[Request, bytes | None]]:
        """Return the finished requests and their answers, and forget them."""
        finished_requests, self._finished_requests = self._finished_requests, []
        return finished_requests

    def detach_if_busy(self) -> tuple[Request | None, list[Request]] | None:
        """Give up the thread if it still has requests. It ends after the current one.

        Returns:
            The current request, and those that have not begun and must be run elsewhere. None if
            all requests have finished by now and the thread can be reused.
        """
        with self._lock:
            if self._current_request is not None or self._requests:
                self._is_detached = True
                remaining_requests, self._requests = list(self._requests), deque()
                return self._current_request, remaining_requests
        self._idle_lock.acquire()  # The thread is about to release it.
        return None

    def close(self) -> None:
        """Let the thread finish its requests and end."""
        os.close(self._writer)

    def _run_thread(self) -> None:
        """Run groups of requests until the pipe is closed or the thread is detached.

        The main function of the thread. A byte in the pipe announces each group.
        """
        while os.read(self._reader, 1) and not self._is_detached:
            while (request := self._next_request()) is not None:
                answer = request.run()
                if not self._store_finished(request, answer):
                    self._finish_request(request, answer)
            with self._lock:
                if not self._is_detached:
                    self._idle_lock.release()
        os.close(self._reader)

    def _next_request(self) -> Request | None:
        with self._lock:
            self._current_request = self._requests.popleft() if self._requests else None
            return self._current_request

    def _store_finished(self, request: Request, answer: bytes | None) -> bool:
        """Store an answer for the event loop that is waiting for it, and return True.

        Returns False if the loop is no longer waiting, so that the thread must deliver the answer.
        """
        with self._lock:
            self._current_request = None
            if not self._is_detached:
                self._finished_requests.append((request, answer))
            return not self._is_detached


class BriefWaitExecutor:
    """Runs plain handlers that have not proved to be slow."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        flush_mailbox: Callable[[], None],
        run_in_worker: Callable[[Request], None],
        finish_request: FinishRequest,
    ) -> None:
        """Create an executor. Its thread starts with the first request.

        Args:
            loop: The event loop, which waits briefly for each group of requests.
            flush_mailbox: Sends the messages that handlers have posted to the loop.
            run_in_worker: Runs a request in a thread that the loop does not wait for.
            finish_request: Delivers the answer to a request.
        """
        self._loop = loop
        self._flush_mailbox = flush_mailbox
        self._run_in_worker = run_in_worker
        self._finish_request = finish_request
        self._collected_requests: dict[Request, NotifyDelayed] = {}
        self._is_collecting = False
        self._single_request_turns = 0
        self._unbatched_requests_left = 0
        self._thread: ExecutorThread | None = None

    def submit(self, request: Request, notify_delayed: NotifyDelayed) -> None:
        """Run a request now, or later with others from the same turn of the event loop.

        The first request of a turn runs immediately. The others are collected and run as a group at
        the end of the turn. Must be called on the loop.

        Args:
            request: A request with a plain handler.
            notify_delayed: Called with the request if it is not finished after a brief wait.
        """
        if self._is_collecting:
            self._collected_requests[request] = notify_delayed
            return
        # Recent requests came one at a time, so trying to collect others would be pointless.
        if self._unbatched_requests_left:
            self._unbatched_requests_left -= 1
        else:
            self._is_collecting = True
            self._loop.call_soon(self._run_collected_requests)
        self._run_requests({request: notify_delayed})

    def close(self) -> None:
        """Let the thread end."""
        if self._thread is not None:
            self._thread.close()

    def _run_collected_requests(self) -> None:
        """Run the requests that were collected in this turn of the event loop as a group.

        After multiple turns without additional requests, collecting is switched off for a while.
        """
        self._is_collecting = False
        notify_by_request, self._collected_requests = self._collected_requests, {}
        if notify_by_request:
            self._single_request_turns = 0
            self._run_requests(notify_by_request)
            return
        self._single_request_turns += 1
        if self._single_request_turns >= MAX_SINGLE_TURNS:
            self._unbatched_requests_left = UNBATCHED_REQUESTS

    def _run_requests(self, notify_by_request: dict[Request, NotifyDelayed]) -> None:
        """Run a group of requests in the thread and send the answers to those that finish in time.

        If one of them is slow, the thread ends after it, and the requests behind it run in workers.
        The next group gets a new thread.

        Args:
            notify_by_request: The requests, each with the callback that reports its delay.
        """
        thread = self._thread
        if thread is None:
            thread = self._thread = ExecutorThread(self._finish_request)
        detached = None if thread.run_requests(list(notify_by_request)) else thread.detach_if_busy()
        if detached is not None:
            thread.close()
            self._thread = None
        slow_request, remaining_requests = detached or (None, [])
        finished_requests = thread.take_finished()
        # Messages sent by handlers must precede their answers.
        self._flush_mailbox()
        for request, answer in finished_requests:
            self._finish_request(request, answer)
        if slow_request is not None:
            if slow_request.slow_tracker is not None:
                slow_request.slow_tracker.record_slow_call()
            notify_by_request[slow_request](slow_request)
        for request in remaining_requests:
            notify_by_request[request](request)
            self._run_in_worker(request)


MAX_POSTED_CALLS = 10_000
"""`LoopMailbox.wait_for_room` blocks when this many calls are waiting for the loop."""

RECHECK_SECONDS = 0.005
"""Interval at which waiting code rechecks its condition."""

log = logging.getLogger("paddock.http")


class LoopMailbox:
    """Calls posted functions on an event loop, in order and many per wake-up."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._calls: deque[tuple[Callable[..., object], tuple[Any, ...]]] = deque()
        self._has_wakeup = False

    def post(self, function: Callable[..., object], *arguments: Any) -> None:
        """Schedule a function call on the event loop. May be called by any thread."""
        self._calls.append((function, arguments))
        if not self._has_wakeup:
            try:
                self._has_wakeup = True
                self._loop.call_soon_threadsafe(self._run_calls)
            except RuntimeError:  # The loop is closed, and all clients are disconnected.
                self._calls.clear()
            except BaseException:
                # A cancelled handler can be interrupted at any bytecode, including here.
                self._has_wakeup = False
                raise

    def wait_for_room(self) -> None:
        """Block a thread that posts faster than the loop runs. Must not be called on the loop."""
        # This polls instead of sharing a lock with the loop. A cancelled handler can be interrupted
        # while it holds a lock, which would then block the loop forever.
        while len(self._calls) > MAX_POSTED_CALLS and self._loop.is_running():
            sleep(RECHECK_SECONDS)

    def flush(self) -> None:
        """Run the posted calls now. Must be called on the loop."""
        if self._calls:
            self._run_calls()

    def _run_calls(self) -> None:
        """Run the calls that were posted before this turn of the event loop.

        Calls posted from now on wait for the next turn, so that they cannot keep the loop busy
        forever.
        """
        self._has_wakeup = False
        for _ in range(len(self._calls)):
            function, arguments = self._calls.popleft()
            try:
                function(*arguments)
            except Exception:
                log.exception("A message could not be sent")
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
        """Run a request's work where it cannot block the event loop. Must be called on the loop.

        Coroutines run as tasks on the loop, and trusted handlers run directly on it. Other handlers
        run in a thread that the loop waits for briefly, or in the worker pool if they have proved
        slow. The request's exchange receives the answer.

        Args:
            request: A request with `work` or `async_work`.
            notify_delayed: Called with the request unless it finishes immediately, so that the
                caller can keep the response open.
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
        """Run a coroutine on the loop, keeping a reference to the task until it is done."""
        task = self.loop.create_task(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def cancel_and_wait(self, seconds: float) -> None:
        """Cancel the running coroutine handlers and wait until they and the threads have ended.

        Args:
            seconds: The time limit, which applies to the coroutines and again to the threads.
        """
        tasks = [task for task in self._tasks if task is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=seconds)
        deadline = monotonic() + seconds
        while not self._workers.is_idle and monotonic() < deadline:  # noqa: ASYNC110 - at the end
            await asyncio.sleep(RECHECK_SECONDS)

    def close(self) -> None:
        """Let the threads finish their current requests and end."""
        self._brief_executor.close()
        self._workers.close()

    def _run_in_worker(self, request: Request) -> None:
        if not self._workers.submit(request):
            _finish_request(request, request.reject_busy())

    def _start_async_work(self, request: Request) -> None:
        """Run a coroutine handler as an asyncio task, which `Request.cancel` can stop.

        Requests can be cancelled by any thread, so `stop` posts the cancellation to the loop.
        """
        task = create_eager_task(self.loop, request.run_async(_finish_request))
        if request.is_done:
            return
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        request.stop = partial(self.mailbox.post, task.cancel)
        if request.is_cancelled:
            request.stop()


def _finish_request(request: Request, answer: bytes | None) -> None:
    if request.exchange is not None:
        request.exchange.finish(request, answer)
