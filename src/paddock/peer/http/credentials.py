"""The bearer token for a server, and what to say when the server refuses it."""

from __future__ import annotations

import re
import threading
from typing import TYPE_CHECKING

from paddock.errors import ConnectError
from paddock.peer.errors import AccessRefusedError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from paddock.peer.settings import Token

UNAUTHORIZED, FORBIDDEN = 401, 403
_PARAMETER = re.compile(r'([A-Za-z_-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s",]+))')
_VISIBLE = re.compile(r"[\x21-\x7e]+")


class Credentials:
    """Gives the token to send; never lets it into a text."""

    def __init__(self, token: Token | None) -> None:
        self._source = token
        self._lock = threading.Lock()
        self._current = _checked(token) if isinstance(token, str) else None

    def token(self) -> str | None:
        """The token to send; a source is asked for one when there is none yet."""
        with self._lock:
            if self._current is None and callable(self._source):
                self._current = _checked(self._source())
            return self._current

    def renewed(self, refused: str | None) -> str | None:
        """A token in place of one that was refused; None when there is no other."""
        with self._lock:
            if not callable(self._source):
                return None
            # Of several requests that were refused at once, the first has asked already.
            if self._current == refused:
                self._current = _checked(self._source())
            return self._current

    def redacted(self, text: str) -> str:
        """A text of the server, which may have repeated the token, without it."""
        return text.replace(self._current, "…") if self._current else text

    def refusal(
        self, status: int, headers: Mapping[str, str], where: str, excerpt: str
    ) -> AccessRefusedError:
        """The error for a request that the server did not allow."""
        challenge = self.redacted(headers.get("WWW-Authenticate", ""))
        found = {
            name.lower(): quoted or bare for name, quoted, bare in _PARAMETER.findall(challenge)
        }
        scope, metadata = found.get("scope"), found.get("resource_metadata")
        reasons = [found.get("error_description") or found.get("error") or excerpt]
        reasons.append(f"it asks for scope {scope!r}" if scope else "")
        reasons.append(f"how to get a token is described at {metadata}" if metadata else "")
        said = "; ".join(reason for reason in reasons if reason)
        return AccessRefusedError(
            f"{where} refused access with HTTP {status}" + (f": {said}" if said else ""),
            status=status,
            hint=self._advice(status),
            scope=scope,
            resource_metadata=metadata,
        )

    def _advice(self, status: int) -> str:
        if self._source is None:
            return "give a bearer token: token=… in Python, --token-env on the command line"
        if status == UNAUTHORIZED:
            return "the token that was sent is not valid there, or has expired"
        return "the token that was sent does not allow this"


def _checked(token: object) -> str:
    if not isinstance(token, str) or not _VISIBLE.fullmatch(token):
        raise ConnectError("The token is not one word of visible ASCII characters")
    return token
