"""The bearer token for a server, and what to say when the server refuses it."""

from __future__ import annotations

import re
import threading
from typing import TYPE_CHECKING

from paddock.errors import ConnectError
from paddock.peer.errors import AccessRefusedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from paddock.peer.settings import TokenSource

UNAUTHORIZED, FORBIDDEN = 401, 403
MIN_SECRET_LENGTH = 8
"""Characters that the value of a header must have to count as a secret."""
_CHALLENGE_PARAMETER = re.compile(r'([A-Za-z_-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s",]+))')
_VISIBLE_ASCII = re.compile(r"[\x21-\x7e]+")


class BearerCredentials:
    """Gives the token to send; keeps it, and other secrets, out of what we say."""

    def __init__(self, token: TokenSource | None, headers: Iterable[str] = ()) -> None:
        words = {word for value in headers for word in (value, value.rpartition(" ")[2])}
        self._secrets = [word for word in words if len(word) >= MIN_SECRET_LENGTH]
        self._source = token
        self._lock = threading.Lock()
        self._current_token = _check_token(token) if isinstance(token, str) else None

    @property
    def can_renew(self) -> bool:
        """Whether there may be another token when one is refused."""
        return callable(self._source)

    def get_token(self) -> str | None:
        """The token to send; a source is asked for one when there is none yet."""
        with self._lock:
            if self._current_token is None and callable(self._source):
                self._current_token = _call_token_source(self._source)
            return self._current_token

    def renew_token(self, refused: str | None) -> str | None:
        """A token in place of one that was refused."""
        with self._lock:
            # Of several requests that were refused at once, the first has asked already.
            if self._current_token == refused and callable(self._source):
                self._current_token = _call_token_source(self._source)
            return self._current_token

    def redact_secrets(self, text: str) -> str:
        """A text of the server, which may have repeated our secrets, without them."""
        for secret in (self._current_token, *self._secrets):
            text = text.replace(secret, "…") if secret else text
        return text

    def make_access_error(
        self, status: int, headers: Mapping[str, str], where: str, excerpt: str
    ) -> AccessRefusedError:
        """The error for a request that the server did not allow."""
        challenge = self.redact_secrets(headers.get("WWW-Authenticate", ""))
        found = {
            name.lower(): quoted or bare for name, quoted, bare in _CHALLENGE_PARAMETER.findall(challenge)
        }
        scope, metadata = found.get("scope"), found.get("resource_metadata")
        reasons = [found.get("error_description") or found.get("error") or excerpt]
        reasons.append(f"it asks for scope {scope!r}" if scope else "")
        reasons.append(f"how to get a token is described at {metadata}" if metadata else "")
        said = "; ".join(reason for reason in reasons if reason)
        return AccessRefusedError(
            f"{where} refused access with HTTP {status}" + (f": {said}" if said else ""),
            status=status,
            hint=self._get_hint(status),
            scope=scope,
            resource_metadata=metadata,
        )

    def _get_hint(self, status: int) -> str:
        if self._source is None:
            return "give a bearer token: token=… in Python, --token-env on the command line"
        if status == UNAUTHORIZED:
            return "the token that was sent is not valid there, or has expired"
        return "the token that was sent does not allow this"


def _call_token_source(source: Callable[[], str]) -> str:
    try:
        token = source()
    except Exception as fault:
        text = f"The function that gives the token failed: {type(fault).__name__}: {fault}"
        raise ConnectError(text, hint="it is what token=… names") from fault
    return _check_token(token)


def _check_token(token: object) -> str:
    if not isinstance(token, str) or not _VISIBLE_ASCII.fullmatch(token):
        raise ConnectError("The token is not one word of visible ASCII characters")
    return token
