"""Client errors.

`paddock.errors.ConnectError` is raised if a server cannot be started or has disconnected, or if a
URL does not answer with MCP messages.
"""

from __future__ import annotations

from paddock.errors import ConnectError, PaddockError
from paddock.protocol.errors import INTERNAL_ERROR


class PeerError(PaddockError):
    """The server answered a request with a JSON-RPC error."""

    code = "peer"

    def __init__(
        self, message: str, *, rpc_code: int, data: object = None, hint: str | None = None
    ) -> None:
        super().__init__(message, hint=hint)
        self.rpc_code = rpc_code
        """The JSON-RPC error code, such as -32601 for an unknown method."""
        self.data = data
        """Details about the error, in a server-defined format."""


def make_peer_error(error: object, default_message: str) -> PeerError:
    """Create the exception for the `error` member of a JSON-RPC response.

    Args:
        error: The decoded member, which may be malformed.
        default_message: The exception message to use if the error has none.
    """
    fields = error if isinstance(error, dict) else {"message": error}
    code = fields.get("code")
    return PeerError(
        str(fields.get("message", default_message)),
        rpc_code=code if isinstance(code, int) else INTERNAL_ERROR,
        data=fields.get("data"),
    )


class AnswerError(PaddockError):
    """The server's answer violates the protocol."""

    code = "peer-answer"


class PeerTimeoutError(PaddockError):
    """No answer arrived in time."""

    code = "peer-timeout"


class CallCancelledError(PaddockError):
    """The caller cancelled the request."""

    code = "call-cancelled"


class HttpError(ConnectError):
    """An HTTP request failed: there was no connection, or the response had no MCP message."""

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
        """The HTTP status, or None if there was no response."""
        self.retry_after = retry_after
        """Seconds to wait before the next attempt, from the `Retry-After` header."""
        self.was_sent = was_sent
        """Whether the server may have received the request and acted on it."""


class AccessRefusedError(HttpError):
    """The server answered with HTTP 401 or 403, because it requires a token or a different one."""

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
        """The scopes the server requires, separated by spaces."""
        self.resource_metadata = resource_metadata
        """The URL of the protected resource metadata, which describes how to get a token."""
