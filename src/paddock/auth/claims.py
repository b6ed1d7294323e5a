"""Validation of token claims, from a signed token (RFC 7519) or introspection (RFC 7662).

Tokens come from outside, so no assumptions are made about the types of their claims. A claim of the
wrong type makes the token invalid.
"""

from __future__ import annotations

import math
from time import time

from paddock.auth.errors import InvalidTokenError
from paddock.auth.urls import canonicalize_url
from paddock.protocol.principal import Principal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    TokenClaims = Mapping[str, object]

DEFAULT_LEEWAY_SECONDS = 60.0
"""Default tolerance for clock differences between issuer and server."""


def check_validity_period(claims: TokenClaims, leeway: float, *, must_expire: bool) -> None:
    """Raise `InvalidTokenError` if a token has expired or is not valid yet.

    Args:
        claims: The claims of the token.
        leeway: Tolerated clock difference between issuer and server, in seconds.
        must_expire: Reject tokens without `exp`, which would never expire.
    """
    now = time()
    expires_at = _read_time_claim(claims, "exp")
    if expires_at is None and must_expire:
        raise InvalidTokenError("exp is missing: the token would never expire")
    if expires_at is not None and expires_at <= now - leeway:
        raise InvalidTokenError(f"expired {now - expires_at:.0f} s ago")
    for name in ("nbf", "iat"):
        valid_from = _read_time_claim(claims, name)
        if valid_from is not None and valid_from > now + leeway:
            raise InvalidTokenError(f"not valid yet: {name} is {valid_from - now:.0f} s ahead")


def _read_time_claim(claims: TokenClaims, name: str) -> float | None:
    """Return a time claim such as `exp` in seconds since the epoch, or None if it is missing."""
    value = claims.get(name)
    if value is None:
        return None
    # Reject booleans explicitly, because `bool` is a subclass of `int`.
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidTokenError(f"{name} is not a number of seconds")
    try:
        seconds = float(value)
    except OverflowError:  # JSON integers can be larger than the largest float
        seconds = math.inf
    if not math.isfinite(seconds):
        raise InvalidTokenError(f"{name} is out of range")
    return seconds


def check_issuer(claims: TokenClaims, issuer: str) -> None:
    """Raise `InvalidTokenError` if the issuer differs. RFC 8414 requires an exact comparison."""
    if claims.get("iss") != issuer:
        raise InvalidTokenError(f"iss is {claims.get('iss')!r}, expected {issuer!r}")


def check_audience(claims: TokenClaims, audience: Iterable[str]) -> None:
    """Raise `InvalidTokenError` unless the token was issued for this server.

    Without this check, a malicious server could send the tokens of its clients to this server and
    impersonate them.

    Args:
        claims: The claims of the token.
        audience: The names of this server. The `aud` claim must contain one of them.
    """
    token_audience = {canonicalize_url(name) for name in _to_string_list(claims.get("aud"))}
    accepted_audience = {canonicalize_url(name) for name in audience}
    if not accepted_audience & token_audience:
        raise InvalidTokenError(
            f"aud is {claims.get('aud')!r}, expected one of {sorted(accepted_audience)}"
        )


def read_scopes(claims: TokenClaims) -> frozenset[str]:
    """Return a token's scopes, from its `scope` claim (RFC 8693) or else from `scp`.

    The claim is a list, or a string such as `"read write"`.
    """
    value = claims.get("scope")
    if value is None:
        value = claims.get("scp")
    if isinstance(value, str):
        return frozenset(value.split())
    return frozenset(_to_string_list(value))


def create_principal(claims: TokenClaims, issuer: str) -> Principal:
    """Return the principal that the claims of a valid token describe.

    The subject is `sub`, or else the user name, or else the client. The user name takes precedence
    over the client, because otherwise all users of a client would be the same principal.
    """
    client = _get_first_string(claims, "client_id", "azp")
    username = _get_first_string(claims, "preferred_username", "username")
    subject = _get_first_string(claims, "sub") or username or client
    if subject is None:
        raise InvalidTokenError("the token has neither sub nor a user name nor client_id")
    return Principal(
        subject,
        issuer=issuer,
        scopes=read_scopes(claims),
        client_id=client,
        username=username,
        claims=claims,
        expires_at=_read_time_claim(claims, "exp"),
    )


def _get_first_string(claims: TokenClaims, *names: str) -> str | None:
    """Return the first of the named claims that is a non-empty string, or None."""
    for name in names:
        value = claims.get(name)
        if isinstance(value, str) and value:
            return value
    return None


def _to_string_list(value: object) -> list[str]:
    """Return the strings in a claim such as `aud`, which is a string or a list of strings."""
    if isinstance(value, str):
        return [value]
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []
