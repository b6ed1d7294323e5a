"""Who sends a request, and who may do what, where routes ask for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from litestar.exceptions import PermissionDeniedException

from paddock.app.doors import ANONYMOUS, RequestUser

if TYPE_CHECKING:
    from litestar.connection import ASGIConnection, Request
    from litestar.handlers import BaseRouteHandler

REQUEST_USER_KEY = "paddock.visitor"
"""Where the application puts the visitor into the scope of a request."""


def get_request_user(request: Request[Any, Any, Any]) -> RequestUser:
    """Who sends a request."""
    found = dict(request.scope).get(REQUEST_USER_KEY)
    return found if isinstance(found, RequestUser) else ANONYMOUS


def require_admin(connection: ASGIConnection[Any, Any, Any, Any], _route: BaseRouteHandler) -> None:
    """Refuse what belongs to the machine to all but those who look after it.

    Raises:
        PermissionDeniedException: to everybody else.
    """
    found = dict(connection.scope).get(REQUEST_USER_KEY)
    if not (isinstance(found, RequestUser) and found.is_admin):
        raise PermissionDeniedException("Only an administrator may do this")
