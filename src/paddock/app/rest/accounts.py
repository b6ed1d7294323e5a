"""Account routes: the health check, signing in and out, team users, and access tokens."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
from litestar import Request, Response, Router, delete, get, patch, post
from litestar.di import NamedDependency
from litestar.exceptions import (
    NotFoundException,
    PermissionDeniedException,
    TooManyRequestsException,
)
from litestar.params import FromPath, JSONBody
from msgspec import Struct

from paddock.app.authenticators import (
    Authenticator,
    SignInError,
    SignInThrottle,
    format_session_cookie,
    get_request_user,
    require_admin,
)
from paddock.app.instance import InstanceInfo
from paddock.transports.http.messages import RequestHead
from paddock.version import __version__
from paddock.zoo.accounts import TeamAccounts, TeamUser, Token
from paddock.zoo.rest.error_responses import declare_route, describe_errors

AccountsDependency = NamedDependency[TeamAccounts]
USER_ERRORS = (400, 403, 404)


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
        # Only wrong credentials count, because other errors do not indicate guessing.
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


class UserInfo(Struct, rename="camel", kw_only=True):
    """A user of the team."""

    name: str
    is_admin: bool
    created_at: str


class NewUserBody(Struct, rename="camel", kw_only=True, forbid_unknown_fields=True):
    """A user to create."""

    name: str
    password: str
    is_admin: bool = False


class UserChanges(Struct, rename="camel", kw_only=True, forbid_unknown_fields=True):
    """Changes to a user. Omitted fields stay as they are."""

    password: str | None = None
    is_admin: bool | None = None


class PasswordBody(Struct, rename="camel", kw_only=True, forbid_unknown_fields=True):
    """A new password for the user of the request, with the current one."""

    current: str
    password: str


class TokenBody(Struct, kw_only=True, forbid_unknown_fields=True):
    """A token to create."""

    label: str


class NewToken(Struct, rename="camel", kw_only=True):
    """A new token with its secret, which is not returned again."""

    id: str
    label: str
    created_at: str
    token: str


@declare_route(get, "/users", "List the team")
def list_users(accounts: AccountsDependency) -> list[UserInfo]:
    """Return all users, sorted by name."""
    return _list_user_infos(accounts)


@declare_route(post, "/users", "Add a user", errors=(400, 403, 409))
def add_user(accounts: AccountsDependency, data: JSONBody[NewUserBody]) -> UserInfo:
    """Create a user with an empty zoo."""
    return _make_user_info(accounts.add_user(data.name, data.password, is_admin=data.is_admin))


@declare_route(patch, "/users/{name:str}", "Change a user", errors=USER_ERRORS)
def change_user(
    accounts: AccountsDependency, name: FromPath[str], data: JSONBody[UserChanges]
) -> list[UserInfo]:
    """Change a user, and return the team. A new password ends the sessions of the user."""
    if data.is_admin is not None:
        accounts.set_admin(name, is_admin=data.is_admin)
    if data.password is not None:
        accounts.set_password(name, data.password)
    return _list_user_infos(accounts)


@declare_route(delete, "/users/{name:str}", "Delete a user", errors=USER_ERRORS)
def delete_user(accounts: AccountsDependency, name: FromPath[str]) -> None:
    """Delete a user. The user's zoo stays in the database."""
    accounts.delete_user(name)


@declare_route(post, "/password", "Change your password", errors=USER_ERRORS, status_code=204)
def change_password(
    request: Request[Any, Any, Any], accounts: AccountsDependency, data: JSONBody[PasswordBody]
) -> None:
    """Change your password. All your sessions end, this one included; tokens stay valid."""
    name = _require_user_name(request)
    if accounts.authenticate(name, data.current) is None:
        raise PermissionDeniedException("The current password is wrong")
    accounts.set_password(name, data.password)


@declare_route(get, "/tokens", "List your tokens", errors=(404,))
def list_tokens(request: Request[Any, Any, Any], accounts: AccountsDependency) -> list[Token]:
    """Return your tokens, without their secrets."""
    return accounts.list_tokens(_require_user_name(request))


@declare_route(post, "/tokens", "Create a token", errors=(400, 404))
def make_token(
    request: Request[Any, Any, Any], accounts: AccountsDependency, data: JSONBody[TokenBody]
) -> NewToken:
    """Create a token for a program, such as an MCP client. Its secret is not returned again."""
    token, secret = accounts.create_token(_require_user_name(request), data.label)
    return NewToken(id=token.id, label=token.label, created_at=token.created_at, token=secret)


@declare_route(delete, "/tokens/{token_id:str}", "Delete a token", errors=(404,))
def delete_token(
    request: Request[Any, Any, Any], accounts: AccountsDependency, token_id: FromPath[str]
) -> None:
    """Revoke a token."""
    accounts.delete_token(_require_user_name(request), token_id)


def _list_user_infos(accounts: TeamAccounts) -> list[UserInfo]:
    return [_make_user_info(user) for user in accounts.list_users()]


def _make_user_info(user: TeamUser) -> UserInfo:
    return msgspec.convert(user, UserInfo, from_attributes=True)


def _require_user_name(request: Request[Any, Any, Any]) -> str:
    """Return the name of the request's user.

    Raises:
        NotFoundException: The user has no account.
    """
    name = get_request_user(request).name
    if name is None:
        raise NotFoundException("You have no account on this server")
    return name


def create_users_router() -> Router:
    """Return a router for users (administrators only) and the user's own account."""
    admin_routes = [list_users, add_user, change_user, delete_user]
    account_routes = [change_password, list_tokens, make_token, delete_token]
    return Router(
        "/",
        route_handlers=[
            Router("/", route_handlers=admin_routes, guards=[require_admin]),
            *account_routes,
        ],
        tags=["team"],
    )
