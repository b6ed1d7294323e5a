"""Bearer tokens in requests, and the responses to rejected requests (RFC 6750)."""

from __future__ import annotations

import re
from typing import NamedTuple

import msgspec

from paddock.auth.errors import ForbiddenError, RefusalError, UnauthorizedError
from paddock.errors import DefinitionError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import TypeVar

    ErrorT = TypeVar("ErrorT", bound=RefusalError)

OFFLINE_ACCESS_SCOPE = "offline_access"
RETRY_AFTER_SECONDS = 5
"""Value of the Retry-After header in responses to tokens that cannot be checked right now."""

_SCOPE_CHARACTERS = frozenset(map(chr, range(0x21, 0x7F))) - {'"', "\\"}


class BearerChallenge(NamedTuple):
    """The challenge of a resource, and the errors that carry it in responses to rejected requests.

    `challenge.create_invalid_token_error()` is a response with status 401 and the header
    `WWW-Authenticate: Bearer resource_metadata="…", scope="read", error="invalid_token", …`.
    """

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
        """Return the error for an Authorization header other than `Bearer` and one token."""
        description = "The Authorization header must be Bearer and one token."
        return self._create_error(UnauthorizedError, problem, 400, "invalid_request", description)

    def create_invalid_token_error(self) -> UnauthorizedError:
        """Return the error for an invalid token."""
        message, description = "the token is not valid", "The access token is not valid here."
        return self._create_error(UnauthorizedError, message, 401, "invalid_token", description)

    def create_undecided_error(self) -> UnauthorizedError:
        """Return the error for a token that cannot be checked right now.

        For example, its issuer may be down. The status is 503 rather than 401, so that clients keep
        the token and retry later.
        """
        return UnauthorizedError(
            "the token could not be checked",
            status=503,
            headers=[("retry-after", str(RETRY_AFTER_SECONDS))],
            body=_encode_body("temporarily_unavailable", "The access token cannot be checked now."),
        )

    def create_insufficient_scope_error(
        self, additional_scopes: Iterable[str] = ()
    ) -> ForbiddenError:
        """Return the error for a valid token that lacks a scope.

        The challenge lists all required scopes, not just the missing ones, because a client
        requests exactly the listed scopes for its new token.

        Args:
            additional_scopes: Scopes that this request needs in addition to those that every
                request needs.
        """
        required_scopes = dict.fromkeys([*self.scopes, *sorted(additional_scopes)])
        scope_list = " ".join(scope for scope in required_scopes if _is_challenge_scope(scope))
        message, description = f"needs the scopes {scope_list}", "The access token lacks a scope."
        return self._create_error(
            ForbiddenError, message, 403, "insufficient_scope", description, scope=scope_list
        )

    def create_not_allowed_error(self) -> ForbiddenError:
        """Return the error for a bearer who is not allowed.

        It has no challenge, because another token for the same user would not help.
        """
        body = _encode_body("forbidden", "You may not use this server.")
        return ForbiddenError("the bearer is not allowed", status=403, body=body)

    def _create_error(
        self,
        error_class: type[ErrorT],
        message: str,
        status: int,
        error: str,
        description: str,
        *,
        scope: str | None = None,
    ) -> ErrorT:
        """Return an error with an OAuth error code, such as `invalid_token`, and a description.

        Both are sent in the `WWW-Authenticate` header and in the body. `message` is only logged.
        """
        header = self._build_challenge_header(
            scope=scope, error=error, error_description=description
        )
        body = _encode_body(error, description)
        return error_class(message, status=status, headers=[header], body=body)

    def _build_challenge_header(
        self, *, scope: str | None = None, **parameters: str
    ) -> tuple[str, str]:
        """Return the `WWW-Authenticate` header, which shows clients how to get a token.

        Args:
            scope: The scopes to request. By default, the scopes that every request needs.
            **parameters: Other challenge parameters, such as the error.
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
    """Return the OAuth scopes in a setting as a tuple without duplicates.

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
"""Maximum token length. Longer tokens are rejected without any other checks."""

_TOKEN_PATTERN = re.compile(r"[A-Za-z0-9\-._~+/]+=*")


def is_token(text: str) -> bool:
    """Return whether a string has the syntax of a bearer token (RFC 6750, section 2.1)."""
    return len(text) <= MAX_TOKEN_CHARACTERS and _TOKEN_PATTERN.fullmatch(text) is not None


def extract_token(values: Sequence[str], challenge: BearerChallenge) -> str:
    """Return the bearer token of a request, given the values of its Authorization headers.

    A header with another scheme, such as Basic, is treated as a missing token, because it may be
    meant for a proxy.

    Raises:
        UnauthorizedError: The request has no token, multiple headers, or a malformed header.
    """
    if not values:
        raise challenge.create_missing_token_error()
    # Multiple headers are ambiguous, because a proxy and this server could use different ones.
    if len(values) > 1:
        raise challenge.create_malformed_token_error(
            f"there are {len(values)} Authorization headers"
        )
    scheme, _, credentials = values[0].strip(" \t").partition(" ")
    if scheme.lower() != "bearer":
        raise challenge.create_missing_token_error()
    token = credentials.strip(" \t")
    if not is_token(token):
        raise challenge.create_malformed_token_error("what follows Bearer is not a token")
    return token
