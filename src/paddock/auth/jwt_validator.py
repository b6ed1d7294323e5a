"""Tokens that their issuer has signed: JSON Web Tokens, checked with the issuer's public keys."""

from __future__ import annotations

from paddock.auth.claims import (
    DEFAULT_LEEWAY_SECONDS,
    check_audience,
    check_issuer,
    check_times,
    create_principal,
)
from paddock.auth.errors import InvalidTokenError
from paddock.auth.token_lookup import BlockingCallPool, TokenCache, digest_token
from paddock.auth.urls import validate_url
from paddock.auth.validator_options import explain_missing_package, parse_audience, validate_seconds
from paddock.errors import DefinitionError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from paddock.auth.signatures import KeySource
    from paddock.protocol.principal import Principal

DEFAULT_ALGORITHMS = (
    "RS256",
    "RS384",
    "RS512",
    "PS256",
    "PS384",
    "PS512",
    "ES256",
    "ES384",
    "EdDSA",
)
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
        algorithms: Iterable[str] = DEFAULT_ALGORITHMS,
        leeway: float = DEFAULT_LEEWAY_SECONDS,
        refresh_seconds: float = 300,
        refetch_seconds: float = 10,
        cache_seconds: float = 30,
        allow_insecure_http: bool = False,
    ) -> None:
        where = "JwksValidator"
        # An issuer whose keys are given is never asked, so it may be called anything.
        if keys is None and jwks_uri is None:
            issuer = validate_url(
                issuer, f"{where}: issuer", allow_insecure_http=allow_insecure_http
            )
        if not issuer or not isinstance(issuer, str):
            raise DefinitionError(f"expected the name of an issuer, got {issuer!r}", where=where)
        self._issuer = issuer
        self._audience = parse_audience(audience, where)
        self._leeway = validate_seconds(leeway, f"{where}: leeway")
        self._cache = TokenCache(validate_seconds(cache_seconds, f"{where}: cache_seconds"))
        with explain_missing_package(where):
            from paddock.auth import signatures  # noqa: PLC0415 - PyJWT is optional
        self._signatures = signatures
        self._algorithms = _validate_algorithms(algorithms, signatures.SUPPORTED_ALGORITHMS)
        if keys is not None:
            if jwks_uri is not None:
                raise DefinitionError("both keys and jwks_uri are given", where=where)
            self._key_source = _create_static_keys(keys)
        else:
            self._key_source = _create_remote_keys(
                issuer,
                jwks_uri,
                refresh_seconds=validate_seconds(refresh_seconds, f"{where}: refresh_seconds"),
                refetch_seconds=validate_seconds(refetch_seconds, f"{where}: refetch_seconds"),
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
        key = digest_token(token, resource)
        known = self._cache.get(key)
        if known is not None:
            return known
        header = self._signatures.read_token_header(token, self._algorithms)
        keys = await self._key_source.find_matching_keys(header)
        if not keys:
            raise InvalidTokenError(f"the issuer has no key {header.kid!r} for {header.algorithm}")
        claims = self._signatures.verify_token(token, keys, header.algorithm)
        check_issuer(claims, self._issuer)
        check_audience(claims, self._audience or (resource,))
        check_times(claims, self._leeway, is_expiry_needed=True)
        principal = create_principal(claims, self._issuer)
        self._cache.put(key, principal)
        return principal

    def __repr__(self) -> str:
        return f"JwksValidator({self._issuer!r})"


def _validate_algorithms(algorithms: Iterable[str], known: tuple[str, ...]) -> tuple[str, ...]:
    chosen = (algorithms,) if isinstance(algorithms, str) else tuple(algorithms)
    refused = [one for one in chosen if one not in known]
    if refused or not chosen:
        raise DefinitionError(
            f"algorithms are {', '.join(map(repr, refused)) or 'none at all'}",
            where="JwksValidator",
            hint=f"of {', '.join(known)}: a shared secret or no signature proves nothing here",
        )
    return chosen


def _create_static_keys(document: Mapping[str, object]) -> KeySource:
    from paddock.auth.signatures import (  # noqa: PLC0415 - PyJWT loads cryptography
        StaticKeySet,
        parse_key_set,
    )

    keys = parse_key_set(document)
    if not keys:
        raise DefinitionError(
            "keys holds no public key that verifies signatures",
            where="JwksValidator",
            hint='a JWKS document: {"keys": [{"kty": "RSA", "kid": …, "n": …, "e": …}]}',
        )
    return StaticKeySet(keys)


def _create_remote_keys(
    issuer: str,
    jwks_uri: str | None,
    *,
    refresh_seconds: float,
    refetch_seconds: float,
    allow_insecure_http: bool,
) -> KeySource:
    with explain_missing_package("JwksValidator"):
        from paddock.auth.json_fetcher import JsonFetcher  # noqa: PLC0415 - urllib3 is optional
    from paddock.auth.json_fetcher import IssuerEndpoint  # noqa: PLC0415 - for fetched keys only
    from paddock.auth.signatures import RemoteKeySet  # noqa: PLC0415 - PyJWT is optional

    if jwks_uri is not None:
        where = "JwksValidator: jwks_uri"
        jwks_uri = validate_url(jwks_uri, where, allow_insecure_http=allow_insecure_http)
    fetcher = JsonFetcher(allow_insecure_http=allow_insecure_http)
    endpoint = IssuerEndpoint(fetcher, issuer, "jwks_uri", jwks_uri)
    return RemoteKeySet(
        lambda: endpoint.request_document(fetcher.get),
        BlockingCallPool(),
        refresh_seconds=refresh_seconds,
        refetch_seconds=refetch_seconds,
    )
