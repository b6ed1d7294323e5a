"""Routes of the people of a team, and of what lets their programs in."""

from __future__ import annotations

from typing import Any

from litestar import Request, Router, delete, get, patch, post
from litestar.di import NamedDependency
from litestar.exceptions import NotFoundException, PermissionDeniedException
from litestar.params import FromPath, JSONBody
from msgspec import Struct

from paddock.app.authenticators import get_request_user, require_admin
from paddock.zoo.accounts import TeamAccounts, Token
from paddock.zoo.rest.error_responses import describe_errors

AccountsDependency = NamedDependency[TeamAccounts]
USER_ERRORS = describe_errors(400, 403, 404)


class UserInfo(Struct, rename="camel", kw_only=True):
    """A person of the team."""

    name: str
    is_admin: bool
    created_at: str


class NewUserBody(Struct, rename="camel", kw_only=True, forbid_unknown_fields=True):
    """Somebody who is to be let in."""

    name: str
    password: str
    is_admin: bool = False


class UserChanges(Struct, rename="camel", kw_only=True, forbid_unknown_fields=True):
    """What is to become of somebody; what is left out stays."""

    password: str | None = None
    is_admin: bool | None = None


class PasswordBody(Struct, rename="camel", kw_only=True, forbid_unknown_fields=True):
    """A new password for whoever asks, who has to know the old one."""

    current: str
    password: str


class TokenBody(Struct, kw_only=True, forbid_unknown_fields=True):
    """A token that is wanted."""

    label: str


class NewToken(Struct, rename="camel", kw_only=True):
    """A token, with its secret, which is told only now."""

    id: str
    label: str
    created_at: str
    token: str


@get("/users", summary="List the team", sync_to_thread=True)
def list_users(accounts: AccountsDependency) -> list[UserInfo]:
    """Everybody, by name."""
    return _list_user_infos(accounts)


@post(
    "/users",
    summary="Let somebody in",
    responses=describe_errors(400, 403, 409),
    sync_to_thread=True,
)
def add_user(accounts: AccountsDependency, data: JSONBody[NewUserBody]) -> UserInfo:
    """With an empty zoo of their own."""
    made = accounts.add_user(data.name, data.password, is_admin=data.is_admin)
    return UserInfo(name=made.name, is_admin=made.is_admin, created_at=made.created_at)


@patch("/users/{name:str}", summary="Change a user", responses=USER_ERRORS, sync_to_thread=True)
def change_user(
    accounts: AccountsDependency, name: FromPath[str], data: JSONBody[UserChanges]
) -> list[UserInfo]:
    """Answers with the team. With a new password, the sessions of the user end."""
    if data.is_admin is not None:
        accounts.set_admin(name, is_admin=data.is_admin)
    if data.password is not None:
        accounts.set_password(name, data.password)
    return _list_user_infos(accounts)


@delete(
    "/users/{name:str}",
    summary="Let somebody in no more",
    responses=USER_ERRORS,
    sync_to_thread=True,
)
def delete_user(accounts: AccountsDependency, name: FromPath[str]) -> None:
    """Their zoo stays in the database."""
    accounts.delete_user(name)


@post(
    "/password",
    summary="Change your password",
    responses=USER_ERRORS,
    status_code=204,
    sync_to_thread=True,
)
def change_password(
    request: Request[Any, Any, Any], accounts: AccountsDependency, data: JSONBody[PasswordBody]
) -> None:
    """Your sessions end, this one too; your tokens stay."""
    name = _require_user_name(request)
    if accounts.authenticate(name, data.current) is None:
        raise PermissionDeniedException("That is not your password")
    accounts.set_password(name, data.password)


@get("/tokens", summary="List your tokens", responses=describe_errors(404), sync_to_thread=True)
def list_tokens(request: Request[Any, Any, Any], accounts: AccountsDependency) -> list[Token]:
    """Without their secrets."""
    return accounts.list_tokens(_require_user_name(request))


@post("/tokens", summary="Make a token", responses=describe_errors(400, 404), sync_to_thread=True)
def make_token(
    request: Request[Any, Any, Any], accounts: AccountsDependency, data: JSONBody[TokenBody]
) -> NewToken:
    """For a program of yours, as an MCP client. Its secret is in this answer, and nowhere else."""
    made, secret = accounts.create_token(_require_user_name(request), data.label)
    return NewToken(id=made.id, label=made.label, created_at=made.created_at, token=secret)


@delete(
    "/tokens/{token_id:str}",
    summary="Delete a token",
    responses=describe_errors(404),
    sync_to_thread=True,
)
def delete_token(
    request: Request[Any, Any, Any], accounts: AccountsDependency, token_id: FromPath[str]
) -> None:
    """It lets nobody in any more."""
    accounts.delete_token(_require_user_name(request), token_id)


def _list_user_infos(accounts: TeamAccounts) -> list[UserInfo]:
    return [
        UserInfo(name=one.name, is_admin=one.is_admin, created_at=one.created_at)
        for one in accounts.list_users()
    ]


def _require_user_name(request: Request[Any, Any, Any]) -> str:
    """Who asks, by name.

    Raises:
        NotFoundException: where nobody has one.
    """
    name = get_request_user(request).name
    if name is None:
        raise NotFoundException("Nobody has an account here")
    return name


def create_users_router() -> Router:
    """The routes; those about others are for administrators."""
    others = [list_users, add_user, change_user, delete_user]
    own = [change_password, list_tokens, make_token, delete_token]
    return Router(
        "/",
        route_handlers=[Router("/", route_handlers=others, guards=[require_admin]), *own],
        tags=["team"],
    )
