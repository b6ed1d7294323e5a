"""The guard: keeps a kernel's limits, and never runs the user's code itself.

It passes jobs on to the active process and answers back, collects what is printed on the way,
kills an evaluation that takes too long, has the checkpoint fork another active process after it,
and ends everything when the server closes its end or is gone.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import time
from typing import TYPE_CHECKING, Literal, NoReturn

import msgspec

from paddock.kernels.worker import frames
from paddock.kernels.worker.capture import Capture
from paddock.kernels.worker.evaluating import LOST_CODE
from paddock.kernels.worker.frames import (
    Again,
    Answer,
    Begun,
    Cancel,
    Commit,
    Died,
    Emitted,
    Evaluate,
    Fault,
    Job,
    Notice,
    Processes,
    Ready,
    Reply,
    Request,
    Started,
    Stream,
    TakeState,
)
from paddock.kernels.worker.orphans import end_descendants, end_tree, reap

if TYPE_CHECKING:
    from collections.abc import Sequence

_FORK_SECONDS = 10.0
"""How long an active process may take to be ready."""
_INTERRUPT_SECONDS = 1.0
"""How long an engine that can be interrupted may take to end an evaluation."""
_LONGEST_POLL = 3600.0
"""Seconds after which the guard looks again; the system cannot wait for more than 24 days."""
_MEMORY_TEXT = b"memory allocation of "
"""What a Rust program writes before it aborts because it got no memory."""
_BACKTRACE_TEXT = b"note: run with `RUST_BACKTRACE"


class Channels(msgspec.Struct):
    """The descriptors that the guard has."""

    requests: int
    replies: int
    orders: tuple[int, int]
    """Where it writes orders, for each turn."""
    order_ends: tuple[int, int]
    """The other ends, kept to throw away what a dead process did not read."""
    notices: int
    output: int


class Guard:
    """What the guard knows, and its loop."""

    def __init__(self, channels: Channels, first: int, confinement: Sequence[str]) -> None:
        self._channels = channels
        self._requests = Stream[Request](channels.requests, Request)
        self._notices = Stream[Notice](channels.notices, Notice)
        self._capture = Capture(channels.output)
        self._confinement = list(confinement)
        self._checkpoint: int | None = first
        self._active: int | None = None
        self._turn = 1
        self._is_ready = False
        self._is_started = False
        self._job: Job | None = None
        self._is_sent = False
        self._has_begun = False
        self._deadline = time.monotonic() + _FORK_SECONDS * 6
        self._cause: Literal["timed-out", "cancelled"] | None = None
        self._pending: Answer | None = None
        self._was_replaced = False
        self._begun = 0.0
        self._can_interrupt = False
        self._why_alone = ""

    def run(self) -> NoReturn:
        """Work until the server has gone; does not return."""
        woken, wakes = os.pipe()
        os.set_blocking(wakes, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(wakes)
        for handle in (self._channels.output, self._channels.notices, woken):
            os.set_blocking(handle, False)
        poll = select.poll()
        for handle in (
            self._channels.requests,
            self._channels.notices,
            self._channels.output,
            woken,
        ):
            poll.register(handle, select.POLLIN)
        self._reap()  # one may have ended before there was a signal to be woken by
        while True:
            ready = {handle for handle, _ in poll.poll(self._wait_milliseconds())}
            if self._channels.output in ready:
                self._capture.collect()
            if self._channels.notices in ready:
                self._read_notices()
            if woken in ready:
                os.read(woken, 4096)
                self._reap()
            if self._channels.requests in ready:
                self._read_requests()
            if time.monotonic() >= self._deadline:
                self._on_deadline()

    def _reap(self) -> None:
        ended = reap()
        self._read_notices()  # their last words come before their ends
        for pid, status in ended:
            self._on_end(pid, status)

    def _wait_milliseconds(self) -> float | None:
        if self._deadline == float("inf"):
            return None
        rest = max(0.0, self._deadline - time.monotonic())
        return min(rest, _LONGEST_POLL) * 1000 + 1

    def _read_requests(self) -> None:
        try:
            for request in self._requests.read():
                if not isinstance(request, Cancel):
                    self._job = request
                    self._begun = time.monotonic()
                    self._send_job()
                elif self._job is not None and self._cause is None:
                    self._stop("cancelled")
        except (EOFError, OSError, ValueError, msgspec.MsgspecError):
            self._leave()

    def _read_notices(self) -> None:
        try:
            for notice in self._notices.read():
                self._on_notice(notice)
        except BlockingIOError:
            return
        except (EOFError, ValueError, msgspec.MsgspecError):
            # Code may have found the descriptor and written to it: nothing after that can be read.
            self._notices.clear()
            if self._job is not None and self._is_sent:
                self._pending = Answer(
                    self._cause or "crashed", seconds=time.monotonic() - self._begun
                )
            self._kill_active()

    def _on_notice(self, notice: Notice) -> None:
        match notice:
            case Ready():
                self._on_ready(notice)
            case Begun():
                self._has_begun = True
            case Emitted():
                self._capture.add(notice)
            case Answer():
                self._on_answer(notice)
            case Died(pid, status):
                self._on_end(pid, status)
            case Fault():
                self._tell(notice)
                self._leave()

    def _on_ready(self, ready: Ready) -> None:
        self._active, self._checkpoint = ready.pid, ready.checkpoint or None
        self._why_alone = ready.why_alone
        self._is_ready = True
        self._can_interrupt = ready.is_interruptible
        self._deadline = float("inf")
        if not self._is_started:
            self._is_started = True
            self._capture.clear()
            self._tell(Started(os.getpid(), ready.engine_version, self._confinement))
        self._tell(Processes(ready.checkpoint, ready.pid))
        if self._pending is not None:
            self._reply(self._pending, is_rolled_back=True)
        elif self._job is not None:
            self._send_job()

    def _send_job(self) -> None:
        """Have the active process do the job, as soon as there is one."""
        if not self._is_ready or self._job is None or self._is_sent:
            return
        self._capture.clear()
        self._capture.limit = self._job.output_bytes if isinstance(self._job, Evaluate) else 1 << 16
        self._is_sent = True
        self._has_begun = False
        self._deadline = time.monotonic() + self._job.seconds
        self._order(self._turn, self._job)

    def _order(self, turn: int, order: msgspec.Struct) -> None:
        frames.write_all(self._channels.orders[turn], frames.encode(order))

    def _on_answer(self, answer: Answer) -> None:
        if self._job is None or not self._is_sent or self._pending is not None:
            return
        if self._cause is not None:  # interrupted; what it says besides is still worth telling
            answer.status = self._cause
        is_ended_early = answer.status not in {"done", "failed"}
        if is_ended_early and not self._why_alone:
            self._pending = answer
            self._kill_active()
            return
        is_changed = not isinstance(self._job, TakeState)
        self._capture.collect()
        if self._checkpoint is not None and _has_ended(self._checkpoint):
            self._checkpoint, self._was_replaced = None, True
        self._reply(answer, is_rolled_back=False, is_kept=is_ended_early)
        if is_changed:
            self._commit()

    def _commit(self) -> None:
        """Make the active process the checkpoint, and have it fork the next one."""
        self._is_ready = False
        if self._checkpoint is not None:
            with contextlib.suppress(OSError):
                os.kill(self._checkpoint, signal.SIGKILL)
            # It is waited for, so that the next process has its turn to itself.
            _wait(self._checkpoint)
        frames.drain(self._channels.order_ends[1 - self._turn])
        self._checkpoint, self._active = self._active, None
        self._deadline = time.monotonic() + _FORK_SECONDS
        self._order(self._turn, Commit())
        self._turn = 1 - self._turn

    def _on_end(self, pid: int, status: int) -> None:
        """Take note that one of the two processes has ended, or one that code had left behind."""
        if pid == self._active:
            self._on_active_end(status)
        elif pid == self._checkpoint:
            self._on_checkpoint_end()

    def _on_checkpoint_end(self) -> None:
        """Somebody killed it: the active process has the same state unless it is at work."""
        self._checkpoint = None
        self._was_replaced = True
        if self._active is None:
            self._give_up()
        elif self._is_ready and not self._is_sent:
            self._commit()

    def _on_active_end(self, status: int) -> None:
        self._capture.collect()
        self._notices.clear()
        self._is_ready = False
        ended, self._active = self._active, None
        if ended is not None:
            end_tree(ended)  # what it had started
        if self._job is not None and self._is_sent and (self._has_begun or self._cause):
            self._pending = self._pending or self._how_it_ended(status)
        else:  # somebody killed it at rest: the next one does the job
            self._was_replaced = True
            self._is_sent = False
        if self._checkpoint is None:
            self._give_up()
        frames.drain(self._channels.order_ends[self._turn])
        self._deadline = time.monotonic() + _FORK_SECONDS
        self._order(1 - self._turn, Again())

    def _how_it_ended(self, status: int) -> Answer:
        answer = Answer("crashed", seconds=time.monotonic() - self._begun)
        if self._cause is not None:
            answer.status = self._cause
        elif os.WIFEXITED(status) and os.WEXITSTATUS(status) == LOST_CODE:
            answer.detail = "the code closed the descriptors that the kernel needs"
        elif os.WIFEXITED(status):
            answer.status, answer.detail = "quit", str(os.WEXITSTATUS(status))
        elif os.WTERMSIG(status) == signal.SIGABRT and self._capture.take_line(_MEMORY_TEXT):
            answer.status = "out-of-memory"
            self._capture.take_line(_BACKTRACE_TEXT)
        else:
            answer.detail = _signal_name(os.WTERMSIG(status))
        return answer

    def _on_deadline(self) -> None:
        if self._job is not None and self._is_sent and self._cause is None:
            self._stop("timed-out")
        elif self._cause is not None and self._is_ready:  # it did not heed the interrupt
            self._kill_active()
        elif not self._is_ready:
            self._give_up()
        else:
            self._deadline = float("inf")

    def _stop(self, cause: Literal["timed-out", "cancelled"]) -> None:
        """End the job from outside."""
        self._cause = cause
        if not self._is_sent:
            self._pending = Answer(cause)
            self._is_sent = True
            return
        if self._can_interrupt and self._active is not None:
            self._deadline = time.monotonic() + _INTERRUPT_SECONDS
            with contextlib.suppress(OSError):
                os.kill(self._active, signal.SIGINT)
        else:
            self._kill_active()

    def _kill_active(self) -> None:
        self._deadline = time.monotonic() + _FORK_SECONDS
        self._capture.collect()
        self._is_ready = False
        if self._active is not None:
            end_tree(self._active)

    def _reply(self, answer: Answer, *, is_rolled_back: bool, is_kept: bool = False) -> None:
        pieces, dropped = self._capture.take()
        was_replaced, self._was_replaced = self._was_replaced, False
        self._job = self._pending = self._cause = None
        self._is_sent = False
        self._deadline = float("inf")
        why_kept = self._why_alone if is_kept else ""
        self._tell(Reply(answer, pieces, dropped, is_rolled_back, why_kept, was_replaced))

    def _tell(self, frame: msgspec.Struct) -> None:
        try:
            frames.send(self._channels.replies, frame)
        except OSError:
            self._leave()

    def _give_up(self) -> NoReturn:
        """End, because there is no process left that has the state."""
        if not self._is_started:
            self._capture.collect()
            self._tell(Fault(self._last_words()))
        if self._job is not None:
            self._reply(self._pending or Answer("crashed"), is_rolled_back=False)
        self._leave()

    def _last_words(self) -> str:
        """What an engine that did not start has printed in the end."""
        printed = b"".join(piece for piece in self._capture.take()[0] if isinstance(piece, bytes))
        lines = printed.decode(errors="replace").strip().splitlines()
        return f"its process ended: {lines[-1]}" if lines else "its process ended"

    def _leave(self) -> NoReturn:
        end_descendants()
        os._exit(0)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # one of those for real-time programs
        return f"signal {number}"


def _wait(pid: int) -> None:
    with contextlib.suppress(ChildProcessError):
        os.waitpid(pid, 0)


def _has_ended(pid: int) -> bool:
    """Whether a child has ended without our doing; it is reaped then."""
    with contextlib.suppress(ChildProcessError):
        return os.waitpid(pid, os.WNOHANG)[0] == pid
    return False
