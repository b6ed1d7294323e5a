"""What a validator can say against a token, and what a client is told then.

The reasons of the first three are for our log. The last two carry an answer that gives nothing
away.
"""

from __future__ import annotations

from paddock.errors import PaddockError
from paddock.protocol.refusal import RefusalError


class InvalidTokenError(PaddockError):
    """A token is not good: unknown, expired, forged, or meant for somebody else.

    Validators raise it. Its message is logged at debug level, and the client does not get it.
    """

    code = "invalid-token"


class NotAllowedError(InvalidTokenError):
    """A token is good, but its bearer is not among those who are let in."""

    code = "not-allowed"


class UndecidedError(InvalidTokenError):
    """Nobody can say now whether a token is good: the authorization server does not answer."""

    code = "undecided"


class UnauthorizedError(RefusalError):
    """A request has no token, or none that counts."""

    code = "unauthorized"


class ForbiddenError(RefusalError):
    """The bearer of a good token may not do this."""

    code = "forbidden"
