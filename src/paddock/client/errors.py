"""What can go wrong when we call a server.

A server that cannot be started, or is gone, is a `paddock.errors.ConnectError`; so is one behind a
URL that answers with something else than a message of the protocol.
"""

from __future__ import annotations

from paddock.errors import ConnectError, PaddockError


class PeerError(PaddockError):
    """The server answered a request with a JSON-RPC error."""

    code = "peer"

    def __init__(
        self, message: str, *, rpc_code: int, data: object = None, hint: str | None = None
    ) -> None:
        super().__init__(message, hint=hint)
        self.rpc_code = rpc_code
        self.data = data


class AnswerError(PaddockError):
    """The server's answer is not what the protocol allows at this place."""

    code = "peer-answer"


class PeerTimeoutError(PaddockError):
    """The server has not answered in time."""

    code = "peer-timeout"


class CallCancelledError(PaddockError):
    """We cancelled the request ourselves, so no answer will come."""

    code = "call-cancelled"


class HttpError(ConnectError):
    """A request over HTTP failed below the protocol: no connection, or no message in the answer."""

    code = "http"

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        hint: str | None = None,
        was_sent: bool = True,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message, hint=hint)
        self.status = status
        """The HTTP status; None when there was no answer."""
        self.retry_after = retry_after
        """Seconds after which the server wants to be asked again, if it says so."""
        self.was_sent = was_sent
        """Whether the server can have seen the request, and acted on it."""


class AccessRefusedError(HttpError):
    """The server wants a token, or another one: HTTP 401 or 403."""

    code = "access-refused"

    def __init__(
        self,
        message: str,
        *,
        status: int,
        hint: str | None = None,
        scope: str | None = None,
        resource_metadata: str | None = None,
    ) -> None:
        super().__init__(message, status=status, hint=hint)
        self.scope = scope
        """The scopes that the server asks for, separated by spaces."""
        self.resource_metadata = resource_metadata
        """The URL at which the server says how to get a token."""
