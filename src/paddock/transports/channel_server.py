"""Server for newline-delimited messages over a single channel.

The reader thread also runs plain handlers, which saves a thread switch per call. If a handler
blocks the thread for longer than `WATCHDOG_TICK_SECONDS`, the watchdog thread starts a new reader.
The old reader finishes its handler and then joins the worker pool. Later calls to that handler go
straight to the workers (see `SlowHandlerTracker`).

Coroutine handlers run on an event loop in the thread that called `run`. When only coroutine
handlers have been called for a while, the loop also reads the channel. See docs/decisions/0002.
"""

from __future__ import annotations

from _thread import allocate_lock, start_new_thread
from time import monotonic, sleep

from paddock.errors import get_logger
from paddock.lazy_modules import LazyModule
from paddock.protocol.request import Request
from paddock.transports.channel import LineSplitter
from paddock.transports.worker_pool import MAX_QUEUED_REQUESTS, WorkerPool

try:
    from _queue import SimpleQueue
except ImportError:  # Not CPython.
    from queue import SimpleQueue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from paddock.protocol.dispatcher import Dispatcher, Reply
    from paddock.transports import event_loop
    from paddock.transports.channel import Channel
    from paddock.transports.event_loop import EventLoop
else:  # asyncio takes 45 ms, and only coroutine handlers need it
    event_loop = LazyModule("paddock.transports.event_loop")

MAX_LINE_BYTES = 128 * 1024 * 1024
WATCHDOG_TICK_SECONDS = 0.002
"""Time that a handler may block the reader thread before the reader is replaced."""
MAX_QUIET_TICKS = 25
"""Ticks without a message before the watchdog sleeps, so that an idle server uses no CPU."""
ASYNC_STREAK_CALLS = 32
"""Consecutive calls to coroutine handlers before the event loop reads the channel itself."""
LOOP_TICK_SECONDS = 0.05
"""Time that a message may wait while a handler blocks the event loop that reads the channel."""
MAX_BATCHED_REPLIES = 32
"""Maximum number of answers to write together."""
LARGE_REPLY_BYTES = 16_384
"""Answers of at least this size are written immediately instead of together with others."""
DRAIN_SECONDS = 0.2
"""Time that running requests have to finish at shutdown, and again after being cancelled."""
UNANSWERED_TEXT = "A message could not be answered"


class ChannelServer:
    """Serves one connection over a channel."""

    def __init__(
        self, channel: Channel, dispatcher: Dispatcher, max_line: int = MAX_LINE_BYTES
    ) -> None:
        """Prepare to serve one connection. `start` starts its threads.

        Args:
            channel: The connection to the client, such as standard input and output.
            dispatcher: Decodes lines and returns their answers or the requests to run.
            max_line: The maximum line size in bytes. Longer lines are rejected.
        """
        self._channel = channel
        self._dispatcher = dispatcher
        self._connection = dispatcher.connection
        self._dispatch_line = dispatcher.dispatch_line
        self._splitter = LineSplitter(max_line, self._reject_long_line)
        self._workers = WorkerPool(self._finish_request)
        self._loop: EventLoop | None = None
        self._pending_lines: list[bytes] = []
        self._output: list[bytes] = []
        self._lock = allocate_lock()
        # The epoch increases whenever the reader changes. A thread from an earlier epoch must not
        # read any more.
        self._reader_epoch = 0
        self._activity_count = 0
        self._busy_request: Request | None = None
        self._async_streak = 0
        self._is_loop_reading = False
        self._is_watchdog_idle = True
        # Used as an event: the watchdog waits in acquire() until another thread releases it.
        self._watchdog_wakeup = allocate_lock()
        self._watchdog_wakeup.acquire()
        self._is_stopped = False
        self.on_stop: Callable[[], None] | None = None
        self._serving_jobs: SimpleQueue[Callable[[], object] | None] = SimpleQueue()

    def start(self) -> None:
        """Start the reader and watchdog threads."""
        start_new_thread(self._run_watchdog, ())
        start_new_thread(self._read_loop, (0,))

    def run(self) -> None:
        """Serve until the stream ends. Coroutine handlers run in the calling thread."""
        while (job := self._serving_jobs.get()) is not None:
            job()
        self._shut_down()

    def stop(self) -> None:
        """Stop serving. May be called by any thread and by a signal handler."""
        if self._is_stopped:
            return
        self._is_stopped = True
        self._serving_jobs.put(None)
        if self._loop is not None:
            self._loop.stop()
        if self.on_stop is not None:
            self.on_stop()

    def replay_lines(self, lines: list[bytes]) -> None:
        """Answer lines that were deferred. Must not be called by the reader thread."""
        for line in lines:
            self._handle_replies(self._dispatch_safely(line))

    def _dispatch_safely(self, line: bytes) -> Reply | list[Reply]:
        try:
            return self._dispatch_line(line)
        except Exception:  # noqa: BLE001 - a defect must not keep other lines from being answered
            get_logger().exception(UNANSWERED_TEXT)
            return None

    def get_event_loop(self) -> EventLoop:
        """Return the event loop for coroutine handlers, creating it on first use.

        The thread that called `run` runs the loop.
        """
        if self._loop is None:
            # A reader and `replay_lines` may need the loop at the same time, and only one of them
            # may create it.
            with self._lock:
                if self._loop is None:
                    self._loop = event_loop.EventLoop(self._connection)
                    self._serving_jobs.put(self._loop.run)
        return self._loop

    def set_max_line(self, size: int) -> None:
        """Set the maximum line length in bytes."""
        self._splitter.max_line_bytes = size

    def close(self) -> None:
        """Close the loop, the workers and the channel. Must be called after `run` has returned."""
        if self._loop is not None:
            self._loop.close()
        self._workers.close()
        self._wake_watchdog()
        self._channel.close()

    def _handle_replies(self, replies: Reply | list[Reply]) -> None:
        """Write the answers and start the requests on the event loop or in a worker.

        Args:
            replies: The results of dispatching a line: an encoded answer, a request that still has
                to run, None if there is nothing to send, or multiple of these.
        """
        for reply in replies if isinstance(replies, list) else [replies]:
            if isinstance(reply, bytes):
                self._channel.write(reply)
            elif reply is not None and reply.async_work is not None:
                self._run_on_event_loop(reply)
            elif reply is not None:
                self._run_in_worker(reply)

    def _read_loop(self, epoch: int) -> None:
        """Read and answer lines until the stream ends or another reader takes over.

        The main function of a reader thread. The other reader can be another thread or the event
        loop.

        Args:
            epoch: The value of `_reader_epoch` when this thread was started. Once the two differ,
                another reader has replaced this one.
        """
        while True:
            try:
                while self._ensure_pending_lines(epoch) and self._answer_lines(epoch):
                    pass
            except Exception:  # noqa: BLE001 - a defect must not keep other lines from being answered
                get_logger().exception(UNANSWERED_TEXT)
            else:
                return

    def _ensure_pending_lines(self, epoch: int) -> bool:
        """Read lines if none are pending, and return True if there are lines to answer.

        Returns False if this thread must stop reading: at the end of the stream, or when the event
        loop has taken over because all recent requests were for coroutine handlers.
        """
        if self._pending_lines:
            return True
        if self._async_streak >= ASYNC_STREAK_CALLS and self._move_reading_to_loop(epoch):
            return False
        if self._read_lines():
            return True
        self.stop()
        return False

    def _answer_lines(self, epoch: int) -> bool:
        """Answer the pending lines and return True if this thread is still the reader.

        If a handler blocks this thread, the watchdog starts another reader.
        """
        lines = self._pending_lines
        while lines:
            line = lines.pop()
            reply = self._dispatch_line(line) if line else None
            if isinstance(reply, bytes):
                self._queue_output(reply)
            elif isinstance(reply, Request):
                if not self._run_request(reply, epoch):
                    return False
            else:
                self._handle_replies(reply)
        return True

    def _read_lines(self) -> bool:
        """Read a chunk of input into `_pending_lines` and return False at the end of the stream.

        Queued answers are written first, because the client may be waiting for them before it sends
        more.
        """
        if self._output:
            self._flush_output()
        chunk = b"" if self._is_stopped else self._channel.read()
        if not chunk:
            return False
        # An attribute, so that a new reader thread can continue with the remaining lines. They are
        # reversed because `pop` returns the last one.
        self._pending_lines = lines = self._splitter.feed(chunk)
        lines.reverse()
        return True

    def _run_request(self, request: Request, epoch: int) -> bool:
        """Run a request in this thread, in a worker or on the event loop.

        While a handler that may block runs in this thread, the watchdog monitors it and replaces
        this reader if the handler is slow. Trusted handlers are not monitored.

        Returns:
            False if the watchdog replaced this reader while the handler was running.
        """
        if request.async_work is not None:
            self._async_streak += 1
            self._run_on_event_loop(request)
            return True
        self._async_streak = 0
        slow_tracker = request.slow_tracker
        if slow_tracker is not None and not slow_tracker.is_trusted:
            # If all workers are busy, the request is queued even if its handler is quick. A blocked
            # reader would have to be replaced, which would exceed the thread limit.
            if slow_tracker.is_slow or self._workers.is_full:
                self._run_in_worker(request)
                return True
            self._activity_count += 1
            self._busy_request = request
            if self._is_watchdog_idle:
                self._wake_watchdog()
            answer = request.run()
            with self._lock:
                is_current = self._reader_epoch == epoch
                if is_current:
                    self._busy_request = None
            if not is_current:
                # A new reader owns the channel and `_output` now, so this thread only delivers
                # its late answer and then helps out as a worker.
                self._finish_request(request, answer)
                self._workers.join_as_worker()
                return False
        else:
            answer = request.run()
        if answer is not None:
            self._queue_output(answer)
        return True

    def _queue_output(self, answer: bytes) -> None:
        """Queue an answer to be written together with others before the next read."""
        self._output.append(answer)
        if len(self._output) >= MAX_BATCHED_REPLIES or len(answer) >= LARGE_REPLY_BYTES:
            self._flush_output()

    def _run_on_event_loop(self, request: Request) -> None:
        if len(self._connection.in_flight) >= MAX_QUEUED_REQUESTS:
            self._finish_request(request, request.reject_busy())
        else:
            self.get_event_loop().submit(request)

    def _run_in_worker(self, request: Request) -> None:
        self._connection.in_flight[request.id] = request
        if not self._workers.submit(request):
            self._finish_request(request, request.reject_busy())

    def _finish_request(self, request: Request, answer: bytes | None) -> None:
        self._connection.in_flight.pop(request.id, None)
        if answer is not None:
            self._channel.write(answer)

    def _flush_output(self) -> None:
        replies, self._output = self._output, []
        if replies:
            self._channel.write(replies[0] if len(replies) == 1 else b"".join(replies))

    def _reject_long_line(self, head: bytes, tail: bytes) -> None:
        error_reply = self._dispatcher.reject_long_line(head, tail)
        if error_reply is not None:
            self._channel.write(error_reply)

    def _run_watchdog(self) -> None:
        """Replace the reader thread whenever a handler blocks it.

        The main function of the watchdog thread. It wakes up regularly only while handlers run;
        after `MAX_QUIET_TICKS` without activity, it sleeps until the reader wakes it.
        """
        while not self._is_stopped:
            # The reader writes `_busy_request` and then reads `_is_watchdog_idle`. This thread
            # writes `_is_watchdog_idle` and then reads `_busy_request`. At least one of them sees
            # the other's write, so no slow handler goes unnoticed.
            if self._busy_request is not None:
                self._wake_watchdog()
            self._watchdog_wakeup.acquire()
            for last_activity in self._iter_quiet_ticks(WATCHDOG_TICK_SECONDS):
                if self._busy_request is not None:
                    self._replace_reader(last_activity)
            self._is_watchdog_idle = True

    def _iter_quiet_ticks(self, tick_seconds: float) -> Iterator[int]:
        """Wait for ticks of the given length and yield the activity count after each quiet one.

        A tick is quiet if no request was started during it. Ends when the server stops, or after
        `MAX_QUIET_TICKS` quiet ticks in a row.
        """
        quiet_ticks = 0
        while quiet_ticks < MAX_QUIET_TICKS and not self._is_stopped:
            last_activity = self._activity_count
            sleep(tick_seconds)
            if self._activity_count != last_activity:
                quiet_ticks = 0
                continue
            quiet_ticks += 1
            yield last_activity

    def _wake_watchdog(self) -> None:
        with self._lock:
            if self._is_watchdog_idle:
                self._is_watchdog_idle = False
                self._watchdog_wakeup.release()

    def _replace_reader(self, last_activity: int) -> None:
        """Start a new reader thread, because a handler has blocked the current one for a tick.

        Args:
            last_activity: The activity count at the beginning of the tick. If it has changed, a
                different handler is running, and has not been for long.
        """
        with self._lock:
            request = self._busy_request
            if request is None or self._activity_count != last_activity:
                return
            self._reader_epoch += 1
            epoch = self._reader_epoch
            self._busy_request = None
            # Answers to earlier calls must not wait for the handler that blocks the old reader.
            replies, self._output = self._output, []
        # From now on the request can be cancelled. It may have finished in the meantime.
        self._connection.in_flight[request.id] = request
        if request.is_done:
            self._connection.in_flight.pop(request.id, None)
        if request.slow_tracker is not None:
            request.slow_tracker.record_slow_call()
        self._workers.add_busy_thread()
        if replies:
            self._channel.write(b"".join(replies))
        start_new_thread(self._read_loop, (epoch,))

    def _move_reading_to_loop(self, epoch: int) -> bool:
        """Let the event loop read the channel instead of a thread.

        Requests for coroutine handlers then need no thread switch.

        Returns:
            False if the channel has no descriptor for the loop to watch.
        """
        descriptor = self._channel.descriptor
        if descriptor is None:
            self._async_streak = 0
            return False
        self._flush_output()
        self.get_event_loop().add_reader(
            descriptor, lambda: self._handle_readable(descriptor, epoch)
        )
        start_new_thread(self._watch_event_loop, (descriptor, epoch))
        return True

    def _handle_readable(self, descriptor: int, epoch: int) -> None:
        """Read and answer lines on the event loop, which calls this when the channel has data.

        The first request for a plain handler moves reading back to a thread, where the handler
        cannot block the loop.
        """
        loop = self.get_event_loop()
        with self._lock:
            is_current = self._reader_epoch == epoch
            self._is_loop_reading = is_current
            self._activity_count += 1
        # In the meantime, the thread that watches the loop may have moved reading to a thread.
        if not is_current:
            loop.remove_reader(descriptor)
            return
        is_open = self._read_lines()
        lines = self._pending_lines
        while lines:
            line = lines.pop()
            reply = self._dispatch_safely(line) if line else None
            if isinstance(reply, Request) and reply.async_work is not None:
                if len(self._connection.in_flight) < MAX_QUEUED_REQUESTS:
                    loop.start_request(reply)
                else:
                    self._handle_replies(reply)
            elif isinstance(reply, bytes):
                self._queue_output(reply)
            elif reply is not None:
                self._async_streak = 0
                self._handle_replies(reply)
        self._flush_output()
        self._is_loop_reading = False
        if not is_open:
            loop.remove_reader(descriptor)
            self.stop()
        elif self._async_streak == 0:
            self._move_reading_to_thread(descriptor, epoch)

    def _move_reading_to_thread(self, descriptor: int, epoch: int) -> None:
        """Stop reading on the event loop, and start a reader thread. Must be called on the loop."""
        with self._lock:
            if self._reader_epoch != epoch:
                return
            # With a new epoch, a pending watchdog of the loop cannot start a second reader.
            self._reader_epoch += 1
            new_epoch = self._reader_epoch
        self.get_event_loop().remove_reader(descriptor)
        start_new_thread(self._read_loop, (new_epoch,))

    def _watch_event_loop(self, descriptor: int, epoch: int) -> None:
        """Move reading back to a thread if the event loop is blocked or idle.

        The main function of a thread that runs while the loop reads. A blocked loop cannot detect
        its own delay, so this thread checks whether data has been waiting for a whole tick.
        """
        for last_activity in self._iter_quiet_ticks(LOOP_TICK_SECONDS):
            if self._reader_epoch != epoch:
                return
            if self._channel.has_data() and self._take_reading_from_loop(epoch, last_activity):
                return
        self.get_event_loop().call_soon(lambda: self._move_reading_to_thread(descriptor, epoch))

    def _take_reading_from_loop(self, epoch: int, last_activity: int) -> bool:
        """Start a reader thread because the event loop is blocked, and return True if it started.

        Args:
            epoch: The value of `_reader_epoch` while the loop was the reader.
            last_activity: The activity count at the beginning of the tick. If it has changed, the
                loop has read in the meantime and is not blocked.
        """
        with self._lock:
            has_moved = self._activity_count != last_activity or self._reader_epoch != epoch
            if self._is_loop_reading or has_moved:
                return False
            self._reader_epoch += 1
            new_epoch = self._reader_epoch
            self._async_streak = 0
        start_new_thread(self._read_loop, (new_epoch,))
        return True

    def _shut_down(self) -> None:
        """Wait for running requests, then cancel the rest and wait again while they clean up."""
        self._drain()
        self._dispatcher.close()
        self._drain()

    def _has_work(self) -> bool:
        return bool(self._connection.in_flight or self._busy_request is not None or self._output)

    def _drain(self) -> None:
        """Wait for running requests and for answers that are still being written.

        Requests have `DRAIN_SECONDS` to finish. Writing may take longer as long as it makes
        progress.
        """
        deadline = monotonic() + DRAIN_SECONDS
        pause = sleep if self._loop is None else self._loop.pause
        while self._has_work() and monotonic() < deadline:
            pause(WATCHDOG_TICK_SECONDS)
        # A slow client may take longer, as long as it still reads.
        last_written = -1
        while self._channel.is_writing and self._channel.written_bytes != last_written:
            last_written = self._channel.written_bytes
            pause(DRAIN_SECONDS)
