"""Calls that wait for somebody else, made in a few threads beside the event loop.

The same call is made once at a time, however many requests wait for it. Threads, waiting calls
and waiting times are bounded, so that an authorization server that hangs costs its own users an
answer and nobody anything else. Any number of event loops may wait for one call.

Anybody can send tokens, and a flood of them makes a long line. The newest call goes first then:
who came earlier may have given up, and a call that nobody waits for any more is not made. No
thread keeps the program from ending.
"""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import Future
from contextlib import suppress

from paddock.authorization.errors import UndecidedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable
    from typing import TypeVar

    T = TypeVar("T")

MAX_THREADS = 8
MAX_WAITING = 1000
PATIENCE = 15.0
"""Seconds until a request is refused because a call has not ended."""


class _Call:
    """One run of a function, and how many wait for it."""

    __slots__ = ("function", "future", "waiting")

    def __init__(self, function: Callable[[], object]) -> None:
        self.function = function
        self.future: Future[object] = Future()
        self.waiting = 0


class BlockingCalls:
    """Runs blocking functions; equal keys at the same time share one run."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._under_way: dict[Hashable, _Call] = {}
        self._line: dict[Hashable, _Call] = {}  # those of them that have no thread yet
        self._threads = 0

    async def run(self, key: Hashable, function: Callable[[], T]) -> T:
        """What a function returns or raises.

        Raises:
            UndecidedError: Too many calls wait already, or this one takes too long.
        """
        call = self._join(key, function)
        try:
            self._start_if_short()
            async with asyncio.timeout(PATIENCE):
                await _ended(call.future)
        except TimeoutError:
            raise UndecidedError(f"no answer within {PATIENCE:g} s") from None
        finally:
            self._leave(key, call)
        return call.future.result()  # type: ignore[return-value] # the key stands for the type

    def begin(self, key: Hashable, function: Callable[[], object]) -> None:
        """Run a function that nobody waits for, unless they come later."""
        self._join(key, function)
        self._start_if_short()

    def _join(self, key: Hashable, function: Callable[[], object]) -> _Call:
        given_up: _Call | None = None
        with self._lock:
            call = self._under_way.get(key)
            if call is None:
                if len(self._line) >= MAX_WAITING:
                    oldest = next(iter(self._line))
                    given_up = self._line.pop(oldest)
                    del self._under_way[oldest]
                call = self._under_way[key] = self._line[key] = _Call(function)
            call.waiting += 1
        if given_up is not None:
            text = f"{MAX_WAITING} newer tokens are waiting to be checked"
            given_up.future.set_exception(UndecidedError(text))
        return call

    def _leave(self, key: Hashable, call: _Call) -> None:
        with self._lock:
            call.waiting -= 1
            if not call.waiting and self._line.get(key) is call:
                del self._line[key], self._under_way[key]

    def _start_if_short(self) -> None:
        with self._lock:
            if not self._line or self._threads >= MAX_THREADS:
                return
            self._threads += 1
        thread = threading.Thread(target=self._work, name="paddock-authorization", daemon=True)
        try:
            thread.start()
        except RuntimeError:  # the system has no more
            with self._lock:
                self._threads -= 1
            raise

    def _work(self) -> None:
        while True:
            with self._lock:
                if not self._line:
                    self._threads -= 1
                    return
                key, call = self._line.popitem()
            self._make(key, call)

    def _make(self, key: Hashable, call: _Call) -> None:
        try:
            made = call.function()
        except BaseException as error:  # noqa: BLE001 - whoever waits gets it
            self._forget(key)
            call.future.set_exception(error)
        else:
            self._forget(key)
            call.future.set_result(made)

    def _forget(self, key: Hashable) -> None:
        with self._lock:
            del self._under_way[key]


async def _ended(future: Future[object]) -> None:
    """Wait without a claim on the call: a request that is cancelled must not cancel others'."""
    loop = asyncio.get_running_loop()
    ended = asyncio.Event()

    def tell(_: object) -> None:
        with suppress(RuntimeError):  # the loop is closed, so nobody waits any more
            loop.call_soon_threadsafe(ended.set)

    future.add_done_callback(tell)
    await ended.wait()
