"""Tokens that their issuer has signed: JSON Web Tokens, checked with the issuer's public keys."""

from __future__ import annotations

from paddock.authorization.blocking import BlockingCalls
from paddock.authorization.claims import (
    LEEWAY,
    check_audience,
    check_issuer,
    check_times,
    principal_of,
)
from paddock.authorization.errors import InvalidTokenError
from paddock.authorization.extra import needed_by
from paddock.authorization.options import audience_of, checked_seconds
from paddock.authorization.token_cache import TokenCache, digest
from paddock.authorization.urls import checked
from paddock.errors import DefinitionError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from paddock.authorization.key_set import KeySource
    from paddock.protocol.principal import Principal

ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA")
"""What is accepted unless the user says otherwise."""


class JwksValidator:
    """Accepts the signed access tokens of one issuer.

    Args:
        issuer: The authorization server, exactly as its tokens name it (`iss`).
        audience: Whom tokens must be meant for (`aud`), one or several; the server's own URL
            unless given.
        jwks_uri: Where the issuer publishes its keys; found through its metadata unless given.
        keys: The keys themselves, as a JWKS document; nothing is fetched then.
        algorithms: The signature algorithms that count; asymmetric ones only.
        leeway: Seconds by which the issuer's clock may differ from ours.
        refresh_seconds: How old keys may get before they are fetched again.
        refetch_seconds: How often a key that is not known may cause a fetch.
        cache_seconds: How long a token that was found good is not checked again.
        allow_insecure_http: Fetch over a network without encryption; always so on this machine.
    """

    def __init__(
        self,
        issuer: str,
        *,
        audience: str | Iterable[str] | None = None,
        jwks_uri: str | None = None,
        keys: Mapping[str, object] | None = None,
        algorithms: Iterable[str] = ALGORITHMS,
        leeway: float = LEEWAY,
        refresh_seconds: float = 300,
        refetch_seconds: float = 10,
        cache_seconds: float = 30,
        allow_insecure_http: bool = False,
    ) -> None:
        where = "JwksValidator"
        # An issuer whose keys are given is never asked, so it may be called anything.
        if keys is None and jwks_uri is None:
            issuer = checked(issuer, f"{where}: issuer", allow_insecure_http=allow_insecure_http)
        if not issuer or not isinstance(issuer, str):
            raise DefinitionError(f"expected the name of an issuer, got {issuer!r}", where=where)
        self._issuer = issuer
        self._audience = audience_of(audience, where)
        self._leeway = checked_seconds(leeway, f"{where}: leeway")
        self._cache = TokenCache(checked_seconds(cache_seconds, f"{where}: cache_seconds"))
        with needed_by(where):
            from paddock.authorization import signatures  # noqa: PLC0415 - PyJWT is optional
        self._signatures = signatures
        self._algorithms = _checked_algorithms(algorithms, signatures.ALGORITHMS)
        if keys is not None:
            if jwks_uri is not None:
                raise DefinitionError("both keys and jwks_uri are given", where=where)
            self._keys = _fixed(keys)
        else:
            self._keys = _fetched(
                issuer,
                jwks_uri,
                refresh_seconds=checked_seconds(refresh_seconds, f"{where}: refresh_seconds"),
                refetch_seconds=checked_seconds(refetch_seconds, f"{where}: refetch_seconds"),
                allow_insecure_http=allow_insecure_http,
            )

    @property
    def authorization_servers(self) -> tuple[str, ...]:
        """Where clients get tokens that this validator accepts."""
        return (self._issuer,)

    async def validate(self, token: str, resource: str) -> Principal:
        """Who the bearer of a token is.

        Raises:
            InvalidTokenError: The token is not one of the issuer's, not for us, or has expired.
        """
        key = digest(token, resource)
        known = self._cache.get(key)
        if known is not None:
            return known
        header = self._signatures.header_of(token, self._algorithms)
        keys = await self._keys.fitting(header)
        if not keys:
            raise InvalidTokenError(f"the issuer has no key {header.kid!r} for {header.algorithm}")
        claims = self._signatures.verified(token, keys, header.algorithm)
        check_issuer(claims, self._issuer)
        check_audience(claims, self._audience or (resource,))
        check_times(claims, self._leeway, is_expiry_needed=True)
        principal = principal_of(claims, self._issuer)
        self._cache.put(key, principal)
        return principal

    def __repr__(self) -> str:
        return f"JwksValidator({self._issuer!r})"


def _checked_algorithms(algorithms: Iterable[str], known: tuple[str, ...]) -> tuple[str, ...]:
    chosen = (algorithms,) if isinstance(algorithms, str) else tuple(algorithms)
    refused = [one for one in chosen if one not in known]
    if refused or not chosen:
        raise DefinitionError(
            f"algorithms are {', '.join(map(repr, refused)) or 'none at all'}",
            where="JwksValidator",
            hint=f"of {', '.join(known)}: a shared secret or no signature proves nothing here",
        )
    return chosen


def _fixed(document: Mapping[str, object]) -> KeySource:
    from paddock.authorization.key_set import FixedKeys  # noqa: PLC0415 - PyJWT is optional
    from paddock.authorization.signatures import keys_of  # noqa: PLC0415 - PyJWT is optional

    keys = keys_of(document)
    if not keys:
        raise DefinitionError(
            "keys holds no public key that verifies signatures",
            where="JwksValidator",
            hint='a JWKS document: {"keys": [{"kty": "RSA", "kid": …, "n": …, "e": …}]}',
        )
    return FixedKeys(keys)


def _fetched(
    issuer: str,
    jwks_uri: str | None,
    *,
    refresh_seconds: float,
    refetch_seconds: float,
    allow_insecure_http: bool,
) -> KeySource:
    with needed_by("JwksValidator"):
        from paddock.authorization.fetching import Fetcher  # noqa: PLC0415 - urllib3 is optional
    from paddock.authorization.discovery import Endpoint  # noqa: PLC0415 - for fetched keys only
    from paddock.authorization.key_set import FetchedKeys  # noqa: PLC0415 - PyJWT is optional

    if jwks_uri is not None:
        where = "JwksValidator: jwks_uri"
        jwks_uri = checked(jwks_uri, where, allow_insecure_http=allow_insecure_http)
    fetcher = Fetcher(allow_insecure_http=allow_insecure_http)
    endpoint = Endpoint(fetcher, issuer, "jwks_uri", jwks_uri)
    return FetchedKeys(
        lambda: endpoint.ask(fetcher.get),
        BlockingCalls(),
        refresh_seconds=refresh_seconds,
        refetch_seconds=refetch_seconds,
    )
