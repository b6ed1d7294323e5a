"""Who sends a request, and who may do what, where routes ask for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from litestar.exceptions import PermissionDeniedException

from paddock.app.doors import STRANGER, Visitor

if TYPE_CHECKING:
    from litestar.connection import ASGIConnection, Request
    from litestar.handlers import BaseRouteHandler

VISITOR = "paddock.visitor"
"""Where the application puts the visitor into the scope of a request."""


def visitor_of(request: Request[Any, Any, Any]) -> Visitor:
    """Who sends a request."""
    found = dict(request.scope).get(VISITOR)
    return found if isinstance(found, Visitor) else STRANGER


def admins_only(connection: ASGIConnection[Any, Any, Any, Any], _route: BaseRouteHandler) -> None:
    """Refuse what belongs to the machine to all but those who look after it.

    Raises:
        PermissionDeniedException: to everybody else.
    """
    found = dict(connection.scope).get(VISITOR)
    if not (isinstance(found, Visitor) and found.is_admin):
        raise PermissionDeniedException("Only an administrator may do this")
