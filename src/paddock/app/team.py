"""The people of a team: let in by name and password, each to a zoo of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.app.doors import SignInError, Visitor, bearer_token, cookie_of

if TYPE_CHECKING:
    from paddock.transports.http.contract import Head
    from paddock.zoo.accounts import Accounts, User


class TeamDoor:
    """Lets in the people of a team, their browsers by a session and their programs by a token."""

    needs_sign_in = True
    is_team = True

    def __init__(self, accounts: Accounts) -> None:
        self._accounts = accounts

    def visitor(self, head: Head) -> Visitor | None:
        """Whose token or session a request has."""
        token = bearer_token(head)
        if token is not None:
            return _visitor(self._accounts.with_pass(token, "token"))
        cookie = cookie_of(head)
        return None if cookie is None else _visitor(self._accounts.with_pass(cookie, "session"))

    def sign_in(self, name: str | None, password: str | None, _token: str | None) -> str:
        """A session for somebody who has said name and password.

        Raises:
            SignInError: when they are wrong; not which of them is.
        """
        user = self._accounts.with_password(name or "", password or "")
        if user is None:
            raise SignInError("Name or password is wrong")
        return self._accounts.open_session(user.name)

    def sign_out(self, head: Head) -> None:
        """Have the session of a request count no more."""
        cookie = cookie_of(head)
        if cookie is not None:
            self._accounts.close_session(cookie)


def _visitor(user: User | None) -> Visitor | None:
    if user is None:
        return None
    return Visitor(owner=user.owner, name=user.name, is_admin=user.is_admin)
