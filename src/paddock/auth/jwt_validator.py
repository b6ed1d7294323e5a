"""Validator for JSON Web Tokens, which checks them with the issuer's public keys."""

from __future__ import annotations

from paddock.auth.claims import (
    DEFAULT_LEEWAY_SECONDS,
    check_audience,
    check_issuer,
    check_validity_period,
    create_principal,
)
from paddock.auth.errors import InvalidTokenError
from paddock.auth.token_lookup import TokenCache, digest_token
from paddock.auth.urls import validate_url
from paddock.auth.validator_options import explain_missing_package, parse_audience, validate_seconds
from paddock.errors import DefinitionError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from paddock.auth.signatures import KeySource
    from paddock.protocol.principal import Principal

DEFAULT_ALGORITHMS = (
    *("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"),
    *("ES256", "ES384", "EdDSA"),
)
"""The algorithms accepted unless the user sets `algorithms`."""


class JwksValidator:
    """Accepts signed access tokens from one issuer.

    Args:
        issuer: The authorization server, exactly as in the `iss` claim of its tokens.
        audience: Accepted values of `aud`. By default, only the server's own URL is accepted.
        jwks_uri: URL of the issuer's keys. By default, it is read from the issuer's metadata.
        keys: The keys, as a JWKS document. If given, no keys are fetched.
        algorithms: Accepted signature algorithms. Only asymmetric ones are supported.
        leeway: Tolerated clock difference in seconds.
        refresh_seconds: Age after which keys are fetched again.
        refetch_seconds: Minimum interval between fetches caused by unknown keys.
        cache_seconds: How long a valid token is accepted without being checked again.
        allow_insecure_http: Allow unencrypted HTTP to machines other than this one.
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
        # If the keys or their URL are given, the issuer is only compared, so it does not have to be
        # a URL.
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
            from paddock.auth import signatures  # PyJWT is optional
        self._signatures = signatures
        self._algorithms = _validate_algorithms(algorithms, signatures.SUPPORTED_ALGORITHMS)
        if keys is not None:
            if jwks_uri is not None:
                raise DefinitionError("both keys and jwks_uri are given", where=where)
            self._key_source: KeySource = signatures.create_static_keys(keys)
        else:
            self._key_source = signatures.create_remote_keys(
                issuer,
                jwks_uri,
                refresh_seconds=validate_seconds(refresh_seconds, f"{where}: refresh_seconds"),
                refetch_seconds=validate_seconds(refetch_seconds, f"{where}: refetch_seconds"),
                allow_insecure_http=allow_insecure_http,
            )

    @property
    def authorization_servers(self) -> tuple[str, ...]:
        """The issuer of accepted tokens."""
        return (self._issuer,)

    async def validate(self, token: str, resource: str) -> Principal:
        """Return the principal of a signed token (JWT).

        The signature is verified before any claim is used.

        Raises:
            InvalidTokenError: The token has expired, is not from the issuer, or was issued for
                another server.
        """
        digest = digest_token(token, resource)
        # Clients send the same token with each request, and verifying a signature is slow.
        cached_principal = self._cache.get(digest)
        if cached_principal is not None:
            return cached_principal
        header = self._signatures.read_token_header(token, self._algorithms)
        keys = await self._key_source.find_matching_keys(header)
        if not keys:
            raise InvalidTokenError(f"the issuer has no key {header.kid!r} for {header.algorithm}")
        claims = self._signatures.verify_token(token, keys, header.algorithm)
        check_issuer(claims, self._issuer)
        check_audience(claims, self._audience or (resource,))
        check_validity_period(claims, self._leeway, must_expire=True)
        principal = create_principal(claims, self._issuer)
        self._cache.put(digest, principal)
        return principal

    def __repr__(self) -> str:
        return f"JwksValidator({self._issuer!r})"


def _validate_algorithms(algorithms: Iterable[str], supported: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of the accepted signature algorithms as a tuple.

    Raises:
        DefinitionError: There are no names, or a name is not that of a supported algorithm. Only
            asymmetric algorithms such as `RS256` are supported.
    """
    names = (algorithms,) if isinstance(algorithms, str) else tuple(algorithms)
    unsupported = [name for name in names if name not in supported]
    if unsupported or not names:
        raise DefinitionError(
            f"unsupported algorithms: {', '.join(map(repr, unsupported)) or 'none given'}",
            where="JwksValidator",
            hint=f"use {', '.join(supported)}; shared secrets and unsigned tokens are insecure",
        )
    return names
