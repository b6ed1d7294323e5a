"""Blocking token checks in a few threads, and a cache of their results.

Concurrent calls with the same key share one run. The numbers of threads and pending calls and the
waiting times are limited, so a slow authorization server delays only its own users.

Anyone can send tokens, so a flood can fill the queue. Pending calls are therefore served last-in
first-out, because the clients of older calls have most likely timed out.

Tokens that were valid before are checked in their own pool, so a flood of invalid tokens delays
only users who are new.
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
"""Time after which a request is rejected because its call has not ended."""


class _SharedCall:
    """One run of a function, and the number of requests that wait for it."""

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
        """Return the active call with this key, or add one. A full queue drops its oldest call."""
        displaced_call: _SharedCall | None = None
        with self._lock:
            call = self._active_calls.get(key)
            if call is None:
                # The client of the oldest pending call has waited for the longest time and has
                # most likely timed out.
                if len(self._pending_calls) >= MAX_PENDING_CALLS:
                    oldest = next(iter(self._pending_calls))
                    displaced_call = self._pending_calls.pop(oldest)
                    del self._active_calls[oldest]
                call = self._active_calls[key] = self._pending_calls[key] = _SharedCall(function)
            call.waiter_count += 1
        if displaced_call is not None:
            text = f"{MAX_PENDING_CALLS} newer tokens are waiting to be checked"
            displaced_call.future.set_exception(UndecidedError(text))
        return call

    def _leave_call(self, key: Hashable, call: _SharedCall) -> None:
        with self._lock:
            call.waiter_count -= 1
            # If all waiting requests have given up, a call that has not begun need not run.
            if not call.waiter_count and self._pending_calls.get(key) is call:
                del self._pending_calls[key], self._active_calls[key]

    def _start_thread_if_needed(self) -> None:
        """Start a thread for the pending calls, up to the limit. Threads end when idle."""
        with self._lock:
            if not self._pending_calls or self._thread_count >= MAX_THREADS:
                return
            self._thread_count += 1
        thread = threading.Thread(
            target=self._run_pending_calls, name="paddock-authorization", daemon=True
        )
        try:
            thread.start()
        except RuntimeError:  # the system's limit of threads is reached
            with self._lock:
                self._thread_count -= 1
            raise

    def _run_pending_calls(self) -> None:
        """Run pending calls in this thread until no call is left."""
        while True:
            with self._lock:
                if not self._pending_calls:
                    self._thread_count -= 1
                    return
                # The newest call is taken first; see the module docstring.
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
    """Wait for a shared call, without cancelling it for others if this request is cancelled."""
    loop = asyncio.get_running_loop()
    done_event = asyncio.Event()

    def set_event(_: object) -> None:
        with suppress(RuntimeError):  # the loop is closed, so nothing waits any more
            loop.call_soon_threadsafe(done_event.set)

    future.add_done_callback(set_event)
    await done_event.wait()


MAX_CACHED_TOKENS = 10_000


class TokenCache:
    """Principals of valid tokens, by digest; the tokens themselves are not stored."""

    def __init__(self, seconds: float) -> None:
        self._lifetime_seconds = seconds
        self._lock = threading.Lock()
        self._entries: OrderedDict[bytes, tuple[float, Principal]] = OrderedDict()

    def get(self, key: bytes) -> Principal | None:
        """Return the principal of a token that was checked recently and has not expired."""
        entry = self._entries.get(key)
        if entry is None:
            return None
        cached_until, principal = entry
        expires_at = principal.expires_at
        is_current = monotonic() < cached_until and (expires_at is None or time() < expires_at)
        return principal if is_current else None

    def has_seen(self, key: bytes) -> bool:
        """Return whether a token was valid before, even if it must be checked again."""
        return key in self._entries

    def put(self, key: bytes, principal: Principal) -> None:
        """Store a principal, evicting the entries that were checked longest ago."""
        with self._lock:
            self._entries[key] = (monotonic() + self._lifetime_seconds, principal)
            self._entries.move_to_end(key)
            while len(self._entries) > MAX_CACHED_TOKENS:
                self._entries.popitem(last=False)


def digest_token(token: str, resource: str) -> bytes:
    """Return the cache key of a token for a resource."""
    # A token may be valid for one server and not for another, so the resource is part of the key.
    return sha256(f"{resource}\0{token}".encode()).digest()


class TokenLookup:
    """Returns principals of tokens from a cache, or checks the tokens.

    Args:
        seconds: Time for which the result of a check is cached.
    """

    def __init__(self, seconds: float) -> None:
        self._cache = TokenCache(seconds)
        self._first_check_pool = BlockingCallPool()
        self._recheck_pool = BlockingCallPool()

    async def get_principal(
        self, token: str, resource: str, check_token: Callable[[], Principal]
    ) -> Principal:
        """Return the principal of a token, from the cache if it was checked recently.

        Args:
            token: The access token.
            resource: The server that the token must be issued for.
            check_token: Checks the token. May block, and therefore runs in a thread.

        Raises:
            InvalidTokenError: Raised by `check_token`.
            UndecidedError: Too many checks are pending, or this one takes too long.
        """
        key = digest_token(token, resource)
        principal = self._cache.get(key)
        if principal is None:
            pool = self._recheck_pool if self._cache.has_seen(key) else self._first_check_pool
            principal = await pool.run(key, check_token)
            self._cache.put(key, principal)
        return principal
