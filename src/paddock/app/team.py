"""The people of a team: let in by name and password, each to a zoo of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.app.doors import SignInError, RequestUser, get_bearer_token, get_session_cookie

if TYPE_CHECKING:
    from paddock.transports.http.contract import RequestHead
    from paddock.zoo.accounts import TeamAccounts, TeamUser


class TeamAuthenticator:
    """Lets in the people of a team, their browsers by a session and their programs by a token."""

    needs_sign_in = True
    is_team = True

    def __init__(self, accounts: TeamAccounts) -> None:
        self._accounts = accounts

    def authenticate(self, head: RequestHead) -> RequestUser | None:
        """Whose token or session a request has."""
        token = get_bearer_token(head)
        if token is not None:
            return _make_request_user(self._accounts.authenticate_secret(token, "token"))
        cookie = get_session_cookie(head)
        return None if cookie is None else _make_request_user(self._accounts.authenticate_secret(cookie, "session"))

    def sign_in(self, name: str | None, password: str | None, _token: str | None) -> str:
        """A session for somebody who has said name and password.

        Raises:
            SignInError: when they are wrong; not which of them is.
        """
        user = self._accounts.authenticate(name or "", password or "")
        if user is None:
            raise SignInError("Name or password is wrong")
        return self._accounts.create_session(user.name)

    def sign_out(self, head: RequestHead) -> None:
        """Have the session of a request count no more."""
        cookie = get_session_cookie(head)
        if cookie is not None:
            self._accounts.revoke_session(cookie)


def _make_request_user(user: TeamUser | None) -> RequestUser | None:
    if user is None:
        return None
    return RequestUser(owner=user.owner, name=user.name, is_admin=user.is_admin)
