"""The checkpoint and the active process: those that hold the state of a kernel.

Both run the same loop; a process is active until it is told to commit, and a checkpoint from then
on. They do what the guard orders, and end when it is gone.
"""

from __future__ import annotations

import contextlib
import os
import resource
import select
import signal
from typing import TYPE_CHECKING, NoReturn

import msgspec

from paddock.kernels.worker.answering import answer
from paddock.kernels.worker.frames import (
    Again,
    Begun,
    Commit,
    Died,
    Evaluate,
    Fault,
    Job,
    Order,
    Ready,
    Stream,
    send,
)
from paddock.kernels.worker.orphans import end_kernel

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from paddock.kernels.worker.interpreter import Interpreter

ALARM_GRACE = 5.0
"""Seconds after its limit when an active process ends itself, should nobody else be left."""

_LONGEST_ALARM = 1e7
"""Seconds; what the timers of all systems can hold."""


class Links(msgspec.Struct):
    """The descriptors between the guard and the others."""

    orders: tuple[int, int]
    """Where each of the two reads: they take turns, so that an order is read by one only."""
    notices: int
    """Where both write."""


def live(make: Callable[[], Interpreter], links: Links) -> NoReturn:
    """Be the first checkpoint, and whatever comes after it."""
    try:
        interpreter = make()
    except BaseException as error:  # noqa: BLE001 - whatever it is, the server is told
        send(links.notices, Fault(f"{type(error).__name__}: {error}"))
        os._exit(1)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    turn = 0
    while True:
        turn = 1 - turn
        child = os.fork()
        if child == 0:
            _be_active(interpreter, links, turn)
        else:
            turn = 1 - turn
            _keep(child, links, turn)


def _keep(child: int, links: Links, turn: int) -> None:
    """Be the checkpoint until another active process is wanted."""
    with contextlib.suppress(OSError):  # the child does it too, and may have been first
        os.setpgid(child, child)
    woken, wakes = os.pipe()
    os.set_blocking(wakes, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    before = signal.set_wakeup_fd(wakes)
    try:
        _tell_death(child, links)  # it may have ended before there was a signal to be woken by
        orders = Stream[Order](links.orders[turn], Order)
        while True:
            ready, _, _ = select.select([orders.handle, woken], [], [])
            if woken in ready:
                os.read(woken, 512)
                _tell_death(child, links)
            if orders.handle in ready and _is_again(orders):
                return
    finally:
        signal.set_wakeup_fd(before)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.close(woken)
        os.close(wakes)


def _is_again(orders: Stream[Order]) -> bool:
    try:
        return isinstance(orders.read_one(), Again)
    except EOFError:
        end_kernel()
        os._exit(0)


def _tell_death(child: int, links: Links) -> None:
    with contextlib.suppress(ChildProcessError):
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid == child:
            send(links.notices, Died(pid, status))


def _be_active(interpreter: Interpreter, links: Links, turn: int) -> None:
    """Do jobs until the state is good enough to become the checkpoint."""
    with contextlib.suppress(OSError):
        os.setpgid(0, 0)
    send(links.notices, _ready(interpreter))
    orders = Stream[Order](links.orders[turn], Order)

    def tell(notice: msgspec.Struct) -> None:
        send(links.notices, notice)

    while True:
        try:
            order = orders.read_one()
        except EOFError:
            os._exit(0)
        if isinstance(order, Commit):
            return
        if not isinstance(order, Again):
            send(links.notices, Begun())
            send(links.notices, answer(interpreter, order, tell, limited(order)))


def _ready(interpreter: Interpreter) -> Ready:
    version, can_interrupt = interpreter.version, interpreter.is_interruptible
    return Ready(os.getpid(), os.getppid(), version, can_interrupt)


@contextlib.contextmanager
def limited(job: Job) -> Iterator[None]:
    """Limits that a process sets itself for one job."""
    _soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    memory = job.memory_bytes if isinstance(job, Evaluate) else 0
    if memory:
        _set_memory(memory if hard == resource.RLIM_INFINITY else min(memory, hard), hard)
    # The guard keeps the limit. Should all others have been killed, this one must end all the same.
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, min(job.seconds, _LONGEST_ALARM) + ALARM_GRACE)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        if memory:
            _set_memory(hard, hard)


def _set_memory(soft: int, hard: int) -> None:
    with contextlib.suppress(OSError, ValueError):  # macOS does not limit address space
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
