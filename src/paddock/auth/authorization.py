"""Authorization of HTTP requests.

`Authorization` combines a validator, which determines a token's principal, with the rules of one
server: required scopes, allowed principals and the resource that tokens must be issued for.
"""

from __future__ import annotations

import inspect
import logging
import traceback
from copy import copy
from typing import Protocol
from urllib.parse import urlsplit

from paddock.auth.challenge import BearerChallenge, extract_token, validate_scopes
from paddock.auth.errors import InvalidTokenError, NotAllowedError, UndecidedError
from paddock.auth.token_lookup import BlockingCallPool
from paddock.auth.urls import (
    PROTECTED_RESOURCE_PATH,
    build_well_known_path,
    canonicalize_url,
    get_origin,
    is_wildcard_url,
    validate_url,
)
from paddock.errors import DefinitionError
from paddock.protocol.principal import Principal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence

    from paddock.auth.errors import ForbiddenError

    TokenVerdict = Principal | None
    CustomValidator = Callable[[str], TokenVerdict | Awaitable[TokenVerdict]]
    AllowedPrincipals = Collection[str] | Callable[[Principal], bool | Awaitable[bool]]

_log = logging.getLogger("paddock")


class TokenValidator(Protocol):
    """Interface of the objects that check access tokens and determine their principals."""

    async def validate(self, token: str, resource: str) -> Principal:
        """Return the principal of a token that was issued for a resource.

        Raises:
            InvalidTokenError: The token is invalid.
        """
        ...


class UserValidator:
    """Adapts a user-defined validator to the `TokenValidator` interface.

    Such a validator may be a plain function, and may return None for an invalid token.

    Args:
        validate: Returns the principal of a token that was issued for a resource, or None.
        is_blocking: Call the function in a thread, because it may block (for example on a database)
            and must not block the event loop.
    """

    def __init__(
        self,
        validate: Callable[[str, str], TokenVerdict | Awaitable[TokenVerdict]],
        *,
        is_blocking: bool,
    ) -> None:
        self._validate = validate
        self._call_pool = BlockingCallPool() if is_blocking else None

    async def validate(self, token: str, resource: str) -> Principal:
        """Return the principal that the user's validator determines for a token.

        A plain function runs in a thread, because it may block.

        Raises:
            InvalidTokenError: The validator returned None.
            TypeError: The validator returned something other than a principal.
        """
        if self._call_pool is None:
            verdict = self._validate(token, resource)
        else:
            # Calls with equal keys would share one run. A new key for each call ensures that the
            # user's validator is called for every request.
            unique_key = object()
            verdict = await self._call_pool.run(unique_key, lambda: self._validate(token, resource))
        # A plain function or a callable object may also return a coroutine.
        if inspect.isawaitable(verdict):
            verdict = await verdict
        if verdict is None:
            raise InvalidTokenError("the custom validator rejected the token")
        if not isinstance(verdict, Principal):
            name = type(verdict).__name__
            raise TypeError(f"expected a Principal or None from the custom validator, got a {name}")
        return verdict


def to_validator(validator: object) -> TokenValidator:
    """Return a `TokenValidator` for the first argument of `Authorization`.

    The argument is an object with `validate(token, resource)`, or a function that takes the token.
    Both may be synchronous or asynchronous.

    Raises:
        DefinitionError: The argument is neither.
    """
    validate = getattr(validator, "validate", None)
    if callable(validate):
        is_blocking = not inspect.iscoroutinefunction(validate)
        return UserValidator(validate, is_blocking=is_blocking)
    if callable(validator):
        is_blocking = not inspect.iscoroutinefunction(validator)
        return UserValidator(lambda token, _: validator(token), is_blocking=is_blocking)
    raise DefinitionError(
        f"{validator!r} is not a validator",
        where="Authorization",
        hint="pass JwksValidator(…) or another validator, an object with "
        "validate(token, resource), or a function of the token",
    )


class Authorization:
    """Access control for a server over HTTP: requests need a valid bearer token.

    Args:
        validator: Determines the principal of a token.
        resource: URL where clients reach the server; by default, the served address.
        authorization_servers: Token issuers; by default, those of the validator.
        required_scopes: Scopes that every request needs.
        scopes_supported: All scopes of the server; by default, the required ones.
        implied_scopes: Scopes that include others: `{"admin": ["read", "write"]}`.
        allowed: Allowed subjects, or a function that takes the principal. By default, every bearer
            of a valid token is allowed, unless `allowed_usernames` is given.
        allowed_usernames: Allowed user names, spelled as on the authorization server.
        resource_name: Display name of the server.
        resource_documentation: URL of the server's documentation.
        realm: Realm in challenges.
        allow_insecure_http: Allow unencrypted HTTP, for a private network.
    """

    def __init__(
        self,
        validator: TokenValidator | CustomValidator,
        *,
        resource: str | None = None,
        authorization_servers: Sequence[str] = (),
        required_scopes: Iterable[str] = (),
        scopes_supported: Iterable[str] = (),
        implied_scopes: Mapping[str, Iterable[str]] | None = None,
        allowed: AllowedPrincipals | None = None,
        allowed_usernames: Collection[str] | None = None,
        resource_name: str | None = None,
        resource_documentation: str | None = None,
        realm: str | None = None,
        allow_insecure_http: bool = False,
    ) -> None:
        self._validator = to_validator(validator)
        self._authorization_servers = _select_authorization_servers(
            authorization_servers, validator, allow_insecure_http
        )
        self._required_scopes = validate_scopes(required_scopes, "Authorization: required_scopes")
        supported = validate_scopes(scopes_supported, "Authorization: scopes_supported")
        self._supported_scopes = supported or self._required_scopes
        self._implied_scopes = {
            scope: frozenset(implied) for scope, implied in (implied_scopes or {}).items()
        }
        self._allowed_check = _parse_allowed(allowed)
        self._allowed_usernames = (
            None
            if allowed_usernames is None
            else _parse_names(allowed_usernames, "allowed_usernames", "names")
        )
        self._resource_name = resource_name
        self._resource_documentation = resource_documentation
        self._realm = _validate_realm(realm)
        self._allow_insecure_http = allow_insecure_http
        self._resource: str | None = None
        self._has_explicit_resource = resource is not None
        self._challenge: BearerChallenge | None = None
        if resource is not None:
            self._set_resource(resource)

    @property
    def resource(self) -> str:
        """The URL of the protected server.

        Raises:
            DefinitionError: The URL was not given, and the server has no address yet.
        """
        if self._resource is None:
            raise DefinitionError(
                "the URL at which clients reach the server is unknown",
                where="Authorization",
                hint='Authorization(…, resource="https://example.org/mcp")',
            )
        return self._resource

    def bind(self, resource_url: str) -> None:
        """Use the server's address as the resource, unless a resource was configured.

        Called by the HTTP transport once it knows the URL of its endpoint.

        Raises:
            DefinitionError: The address is a wildcard, or this object protects another server.
        """
        if self._has_explicit_resource:
            return
        if is_wildcard_url(resource_url):
            raise DefinitionError(
                f"{resource_url} means all addresses of this machine; clients cannot call it",
                where="Authorization",
                hint='set the URL: Authorization(…, resource="https://example.org/mcp")',
            )
        # Tokens issued for one server must not be accepted by another.
        if self._resource not in (None, canonicalize_url(resource_url)):
            raise DefinitionError(
                f"this object protects {self._resource} and cannot also protect {resource_url}",
                where="Authorization",
                hint="create one for each server, or set the resource that they share",
            )
        self._set_resource(resource_url)

    def _set_resource(self, resource_url: str) -> None:
        """Set the URL of the protected server, and create the challenge that refers to it.

        A challenge is the `WWW-Authenticate` header that the server sends when it rejects a
        request.
        """
        url = validate_url(
            resource_url,
            "Authorization: resource",
            allow_insecure_http=self._allow_insecure_http,
        )
        self._resource = canonicalize_url(url)
        self._challenge = BearerChallenge(self.metadata_url, self._required_scopes, self._realm)

    @property
    def metadata_url(self) -> str:
        """URL of the protected resource metadata, which challenges contain."""
        return get_origin(self.resource) + self.metadata_path(urlsplit(self.resource).path)

    def metadata_path(self, endpoint_path: str) -> str:
        """Return the path of an endpoint's metadata (RFC 9728, section 3.1)."""
        return build_well_known_path(PROTECTED_RESOURCE_PATH, endpoint_path)

    def metadata(self) -> dict[str, object]:
        """Return the protected resource metadata (RFC 9728, section 2)."""
        document: dict[str, object] = {
            "resource": self.resource,
            "authorization_servers": list(self._authorization_servers),
            "scopes_supported": list(self._supported_scopes),
            "bearer_methods_supported": ["header"],
            "resource_name": self._resource_name,
            "resource_documentation": self._resource_documentation,
        }
        return {name: value for name, value in document.items() if value}

    async def authenticate(self, authorization_header: Sequence[str]) -> Principal:
        """Return the principal of a request, given the values of its Authorization headers.

        Raises:
            UnauthorizedError: The token is missing or invalid, or cannot be checked now.
            ForbiddenError: The token lacks a scope, or its bearer is not allowed.
        """
        challenge = self._require_challenge()
        token = extract_token(authorization_header, challenge)
        try:
            principal = await self._validator.validate(token, self.resource)
            if not await self._is_allowed(principal):
                raise NotAllowedError(f"{principal!r}, {principal.username!r}, is not allowed")
        except InvalidTokenError as reason:
            text = _redact_token(token, str(reason))
            raise _log_and_create_refusal(reason, text, challenge) from None
        except Exception as error:  # noqa: BLE001 - any error in a validator must deny access
            # The traceback is formatted here rather than by the logger, because the token must also
            # be removed from it.
            trace = "".join(traceback.format_exception(error))
            _log.error("A token could not be checked: %s", _redact_token(token, trace))
            raise challenge.create_undecided_error() from None
        principal = self._add_implied_scopes(principal)
        if not principal.scopes.issuperset(self._required_scopes):
            _log.debug("%r has the scopes %s", principal, sorted(principal.scopes))
            raise challenge.create_insufficient_scope_error()
        return principal

    def insufficient(self, scopes: Iterable[str], principal: Principal) -> ForbiddenError:
        """Return the error for an operation that needs more scopes than the principal has."""
        needed_scopes = tuple(scopes)
        _log.debug(
            "%r has the scopes %s, not %s", principal, sorted(principal.scopes), needed_scopes
        )
        return self._require_challenge().create_insufficient_scope_error(needed_scopes)

    def _require_challenge(self) -> BearerChallenge:
        """Return the resource's challenge, which requires that its URL is set."""
        if self._challenge is None:
            _ = self.resource  # raises the error that explains what is missing
            raise AssertionError("a resource without a challenge")
        return self._challenge

    async def _is_allowed(self, principal: Principal) -> bool:
        """Return whether the settings `allowed` and `allowed_usernames` permit a principal.

        A principal needs to satisfy only one of them. Without both settings, every bearer of a
        valid token is allowed.
        """
        if self._allowed_check is None and self._allowed_usernames is None:
            return True
        if principal.username in (self._allowed_usernames or ()):
            return True
        verdict = self._allowed_check is not None and self._allowed_check(principal)
        return bool(await verdict if inspect.isawaitable(verdict) else verdict)

    def _add_implied_scopes(self, principal: Principal) -> Principal:
        """Return a copy of a principal with all scopes that its scopes transitively imply.

        For example, `{"admin": ["write"], "write": ["read"]}` gives `admin` all three scopes. The
        original is not changed, because validators cache principals.
        """
        if not self._implied_scopes:
            return principal
        scopes, pending = set(principal.scopes), list(principal.scopes)
        while pending:
            new_scopes = self._implied_scopes.get(pending.pop(), frozenset()) - scopes
            scopes |= new_scopes
            pending.extend(new_scopes)
        principal = copy(principal)
        principal.scopes = frozenset(scopes)
        return principal

    def __repr__(self) -> str:
        return f"Authorization(resource={self._resource!r})"


def _log_and_create_refusal(
    reason: InvalidTokenError, text: str, challenge: BearerChallenge
) -> Exception:
    """Log why a token was rejected, and return the error for the client.

    The details are only logged, because the client must not see them.

    Args:
        reason: The error that the validator raised.
        text: The message of that error, with the token removed.
        challenge: The resource's challenge, which creates the errors for clients.
    """
    if isinstance(reason, UndecidedError):
        _log.warning("A token could not be checked: %s", text)
        return challenge.create_undecided_error()
    _log.debug("A token is refused: %s", text)
    if isinstance(reason, NotAllowedError):
        return challenge.create_not_allowed_error()
    return challenge.create_invalid_token_error()


def _redact_token(token: str, text: str) -> str:
    """Remove the token from a text, in case a validator has quoted it."""
    return text.replace(token, "[token]")


def _select_authorization_servers(
    urls: Sequence[str], validator: object, allow_insecure_http: bool
) -> tuple[str, ...]:
    """Return the URLs of the authorization servers that issue tokens for the resource.

    Args:
        urls: The configured URLs. If the list is empty, the validator may know the servers.
        validator: The configured validator, such as `JwksValidator`, which knows its issuer.
        allow_insecure_http: Accept unencrypted URLs.
    """
    if isinstance(urls, str):
        urls = (urls,)
    where = "Authorization: authorization_servers"
    configured_servers = tuple(
        validate_url(url, where, allow_insecure_http=allow_insecure_http) for url in urls
    )
    return configured_servers or tuple(getattr(validator, "authorization_servers", ()))


def _parse_allowed(
    allowed: AllowedPrincipals | None,
) -> Callable[[Principal], bool | Awaitable[bool]] | None:
    """Return the function that decides whether a principal is allowed, or None if all are.

    Args:
        allowed: The `Authorization` option: such a function, or the allowed subjects.

    Raises:
        DefinitionError: The option is neither.
    """
    if allowed is None or callable(allowed):
        return allowed
    subjects = _parse_names(allowed, "allowed", "subjects or a function")
    return lambda principal: principal.subject in subjects


def _parse_names(names: Collection[str], option: str, expected: str) -> frozenset[str]:
    """Return the names that an `Authorization` option allows, as a set.

    Args:
        names: The value of the option.
        option: The name of the option, such as `allowed_usernames`, for error messages.
        expected: The expected elements as a plural noun, such as `names`, for error messages.

    Raises:
        DefinitionError: The value is a single string, or an element is not a string.
    """
    if isinstance(names, str) or not all(isinstance(name, str) for name in names):
        raise DefinitionError(
            f"expected a collection of {expected}, got {names!r}", where=f"Authorization: {option}"
        )
    # Splitting an empty environment variable yields an empty name, which must not match principals
    # without a name.
    return frozenset(name for name in names if name)


def _validate_realm(realm: str | None) -> str | None:
    """Return the realm after checking that it can be part of a `WWW-Authenticate` header.

    Raises:
        DefinitionError: The realm contains characters other than printable ASCII.
    """
    if realm is not None and not (realm.isascii() and realm.isprintable()):
        raise DefinitionError(
            f"{realm!r} cannot be a realm", where="Authorization", hint="printable ASCII"
        )
    return realm
