"""Calls that wait for somebody else, made in a few threads beside the event loop.

The same call is made once at a time, however many requests wait for it. Threads, waiting calls
and waiting times are bounded, so that an authorization server that hangs costs its own users an
answer and nobody anything else. Any number of event loops may wait for one call.
"""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import Future, ThreadPoolExecutor
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


class BlockingCalls:
    """Runs blocking functions; equal keys at the same time share one run."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(MAX_THREADS, thread_name_prefix="paddock-authorization")
        self._lock = threading.Lock()
        self._under_way: dict[Hashable, Future[object]] = {}

    async def run(self, key: Hashable, function: Callable[[], T]) -> T:
        """What a function returns or raises.

        Raises:
            UndecidedError: Too many calls wait already, or this one takes too long.
        """
        future = self._submit(key, function)
        try:
            async with asyncio.timeout(PATIENCE):
                await _ended(future)
        except TimeoutError:
            raise UndecidedError(f"no answer within {PATIENCE:g} s") from None
        return future.result()  # type: ignore[return-value] # the key stands for the type

    def _submit(self, key: Hashable, function: Callable[[], object]) -> Future[object]:
        with self._lock:
            shared = self._under_way.get(key)
            if shared is not None:
                return shared
            if len(self._under_way) >= MAX_WAITING:
                raise UndecidedError(f"{MAX_WAITING} tokens are being checked already")
            future = self._under_way[key] = self._pool.submit(self._do, key, function)
        return future

    def _do(self, key: Hashable, function: Callable[[], object]) -> object:
        try:
            return function()
        finally:
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
