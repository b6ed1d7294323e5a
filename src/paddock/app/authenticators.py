"""Authenticators: local (no credentials), shared token, and team accounts.

The module also throttles failed sign-ins, and defines the user of a request and their permissions.
"""

from __future__ import annotations

import hmac
from abc import ABC, abstractmethod
from collections import OrderedDict
from hashlib import sha256
from http.cookies import CookieError, SimpleCookie
from threading import Lock
from time import monotonic, time
from typing import TYPE_CHECKING, Any

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
"""The owner of the only zoo, unless a team is served."""
MIN_TOKEN_CHARACTERS = 16

MAX_FAILED_ATTEMPTS = 10
"""Failed attempts allowed from one address within the window before it has to wait."""
ATTEMPT_WINDOW_SECONDS = 300.0
# Limits memory use. The address with the oldest failure is forgotten first.
MAX_TRACKED_ADDRESSES = 10_000
REQUEST_USER_KEY = "paddock.visitor"
"""The key under which the ASGI scope of a request stores the user."""


class WeakTokenError(PaddockError):
    """The shared token is too short to be secure."""

    code = "weak-token"


class SignInError(PaddockError):
    """The user name, the password or the token is wrong."""

    code = "sign-in-failed"


class RequestUser(Struct, frozen=True, kw_only=True):
    """The user who sent a request, as identified by an authenticator."""

    owner: str = SHARED_OWNER
    """The owner of the zoo that the request reads or changes."""
    name: str | None = None
    """The user name, or None if the server has no user accounts."""
    is_admin: bool = True
    """Whether the user may manage servers, clients and accounts."""
    is_authenticated: bool = True


ANONYMOUS = RequestUser(owner="(anonymous)", is_admin=False, is_authenticated=False)


class Authenticator(ABC):
    """Identifies the user of a request from a bearer token or a session cookie.

    The methods may block on a database, so the application calls them in a thread.
    """

    needs_sign_in = True
    """Whether requests need credentials. False only for `LocalAuthenticator`."""
    is_team = False
    """Whether multiple users have accounts on this server, each with their own zoo."""

    def authenticate(self, head: RequestHead) -> RequestUser | None:
        """Return the user who sent a request, or None if it has no valid credentials.

        A bearer token takes precedence over a cookie: a request with an invalid token is rejected
        even if its cookie is valid.
        """
        token = get_bearer_token(head)
        if token is not None:
            return self.authenticate_token(token)
        cookie = get_session_cookie(head)
        return None if cookie is None else self.authenticate_cookie(cookie)

    def authenticate_token(self, _token: str) -> RequestUser | None:
        """Return the user of a bearer token, sent by a program, or None if it is invalid."""
        return None

    def authenticate_cookie(self, _cookie: str) -> RequestUser | None:
        """Return the user of a session cookie, sent by a browser, or None if it is invalid."""
        return None

    @abstractmethod
    def sign_in(self, name: str | None, password: str | None, token: str | None) -> str:
        """Return a session cookie for valid credentials.

        Raises:
            SignInError: The credentials are wrong.
        """

    def sign_out(self, head: RequestHead) -> None:  # noqa: B027 - not every cookie can be revoked
        """Revoke a request's session cookie. The response deletes the cookie in any case."""


class LocalAuthenticator(Authenticator):
    """Authenticator that grants every request full access. Only for loopback addresses.

    The request policy still rejects requests from web pages of other origins.
    """

    needs_sign_in = False

    def authenticate(self, _head: RequestHead) -> RequestUser | None:
        """Return a user with all permissions."""
        return RequestUser()

    def sign_in(self, _name: str | None, _password: str | None, _token: str | None) -> str:
        """Reject the sign-in.

        Raises:
            SignInError: Always.
        """
        raise SignInError("Sign-in is disabled: this server accepts local connections only")


class TokenAuthenticator(Authenticator):
    """Authenticator for a shared token, or a cookie derived from it.

    The cookie is an expiry time with an HMAC. The server therefore stores no sessions, and the
    browser never stores the token. All users have all permissions.
    """

    def __init__(self, token: str) -> None:
        if len(token) < MIN_TOKEN_CHARACTERS:
            raise WeakTokenError(
                f"the token has {len(token)} characters, but needs at least {MIN_TOKEN_CHARACTERS}",
                hint="generate one: python -c 'import secrets; print(secrets.token_urlsafe(24))'",
            )
        self._token = token.encode()

    def authenticate_token(self, token: str) -> RequestUser | None:
        """Accept the shared token."""
        return RequestUser() if hmac.compare_digest(token.encode(), self._token) else None

    def authenticate_cookie(self, cookie: str) -> RequestUser | None:
        """Accept a cookie with a valid signature that has not expired."""
        return RequestUser() if self._is_valid_cookie(cookie) else None

    def sign_in(self, _name: str | None, _password: str | None, token: str | None) -> str:
        """Return a session cookie, valid for 30 days, for the shared token.

        Raises:
            SignInError: The token is wrong.
        """
        if token is None or not hmac.compare_digest(token.strip().encode(), self._token):
            raise SignInError("The token is wrong")
        expires_at = str(int(time()) + SESSION_SECONDS)
        return f"{expires_at}.{self._sign(expires_at)}"

    def _is_valid_cookie(self, cookie: str) -> bool:
        """Return whether a cookie, `EXPIRY_TIME.SIGNATURE`, was signed here and has not expired."""
        expires_at, _, signature = cookie.partition(".")
        # Constant-time comparison keeps an attacker from guessing the signature by timing.
        if not hmac.compare_digest(signature.encode(), self._sign(expires_at).encode()):
            return False
        return int(expires_at) > time()

    def _sign(self, expires_at: str) -> str:
        return hmac.new(self._token, f"session {expires_at}".encode(), sha256).hexdigest()


def get_bearer_token(head: RequestHead) -> str | None:
    """Return the token in the Authorization header, or None."""
    scheme, _, token = head.headers.get(b"authorization", b"").decode("latin-1").partition(" ")
    return token.strip() if scheme.lower() == "bearer" and token.strip() else None


def get_session_cookie(head: RequestHead) -> str | None:
    """Return the value of a request's session cookie, or None."""
    # Other applications on the same host share the header. If one of them has set a malformed
    # cookie, the request is treated as not signed in instead of failing.
    try:
        cookies = SimpleCookie(head.headers.get(b"cookie", b"").decode("latin-1"))
    except CookieError:
        return None
    return cookies[SESSION_COOKIE].value if SESSION_COOKIE in cookies else None


def format_session_cookie(value: str, *, is_secure: bool) -> str:
    """Return the value of the Set-Cookie header that starts or ends a session.

    `HttpOnly` hides the cookie from scripts, and `SameSite=Strict` keeps the browser from sending
    it with requests from other sites.

    Args:
        value: The value of the session cookie, or an empty string to delete the cookie.
        is_secure: Have the browser send the cookie over HTTPS only.
    """
    attributes = [f"{SESSION_COOKIE}={value}", "Path=/", "HttpOnly", "SameSite=Strict"]
    attributes.append(f"Max-Age={SESSION_SECONDS if value else 0}")
    if is_secure:
        attributes.append("Secure")
    return "; ".join(attributes)


class TeamAuthenticator(Authenticator):
    """Authenticator for a team, whose users have accounts in the database."""

    is_team = True

    def __init__(self, accounts: TeamAccounts) -> None:
        self._accounts = accounts

    def authenticate_token(self, token: str) -> RequestUser | None:
        """Return the user who created an access token."""
        return _make_request_user(self._accounts.authenticate_secret(token, "token"))

    def authenticate_cookie(self, cookie: str) -> RequestUser | None:
        """Return the user of a session."""
        return _make_request_user(self._accounts.authenticate_secret(cookie, "session"))

    def sign_in(self, name: str | None, password: str | None, _token: str | None) -> str:
        """Create a session for a user name and password, and return its secret.

        Raises:
            SignInError: The name or the password is wrong. The message does not reveal which.
        """
        user = self._accounts.authenticate(name or "", password or "")
        if user is None:
            raise SignInError("Name or password is wrong")
        return self._accounts.create_session(user.name)

    def sign_out(self, head: RequestHead) -> None:
        """Revoke the session sent with the request."""
        cookie = get_session_cookie(head)
        if cookie is not None:
            self._accounts.revoke_session(cookie)


def _make_request_user(user: TeamUser | None) -> RequestUser | None:
    if user is None:
        return None
    return RequestUser(owner=user.owner, name=user.name, is_admin=user.is_admin)


class SignInThrottle:
    """Limits failed sign-ins per client address, to slow down password guessing.

    Methods can be called from any thread.
    """

    def __init__(
        self,
        max_failures: int = MAX_FAILED_ATTEMPTS,
        window_seconds: float = ATTEMPT_WINDOW_SECONDS,
    ) -> None:
        self._max_failures = max_failures
        self._window_seconds = window_seconds
        self._failures: OrderedDict[str, list[float]] = OrderedDict()
        self._lock = Lock()

    def get_wait_seconds(self, address: str) -> int:
        """Return how long an address has to wait before its next attempt, or 0."""
        with self._lock:
            failure_times = self._list_recent_failures(address)
            if len(failure_times) < self._max_failures:
                return 0
            # The address may try again when its oldest failure leaves the time window.
            return max(1, int(failure_times[0] + self._window_seconds - monotonic()) + 1)

    def record_failure(self, address: str) -> None:
        """Count a failed sign-in from a client address.

        Only the addresses that failed most recently are remembered, so requests from many addresses
        cannot exhaust memory.
        """
        with self._lock:
            self._failures[address] = [*self._list_recent_failures(address), monotonic()]
            # The first address in the dictionary is the next to be forgotten.
            self._failures.move_to_end(address)
            while len(self._failures) > MAX_TRACKED_ADDRESSES:
                self._failures.popitem(last=False)

    def clear_failures(self, address: str) -> None:
        """Forget the failures of an address after a successful sign-in."""
        with self._lock:
            self._failures.pop(address, None)

    def _list_recent_failures(self, address: str) -> list[float]:
        """Return the monotonic times of the failures that still count, oldest first."""
        window_start = monotonic() - self._window_seconds
        failure_times = self._failures.get(address, ())
        return [failed_at for failed_at in failure_times if failed_at > window_start]


def get_request_user(request: Request[Any, Any, Any]) -> RequestUser:
    """Return the user of a request, or `ANONYMOUS`."""
    user = dict(request.scope).get(REQUEST_USER_KEY)
    return user if isinstance(user, RequestUser) else ANONYMOUS


def require_admin(connection: ASGIConnection[Any, Any, Any, Any], _route: BaseRouteHandler) -> None:
    """Reject a request unless an administrator sent it. Used as a guard of Litestar routes.

    Raises:
        PermissionDeniedException: The user is not an administrator.
    """
    user = dict(connection.scope).get(REQUEST_USER_KEY)
    if not (isinstance(user, RequestUser) and user.is_admin):
        raise PermissionDeniedException("Only an administrator may do this")
