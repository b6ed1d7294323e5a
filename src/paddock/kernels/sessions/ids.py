"""Names of sessions: short, safe in a path and in a context of the Wolfram Language."""

from __future__ import annotations

import re
import secrets
import string

SESSION_ID_LENGTH = 8
_SESSION_ID_PATTERN = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")
_FIRST_ID_CHARACTERS = string.ascii_lowercase
_ID_CHARACTERS = string.ascii_lowercase + string.digits
"""No upper case: some file systems do not tell it from lower case."""


def generate_session_id() -> str:
    """An id that nobody guesses: a letter, then letters and digits."""
    rest = (secrets.choice(_ID_CHARACTERS) for _ in range(SESSION_ID_LENGTH - 1))
    return secrets.choice(_FIRST_ID_CHARACTERS) + "".join(rest)


def is_valid_session_id(session_id: str) -> bool:
    """Whether a session may have this id."""
    return _SESSION_ID_PATTERN.fullmatch(session_id) is not None
