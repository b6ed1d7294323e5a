"""Runs blocking token checks in a few threads, and caches their results.

Concurrent calls with the same key share one run. The number of threads, the number of pending calls
and the waiting time are limited, so a slow authorization server delays only its own users.

Anyone can send tokens, so a flood can fill the queue. Pending calls are therefore processed last
in, first out, because the clients of older calls have most likely timed out.

Tokens that were valid before are checked in a separate pool, so a flood of invalid tokens delays
only new users.
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

    from paddock.protocol.principal import Principal

    T = TypeVar("T")

MAX_THREADS = 8
MAX_PENDING_CALLS = 1000
CALL_TIMEOUT_SECONDS = 15.0
"""Time after which a request is rejected if its call has not finished."""


class _SharedCall:
    """A single run of a function. All requests with the same key wait for its result.

    The waiting requests are counted, so that a pending call can be dropped when none are left.
    """

    __slots__ = ("function", "future", "waiter_count")

    def __init__(self, function: Callable[[], object]) -> None:
        self.function = function
        self.future: Future[object] = Future()
        self.waiter_count = 0


class BlockingCallPool:
    """Runs blocking functions in daemon threads. Concurrent calls with equal keys share a run.

    The requests that wait for a run may belong to different event loops.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._active_calls: dict[Hashable, _SharedCall] = {}
        self._pending_calls: dict[Hashable, _SharedCall] = {}
        """The active calls that no thread has started yet, oldest first."""
        self._thread_count = 0

    async def run(self, key: Hashable, function: Callable[[], T]) -> T:
        """Run a function in a thread and return its result, or raise its exception.

        Args:
            key: Identifies the call. If a call with an equal key is active, its result is used.
            function: The function to run, which may block.

        Raises:
            UndecidedError: Too many calls are pending, or this one takes too long.
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
        return call.future.result()  # type: ignore[return-value] # equal keys have equal types

    def start(self, key: Hashable, function: Callable[[], object]) -> None:
        """Run a function in the background. A later `run` with an equal key joins the call."""
        self._join_call(key, function)
        self._start_thread_if_needed()

    def _join_call(self, key: Hashable, function: Callable[[], object]) -> _SharedCall:
        """Return the active call with this key, or add a call to the queue of pending calls.

        If the queue is full, its oldest call is dropped, and the requests that wait for it get an
        `UndecidedError`.
        """
        dropped_call: _SharedCall | None = None
        with self._lock:
            call = self._active_calls.get(key)
            if call is None:
                # The client of the oldest pending call has waited the longest and has most likely
                # timed out.
                if len(self._pending_calls) >= MAX_PENDING_CALLS:
                    oldest_key = next(iter(self._pending_calls))
                    dropped_call = self._pending_calls.pop(oldest_key)
                    del self._active_calls[oldest_key]
                call = self._active_calls[key] = self._pending_calls[key] = _SharedCall(function)
            call.waiter_count += 1
        # The exception is set outside the lock, because it runs callbacks of the waiting requests.
        if dropped_call is not None:
            text = f"{MAX_PENDING_CALLS} newer tokens are waiting to be checked"
            dropped_call.future.set_exception(UndecidedError(text))
        return call

    def _leave_call(self, key: Hashable, call: _SharedCall) -> None:
        with self._lock:
            call.waiter_count -= 1
            # If all waiting requests have given up, a call that has not started does not need to
            # run.
            if not call.waiter_count and self._pending_calls.get(key) is call:
                del self._pending_calls[key], self._active_calls[key]

    def _start_thread_if_needed(self) -> None:
        """Start another thread if calls are pending and the thread limit is not reached.

        A thread ends as soon as no calls are pending.
        """
        with self._lock:
            if not self._pending_calls or self._thread_count >= MAX_THREADS:
                return
            self._thread_count += 1
        thread = threading.Thread(
            target=self._run_pending_calls, name="paddock-authorization", daemon=True
        )
        try:
            thread.start()
        except RuntimeError:  # the system's thread limit is reached
            with self._lock:
                self._thread_count -= 1
            raise

    def _run_pending_calls(self) -> None:
        """Run pending calls until none are left. This is the target function of each thread."""
        while True:
            with self._lock:
                if not self._pending_calls:
                    self._thread_count -= 1
                    return
                # The newest call is taken first, because the clients of older calls have most
                # likely timed out.
                key, call = self._pending_calls.popitem()
            self._run_call(key, call)

    def _run_call(self, key: Hashable, call: _SharedCall) -> None:
        """Run a call and pass its result or exception to all requests that wait for it."""
        try:
            result = call.function()
        except BaseException as error:  # noqa: BLE001 - raised again in the waiting requests
            self._remove_call(key)
            call.future.set_exception(error)
        else:
            self._remove_call(key)
            call.future.set_result(result)

    def _remove_call(self, key: Hashable) -> None:
        with self._lock:
            del self._active_calls[key]


async def _wait_for_future(future: Future[object]) -> None:
    """Wait until a shared call has finished.

    `asyncio.wrap_future` is not used, because it would cancel the call for all waiting requests if
    this request is cancelled.
    """
    loop = asyncio.get_running_loop()
    done_event = asyncio.Event()

    def set_event(_: object) -> None:
        with suppress(RuntimeError):  # the loop is closed, so the request no longer waits
            loop.call_soon_threadsafe(done_event.set)

    future.add_done_callback(set_event)
    await done_event.wait()


MAX_CACHED_TOKENS = 10_000


class TokenCache:
    """Principals of valid tokens, by token digest. The tokens themselves are not stored."""

    def __init__(self, lifetime_seconds: float) -> None:
        self._lifetime_seconds = lifetime_seconds
        self._lock = threading.Lock()
        self._entries: OrderedDict[bytes, tuple[float, Principal]] = OrderedDict()

    def get(self, digest: bytes) -> Principal | None:
        """Return the principal of a token that was checked recently and has not expired."""
        entry = self._entries.get(digest)
        if entry is None:
            return None
        cached_until, principal = entry
        expires_at = principal.expires_at
        is_current = monotonic() < cached_until and (expires_at is None or time() < expires_at)
        return principal if is_current else None

    def has_seen(self, digest: bytes) -> bool:
        """Return whether a token was valid before, even if it must be checked again."""
        return digest in self._entries

    def put(self, digest: bytes, principal: Principal) -> None:
        """Store the principal of a token that has just been checked.

        If the cache is full, the entry that was checked longest ago is evicted.
        """
        with self._lock:
            self._entries[digest] = (monotonic() + self._lifetime_seconds, principal)
            self._entries.move_to_end(digest)
            while len(self._entries) > MAX_CACHED_TOKENS:
                self._entries.popitem(last=False)


def digest_token(token: str, resource: str) -> bytes:
    """Return the cache key for a token and a resource."""
    # A token may be valid for one server but not for another, so the resource is part of the key.
    return sha256(f"{resource}\0{token}".encode()).digest()


class TokenLookup:
    """Finds the principals of tokens, either in a cache or by a check that may block.

    Args:
        cache_seconds: How long the result of a check is cached.
    """

    def __init__(self, cache_seconds: float) -> None:
        self._cache = TokenCache(cache_seconds)
        self._first_check_pool = BlockingCallPool()
        self._recheck_pool = BlockingCallPool()

    async def get_principal(
        self, token: str, resource: str, check_token: Callable[[], Principal]
    ) -> Principal:
        """Return the principal of a token, from the cache if it was checked recently.

        Args:
            token: The access token.
            resource: The server that the token must be issued for.
            check_token: Checks the token. Runs in a thread, because it may block.

        Raises:
            InvalidTokenError: Raised by `check_token`.
            UndecidedError: Too many checks are pending, or this one takes too long.
        """
        digest = digest_token(token, resource)
        principal = self._cache.get(digest)
        if principal is None:
            # Tokens that were valid before have their own pool, so that a flood of invalid tokens
            # delays only new users.
            pool = self._recheck_pool if self._cache.has_seen(digest) else self._first_check_pool
            principal = await pool.run(digest, check_token)
            self._cache.put(digest, principal)
        return principal
