"""Tokens that are written down: for development, and between programs of one's own."""

from __future__ import annotations

from hashlib import sha256
from hmac import compare_digest

from paddock.auth.challenge import is_token
from paddock.auth.errors import InvalidTokenError
from paddock.errors import DefinitionError
from paddock.protocol.principal import Principal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


class StaticTokens:
    """Accepts the tokens of a list.

    Args:
        tokens: Whom each token stands for: a `Principal`, a dictionary of its parameters, or
            just a name.
    """

    def __init__(self, tokens: Mapping[str, Principal | Mapping[str, Any] | str]) -> None:
        if not tokens:
            raise DefinitionError(
                "no token is given, so nobody could come in", where="StaticTokens"
            )
        self._principals = [
            (_hash_token(_validate_token(token)), _to_principal(who))
            for token, who in tokens.items()
        ]

    async def validate(self, token: str, resource: str) -> Principal:  # noqa: ARG002, RUF100 - one signature for all validators
        """Who the bearer of a token is.

        Raises:
            InvalidTokenError: The token is not on the list.
        """
        presented = _hash_token(token)
        found: Principal | None = None
        # All of them, always: how long it takes must not tell how far a guess was right.
        for known, principal in self._principals:
            if compare_digest(known, presented):
                found = principal
        if found is None:
            raise InvalidTokenError("not on the list")
        return found

    def __repr__(self) -> str:
        return f"StaticTokens({len(self._principals)} tokens)"


def _hash_token(token: str) -> bytes:
    return sha256(token.encode()).digest()


def _validate_token(token: object) -> str:
    if not isinstance(token, str) or not is_token(token):
        raise DefinitionError(
            "a token is empty, too long, or has characters that no request can carry",
            where="StaticTokens",
            hint="letters, digits and -._~+/, then = if need be: secrets.token_urlsafe() makes one",
        )
    return token


def _to_principal(who: Principal | Mapping[str, Any] | str) -> Principal:
    if isinstance(who, Principal):
        return who
    try:
        return Principal(who) if isinstance(who, str) else Principal(**who)
    except TypeError as error:
        raise DefinitionError(
            f"a token stands for nobody: {error}",
            where="StaticTokens",
            hint='a Principal, {"subject": "ada", "scopes": ["read"]}, or "ada"',
        ) from None
