"""What can go wrong when we call a server.

A server that cannot be started, or is gone, is a `paddock.errors.ConnectError`.
"""

from __future__ import annotations

from paddock.errors import PaddockError


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
