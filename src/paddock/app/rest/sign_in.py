"""Routes of the health check, and of signing in and out."""

from __future__ import annotations

import asyncio
from typing import Any

from litestar import Request, Response, get, post
from litestar.di import NamedDependency
from litestar.exceptions import TooManyRequestsException
from litestar.params import JSONBody
from msgspec import Struct

from paddock.app.authenticators import (
    Authenticator,
    SignInError,
    SignInThrottle,
    format_session_cookie,
    get_request_user,
)
from paddock.app.instance import InstanceInfo
from paddock.transports.http.messages import RequestHead
from paddock.version import __version__
from paddock.zoo.rest.error_responses import describe_errors


class Health(Struct, rename="camel", kw_only=True):
    """The state of this Paddock, and the user of the request."""

    status: str
    product: str
    """Always `paddock`, by which a starting Paddock recognizes one that already uses its port."""
    version: str
    database: str
    """`sqlite` or `postgresql`."""
    zoo: str
    """A hash of the database's location: equal for instances that use the same database."""
    signed_in: str | None
    is_admin: bool
    needs_sign_in: bool
    """Whether the user of the request has to sign in."""
    is_team: bool
    """Whether users sign in by name and password instead of a token."""


class SignInBody(Struct, forbid_unknown_fields=True, kw_only=True):
    """User name and password, or the token that Paddock was started with."""

    name: str | None = None
    password: str | None = None
    token: str | None = None


class SignedIn(Struct, rename="camel", kw_only=True):
    """The result of signing in or out."""

    signed_in: bool


@get("/health", summary="Check the health")
async def health(
    request: Request[Any, Any, Any],
    authenticator: NamedDependency[Authenticator],
    instance: NamedDependency[InstanceInfo],
) -> Health:
    """Return the state of this Paddock. Needs no authentication."""
    user = get_request_user(request)
    return Health(
        status="ok",
        product="paddock",
        version=__version__,
        database=instance.database,
        zoo=instance.fingerprint,
        signed_in=user.name,
        is_admin=user.is_admin,
        needs_sign_in=authenticator.needs_sign_in and not user.is_authenticated,
        is_team=authenticator.is_team,
    )


@post(
    "/sign-in",
    summary="Sign in",
    responses=describe_errors(400, 401, 429),
    status_code=200,
)
async def sign_in(
    request: Request[Any, Any, Any],
    authenticator: NamedDependency[Authenticator],
    throttle: NamedDependency[SignInThrottle],
    data: JSONBody[SignInBody],
) -> Response[SignedIn]:
    """Set a session cookie, which scripts cannot read."""
    address = "" if request.client is None else request.client.host
    seconds = throttle.get_wait_seconds(address)
    if seconds:
        raise TooManyRequestsException(
            "Too many failed attempts; try again later", headers={"Retry-After": str(seconds)}
        )
    try:
        # Hashing a password is slow by design, and must not block the event loop.
        cookie = await asyncio.to_thread(
            authenticator.sign_in, data.name, data.password, data.token
        )
    except SignInError:
        # Only wrong credentials count; other errors say nothing about guessing.
        throttle.record_failure(address)
        raise
    throttle.clear_failures(address)
    header = format_session_cookie(cookie, is_secure=request.url.scheme == "https")
    return Response(SignedIn(signed_in=True), headers={"Set-Cookie": header})


@post("/sign-out", summary="Sign out", status_code=200)
async def sign_out(
    request: Request[Any, Any, Any], authenticator: NamedDependency[Authenticator]
) -> Response[SignedIn]:
    """Revoke the session and delete its cookie."""
    head = RequestHead.from_pairs(request.method, request.url.path, request.scope["headers"])
    await asyncio.to_thread(authenticator.sign_out, head)
    header = format_session_cookie("", is_secure=request.url.scheme == "https")
    return Response(SignedIn(signed_in=False), headers={"Set-Cookie": header})


SIGN_IN_ROUTES = [health, sign_in, sign_out]
