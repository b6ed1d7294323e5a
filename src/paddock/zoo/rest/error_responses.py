"""How the API says that something went wrong: always a text, a code and details.

An error of the zoo has the code that it has everywhere, in capitals. What nobody expected is said
without a word about its insides; the log has them.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import msgspec
from litestar import MediaType, Request, Response
from litestar.openapi.datastructures import ResponseSpec
from msgspec import Struct

from paddock.zoo.errors import (
    ConflictError,
    InvalidAgentError,
    NotInZooError,
    ZooUnavailableError,
)

if TYPE_CHECKING:
    from litestar.exceptions import HTTPException

    from paddock.errors import PaddockError

log = logging.getLogger("paddock.rest")

MAX_BODY_BYTES = 1024 * 1024
"""The body of a request may have so many."""
INVALID_ARGUMENTS_CODE = "INVALID_ARGUMENTS"
ERROR_CODES = {
    400: INVALID_ARGUMENTS_CODE,
    401: "SIGN_IN_NEEDED",
    403: "NOT_ALLOWED",
    404: "NOT_FOUND",
    405: "METHOD_NOT_ALLOWED",
    406: "NOT_ACCEPTABLE",
    412: "VERSION_CONFLICT",
    413: "BODY_TOO_LARGE",
    415: "UNSUPPORTED_MEDIA_TYPE",
    429: "RATE_LIMITED",
    503: "UNAVAILABLE",
}
"""The codes of errors that are not the zoo's own."""
ERROR_STATUSES: dict[type[PaddockError], int] = {
    NotInZooError: 404,
    ConflictError: 412,
    ZooUnavailableError: 503,
}
"""Every other error is the client's to put right: 400."""


class Detail(Struct, rename="camel", kw_only=True):
    """One thing that is wrong with a request."""

    path: str
    """Where, as in `skills[0].name`."""
    message: str


class Problem(Struct, rename="camel", kw_only=True):
    """The body of every answer that is an error."""

    error: str
    """What is wrong, for people."""
    code: str
    """What is wrong, for programs."""
    details: list[Detail] = msgspec.field(default_factory=list)


class Conflict(Struct, rename="camel", kw_only=True):
    """The body of an answer to a change of something that somebody else has changed meanwhile."""

    error: str
    code: str
    details: dict[str, Any]
    """`current`: what it is now."""


def describe_errors(*statuses: int) -> dict[int, ResponseSpec]:
    """What the description of a route says about the errors that it answers with."""
    return {
        status: ResponseSpec(_get_error_schema(status), description=_ERROR_DESCRIPTIONS[status])
        for status in statuses
    }


def _get_error_schema(status: int) -> type[Struct]:
    return Conflict if status == 412 else Problem


_ERROR_DESCRIPTIONS = {
    400: "Something in the request is not as it has to be; `details` says what.",
    401: "Sign in first.",
    403: "You may not do this.",
    404: "There is no such thing.",
    409: "There is one already.",
    412: "Somebody else has changed it meanwhile; `details.current` is what it is now.",
    413: "The body is too large.",
    415: "The body is not JSON.",
    429: "Too many requests; `Retry-After` says how many seconds to wait.",
    503: "The database cannot be used now.",
    504: "A server has not answered in time.",
}


def make_error_response(
    status: int,
    code: str,
    text: str,
    details: object = (),
    headers: dict[str, str] | None = None,
) -> Response[dict[str, Any]]:
    """An answer that is an error."""
    body = {"error": text, "code": code, "details": details or []}
    told = {"cache-control": "no-store", **(headers or {})}
    return Response(body, status_code=status, media_type=MediaType.JSON, headers=told)


def handle_http_exception(
    request: Request[Any, Any, Any], error: HTTPException
) -> Response[dict[str, Any]]:
    """What the framework has refused: no such route, no such method, not the right types."""
    status = error.status_code
    if status >= 500:
        return handle_unexpected_error(request, error)
    details = _parse_details(error.extra)
    if details:
        text = "; ".join(f"{one.path}: {one.message}" for one in details[:5])
    else:
        text = _describe_http_exception(request, error)
    return make_error_response(
        status, ERROR_CODES.get(status, INVALID_ARGUMENTS_CODE), text, details, error.headers
    )


def handle_paddock_error(
    request: Request[Any, Any, Any], error: PaddockError
) -> Response[dict[str, Any]]:
    """What the zoo, or another part of Paddock, has refused."""
    status = next(
        (ERROR_STATUSES[kind] for kind in type(error).__mro__ if kind in ERROR_STATUSES), 400
    )
    code = error.code.upper().replace("-", "_")
    details: object = []
    if isinstance(error, InvalidAgentError):
        details = error.details
    if isinstance(error, ConflictError):
        details = {"current": error.current}
    if status == 503:
        log.warning("%s %s: %s", request.method, request.url.path, error)
    return make_error_response(status, code, str(error), details)


def handle_recursion_error(
    _request: Request[Any, Any, Any], _error: RecursionError
) -> Response[dict[str, Any]]:
    """A body with more brackets in brackets than can be read."""
    return make_error_response(400, INVALID_ARGUMENTS_CODE, "The body is nested too deeply")


def handle_unexpected_error(
    request: Request[Any, Any, Any], error: Exception
) -> Response[dict[str, Any]]:
    """A fault of ours."""
    log.error("%s %s failed", request.method, request.url.path, exc_info=error)
    return make_error_response(
        500, "INTERNAL_ERROR", "Something went wrong here; the log says what"
    )


def _describe_http_exception(request: Request[Any, Any, Any], error: HTTPException) -> str:
    """What the framework has refused, in words that help."""
    if error.status_code == 404 and error.detail == "Not Found":
        return f"There is nothing at {request.url.path}"
    if error.status_code == 405:
        allowed = {name.lower(): value for name, value in (error.headers or {}).items()}
        return f"{request.method} is not possible here; {allowed.get('allow', 'nothing')} is"
    if error.status_code == 413:
        return f"The body has more than {MAX_BODY_BYTES} bytes"
    return error.detail


def _parse_details(extra: object) -> list[Detail]:
    """What the framework says about arguments that do not fit."""
    if not isinstance(extra, list):
        return []
    return [_parse_detail(one) for one in extra if isinstance(one, dict)]


def _parse_detail(one: dict[str, Any]) -> Detail:
    message, key = str(one.get("message", "")), str(one.get("key", ""))
    return Detail(path="body" if key in ("", "data") else _to_camel_case(key), message=message)


def _to_camel_case(key: str) -> str:
    """What a parameter is called in a URL."""
    first, *rest = key.split("_")
    return first + "".join(part.capitalize() for part in rest)
