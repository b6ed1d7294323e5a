"""Authorization errors: invalid tokens, and rejected requests.

Messages of `InvalidTokenError` and its subclasses are only logged. A `RefusalError` carries the
HTTP response, which reveals no details. Transports use its attributes without importing the class.
"""

from __future__ import annotations

from paddock.errors import PaddockError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class InvalidTokenError(PaddockError):
    """A token is unknown, expired, forged, or issued for another server.

    Raised by validators. The message is logged at debug level and not sent to the client.
    """

    code = "invalid-token"


class NotAllowedError(InvalidTokenError):
    """A token is valid, but its bearer is not allowed to use the server."""

    code = "not-allowed"


class UndecidedError(InvalidTokenError):
    """A token cannot be checked right now, because the authorization server does not answer."""

    code = "undecided"


class RefusalError(PaddockError):
    """Base class of the errors that an authorizer raises to reject an HTTP request.

    `status`, `headers` and `body` (JSON) make up the response. `message` is only logged.
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
    """A request has no token, or an invalid one."""

    code = "unauthorized"


class ForbiddenError(RefusalError):
    """The bearer of a valid token lacks permission."""

    code = "forbidden"
