"""Tokens that have been found good: by digest, bounded in number, and counting for a while."""

from __future__ import annotations

import threading
from collections import OrderedDict
from hashlib import sha256
from time import monotonic, time

TYPE_CHECKING = False
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
