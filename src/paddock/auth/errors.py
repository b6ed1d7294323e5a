"""What a validator can say against a token, and what a client is told then.

The reasons of the first three are for our log. A refusal carries an answer that gives nothing
away; transports know it by its attributes.
"""

from __future__ import annotations

from paddock.errors import PaddockError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


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


class RefusalError(PaddockError):
    """Whoever sent a request may not send it.

    `status`, `headers` and `body` are the answer: a status code, pairs of names and values, and
    JSON. What stands in `message` is for the log; the sender is not told.
    """

    code = "refusal"

    def __init__(
        self,
        message: str,
        *,
        status: int,
        headers: Sequence[tuple[str, str]] = (),
        body: bytes = b"",
    ) -> None:
        super().__init__(message)
        self.status = status
        self.headers = list(headers)
        self.body = body


class UnauthorizedError(RefusalError):
    """A request has no token, or none that counts."""

    code = "unauthorized"


class ForbiddenError(RefusalError):
    """The bearer of a good token may not do this."""

    code = "forbidden"
