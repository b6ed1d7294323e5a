"""The event loop that `async def` handlers run on.

`asyncio` costs more to load than everything else together, so it is loaded with the first async
handler, and the loop then runs in the thread that serves (the main thread of a stdio server).
Requests are handed over in one go with a single wake-up, and answers that are ready together are
written together.
"""

from __future__ import annotations

import asyncio
import sys
from collections import deque
from functools import partial
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine

    from paddock.protocol.connection import ServerConnection
    from paddock.protocol.request import Request

T = TypeVar("T")


class EventLoop:
    """An asyncio loop that runs the asynchronous work of one connection's requests."""

    def __init__(self, connection: ServerConnection) -> None:
        self._connection = connection
        self._loop = asyncio.new_event_loop()
        self._stopped: asyncio.Future[None] = self._loop.create_future()
        self._queued_requests: deque[Request] = deque()
        self._has_wakeup = False
        self._output: list[bytes] = []

    def submit(self, request: Request) -> None:
        """Run a request's work on the loop. May be called by any thread."""
        self._connection.in_flight[request.id] = request
        self._queued_requests.append(request)
        if not self._has_wakeup:
            self._has_wakeup = True
            self._loop.call_soon_threadsafe(self._start_queued_requests)

    def start_request(self, request: Request) -> None:
        """Run a request's work; only on the loop itself."""
        self._connection.in_flight[request.id] = request
        # in_flight keeps the request, the request keeps the task: the loop itself would not.
        request.stop = partial(
            self._cancel_task, self._create_task(request.run_async(self._finish_request))
        )
        if request.is_cancelled and not request.is_done:  # while its first step ran
            request.stop()

    def add_reader(self, descriptor: int, on_readable: Callable[[], None]) -> None:
        """Call a function on the loop whenever a descriptor has data. From any thread."""
        self._loop.call_soon_threadsafe(self._loop.add_reader, descriptor, on_readable)

    def remove_reader(self, descriptor: int) -> None:
        """Undo `watch`; only on the loop itself."""
        self._loop.remove_reader(descriptor)

    def call_soon(self, function: Callable[[], None]) -> None:
        """Call a function on the loop. From any thread."""
        self._loop.call_soon_threadsafe(function)

    def run(self) -> None:
        """Run the loop in this thread until it is stopped."""
        self.run_until_complete(self._stopped)

    def stop(self) -> None:
        """End `run`. May be called by any thread."""
        self._loop.call_soon_threadsafe(self._set_stopped)

    def run_until_complete(self, awaitable: Awaitable[T]) -> T:
        """Run the loop in this thread until something is done; its result."""
        return self._loop.run_until_complete(awaitable)

    def pause(self, seconds: float) -> None:
        """Let the loop go on for a moment."""
        self.run_until_complete(asyncio.sleep(seconds))

    def close(self) -> None:
        """Let what has been cancelled come to its end, and close the loop."""
        for task in asyncio.all_tasks(self._loop):
            task.cancel()
        self.pause(0)
        self._flush_output()
        self._loop.close()

    def _set_stopped(self) -> None:
        if not self._stopped.done():
            self._stopped.set_result(None)

    def _start_queued_requests(self) -> None:
        self._has_wakeup = False
        queued_requests = self._queued_requests
        while queued_requests:
            request = queued_requests.popleft()
            if request.is_cancelled:
                self._finish_request(request, request.finish_cancelled())
            else:
                self.start_request(request)

    def _create_task(self, work: Coroutine[object, object, None]) -> asyncio.Task[None]:
        if sys.version_info >= (3, 12):  # a handler that does not wait is done at once
            return asyncio.Task(work, loop=self._loop, eager_start=True)
        return self._loop.create_task(work)

    def _cancel_task(self, task: asyncio.Task[None]) -> None:
        self._loop.call_soon_threadsafe(task.cancel)

    def _finish_request(self, request: Request, answer: bytes | None) -> None:
        self._connection.in_flight.pop(request.id, None)
        if answer is None:
            return
        self._output.append(answer)
        if not self._connection.in_flight:
            self._flush_output()
        elif len(self._output) == 1:
            self._loop.call_soon(self._flush_output)

    def _flush_output(self) -> None:
        replies, self._output = self._output, []
        if replies:
            self._connection.send(b"".join(replies))
