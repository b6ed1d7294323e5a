"""What a bearer token looks like, and how a request carries it (RFC 6750)."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from paddock.authorization.challenge import RefusalFactory

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
        raise challenger.create_malformed_token_error(f"there are {len(values)} Authorization headers")
    scheme, _, rest = values[0].strip(" \t").partition(" ")
    if scheme.lower() != "bearer":
        raise challenger.create_missing_token_error()
    token = rest.strip(" \t")
    if not is_token(token):
        raise challenger.create_malformed_token_error("what follows Bearer is not a token")
    return token
