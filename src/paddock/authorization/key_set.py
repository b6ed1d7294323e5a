"""The keys of an issuer: fetched when they are needed, kept, and fetched again.

A key that is not known may be a new one, so the document is fetched again, but not more often
than set: otherwise anybody could make us ask, with tokens that name keys at random. A document
that cannot be had or makes no sense leaves the keys that are there, for a day at the most.

Nobody waits for an issuer that is slow if the key is at hand: keys that are due are used while
they are renewed. Only after a long time without a request they are renewed first, once.
"""

from __future__ import annotations

import logging
from contextlib import suppress
from time import monotonic

from paddock.authorization.errors import UndecidedError
from paddock.authorization.signatures import parse_key_set

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    from paddock.authorization.blocking import BlockingCallPool
    from paddock.authorization.signatures import TokenHeader, IssuerKey

    class KeySource(Protocol):
        """Where keys come from."""

        async def find_matching_keys(self, header: TokenHeader) -> list[IssuerKey]:
            """The keys that may have signed a token with a header."""


RETRY_SECONDS = 1.0
"""How soon to ask again while there are no keys at all."""

MAX_KEY_AGE_SECONDS = 24 * 3600.0
"""How long keys count that could not be renewed."""

_log = logging.getLogger("paddock")


class StaticKeySet:
    """Keys that the user has given."""

    def __init__(self, keys: list[IssuerKey]) -> None:
        self._keys = keys

    async def find_matching_keys(self, header: TokenHeader) -> list[IssuerKey]:
        """Those that may have signed a token with such a header."""
        return [key for key in self._keys if key.can_verify(*header)]


class RemoteKeySet:
    """Keys that the issuer publishes."""

    def __init__(
        self,
        fetch: Callable[[], dict[str, object]],
        calls: BlockingCallPool,
        *,
        refresh_seconds: float,
        refetch_seconds: float,
    ) -> None:
        self._fetch_document = fetch
        self._call_pool = calls
        self._refresh_seconds = refresh_seconds
        self._refetch_seconds = refetch_seconds
        self._keys: list[IssuerKey] = []
        self._fetched_at = self._attempted_at = float("-inf")

    async def find_matching_keys(self, header: TokenHeader) -> list[IssuerKey]:
        """Those that may have signed a token with such a header.

        Raises:
            UndecidedError: There are no keys, and none can be had now.
        """
        age = monotonic() - self._fetched_at
        found = self._filter_keys(header)
        if not found or (age >= 2 * self._refresh_seconds and not self._has_failed):
            await self._refresh()
            found = self._filter_keys(header)
        elif age >= self._refresh_seconds and not self._is_too_soon():
            self._call_pool.start(self, self._fetch_keys)
        if not self._keys or monotonic() - self._fetched_at > MAX_KEY_AGE_SECONDS:
            raise UndecidedError("there are no keys of the issuer that still count")
        return found

    def _filter_keys(self, header: TokenHeader) -> list[IssuerKey]:
        return [key for key in self._keys if key.can_verify(*header)]

    async def _refresh(self) -> None:
        """Fetch, or wait for the fetch that is under way; what goes wrong changes nothing."""
        if not self._is_too_soon():
            with suppress(UndecidedError):  # it takes long
                await self._call_pool.run(self, self._fetch_keys)

    @property
    def _has_failed(self) -> bool:
        return self._attempted_at > self._fetched_at

    def _is_too_soon(self) -> bool:
        pause = self._refetch_seconds if self._keys else RETRY_SECONDS
        return monotonic() - self._attempted_at < pause

    def _fetch_keys(self) -> None:
        """In a thread, one at a time."""
        if self._is_too_soon():
            return
        keys: list[IssuerKey] = []
        try:
            keys = parse_key_set(self._fetch_document())
        except Exception as error:  # noqa: BLE001 - whatever it is, the keys that are there stay
            _log.warning("The keys of an issuer cannot be fetched: %s", error)
        else:
            if not keys:
                _log.warning("The key set of an issuer has no key that could be used")
        self._attempted_at = monotonic()
        if keys:
            self._keys, self._fetched_at = keys, self._attempted_at
