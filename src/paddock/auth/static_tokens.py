"""Validator for a fixed list of tokens, for development and trusted programs."""

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
    """Validator that accepts a fixed set of tokens, each belonging to one principal.

    Args:
        tokens: The principal of each token: a `Principal`, a dictionary of its parameters, or its
            subject, as in `{"s3cret-token": "ada"}`.
    """

    def __init__(self, tokens: Mapping[str, Principal | Mapping[str, Any] | str]) -> None:
        if not tokens:
            raise DefinitionError(
                "no tokens are given, so every request would be rejected", where="StaticTokens"
            )
        self._principals = [
            # The tokens are hashed, because compare_digest reveals the lengths of its arguments.
            (_hash_token(_validate_token(token)), _to_principal(principal))
            for token, principal in tokens.items()
        ]

    async def validate(self, token: str, resource: str) -> Principal:  # noqa: ARG002, RUF100 - one signature for all validators
        """Return the principal that a token belongs to. The resource is ignored.

        Raises:
            InvalidTokenError: The token is not on the list.
        """
        token_hash = _hash_token(token)
        matching_principal: Principal | None = None
        # Compare the token with all known tokens, each in constant time, so that the duration does
        # not reveal parts of a known token.
        for known_hash, principal in self._principals:
            if compare_digest(known_hash, token_hash):
                matching_principal = principal
        if matching_principal is None:
            raise InvalidTokenError("not on the list")
        return matching_principal

    def __repr__(self) -> str:
        return f"StaticTokens({len(self._principals)} tokens)"


def _hash_token(token: str) -> bytes:
    return sha256(token.encode()).digest()


def _validate_token(token: object) -> str:
    """Return a token from the configuration, after checking that clients can send it in a header.

    Raises:
        DefinitionError: The token is empty, too long, or contains other characters.
    """
    if not isinstance(token, str) or not is_token(token):
        raise DefinitionError(
            "a token is empty, too long, or contains characters that headers cannot carry",
            where="StaticTokens",
            hint="use letters, digits and -._~+/, then =; secrets.token_urlsafe() creates one",
        )
    return token


def _to_principal(principal: Principal | Mapping[str, Any] | str) -> Principal:
    """Return a principal from its declaration in the configuration.

    The declaration is a `Principal`, a dictionary of its parameters such as
    `{"subject": "ada", "scopes": ["read"]}`, or a subject such as `"ada"`.
    """
    if isinstance(principal, Principal):
        return principal
    try:
        return Principal(principal) if isinstance(principal, str) else Principal(**principal)
    except TypeError as error:
        raise DefinitionError(
            f"a token has an invalid principal: {error}",
            where="StaticTokens",
            hint='expected a Principal, {"subject": "ada", "scopes": ["read"]}, or "ada"',
        ) from None
