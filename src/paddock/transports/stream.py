"""Serving a byte stream: one message a line, answered by whoever is free.

The thread that reads also runs plain handlers, which saves a hop between threads for each call.
That thread is the leader. A watchdog sees to it that a slow handler holds up nobody: when one has
run for a moment, another thread takes over as leader, and the old one only finishes its handler.
A handler that proved slow goes to the workers from then on (`protocol.pace`). Coroutine handlers
run on an event loop in the serving thread.
"""

from __future__ import annotations

from _thread import allocate_lock, start_new_thread
from time import monotonic, sleep

from paddock.protocol.request import Request
from paddock.transports.lines import Lines
from paddock.transports.workers import MAX_WAITING, Workers

try:
    from _queue import SimpleQueue
except ImportError:  # an interpreter without the accelerator
    from queue import SimpleQueue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.protocol.dispatch import Dispatcher, Reply
    from paddock.transports.contract import Channel
    from paddock.transports.eventloop import EventLoop

MAX_LINE = 128 * 1024 * 1024
TICK = 0.002
"""Seconds a handler may hold up its thread before another takes over the reading."""
QUIET_TICKS = 25
"""Ticks without a message after which the watchdog goes to sleep."""
STREAK = 32
"""Calls of coroutine handlers in a row after which the event loop does the reading itself."""
LOOP_TICK = 0.05
"""Seconds that a message may wait for an event loop that somebody blocks."""
TOGETHER = 32
"""Answers that are written at once at the most."""
LARGE = 16_384
"""Bytes of an answer that does not wait for others."""
GRACE = 0.2
"""Seconds that work under way gets to finish when the stream ends, and again once cancelled."""


class Stream:
    """One connection over a byte channel."""

    def __init__(self, channel: Channel, dispatcher: Dispatcher, max_line: int = MAX_LINE) -> None:
        self._channel = channel
        self._dispatcher = dispatcher
        self._connection = dispatcher.connection
        self._receive = dispatcher.receive
        self._splitter = Lines(max_line, self._refuse_line)
        self._workers = Workers(self._finish)
        self._loop: EventLoop | None = None
        self._lines: list[bytes] = []
        self._out: list[bytes] = []
        self._lock = allocate_lock()
        self._epoch = 0
        self._turn = 0
        self._busy: Request | None = None
        self._streak = 0
        self._is_loop_reading = False
        self._is_dog_asleep = True
        self._dog_bed = allocate_lock()
        self._dog_bed.acquire()
        self._is_over = False
        self.on_stop: Callable[[], None] | None = None
        self._home: SimpleQueue[Callable[[], object] | None] = SimpleQueue()

    def start(self) -> None:
        """Begin to read, in a thread of its own."""
        start_new_thread(self._watch, ())
        start_new_thread(self._lead, (0,))

    def run(self) -> None:
        """Serve until the stream ends; coroutine handlers run in this thread."""
        while (job := self._home.get()) is not None:
            job()
        self._wind_up()

    def stop(self) -> None:
        """End the stream from our side. May be called by any thread and by a signal handler."""
        if self._is_over:
            return
        self._is_over = True
        self._home.put(None)
        if self._loop is not None:
            self._loop.stop()
        if self.on_stop is not None:
            self.on_stop()

    def replay(self, lines: list[bytes]) -> None:
        """Answer lines that had to wait; from any thread but the leader's."""
        for line in lines:
            reply = self._safely_received(line)
            for one in reply if isinstance(reply, list) else [reply]:
                self._take_reply(one)

    def _safely_received(self, line: bytes) -> Reply | list[Reply]:
        try:
            return self._receive(line)
        except Exception:  # noqa: BLE001 - a fault of ours in one line must not end the others
            self._report_fault()
            return None

    def event_loop(self) -> EventLoop:
        """The loop for coroutines, which the serving thread runs from now on."""
        if self._loop is None:
            from paddock.transports.eventloop import EventLoop  # noqa: PLC0415 - asyncio is 45 ms

            with self._lock:
                if self._loop is None:
                    self._loop = EventLoop(self._connection)
                    self._home.put(self._loop.run)
        return self._loop

    def limit_lines(self, size: int) -> None:
        """Refuse lines longer than this from now on."""
        self._splitter.limit = size

    def close(self) -> None:
        """Let go of the loop and the channel, once `run` has returned."""
        if self._loop is not None:
            self._loop.close()
        self._workers.close()
        self._wake_dog()
        self._channel.close()

    def _take_reply(self, reply: Reply) -> None:
        if reply is None:
            return
        if isinstance(reply, bytes):
            self._channel.write(reply)
        elif reply.async_work is not None:
            self._submit(reply)
        else:
            self._hop(reply)

    def _lead(self, me: int) -> None:
        """Read and answer until the stream ends or something else does it."""
        while True:
            try:
                while self._has_lines(me) and self._answer_lines(me):
                    pass
            except Exception:  # noqa: BLE001 - a fault of ours in one line must not end the others
                self._report_fault()
            else:
                return

    def _has_lines(self, me: int) -> bool:
        """Get lines to answer; False when this thread is not to read any further."""
        if self._lines:
            return True
        if self._streak >= STREAK and self._hand_to_loop(me):
            return False
        if self._read():
            return True
        self.stop()
        return False

    def _answer_lines(self, me: int) -> bool:
        """Answer the lines at hand; whether this thread still leads."""
        lines = self._lines
        while lines:
            line = lines.pop()
            reply = self._receive(line) if line else None
            if isinstance(reply, bytes):
                self._say(reply)
            elif isinstance(reply, Request):
                if not self._work(reply, me):
                    return False
            elif reply is not None:
                for one in reply:
                    self._take_reply(one)
        return True

    def _report_fault(self) -> None:
        import logging  # noqa: PLC0415 - only when something is wrong with us

        logging.getLogger("paddock").exception("A message could not be answered")

    def _read(self) -> bool:
        if self._out:
            self._flush()
        chunk = b"" if self._is_over else self._channel.read()
        if not chunk:
            return False
        self._lines = lines = self._splitter.feed(chunk)
        lines.reverse()
        return True

    def _work(self, request: Request, me: int) -> bool:
        """Run a request, or have it run; whether this thread still leads."""
        if request.async_work is not None:
            self._streak += 1
            self._submit(request)
            return True
        self._streak = 0
        pace = request.pace
        if pace is not None and not pace.is_trusted:
            if pace.is_slow or self._workers.is_full:
                self._hop(request)
                return True
            self._turn += 1
            self._busy = request
            if self._is_dog_asleep:
                self._wake_dog()
            answer = request.run()
            with self._lock:
                is_leader = self._epoch == me
                if is_leader:
                    self._busy = None
            if not is_leader:
                self._finish(request, answer)
                self._workers.join()
                return False
        else:
            answer = request.run()
        if answer is not None:
            self._say(answer)
        return True

    def _say(self, answer: bytes) -> None:
        """Send an answer soon: together with others, but not only when all are there."""
        self._out.append(answer)
        if len(self._out) >= TOGETHER or len(answer) >= LARGE:
            self._flush()

    def _submit(self, request: Request) -> None:
        if len(self._connection.in_flight) >= MAX_WAITING:
            self._finish(request, request.refuse())
        else:
            self.event_loop().submit(request)

    def _hop(self, request: Request) -> None:
        self._connection.in_flight[request.id] = request
        if not self._workers.submit(request):
            self._finish(request, request.refuse())

    def _finish(self, request: Request, answer: bytes | None) -> None:
        self._connection.in_flight.pop(request.id, None)
        if answer is not None:
            self._channel.write(answer)

    def _flush(self) -> None:
        out, self._out = self._out, []
        if out:
            self._channel.write(out[0] if len(out) == 1 else b"".join(out))

    def _refuse_line(self, head: bytes, tail: bytes) -> None:
        refusal = self._dispatcher.refuse_line(head, tail)
        if refusal is not None:
            self._channel.write(refusal)

    def _watch(self) -> None:
        """Let another thread lead whenever a handler holds up the one that does."""
        while not self._is_over:
            # The leader sets _busy before it looks whether the dog sleeps, the dog lies down
            # before it looks whether the leader is busy: one of the two always sees the other.
            if self._busy is not None:
                self._wake_dog()
            self._dog_bed.acquire()
            quiet = 0
            while quiet < QUIET_TICKS and not self._is_over:
                turn = self._turn
                sleep(TICK)
                if self._turn != turn:
                    quiet = 0
                    continue
                quiet += 1
                if self._busy is not None:
                    self._take_over(turn)
            self._is_dog_asleep = True

    def _wake_dog(self) -> None:
        with self._lock:
            if self._is_dog_asleep:
                self._is_dog_asleep = False
                self._dog_bed.release()

    def _take_over(self, turn: int) -> None:
        with self._lock:
            request = self._busy
            if request is None or self._turn != turn:
                return
            self._epoch += 1
            me = self._epoch
            self._busy = None
            out, self._out = self._out, []
        self._connection.in_flight[request.id] = request
        if request.is_done:
            self._connection.in_flight.pop(request.id, None)
        if request.pace is not None:
            request.pace.was_slow()
        self._workers.adopt()
        if out:
            self._channel.write(b"".join(out))
        start_new_thread(self._lead, (me,))

    def _hand_to_loop(self, me: int) -> bool:
        """Let the event loop do the reading, which saves coroutine handlers the hop to it."""
        descriptor = self._channel.descriptor
        if descriptor is None:
            self._streak = 0
            return False
        self._flush()
        self.event_loop().watch(descriptor, lambda: self._read_on_loop(descriptor, me))
        start_new_thread(self._guard_loop, (descriptor, me))
        return True

    def _read_on_loop(self, descriptor: int, me: int) -> None:
        loop = self.event_loop()
        with self._lock:
            is_leader = self._epoch == me
            self._is_loop_reading = is_leader
            self._turn += 1
        if not is_leader:
            loop.unwatch(descriptor)
            return
        is_open = self._read()
        lines = self._lines
        while lines:
            line = lines.pop()
            reply = self._safely_received(line) if line else None
            if isinstance(reply, Request) and reply.async_work is not None:
                if len(self._connection.in_flight) < MAX_WAITING:
                    loop.begin(reply)
                else:
                    self._take_reply(reply)
            elif isinstance(reply, bytes):
                self._say(reply)
            elif reply is not None:
                self._streak = 0
                for one in reply if isinstance(reply, list) else [reply]:
                    self._take_reply(one)
        self._flush()
        self._is_loop_reading = False
        if not is_open:
            loop.unwatch(descriptor)
            self.stop()
        elif self._streak == 0:
            self._reclaim(descriptor, me)

    def _reclaim(self, descriptor: int, me: int) -> None:
        """Have a thread lead again. Called on the loop."""
        with self._lock:
            if self._epoch != me:
                return
            # A new epoch, so that nobody who still thinks the loop reads starts a second leader.
            self._epoch += 1
            leader = self._epoch
        self.event_loop().unwatch(descriptor)
        start_new_thread(self._lead, (leader,))

    def _guard_loop(self, descriptor: int, me: int) -> None:
        """Take the reading back when a handler blocks the loop, or nothing comes for a while."""
        idle = 0
        while idle < QUIET_TICKS and self._epoch == me and not self._is_over:
            turn = self._turn
            sleep(LOOP_TICK)
            if self._turn != turn:
                idle = 0
                continue
            idle += 1
            if self._channel.has_data():
                with self._lock:
                    if self._is_loop_reading or self._turn != turn or self._epoch != me:
                        continue
                    self._epoch += 1
                    leader = self._epoch
                    self._streak = 0
                start_new_thread(self._lead, (leader,))
                return
        self.event_loop().call_soon(lambda: self._reclaim(descriptor, me))

    def _wind_up(self) -> None:
        """Give work under way a moment to finish, then stop it, and give that a moment too."""
        self._drain()
        self._dispatcher.close()
        self._drain()

    def _has_work(self) -> bool:
        return bool(self._connection.in_flight or self._busy is not None or self._out)

    def _drain(self) -> None:
        deadline = monotonic() + GRACE
        pause = sleep if self._loop is None else self._loop.pause
        while self._has_work() and monotonic() < deadline:
            pause(TICK)
        written = -1
        while self._channel.is_writing and self._channel.written != written:
            written = self._channel.written
            pause(GRACE)
