"""What a validator is, and how one that users write becomes one.

What a server is protected by: one object that a transport asks about every request.
"""

from __future__ import annotations

import inspect
import logging
import traceback
from typing import Protocol
from urllib.parse import urlsplit

from paddock.auth.challenge import RefusalFactory, extract_token, validate_scopes
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
    from collections.abc import Awaitable, Callable

    TokenVerdict = Principal | None
    CustomValidator = Callable[[str], TokenVerdict | Awaitable[TokenVerdict]]


class TokenValidator(Protocol):
    """Turns a token into the principal that it stands for."""

    async def validate(self, token: str, resource: str) -> Principal:
        """Who the bearer of a token is, if it is good and meant for a resource.

        Raises:
            InvalidTokenError: It is not.
        """
        ...


class UserValidator:
    """A validator whose `validate` may be plain, and may return None for no."""

    def __init__(
        self, validate: Callable[[str, str], TokenVerdict | Awaitable[TokenVerdict]]
    ) -> None:
        self._validate = validate
        self._call_pool = None if inspect.iscoroutinefunction(validate) else BlockingCallPool()

    async def validate(self, token: str, resource: str) -> Principal:
        """Who the bearer is; a plain function runs in a thread, since it may wait."""
        if self._call_pool is None:
            verdict = self._validate(token, resource)
        else:
            verdict = await self._call_pool.run(object(), lambda: self._validate(token, resource))
        if inspect.isawaitable(verdict):
            verdict = await verdict
        if verdict is None:
            raise InvalidTokenError("your validator says no")
        if not isinstance(verdict, Principal):
            kind = type(verdict).__name__
            raise TypeError(f"expected a Principal or None from your validator, got a {kind}")
        return verdict


def to_validator(given: object) -> TokenValidator:
    """A validator from what a user has given: one of ours, an object like it, or a function.

    Raises:
        DefinitionError: It is neither.
    """
    validate = getattr(given, "validate", None)
    if callable(validate):
        return UserValidator(validate)
    if callable(given):
        return UserValidator(_ignore_resource(given))
    raise DefinitionError(
        f"{given!r} is no validator",
        where="Authorization",
        hint="JwksValidator(…) or another of ours, an object with validate(token, resource), "
        "or a function of a token",
    )


def _ignore_resource(
    function: CustomValidator,
) -> Callable[[str, str], TokenVerdict | Awaitable[TokenVerdict]]:
    if inspect.iscoroutinefunction(function):

        async def validate_token(token: str, _resource: str) -> TokenVerdict:
            verdict: TokenVerdict = await function(token)
            return verdict

        return validate_token
    return lambda token, _resource: function(token)


if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence

    from paddock.auth.errors import ForbiddenError

    AllowedPrincipals = Collection[str] | Callable[[Principal], bool | Awaitable[bool]]

_log = logging.getLogger("paddock")


class Authorization:
    """Lets in the bearers of good tokens.

    Args:
        validator: Says who the bearer of a token is.
        resource: The URL at which clients reach the server; the address served unless given.
        authorization_servers: Where clients get tokens; those of the validator unless given.
        required_scopes: What every request needs.
        scopes_supported: All scopes that there are; the required ones unless given.
        implied_scopes: Scopes that include others: `{"admin": ["read", "write"]}`.
        allowed: Who is let in: subjects, or a function of a principal. Everybody with a good
            token, unless this or the next is given.
        allowed_usernames: Who is let in by name, exactly as the authorization server spells it.
        resource_name: What people call the server.
        resource_documentation: Where they can read about it.
        realm: The realm of challenges.
        allow_insecure_http: Let tokens travel without encryption on a network of your own.
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
            scope: frozenset(more) for scope, more in (implied_scopes or {}).items()
        }
        self._allowed_check = _parse_allowed(allowed)
        self._allowed_usernames = _parse_usernames(allowed_usernames)
        self._resource_name = resource_name
        self._resource_documentation = resource_documentation
        self._realm = _validate_realm(realm)
        self._allow_insecure_http = allow_insecure_http
        self._resource: str | None = None
        self._has_explicit_resource = resource is not None
        self._refusals: RefusalFactory | None = None
        if resource is not None:
            self._set_resource(resource)

    @property
    def resource(self) -> str:
        """The URL of what is protected.

        Raises:
            DefinitionError: It was not given, and nothing has been served yet.
        """
        if self._resource is None:
            raise DefinitionError(
                "the URL at which clients reach the server is not known",
                where="Authorization",
                hint='Authorization(…, resource="https://example.org/mcp")',
            )
        return self._resource

    def bind(self, resource_url: str) -> None:
        """Take the address served as the resource, unless another was given.

        Raises:
            DefinitionError: Clients cannot reach the server under this address, or this object
                protects another server already.
        """
        if self._has_explicit_resource:
            return
        if is_wildcard_url(resource_url):
            raise DefinitionError(
                f"{resource_url} is all addresses of this machine, and none that clients call",
                where="Authorization",
                hint='say which one they do: Authorization(…, resource="https://example.org/mcp")',
            )
        if self._resource not in (None, canonicalize_url(resource_url)):
            raise DefinitionError(
                f"this object protects {self._resource} and cannot protect {resource_url} too",
                where="Authorization",
                hint="make one for each server, or give the resource that all of them are",
            )
        self._set_resource(resource_url)

    def _set_resource(self, resource_url: str) -> None:
        url = validate_url(
            resource_url,
            "Authorization: resource",
            allow_insecure_http=self._allow_insecure_http,
        )
        self._resource = canonicalize_url(url)
        self._refusals = RefusalFactory(self.metadata_url, self._required_scopes, self._realm)

    @property
    def metadata_url(self) -> str:
        """Where clients find the metadata, as challenges tell them."""
        return get_origin(self.resource) + build_well_known_path(
            PROTECTED_RESOURCE_PATH, urlsplit(self.resource).path
        )

    def metadata_path(self, endpoint_path: str) -> str:
        """The path of the metadata of an endpoint (RFC 9728, section 3.1)."""
        return build_well_known_path(PROTECTED_RESOURCE_PATH, endpoint_path)

    def metadata(self) -> dict[str, object]:
        """The protected resource metadata (RFC 9728)."""
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
        """Who sends a request, by the values of all its Authorization headers.

        Raises:
            UnauthorizedError: There is no token, or none that counts, or nobody can tell.
            ForbiddenError: The token is good, but lacks a scope, or its bearer is not let in.
        """
        challenger = self._require_refusals()
        token = extract_token(authorization_header, challenger)
        try:
            principal = await self._validator.validate(token, self.resource)
            if not await self._is_allowed(principal):
                raise NotAllowedError(f"{principal!r}, {principal.username!r}, is not allowed")
        except InvalidTokenError as reason:
            raise _to_refusal(reason, _redact_token(token, str(reason)), challenger) from None
        except Exception as error:  # noqa: BLE001 - whatever goes wrong, nobody comes in
            trace = "".join(traceback.format_exception(error))
            _log.error("A token could not be checked: %s", _redact_token(token, trace))
            raise challenger.create_undecided_error() from None
        principal = self._add_implied_scopes(principal)
        if not principal.scopes.issuperset(self._required_scopes):
            _log.debug("%r has the scopes %s", principal, sorted(principal.scopes))
            raise challenger.create_insufficient_scope_error()
        return principal

    def insufficient(self, scopes: Iterable[str], principal: Principal) -> ForbiddenError:
        """The refusal of something that needs more scopes than a principal has."""
        wanted = tuple(scopes)
        _log.debug("%r has the scopes %s, not %s", principal, sorted(principal.scopes), wanted)
        return self._require_refusals().create_insufficient_scope_error(wanted)

    def _require_refusals(self) -> RefusalFactory:
        if self._refusals is None:
            _ = self.resource
            raise AssertionError("a resource without a challenger")
        return self._refusals

    async def _is_allowed(self, principal: Principal) -> bool:
        if self._allowed_check is None and self._allowed_usernames is None:
            return True
        if principal.username in (self._allowed_usernames or ()):
            return True
        verdict = self._allowed_check is not None and self._allowed_check(principal)
        return bool(await verdict if inspect.isawaitable(verdict) else verdict)

    def _add_implied_scopes(self, principal: Principal) -> Principal:
        """A principal of its own, since validators may hand out the same one many times."""
        if not self._implied_scopes:
            return principal
        held, waiting = set(principal.scopes), list(principal.scopes)
        while waiting:
            more = self._implied_scopes.get(waiting.pop(), frozenset()) - held
            held |= more
            waiting.extend(more)
        return Principal(
            principal.subject,
            issuer=principal.issuer,
            scopes=held,
            client_id=principal.client_id,
            username=principal.username,
            claims=principal.claims,
            expires_at=principal.expires_at,
        )

    def __repr__(self) -> str:
        return f"Authorization(resource={self._resource!r})"


def _to_refusal(reason: InvalidTokenError, text: str, challenger: RefusalFactory) -> Exception:
    if isinstance(reason, UndecidedError):
        _log.warning("A token could not be checked: %s", text)
        return challenger.create_undecided_error()
    _log.debug("A token is refused: %s", text)
    return (
        challenger.create_not_allowed_error()
        if isinstance(reason, NotAllowedError)
        else challenger.create_invalid_token_error()
    )


def _redact_token(token: str, text: str) -> str:
    """What a validator says, without the token, which it may quote."""
    return text.replace(token, "[token]")


def _select_authorization_servers(
    given: Sequence[str], validator: object, allow_insecure_http: bool
) -> tuple[str, ...]:
    if isinstance(given, str):
        given = (given,)
    where = "Authorization: authorization_servers"
    named = tuple(
        validate_url(one, where, allow_insecure_http=allow_insecure_http) for one in given
    )
    known: tuple[str, ...] = getattr(validator, "authorization_servers", ())
    return named or tuple(known)


def _parse_allowed(
    allowed: AllowedPrincipals | None,
) -> Callable[[Principal], bool | Awaitable[bool]] | None:
    if allowed is None or callable(allowed):
        return allowed
    subjects = _parse_names(allowed, "allowed", "subjects or a function")
    return lambda principal: principal.subject in subjects


def _parse_usernames(usernames: Collection[str] | None) -> frozenset[str] | None:
    return None if usernames is None else _parse_names(usernames, "allowed_usernames", "names")


def _parse_names(given: Collection[str], option: str, expected: str) -> frozenset[str]:
    if isinstance(given, str) or not all(isinstance(one, str) for one in given):
        raise DefinitionError(
            f"expected a collection of {expected}, got {given!r}", where=f"Authorization: {option}"
        )
    # An empty name is a slip (an empty setting, split), and must not stand for the nameless.
    return frozenset(one for one in given if one)


def _validate_realm(realm: str | None) -> str | None:
    if realm is not None and not (realm.isascii() and realm.isprintable()):
        raise DefinitionError(
            f"{realm!r} cannot be a realm", where="Authorization", hint="printable ASCII"
        )
    return realm
