"""What a client is told when it is refused: RFC 6750 challenges and a small JSON body.

What a bearer token looks like, and how a request carries it (RFC 6750).
"""

from __future__ import annotations

import re
from typing import NamedTuple

import msgspec

from paddock.auth.errors import ForbiddenError, UnauthorizedError
from paddock.errors import DefinitionError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

OFFLINE_ACCESS_SCOPE = "offline_access"
RETRY_AFTER_SECONDS = 5
"""Seconds after which it may make sense to ask again when nobody could decide."""

_SCOPE_CHARACTERS = frozenset(map(chr, range(0x21, 0x7F))) - {'"', "\\"}


class RefusalFactory(NamedTuple):
    """Words refusals for one resource."""

    metadata_url: str
    scopes: tuple[str, ...]
    realm: str | None = None

    def create_missing_token_error(self) -> UnauthorizedError:
        """No token was sent."""
        return UnauthorizedError(
            "the request has no bearer token",
            status=401,
            headers=[self._build_challenge_header()],
            body=_encode_body("unauthorized", "This server needs an access token."),
        )

    def create_malformed_token_error(self, found: str) -> UnauthorizedError:
        """What was sent is not what a bearer token looks like."""
        description = "The Authorization header must be Bearer and one token."
        return UnauthorizedError(
            found,
            status=400,
            headers=[
                self._build_challenge_header(error="invalid_request", error_description=description)
            ],
            body=_encode_body("invalid_request", description),
        )

    def create_invalid_token_error(self) -> UnauthorizedError:
        """A token was sent, and it is not good."""
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
        """Whether the token is good cannot be found out now."""
        return UnauthorizedError(
            "the token could not be checked",
            status=503,
            headers=[("retry-after", str(RETRY_AFTER_SECONDS))],
            body=_encode_body("temporarily_unavailable", "The access token cannot be checked now."),
        )

    def create_insufficient_scope_error(self, more: Iterable[str] = ()) -> ForbiddenError:
        """The token lacks a scope; every needed one is named, since clients ask for just these."""
        named = dict.fromkeys([*self.scopes, *sorted(more)])
        needed = " ".join(one for one in named if _is_challenge_scope(one))
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
        """The bearer is not let in; there is no challenge, as no other token would help."""
        return ForbiddenError(
            "the bearer is not on the list",
            status=403,
            body=_encode_body("forbidden", "You may not use this server."),
        )

    def _build_challenge_header(self, *, scope: str | None = None, **more: str) -> tuple[str, str]:
        given = {
            "realm": self.realm,
            "resource_metadata": self.metadata_url,
            "scope": " ".join(self.scopes) if scope is None else scope,
            **more,
        }
        fields = ", ".join(
            f"{name}={_quote_parameter(value)}" for name, value in given.items() if value
        )
        return ("www-authenticate", f"Bearer {fields}")


def validate_scopes(scopes: Iterable[str], where: str) -> tuple[str, ...]:
    """Scopes that a user has given, each once.

    Raises:
        DefinitionError: One of them cannot be a scope, or is `offline_access`, which is between
            client and authorization server.
    """
    if isinstance(scopes, str):
        raise DefinitionError(
            f"expected a list of scopes, got the text {scopes!r}", where=where, hint='["read"]'
        )
    found = tuple(dict.fromkeys(scopes))
    for scope in found:
        if not isinstance(scope, str) or not scope or not _SCOPE_CHARACTERS.issuperset(scope):
            raise DefinitionError(
                f"{scope!r} cannot be a scope",
                where=where,
                hint="printable ASCII without blanks, quotes and backslashes",
            )
        if scope == OFFLINE_ACCESS_SCOPE:
            raise DefinitionError(
                f"{OFFLINE_ACCESS_SCOPE!r} is no scope of a server",
                where=where,
                hint="leave it out: clients ask for it themselves when they want to",
            )
    return found


def _is_challenge_scope(scope: str) -> bool:
    return scope != OFFLINE_ACCESS_SCOPE and _SCOPE_CHARACTERS.issuperset(scope)


def _quote_parameter(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _encode_body(error: str, description: str) -> bytes:
    return msgspec.json.encode({"error": error, "error_description": description})


if TYPE_CHECKING:
    from collections.abc import Sequence


MAX_TOKEN_CHARACTERS = 16 * 1024
"""Characters of the longest token that is looked at."""

_TOKEN_PATTERN = re.compile(r"[A-Za-z0-9\-._~+/]+=*")


def is_token(text: str) -> bool:
    """Whether a request can carry a text as its token."""
    return len(text) <= MAX_TOKEN_CHARACTERS and _TOKEN_PATTERN.fullmatch(text) is not None


def extract_token(values: Sequence[str], challenger: RefusalFactory) -> str:
    """The token of a request, by the values of all its Authorization headers.

    Another scheme counts as none: it may be meant for a proxy.

    Raises:
        UnauthorizedError: There is none, or not one token.
    """
    if not values:
        raise challenger.create_missing_token_error()
    if len(values) > 1:
        raise challenger.create_malformed_token_error(
            f"there are {len(values)} Authorization headers"
        )
    scheme, _, rest = values[0].strip(" \t").partition(" ")
    if scheme.lower() != "bearer":
        raise challenger.create_missing_token_error()
    token = rest.strip(" \t")
    if not is_token(token):
        raise challenger.create_malformed_token_error("what follows Bearer is not a token")
    return token
