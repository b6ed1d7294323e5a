"""Tokens that somebody has to be asked about, and what was answered, for a while.

Whoever was let in before has threads of their own: a flood of tokens that are no good keeps out
those who come for the first time at the worst.
"""

from __future__ import annotations

from paddock.authorization.blocking import BlockingCallPool
from paddock.authorization.token_cache import TokenCache, digest_token

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.protocol.principal import Principal


class TokenLookup:
    """Knows whom tokens stand for, or asks."""

    def __init__(self, seconds: float) -> None:
        self._cache = TokenCache(seconds)
        self._first_check_pool = BlockingCallPool()
        self._recheck_pool = BlockingCallPool()

    async def get_principal(self, token: str, resource: str, ask: Callable[[], Principal]) -> Principal:
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
