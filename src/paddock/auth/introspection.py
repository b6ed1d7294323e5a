"""Validator for opaque tokens, which asks the issuer about each token (RFC 7662)."""

from __future__ import annotations

from base64 import b64encode
from urllib.parse import quote, urlencode

from paddock.auth.claims import (
    DEFAULT_LEEWAY_SECONDS,
    check_audience,
    check_issuer,
    check_validity_period,
    create_principal,
)
from paddock.auth.errors import InvalidTokenError
from paddock.auth.token_lookup import TokenLookup
from paddock.auth.urls import get_origin, validate_url
from paddock.auth.validator_options import create_json_fetcher, parse_audience, validate_seconds
from paddock.errors import DefinitionError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from paddock.protocol.principal import Principal


class IntrospectionValidator:
    """Accepts tokens that their issuer reports as active and issued for this server.

    Args:
        issuer: The authorization server. Its metadata contains the endpoint, and responses that
            name another issuer are rejected.
        endpoint: The introspection endpoint, if the metadata does not contain it.
        client_id: This server's client ID at the issuer.
        client_secret: This server's client secret.
        audience: Accepted values of `aud`. By default, only the server's own URL is accepted. A
            response without `aud` is rejected.
        cache_seconds: How long a response is cached, at most until the token expires.
        leeway: Tolerated clock difference in seconds.
        allow_insecure_http: Allow unencrypted HTTP to machines other than this one.
    """

    def __init__(
        self,
        issuer: str | None = None,
        *,
        endpoint: str | None = None,
        client_id: str,
        client_secret: str,
        audience: str | Iterable[str] | None = None,
        cache_seconds: float = 30,
        leeway: float = DEFAULT_LEEWAY_SECONDS,
        allow_insecure_http: bool = False,
    ) -> None:
        where = "IntrospectionValidator"
        if issuer is None and endpoint is None:
            raise DefinitionError(
                "neither issuer nor endpoint is given", where=where, hint="pass one of them"
            )
        if issuer is not None:
            issuer = validate_url(
                issuer, f"{where}: issuer", allow_insecure_http=allow_insecure_http
            )
        if endpoint is not None:
            endpoint = validate_url(
                endpoint, f"{where}: endpoint", allow_insecure_http=allow_insecure_http
            )
        self._issuer = issuer
        self._endpoint_url = endpoint
        self._audience = parse_audience(audience, where)
        self._leeway = validate_seconds(leeway, f"{where}: leeway")
        self._token_lookup = TokenLookup(validate_seconds(cache_seconds, f"{where}: cache_seconds"))
        self._headers = {
            "Authorization": encode_basic_credentials(client_id, client_secret),
            "Content-Type": "application/x-www-form-urlencoded",
        }
        self._fetcher = create_json_fetcher(where, allow_insecure_http=allow_insecure_http)
        self._introspection_endpoint = self._fetcher.create_endpoint(
            issuer, "introspection_endpoint", endpoint
        )

    @property
    def authorization_servers(self) -> tuple[str, ...]:
        """The issuer of accepted tokens, if known."""
        return () if self._issuer is None else (self._issuer,)

    async def validate(self, token: str, resource: str) -> Principal:
        """Return a token's principal, after asking its issuer whether the token is active.

        The answer is cached, and used for later requests with the same token.

        Raises:
            InvalidTokenError: The issuer reports that the token is invalid, or that it was issued
                for another server.
            UndecidedError: The issuer does not answer.
        """
        return await self._token_lookup.get_principal(
            token, resource, lambda: self._validate_claims(self._introspect(token), resource)
        )

    def _introspect(self, token: str) -> dict[str, object]:
        """Return the issuer's response about a token. Blocking."""
        # RFC 7662, section 2.1. Servers may ignore the hint, but it can save them a search.
        form = urlencode({"token": token, "token_type_hint": "access_token"}).encode()
        return self._introspection_endpoint.request_document(
            lambda url: self._fetcher.post(url, form, self._headers)
        )

    def _validate_claims(self, claims: dict[str, object], resource: str) -> Principal:
        """Check an introspection response, and return the principal that it describes.

        Raises:
            InvalidTokenError: The token is inactive, or was not issued for this server.
        """
        if claims.get("active") is not True:
            raise InvalidTokenError("the issuer reports the token as inactive")
        token_type = claims.get("token_type", "Bearer")
        if not isinstance(token_type, str) or token_type.lower() not in ("bearer", "access_token"):
            raise InvalidTokenError(f"token_type is {token_type!r}, expected a bearer token")
        # RFC 7662 makes iss optional, because the response comes from the issuer itself.
        if self._issuer is not None and claims.get("iss") is not None:
            check_issuer(claims, self._issuer)
        check_audience(claims, self._audience or (resource,))
        # RFC 7662 makes exp optional, because the issuer has just reported the token as active.
        check_validity_period(claims, self._leeway, must_expire=False)
        return create_principal(claims, self._issuer or get_origin(self._endpoint_url or ""))

    def __repr__(self) -> str:
        return f"IntrospectionValidator({self._issuer or self._endpoint_url!r})"


def encode_basic_credentials(name: str, secret: str) -> str:
    """Return the value of a Basic Authorization header for a client's name and secret.

    It is `Basic`, followed by the Base64 form of `name:secret` with both parts percent-encoded (RFC
    6749, section 2.3.1).
    """
    if not name or not secret:
        raise DefinitionError(
            "client_id or client_secret is empty",
            hint="pass both, as issued by the authorization server",
        )
    pair = f"{quote(name, safe='')}:{quote(secret, safe='')}"
    return f"Basic {b64encode(pair.encode()).decode()}"
