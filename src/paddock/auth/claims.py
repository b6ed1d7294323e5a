"""What an issuer says about a token, whether signed into it or told when asked (RFC 7519, 7662).

Nothing is taken on trust for its shape: a claim of the wrong type counts against the token.
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
"""Seconds by which the clocks of two machines may differ."""


def check_times(claims: TokenClaims, leeway: float, *, is_expiry_needed: bool) -> None:
    """Refuse what has expired, is not valid yet, or comes from the future."""
    now = time()
    expires = _read_seconds(claims, "exp")
    if expires is None and is_expiry_needed:
        raise InvalidTokenError("exp is missing: the token would never expire")
    if expires is not None and expires <= now - leeway:
        raise InvalidTokenError(f"expired {now - expires:.0f} s ago")
    for name in ("nbf", "iat"):
        begins = _read_seconds(claims, name)
        if begins is not None and begins > now + leeway:
            raise InvalidTokenError(f"not valid yet: {name} is {begins - now:.0f} s ahead")


def _read_seconds(claims: TokenClaims, name: str) -> float | None:
    value = claims.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidTokenError(f"{name} is not a number of seconds")
    try:
        seconds = float(value)
    except OverflowError:
        seconds = math.inf
    if not math.isfinite(seconds):
        raise InvalidTokenError(f"{name} is out of all bounds")
    return seconds


def check_issuer(claims: TokenClaims, issuer: str) -> None:
    """Refuse what another issuer has issued; the comparison is exact, as RFC 8414 wants it."""
    if claims.get("iss") != issuer:
        raise InvalidTokenError(f"iss is {claims.get('iss')!r}, expected {issuer!r}")


def check_audience(claims: TokenClaims, audience: Iterable[str]) -> None:
    """Refuse what is not meant for us: a token for another server must not open this one."""
    named = _read_texts(claims.get("aud"))
    ours = {canonicalize_url(one) for one in audience}
    if not ours & {canonicalize_url(one) for one in named}:
        raise InvalidTokenError(f"aud is {claims.get('aud')!r}, expected one of {sorted(ours)}")


def read_scopes(claims: TokenClaims) -> frozenset[str]:
    """The scopes: `scope` (RFC 8693), or `scp`, as some issuers call it; a text or a list."""
    value = claims.get("scope")
    if value is None:
        value = claims.get("scp")
    if isinstance(value, str):
        return frozenset(value.split())
    return frozenset(_read_texts(value))


def create_principal(claims: TokenClaims, issuer: str) -> Principal:
    """Who the claims are about. Where nobody is named, the program acts for itself.

    A name goes before the program, or all users of one program would be the same to us.
    """
    client = _read_text(claims, "client_id", "azp")
    username = _read_text(claims, "preferred_username", "username")
    subject = _read_text(claims, "sub") or username or client
    if subject is None:
        raise InvalidTokenError("nobody is named: no sub and no client_id")
    return Principal(
        subject,
        issuer=issuer,
        scopes=read_scopes(claims),
        client_id=client,
        username=username,
        claims=claims,
        expires_at=_read_seconds(claims, "exp"),
    )


def _read_text(claims: TokenClaims, *names: str) -> str | None:
    for name in names:
        value = claims.get(name)
        if isinstance(value, str) and value:
            return value
    return None


def _read_texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []
