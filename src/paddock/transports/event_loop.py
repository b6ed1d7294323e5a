"""The asyncio loop that runs `async def` handlers for stdio servers.

Importing asyncio takes longer than importing the rest of the library, so this module is only
imported for the first coroutine handler. The loop then runs in the serving thread, which is the
main thread of a stdio server. Groups of requests are submitted with a single wake-up, and answers
that are ready at the same time are written together.
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
    """Runs the coroutine handlers of one connection."""

    def __init__(self, connection: ServerConnection) -> None:
        self._connection = connection
        self._loop = asyncio.new_event_loop()
        self._stopped: asyncio.Future[None] = self._loop.create_future()
        self._queued_requests: deque[Request] = deque()
        self._has_wakeup = False
        self._output: list[bytes] = []

    def submit(self, request: Request) -> None:
        """Run a request on the loop. May be called by any thread."""
        self._connection.in_flight[request.id] = request
        self._queued_requests.append(request)
        if not self._has_wakeup:
            self._has_wakeup = True
            self._loop.call_soon_threadsafe(self._start_queued_requests)

    def start_request(self, request: Request) -> None:
        """Run a coroutine handler's request as an asyncio task. Must be called on the loop."""
        self._connection.in_flight[request.id] = request
        # asyncio holds only weak references to tasks. This task stays alive because `in_flight`
        # refers to the request, and the request to the task.
        task = create_eager_task(self._loop, request.run_async(self._finish_request))
        request.stop = partial(self._loop.call_soon_threadsafe, task.cancel)
        # The request may have been cancelled during an eager first step, before `stop` was set.
        if request.is_cancelled and not request.is_done:
            request.stop()

    def add_reader(self, descriptor: int, on_readable: Callable[[], None]) -> None:
        """Call `on_readable` on the loop when a descriptor has data. Any thread may call this."""
        self._loop.call_soon_threadsafe(self._loop.add_reader, descriptor, on_readable)

    def remove_reader(self, descriptor: int) -> None:
        """Undo `add_reader`. Must be called on the loop."""
        self._loop.remove_reader(descriptor)

    def call_soon(self, function: Callable[[], None]) -> None:
        """Call a function on the loop. May be called by any thread."""
        self._loop.call_soon_threadsafe(function)

    def run(self) -> None:
        """Run the loop in this thread until `stop` is called."""
        self.run_until_complete(self._stopped)

    def stop(self) -> None:
        """End `run`. May be called by any thread."""
        self._loop.call_soon_threadsafe(self._set_stopped)

    def run_until_complete(self, awaitable: Awaitable[T]) -> T:
        """Run the loop in this thread until `awaitable` is done and return its result."""
        return self._loop.run_until_complete(awaitable)

    def pause(self, seconds: float) -> None:
        """Run the loop for the given number of seconds."""
        self.run_until_complete(asyncio.sleep(seconds))

    def close(self) -> None:
        """Cancel the remaining tasks and close the loop."""
        for task in asyncio.all_tasks(self._loop):
            task.cancel()
        self.pause(0)
        self._flush_output()
        self._loop.close()

    def _set_stopped(self) -> None:
        if not self._stopped.done():
            self._stopped.set_result(None)

    def _start_queued_requests(self) -> None:
        """Start all requests that other threads have submitted. Called on the loop."""
        # The flag is cleared first: a request submitted from now on must wake up the event loop
        # again, because the `while` loop below may already have ended.
        self._has_wakeup = False
        queued_requests = self._queued_requests
        while queued_requests:
            request = queued_requests.popleft()
            if request.is_cancelled:
                self._finish_request(request, request.finish_cancelled())
            else:
                self.start_request(request)

    def _finish_request(self, request: Request, answer: bytes | None) -> None:
        """Send the answer to a request, together with others that are ready at the same time.

        If the request was cancelled, no answer is sent.
        """
        self._connection.in_flight.pop(request.id, None)
        if answer is None:
            return
        self._output.append(answer)
        # If no other request is running, there is nothing to write together with this answer.
        # Otherwise, all answers from the same turn of the loop are written together.
        if not self._connection.in_flight:
            self._flush_output()
        elif len(self._output) == 1:
            self._loop.call_soon(self._flush_output)

    def _flush_output(self) -> None:
        replies, self._output = self._output, []
        if replies:
            self._connection.send(b"".join(replies))


def create_eager_task(
    loop: asyncio.AbstractEventLoop, coroutine: Coroutine[object, object, None]
) -> asyncio.Task[None]:
    """Create a task that starts immediately if Python supports that (3.12 and later).

    A handler that never waits has then finished by the time this function returns, without another
    iteration of the event loop.
    """
    if sys.version_info >= (3, 12):
        return asyncio.Task(coroutine, loop=loop, eager_start=True)
    return loop.create_task(coroutine)
