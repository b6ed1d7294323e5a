"""Errors that are sent to clients as JSON-RPC errors, and their codes.

A failed tool is a result, not a protocol error (`authoring.results`). Some codes depend on the era
(`ProtocolEra.encode_error_reply`).
"""

from __future__ import annotations

from paddock.errors import PaddockError

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
HEADER_MISMATCH = -32020
MISSING_CAPABILITY = -32021
UNSUPPORTED_VERSION = -32022


class ProtocolError(PaddockError):
    """A request cannot be answered with a result."""

    code = "protocol"

    def __init__(
        self, message: str, *, rpc_code: int = INTERNAL_ERROR, data: object = None
    ) -> None:
        super().__init__(message)
        self.rpc_code = rpc_code
        self.data = data


class InvalidParamsError(ProtocolError):
    """The parameters are malformed or name something that does not exist."""

    code = "invalid-params"

    def __init__(self, message: str, *, data: object = None) -> None:
        super().__init__(message, rpc_code=INVALID_PARAMS, data=data)


class ResourceNotFoundError(InvalidParamsError):
    """No resource or template matches the URI."""

    code = "resource-not-found"

    def __init__(self, uri: str) -> None:
        super().__init__(f"Resource not found: {uri}", data={"uri": uri})


class MissingCapabilityError(ProtocolError):
    """The request needs a client capability that the client has not declared."""

    code = "missing-capability"

    def __init__(self, required: dict[str, object], purpose: str) -> None:
        super().__init__(
            f"{purpose} needs a client capability that was not declared: {', '.join(required)}",
            rpc_code=MISSING_CAPABILITY,
            data={"requiredCapabilities": required},
        )
        self.required = required


class HeaderMismatchError(ProtocolError):
    """A header of an HTTP request differs from the body."""

    code = "header-mismatch"

    def __init__(self, message: str) -> None:
        super().__init__(message, rpc_code=HEADER_MISMATCH)


class ScopeError(ProtocolError):
    """The access token lacks scopes that the request needs."""

    code = "scope"

    def __init__(self, scopes: frozenset[str], purpose: str) -> None:
        super().__init__(
            f"{purpose} needs the scopes {', '.join(sorted(scopes))}", rpc_code=INVALID_REQUEST
        )
        self.scopes = scopes


class UnsupportedVersionError(ProtocolError):
    """The request specifies a protocol version that the server does not support."""

    code = "unsupported-version"

    def __init__(self, requested: str, supported: tuple[str, ...]) -> None:
        super().__init__(
            f"Unsupported protocol version {requested!r}; supported: {', '.join(supported)}",
            rpc_code=UNSUPPORTED_VERSION,
            data={"supported": list(supported), "requested": requested},
        )
