"""Who may come in: everybody on this machine, whoever knows a token, or the people of a team.

The people of a team: let in by name and password, each to a zoo of their own.

A bound on how often somebody may try to sign in, so that nobody can guess.

Who sends a request, and who may do what, where routes ask for it.
"""

from __future__ import annotations

import hmac
from collections import OrderedDict
from hashlib import sha256
from http.cookies import CookieError, SimpleCookie
from threading import Lock
from time import monotonic, time
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from litestar.exceptions import PermissionDeniedException
from msgspec import Struct

from paddock.errors import PaddockError

if TYPE_CHECKING:
    from litestar.connection import ASGIConnection, Request
    from litestar.handlers import BaseRouteHandler

    from paddock.transports.http.messages import RequestHead
    from paddock.zoo.accounts import TeamAccounts, TeamUser


SESSION_COOKIE = "paddock_session"
SESSION_SECONDS = 30 * 24 * 3600
SHARED_OWNER = ""
"""The owner of the zoo where there is only one."""
MIN_TOKEN_CHARACTERS = 16


class WeakTokenError(PaddockError):
    """A token is too easy to guess."""

    code = "weak-token"


class SignInError(PaddockError):
    """Name and password, or the token, are not right."""

    code = "sign-in-failed"


class RequestUser(Struct, frozen=True, kw_only=True):
    """Who sends a request."""

    owner: str = SHARED_OWNER
    """Whose zoo is meant."""
    name: str | None = None
    """What people call them; None where nobody signs in by name."""
    is_admin: bool = True
    """Whether they may see and change what belongs to the machine and to all."""
    is_authenticated: bool = True
    """Whether they may do anything but sign in."""


ANONYMOUS = RequestUser(owner="(nobody)", is_admin=False, is_authenticated=False)


@runtime_checkable
class Authenticator(Protocol):
    """Tells who sends a request. Its methods may wait for a database: in any thread."""

    needs_sign_in: bool
    is_team: bool

    def authenticate(self, head: RequestHead) -> RequestUser | None:
        """Who it is, if they may come in."""

    def sign_in(self, name: str | None, password: str | None, token: str | None) -> str:
        """The value of the cookie for somebody who has said the right thing.

        Raises:
            SignInError: when it is wrong.
        """

    def sign_out(self, head: RequestHead) -> None:
        """Have the cookie of a request count no more."""


class LocalAuthenticator:
    """Lets everybody in: for an address that only this machine reaches."""

    needs_sign_in = False
    is_team = False

    def authenticate(self, _head: RequestHead) -> RequestUser | None:
        """Always the same."""
        return RequestUser()

    def sign_in(self, _name: str | None, _password: str | None, _token: str | None) -> str:
        """There is nothing to sign in to.

        Raises:
            SignInError: always.
        """
        raise SignInError("Nobody signs in here: this Paddock serves its own machine only")

    def sign_out(self, _head: RequestHead) -> None:
        """Nothing."""


class TokenAuthenticator:
    """Lets in who knows one token. The cookie holds no token, and needs nothing to be kept."""

    needs_sign_in = True
    is_team = False

    def __init__(self, token: str) -> None:
        if len(token) < MIN_TOKEN_CHARACTERS:
            raise WeakTokenError(
                f"the token has {len(token)} characters, and needs {MIN_TOKEN_CHARACTERS}",
                hint="make one: python -c 'import secrets; print(secrets.token_urlsafe(24))'",
            )
        self._token = token.encode()

    def authenticate(self, head: RequestHead) -> RequestUser | None:
        """Whoever has the token, or a cookie made with it."""
        token = get_bearer_token(head)
        if token is not None:
            return RequestUser() if hmac.compare_digest(token.encode(), self._token) else None
        cookie = get_session_cookie(head)
        return RequestUser() if cookie is not None and self._is_valid_cookie(cookie) else None

    def sign_in(self, _name: str | None, _password: str | None, token: str | None) -> str:
        """A cookie that is good for a month.

        Raises:
            SignInError: when the token is wrong.
        """
        if token is None or not hmac.compare_digest(token.strip().encode(), self._token):
            raise SignInError("That is not the token")
        until = str(int(time()) + SESSION_SECONDS)
        return f"{until}.{self._sign(until)}"

    def sign_out(self, _head: RequestHead) -> None:
        """Nothing to forget: the browser is told to drop the cookie."""

    def _is_valid_cookie(self, cookie: str) -> bool:
        until, _, seal = cookie.partition(".")
        if not hmac.compare_digest(seal.encode(), self._sign(until).encode()):
            return False
        return int(until) > time()

    def _sign(self, until: str) -> str:
        return hmac.new(self._token, f"session {until}".encode(), sha256).hexdigest()


def get_bearer_token(head: RequestHead) -> str | None:
    """The token in a request's Authorization header, if it has one."""
    scheme, _, token = head.headers.get(b"authorization", b"").decode("latin-1").partition(" ")
    return token.strip() if scheme.lower() == "bearer" and token.strip() else None


def get_session_cookie(head: RequestHead) -> str | None:
    """The session in a request's cookies, if it has one."""
    try:
        found = SimpleCookie(head.headers.get(b"cookie", b"").decode("latin-1")).get(SESSION_COOKIE)
    except CookieError:
        return None
    return None if found is None else found.value


def format_session_cookie(value: str, *, is_secure: bool) -> str:
    """The header that gives a browser its session; no script can read it."""
    parts = [f"{SESSION_COOKIE}={value}", "Path=/", "HttpOnly", "SameSite=Strict"]
    parts.append(f"Max-Age={SESSION_SECONDS if value else 0}")
    return "; ".join([*parts, "Secure"] if is_secure else parts)


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
        return (
            None
            if cookie is None
            else _make_request_user(self._accounts.authenticate_secret(cookie, "session"))
        )

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


MAX_FAILED_ATTEMPTS = 10
"""Wrong attempts of one address that are borne within the time."""
ATTEMPT_WINDOW_SECONDS = 300.0
MAX_TRACKED_ADDRESSES = 10_000
"""Addresses that are remembered; the oldest makes room."""


class SignInThrottle:
    """Counts wrong attempts by the address that they come from. In any thread."""

    def __init__(
        self, most: int = MAX_FAILED_ATTEMPTS, seconds: float = ATTEMPT_WINDOW_SECONDS
    ) -> None:
        self._max_failures = most
        self._window_seconds = seconds
        self._failures: OrderedDict[str, list[float]] = OrderedDict()
        self._lock = Lock()

    def get_wait_seconds(self, address: str) -> int:
        """How long an address has to wait before it may try again; 0 when it need not."""
        with self._lock:
            recent = self._list_recent_failures(address)
            if len(recent) < self._max_failures:
                return 0
            return max(1, int(recent[0] + self._window_seconds - monotonic()) + 1)

    def record_failure(self, address: str) -> None:
        """Somebody has been wrong."""
        with self._lock:
            self._failures[address] = [*self._list_recent_failures(address), monotonic()]
            self._failures.move_to_end(address)
            while len(self._failures) > MAX_TRACKED_ADDRESSES:
                self._failures.popitem(last=False)

    def clear_failures(self, address: str) -> None:
        """Somebody was right after all."""
        with self._lock:
            self._failures.pop(address, None)

    def _list_recent_failures(self, address: str) -> list[float]:
        since = monotonic() - self._window_seconds
        return [moment for moment in self._failures.get(address, ()) if moment > since]


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
