"""Routes of the people of a team, and of what lets their programs in."""

from __future__ import annotations

from typing import Any

from litestar import Request, Router, delete, get, patch, post
from litestar.di import NamedDependency
from litestar.exceptions import NotFoundException, PermissionDeniedException
from litestar.params import FromPath, JSONBody
from msgspec import Struct

from paddock.app.visiting import admins_only, visitor_of
from paddock.zoo.accounts import Accounts, Token
from paddock.zoo.rest.answers import described

TheAccounts = NamedDependency[Accounts]
ERRORS = described(400, 403, 404)


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
def list_users(accounts: TheAccounts) -> list[UserInfo]:
    """Everybody, by name."""
    return _team(accounts)


@post("/users", summary="Let somebody in", responses=described(400, 403, 409), sync_to_thread=True)
def add_user(accounts: TheAccounts, data: JSONBody[NewUserBody]) -> UserInfo:
    """With an empty zoo of their own."""
    made = accounts.add_user(data.name, data.password, is_admin=data.is_admin)
    return UserInfo(name=made.name, is_admin=made.is_admin, created_at=made.created_at)


@patch("/users/{name:str}", summary="Change a user", responses=ERRORS, sync_to_thread=True)
def change_user(
    accounts: TheAccounts, name: FromPath[str], data: JSONBody[UserChanges]
) -> list[UserInfo]:
    """Answers with the team. With a new password, the sessions of the user end."""
    if data.is_admin is not None:
        accounts.set_admin(name, is_admin=data.is_admin)
    if data.password is not None:
        accounts.set_password(name, data.password)
    return _team(accounts)


@delete(
    "/users/{name:str}", summary="Let somebody in no more", responses=ERRORS, sync_to_thread=True
)
def delete_user(accounts: TheAccounts, name: FromPath[str]) -> None:
    """Their zoo stays in the database."""
    accounts.delete_user(name)


@post(
    "/password",
    summary="Change your password",
    responses=ERRORS,
    status_code=204,
    sync_to_thread=True,
)
def change_password(
    request: Request[Any, Any, Any], accounts: TheAccounts, data: JSONBody[PasswordBody]
) -> None:
    """Your sessions end, this one too; your tokens stay."""
    name = _name(request)
    if accounts.with_password(name, data.current) is None:
        raise PermissionDeniedException("That is not your password")
    accounts.set_password(name, data.password)


@get("/tokens", summary="List your tokens", responses=described(404), sync_to_thread=True)
def list_tokens(request: Request[Any, Any, Any], accounts: TheAccounts) -> list[Token]:
    """Without their secrets."""
    return accounts.tokens(_name(request))


@post("/tokens", summary="Make a token", responses=described(400, 404), sync_to_thread=True)
def make_token(
    request: Request[Any, Any, Any], accounts: TheAccounts, data: JSONBody[TokenBody]
) -> NewToken:
    """For a program of yours, as an MCP client. Its secret is in this answer, and nowhere else."""
    made, secret = accounts.make_token(_name(request), data.label)
    return NewToken(id=made.id, label=made.label, created_at=made.created_at, token=secret)


@delete(
    "/tokens/{token_id:str}",
    summary="Delete a token",
    responses=described(404),
    sync_to_thread=True,
)
def delete_token(
    request: Request[Any, Any, Any], accounts: TheAccounts, token_id: FromPath[str]
) -> None:
    """It lets nobody in any more."""
    accounts.delete_token(_name(request), token_id)


def _team(accounts: Accounts) -> list[UserInfo]:
    return [
        UserInfo(name=one.name, is_admin=one.is_admin, created_at=one.created_at)
        for one in accounts.list_users()
    ]


def _name(request: Request[Any, Any, Any]) -> str:
    """Who asks, by name.

    Raises:
        NotFoundException: where nobody has one.
    """
    name = visitor_of(request).name
    if name is None:
        raise NotFoundException("Nobody has an account here")
    return name


def users_router() -> Router:
    """The routes; those about others are for administrators."""
    others = [list_users, add_user, change_user, delete_user]
    own = [change_password, list_tokens, make_token, delete_token]
    return Router(
        "/",
        route_handlers=[Router("/", route_handlers=others, guards=[admins_only]), *own],
        tags=["team"],
    )
