"""Bearer tokens in requests, and the responses to rejected requests (RFC 6750)."""

from __future__ import annotations

import re
from typing import NamedTuple

import msgspec

from paddock.auth.errors import ForbiddenError, UnauthorizedError
from paddock.errors import DefinitionError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

OFFLINE_ACCESS_SCOPE = "offline_access"
RETRY_AFTER_SECONDS = 5
"""Value of the Retry-After header in responses to tokens that cannot be checked at present."""

_SCOPE_CHARACTERS = frozenset(map(chr, range(0x21, 0x7F))) - {'"', "\\"}


class RefusalFactory(NamedTuple):
    """Creates the errors for rejected requests to one resource."""

    metadata_url: str
    scopes: tuple[str, ...]
    realm: str | None = None

    def create_missing_token_error(self) -> UnauthorizedError:
        """Return the error for a request without a token."""
        return UnauthorizedError(
            "the request has no bearer token",
            status=401,
            headers=[self._build_challenge_header()],
            body=_encode_body("unauthorized", "This server needs an access token."),
        )

    def create_malformed_token_error(self, problem: str) -> UnauthorizedError:
        """Return the error for an Authorization header that is not `Bearer` and one token."""
        description = "The Authorization header must be Bearer and one token."
        return UnauthorizedError(
            problem,
            status=400,
            headers=[
                self._build_challenge_header(error="invalid_request", error_description=description)
            ],
            body=_encode_body("invalid_request", description),
        )

    def create_invalid_token_error(self) -> UnauthorizedError:
        """Return the error for an invalid token."""
        description = "The access token is not valid here."
        return UnauthorizedError(
            "the token is not valid",
            status=401,
            headers=[
                self._build_challenge_header(error="invalid_token", error_description=description)
            ],
            body=_encode_body("invalid_token", description),
        )

    def create_undecided_error(self) -> UnauthorizedError:
        """Return the error for a token that cannot be checked at present."""
        return UnauthorizedError(
            "the token could not be checked",
            status=503,
            headers=[("retry-after", str(RETRY_AFTER_SECONDS))],
            body=_encode_body("temporarily_unavailable", "The access token cannot be checked now."),
        )

    def create_insufficient_scope_error(self, more: Iterable[str] = ()) -> ForbiddenError:
        """Return the error for missing scopes.

        The challenge lists all required scopes, because clients request exactly those.
        """
        named_scopes = dict.fromkeys([*self.scopes, *sorted(more)])
        needed = " ".join(scope for scope in named_scopes if _is_challenge_scope(scope))
        description = "The access token lacks a scope."
        challenge = self._build_challenge_header(
            scope=needed, error="insufficient_scope", error_description=description
        )
        return ForbiddenError(
            f"needs the scopes {needed}",
            status=403,
            headers=[challenge],
            body=_encode_body("insufficient_scope", description),
        )

    def create_not_allowed_error(self) -> ForbiddenError:
        """Return the error for a bearer who is not allowed.

        It has no challenge, because another token of the same user would not help.
        """
        return ForbiddenError(
            "the bearer is not allowed",
            status=403,
            body=_encode_body("forbidden", "You may not use this server."),
        )

    def _build_challenge_header(
        self, *, scope: str | None = None, **parameters: str
    ) -> tuple[str, str]:
        """Return the `WWW-Authenticate` header, from which clients learn how to get a token.

        Args:
            scope: The scopes to request. By default, those that every request needs.
            **parameters: Further parameters of the challenge, such as the error.
        """
        fields = {
            "realm": self.realm,
            "resource_metadata": self.metadata_url,
            "scope": " ".join(self.scopes) if scope is None else scope,
            **parameters,
        }
        parameters_text = ", ".join(
            f"{name}={_quote_parameter(value)}" for name, value in fields.items() if value
        )
        return ("www-authenticate", f"Bearer {parameters_text}")


def validate_scopes(scopes: Iterable[str], where: str) -> tuple[str, ...]:
    """Return the scopes without duplicates.

    Raises:
        DefinitionError: A scope is invalid, or is `offline_access`, which concerns only the
            client and the authorization server.
    """
    if isinstance(scopes, str):
        raise DefinitionError(
            f"expected a list of scopes, got the string {scopes!r}", where=where, hint='["read"]'
        )
    unique_scopes = tuple(dict.fromkeys(scopes))
    for scope in unique_scopes:
        if not isinstance(scope, str) or not scope or not _SCOPE_CHARACTERS.issuperset(scope):
            raise DefinitionError(
                f"{scope!r} cannot be a scope",
                where=where,
                hint="use printable ASCII without spaces, quotes and backslashes",
            )
        if scope == OFFLINE_ACCESS_SCOPE:
            raise DefinitionError(
                f"{OFFLINE_ACCESS_SCOPE!r} is not a scope of a server",
                where=where,
                hint="leave it out: clients request it on their own",
            )
    return unique_scopes


def _is_challenge_scope(scope: str) -> bool:
    return scope != OFFLINE_ACCESS_SCOPE and _SCOPE_CHARACTERS.issuperset(scope)


def _quote_parameter(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _encode_body(error: str, description: str) -> bytes:
    return msgspec.json.encode({"error": error, "error_description": description})


MAX_TOKEN_CHARACTERS = 16 * 1024
"""Maximum length of tokens. Longer ones are rejected without further checks."""

_TOKEN_PATTERN = re.compile(r"[A-Za-z0-9\-._~+/]+=*")


def is_token(text: str) -> bool:
    """Return whether a string has the syntax of a bearer token (RFC 6750, section 2.1)."""
    return len(text) <= MAX_TOKEN_CHARACTERS and _TOKEN_PATTERN.fullmatch(text) is not None


def extract_token(values: Sequence[str], refusals: RefusalFactory) -> str:
    """Return the token of a request, given the values of its Authorization headers.

    Another scheme counts as no token, because it may be meant for a proxy.

    Raises:
        UnauthorizedError: There is no token, or several.
    """
    if not values:
        raise refusals.create_missing_token_error()
    # Several headers are ambiguous, because a proxy and this server could use different ones.
    if len(values) > 1:
        raise refusals.create_malformed_token_error(
            f"there are {len(values)} Authorization headers"
        )
    scheme, _, credentials = values[0].strip(" \t").partition(" ")
    if scheme.lower() != "bearer":
        raise refusals.create_missing_token_error()
    token = credentials.strip(" \t")
    if not is_token(token):
        raise refusals.create_malformed_token_error("what follows Bearer is not a token")
    return token
