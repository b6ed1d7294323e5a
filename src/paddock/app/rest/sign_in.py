"""Routes of how it is, and of coming in and going out."""

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
    """How this Paddock is, and who asks."""

    status: str
    product: str
    """Always `paddock`: so that others can tell who has the port."""
    version: str
    database: str
    """`sqlite` or `postgresql`."""
    zoo: str
    """The same for two that use the same database."""
    signed_in: str | None
    is_admin: bool
    needs_sign_in: bool
    """Whether whoever asks has to sign in first."""
    is_team: bool
    """Whether one signs in by name and password, and not by a token."""


class SignInBody(Struct, forbid_unknown_fields=True, kw_only=True):
    """Name and password, or the token that this Paddock was started with."""

    name: str | None = None
    password: str | None = None
    token: str | None = None


class SignedIn(Struct, rename="camel", kw_only=True):
    """Who has come in."""

    signed_in: bool


@get("/health", summary="See how it is")
async def health(
    request: Request[Any, Any, Any],
    door: NamedDependency[Authenticator],
    identity: NamedDependency[InstanceInfo],
) -> Health:
    """Also for those who are not signed in."""
    visitor = get_request_user(request)
    return Health(
        status="ok",
        product="paddock",
        version=__version__,
        database=identity.database,
        zoo=identity.fingerprint,
        signed_in=visitor.name,
        is_admin=visitor.is_admin,
        needs_sign_in=door.needs_sign_in and not visitor.is_authenticated,
        is_team=door.is_team,
    )


@post(
    "/sign-in",
    summary="Sign in",
    responses=describe_errors(400, 401, 429),
    status_code=200,
)
async def sign_in(
    request: Request[Any, Any, Any],
    door: NamedDependency[Authenticator],
    attempts: NamedDependency[SignInThrottle],
    data: JSONBody[SignInBody],
) -> Response[SignedIn]:
    """Answers with a cookie, which browsers send back by themselves and no script can read."""
    address = "" if request.client is None else request.client.host
    seconds = attempts.get_wait_seconds(address)
    if seconds:
        raise TooManyRequestsException(
            "Too many wrong attempts; wait, then try again", headers={"Retry-After": str(seconds)}
        )
    try:
        cookie = await asyncio.to_thread(door.sign_in, data.name, data.password, data.token)
    except SignInError:
        attempts.record_failure(address)
        raise
    attempts.clear_failures(address)
    told = format_session_cookie(cookie, is_secure=request.url.scheme == "https")
    return Response(SignedIn(signed_in=True), headers={"Set-Cookie": told})


@post("/sign-out", summary="Sign out", status_code=200)
async def sign_out(
    request: Request[Any, Any, Any], door: NamedDependency[Authenticator]
) -> Response[SignedIn]:
    """The session counts no more, and the browser is told to forget it."""
    head = RequestHead.from_pairs(request.method, request.url.path, request.scope["headers"])
    await asyncio.to_thread(door.sign_out, head)
    told = format_session_cookie("", is_secure=request.url.scheme == "https")
    return Response(SignedIn(signed_in=False), headers={"Set-Cookie": told})


SIGN_IN_ROUTES = [health, sign_in, sign_out]
