"""Error responses of the REST API: a message, a code and details.

For zoo errors, the code is derived from the error class, in capitals. The response to an unexpected
error does not reveal its cause; the log has the traceback.
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
    FieldError,
    InvalidAgentError,
    NotInZooError,
    ZooUnavailableError,
    get_api_code,
)
from paddock.zoo.model import set_component_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from litestar.exceptions import HTTPException
    from litestar.handlers import HTTPRouteHandler
    from litestar.types import AnyCallable

    from paddock.errors import PaddockError

    RouteDecorator = Callable[[AnyCallable], HTTPRouteHandler]

log = logging.getLogger("paddock.rest")

MAX_BODY_BYTES = 1024 * 1024
"""Maximum size of a request body."""
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
"""Codes for the errors that Litestar raises, by status."""
ERROR_STATUSES: dict[type[PaddockError], int] = {
    NotInZooError: 404,
    ConflictError: 412,
    ZooUnavailableError: 503,
}
"""Statuses for error classes and their subclasses; all other errors have status 400."""

_ERROR_DESCRIPTIONS = {
    400: "The request is invalid; `details` lists the invalid values.",
    401: "Authentication is required.",
    403: "The user lacks the permission.",
    404: "The resource does not exist.",
    409: "The resource already exists.",
    412: "The resource is at another version; `details.current` is its present state.",
    413: "The request body is too large.",
    415: "The request body is not JSON.",
    429: "Too many requests; retry after the seconds in `Retry-After`.",
    503: "The database is unavailable.",
    504: "An MCP server has not responded in time.",
}


@set_component_name("Problem")
class ErrorBody(Struct, rename="camel", kw_only=True):
    """The body of an error response."""

    error: str
    """Message for users."""
    code: str
    """Code for programs."""
    details: list[FieldError] = msgspec.field(default_factory=list)


class Conflict(Struct, rename="camel", kw_only=True):
    """The body of the response to a change that is based on an outdated version."""

    error: str
    code: str
    details: dict[str, Any]
    """`current`: the present state of the resource."""


def describe_errors(*statuses: int) -> dict[int, ResponseSpec]:
    """Return the error responses that the OpenAPI document lists for a route.

    The body for a failed `If-Match` (412) also contains the current object.
    """
    return {
        status: ResponseSpec(
            Conflict if status == 412 else ErrorBody, description=_ERROR_DESCRIPTIONS[status]
        )
        for status in statuses
    }


def declare_route(
    method: Callable[..., RouteDecorator],
    path: str,
    summary: str,
    *,
    errors: Iterable[int] = (),
    **options: Any,
) -> RouteDecorator:
    """Return a decorator that makes a function the handler of a route.

    This is for handlers that use the database or the file system. They are plain functions that
    Litestar runs in a thread, so they do not block the event loop.

    Args:
        method: Litestar's decorator for the HTTP method, such as `get`.
        path: The path below `/api`, such as `/agents/{agent_id:str}`.
        summary: The title of the route in the OpenAPI document.
        errors: The error statuses that the document lists for the route, such as 404.
        options: More arguments for `method`.
    """
    return method(
        path, summary=summary, responses=describe_errors(*errors), sync_to_thread=True, **options
    )


def make_error_response(
    status: int,
    code: str,
    message: str,
    details: object = (),
    headers: dict[str, str] | None = None,
) -> Response[dict[str, Any]]:
    """Return an API error response.

    Args:
        status: The HTTP status.
        code: The code that identifies the error to programs.
        message: The message for users.
        details: One item for each invalid field, or `{"current": …}` for a conflict.
        headers: Additional headers, such as `Allow`.
    """
    body = {"error": message, "code": code, "details": details or []}
    # Errors must not be cached, because the same request may succeed a moment later.
    all_headers = {"cache-control": "no-store", **(headers or {})}
    return Response(body, status_code=status, media_type=MediaType.JSON, headers=all_headers)


def handle_http_exception(
    request: Request[Any, Any, Any], error: HTTPException
) -> Response[dict[str, Any]]:
    """Convert an exception raised by Litestar to an API error response.

    Examples are an unknown route or method, and arguments of the wrong type.
    """
    status = error.status_code
    # The messages of unexpected errors may reveal internals, so they are only logged.
    if status >= 500:
        return handle_unexpected_error(request, error)
    details = _parse_details(error.extra)
    if details:
        # The message names at most five fields. The details list all of them.
        message = "; ".join(f"{detail.path}: {detail.message}" for detail in details[:5])
    else:
        message = _describe_http_exception(request, error)
    code = ERROR_CODES.get(status, INVALID_ARGUMENTS_CODE)
    return make_error_response(status, code, message, details, error.headers)


def handle_paddock_error(
    request: Request[Any, Any, Any], error: PaddockError
) -> Response[dict[str, Any]]:
    """Convert a `PaddockError` to an API error response.

    The details list the invalid fields, or contain the current object after a conflict.
    """
    # The most specific class with a status determines it.
    error_classes = type(error).__mro__
    status = next((ERROR_STATUSES[cls] for cls in error_classes if cls in ERROR_STATUSES), 400)
    code = get_api_code(error)
    details: object = []
    if isinstance(error, InvalidAgentError):
        details = error.details
    if isinstance(error, ConflictError):
        details = {"current": error.current}
    # Status 503 means that the database is unavailable. Only the server operator can fix that, so
    # it is logged.
    if status == 503:
        log.warning("%s %s: %s", request.method, request.url.path, error)
    return make_error_response(status, code, str(error), details)


def handle_recursion_error(
    _request: Request[Any, Any, Any], _error: RecursionError
) -> Response[dict[str, Any]]:
    """Handle a request body that is nested too deeply to be decoded."""
    return make_error_response(400, INVALID_ARGUMENTS_CODE, "The request body is nested too deeply")


def handle_unexpected_error(
    request: Request[Any, Any, Any], error: Exception
) -> Response[dict[str, Any]]:
    """Log an unexpected error, and return status 500."""
    log.error("%s %s failed", request.method, request.url.path, exc_info=error)
    return make_error_response(500, "INTERNAL_ERROR", "Internal error; see the log of the server")


def _describe_http_exception(request: Request[Any, Any, Any], error: HTTPException) -> str:
    """Return a message for a Litestar exception, if possible a more helpful one than its own."""
    if error.status_code == 404 and error.detail == "Not Found":
        return f"No resource at {request.url.path}"
    if error.status_code == 405:
        headers = {name.lower(): value for name, value in (error.headers or {}).items()}
        return f"{request.method} is not allowed; allowed: {headers.get('allow', 'nothing')}"
    if error.status_code == 413:
        return f"The request body has more than {MAX_BODY_BYTES} bytes"
    return error.detail


def _parse_details(extra: object) -> list[FieldError]:
    """Convert Litestar's validation errors, such as `[{"key": "limit", "message": "…"}]`."""
    if not isinstance(extra, list):
        return []
    return [_parse_detail(item) for item in extra if isinstance(item, dict)]


def _parse_detail(data: dict[str, Any]) -> FieldError:
    message, key = str(data.get("message", "")), str(data.get("key", ""))
    return FieldError(path="body" if key in ("", "data") else _to_camel_case(key), message=message)


def _to_camel_case(key: str) -> str:
    """Convert a parameter name to its spelling in URLs: `date_from` to `dateFrom`."""
    first, *rest = key.split("_")
    return first + "".join(part.capitalize() for part in rest)
