"""Calls that wait for somebody else, made in a few threads beside the event loop.

The same call is made once at a time, however many requests wait for it. Threads, waiting calls
and waiting times are bounded, so that an authorization server that hangs costs its own users an
answer and nobody anything else. Any number of event loops may wait for one call.

Anybody can send tokens, and a flood of them makes a long line. The newest call goes first then:
who came earlier may have given up, and a call that nobody waits for any more is not made. No
thread keeps the program from ending.

Tokens that have been found good: by digest, bounded in number, and counting for a while.

Tokens that somebody has to be asked about, and what was answered, for a while.

Whoever was let in before has threads of their own: a flood of tokens that are no good keeps out
those who come for the first time at the worst.
"""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict
from concurrent.futures import Future
from contextlib import suppress
from hashlib import sha256
from time import monotonic, time

from paddock.auth.errors import UndecidedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable
    from typing import TypeVar

    T = TypeVar("T")

MAX_THREADS = 8
MAX_PENDING_CALLS = 1000
CALL_TIMEOUT_SECONDS = 15.0
"""Seconds until a request is refused because a call has not ended."""


class _SharedCall:
    """One run of a function, and how many wait for it."""

    __slots__ = ("function", "future", "waiter_count")

    def __init__(self, function: Callable[[], object]) -> None:
        self.function = function
        self.future: Future[object] = Future()
        self.waiter_count = 0


class BlockingCallPool:
    """Runs blocking functions; equal keys at the same time share one run."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._active_calls: dict[Hashable, _SharedCall] = {}
        self._pending_calls: dict[
            Hashable, _SharedCall
        ] = {}  # those of them that have no thread yet
        self._thread_count = 0

    async def run(self, key: Hashable, function: Callable[[], T]) -> T:
        """What a function returns or raises.

        Raises:
            UndecidedError: Too many calls wait already, or this one takes too long.
        """
        call = self._join_call(key, function)
        try:
            self._start_thread_if_needed()
            async with asyncio.timeout(CALL_TIMEOUT_SECONDS):
                await _wait_for_future(call.future)
        except TimeoutError:
            raise UndecidedError(f"no answer within {CALL_TIMEOUT_SECONDS:g} s") from None
        finally:
            self._leave_call(key, call)
        return call.future.result()  # type: ignore[return-value] # the key stands for the type

    def start(self, key: Hashable, function: Callable[[], object]) -> None:
        """Run a function that nobody waits for, unless they come later."""
        self._join_call(key, function)
        self._start_thread_if_needed()

    def _join_call(self, key: Hashable, function: Callable[[], object]) -> _SharedCall:
        given_up: _SharedCall | None = None
        with self._lock:
            call = self._active_calls.get(key)
            if call is None:
                if len(self._pending_calls) >= MAX_PENDING_CALLS:
                    oldest = next(iter(self._pending_calls))
                    given_up = self._pending_calls.pop(oldest)
                    del self._active_calls[oldest]
                call = self._active_calls[key] = self._pending_calls[key] = _SharedCall(function)
            call.waiter_count += 1
        if given_up is not None:
            text = f"{MAX_PENDING_CALLS} newer tokens are waiting to be checked"
            given_up.future.set_exception(UndecidedError(text))
        return call

    def _leave_call(self, key: Hashable, call: _SharedCall) -> None:
        with self._lock:
            call.waiter_count -= 1
            if not call.waiter_count and self._pending_calls.get(key) is call:
                del self._pending_calls[key], self._active_calls[key]

    def _start_thread_if_needed(self) -> None:
        with self._lock:
            if not self._pending_calls or self._thread_count >= MAX_THREADS:
                return
            self._thread_count += 1
        thread = threading.Thread(
            target=self._run_pending_calls, name="paddock-authorization", daemon=True
        )
        try:
            thread.start()
        except RuntimeError:  # the system has no more
            with self._lock:
                self._thread_count -= 1
            raise

    def _run_pending_calls(self) -> None:
        while True:
            with self._lock:
                if not self._pending_calls:
                    self._thread_count -= 1
                    return
                key, call = self._pending_calls.popitem()
            self._run_call(key, call)

    def _run_call(self, key: Hashable, call: _SharedCall) -> None:
        try:
            made = call.function()
        except BaseException as error:  # noqa: BLE001 - whoever waits gets it
            self._remove_call(key)
            call.future.set_exception(error)
        else:
            self._remove_call(key)
            call.future.set_result(made)

    def _remove_call(self, key: Hashable) -> None:
        with self._lock:
            del self._active_calls[key]


async def _wait_for_future(future: Future[object]) -> None:
    """Wait without a claim on the call: a request that is cancelled must not cancel others'."""
    loop = asyncio.get_running_loop()
    ended = asyncio.Event()

    def tell(_: object) -> None:
        with suppress(RuntimeError):  # the loop is closed, so nobody waits any more
            loop.call_soon_threadsafe(ended.set)

    future.add_done_callback(tell)
    await ended.wait()


if TYPE_CHECKING:
    from paddock.protocol.principal import Principal

MAX_CACHED_TOKENS = 10_000


class TokenCache:
    """Remembers principals; a token itself is never kept."""

    def __init__(self, seconds: float) -> None:
        self._lifetime_seconds = seconds
        self._lock = threading.Lock()
        self._entries: OrderedDict[bytes, tuple[float, Principal]] = OrderedDict()

    def get(self, key: bytes) -> Principal | None:
        """Who the bearer is, if that was found out not long ago and still holds."""
        found = self._entries.get(key)
        if found is None:
            return None
        until, principal = found
        expires = principal.expires_at
        is_current = monotonic() < until and (expires is None or time() < expires)
        return principal if is_current else None

    def has_seen(self, key: bytes) -> bool:
        """Whether a token was good once, though it may have to be checked again."""
        return key in self._entries

    def put(self, key: bytes, principal: Principal) -> None:
        """Remember; what was found good longest ago is forgotten when there are too many."""
        with self._lock:
            self._entries[key] = (monotonic() + self._lifetime_seconds, principal)
            self._entries.move_to_end(key)
            while len(self._entries) > MAX_CACHED_TOKENS:
                self._entries.popitem(last=False)


def digest_token(token: str, resource: str) -> bytes:
    """What stands for a token that was presented to a resource."""
    return sha256(f"{resource}\0{token}".encode()).digest()


if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.protocol.principal import Principal


class TokenLookup:
    """Knows whom tokens stand for, or asks."""

    def __init__(self, seconds: float) -> None:
        self._cache = TokenCache(seconds)
        self._first_check_pool = BlockingCallPool()
        self._recheck_pool = BlockingCallPool()

    async def get_principal(
        self, token: str, resource: str, ask: Callable[[], Principal]
    ) -> Principal:
        """Who the bearer of a token is; `ask` is run in a thread if that is not known.

        Raises:
            InvalidTokenError: What `ask` raises.
            UndecidedError: There are too many questions, or no answer.
        """
        key = digest_token(token, resource)
        known = self._cache.get(key)
        if known is None:
            calls = self._recheck_pool if self._cache.has_seen(key) else self._first_check_pool
            known = await calls.run(key, ask)
            self._cache.put(key, known)
        return known
