"""Tokens that only their issuer can read: it is asked about each one (RFC 7662)."""

from __future__ import annotations

from base64 import b64encode
from urllib.parse import quote, urlencode

from paddock.auth.claims import (
    DEFAULT_LEEWAY_SECONDS,
    check_audience,
    check_issuer,
    check_times,
    create_principal,
)
from paddock.auth.errors import InvalidTokenError
from paddock.auth.token_lookup import TokenLookup
from paddock.auth.urls import get_origin, validate_url
from paddock.auth.validator_options import explain_missing_package, parse_audience, validate_seconds
from paddock.errors import DefinitionError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from paddock.protocol.principal import Principal


class IntrospectionValidator:
    """Accepts the tokens that an authorization server calls active and meant for us.

    Args:
        issuer: The authorization server. Its metadata says where to ask, and an answer that
            names another issuer is refused.
        endpoint: Where to ask, if the issuer's metadata does not say so or there is none.
        client_id: What we are called there.
        client_secret: How we prove it.
        audience: Whom tokens must be meant for (`aud`), one or several; the server's own URL
            unless given. An answer without `aud` is refused.
        cache_seconds: How long an answer counts, but never after the token's own end.
        leeway: Seconds by which the issuer's clock may differ from ours.
        allow_insecure_http: Ask over a network without encryption; always so on this machine.
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
                "neither issuer nor endpoint is given", where=where, hint="it has to ask somebody"
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
        with explain_missing_package(where):
            from paddock.auth.json_fetcher import JsonFetcher  # noqa: PLC0415 - urllib3 is optional
        from paddock.auth.json_fetcher import IssuerEndpoint  # noqa: PLC0415 - with the one above

        self._fetcher = JsonFetcher(allow_insecure_http=allow_insecure_http)
        self._introspection_endpoint = IssuerEndpoint(
            self._fetcher, issuer, "introspection_endpoint", endpoint
        )

    @property
    def authorization_servers(self) -> tuple[str, ...]:
        """Where clients get tokens that this validator accepts, if that is known."""
        return () if self._issuer is None else (self._issuer,)

    async def validate(self, token: str, resource: str) -> Principal:
        """Who the bearer of a token is.

        Raises:
            InvalidTokenError: The issuer says that the token is not good, or not for us.
            UndecidedError: The issuer cannot be asked.
        """
        return await self._token_lookup.get_principal(
            token, resource, lambda: self._validate_claims(self._introspect(token), resource)
        )

    def _introspect(self, token: str) -> dict[str, object]:
        """In a thread: what the issuer says about a token."""
        form = urlencode({"token": token, "token_type_hint": "access_token"}).encode()
        return self._introspection_endpoint.request_document(
            lambda url: self._fetcher.post(url, form, self._headers)
        )

    def _validate_claims(self, claims: dict[str, object], resource: str) -> Principal:
        if claims.get("active") is not True:
            raise InvalidTokenError("the issuer says that it is not active")
        kind = claims.get("token_type", "Bearer")
        if not isinstance(kind, str) or kind.lower() not in ("bearer", "access_token"):
            raise InvalidTokenError(f"token_type is {kind!r}: not for use as a bearer token")
        # The answer comes from the issuer itself, and RFC 7662 lets it leave out its name.
        if self._issuer is not None and claims.get("iss") is not None:
            check_issuer(claims, self._issuer)
        check_audience(claims, self._audience or (resource,))
        check_times(claims, self._leeway, is_expiry_needed=False)
        return create_principal(claims, self._issuer or get_origin(self._endpoint_url or ""))

    def __repr__(self) -> str:
        return f"IntrospectionValidator({self._issuer or self._endpoint_url!r})"


def encode_basic_credentials(name: str, secret: str) -> str:
    """Credentials as RFC 6749, section 2.3.1, wants them: encoded like a form, then Basic."""
    if not name or not secret:
        raise DefinitionError(
            "client_id or client_secret is empty", hint="the authorization server gives out both"
        )
    pair = f"{quote(name, safe='')}:{quote(secret, safe='')}"
    return f"Basic {b64encode(pair.encode()).decode()}"
