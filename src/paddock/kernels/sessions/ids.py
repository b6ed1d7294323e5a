"""Names of sessions: short, safe in a path and in a context of the Wolfram Language."""

from __future__ import annotations

import re
import secrets
import string

LENGTH = 8
_ACCEPTED = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")
_LETTERS = string.ascii_lowercase
_CHARACTERS = string.ascii_lowercase + string.digits
"""No upper case: some file systems do not tell it from lower case."""


def new_id() -> str:
    """An id that nobody guesses: a letter, then letters and digits."""
    rest = (secrets.choice(_CHARACTERS) for _ in range(LENGTH - 1))
    return secrets.choice(_LETTERS) + "".join(rest)


def is_valid(session_id: str) -> bool:
    """Whether a session may have this id."""
    return _ACCEPTED.fullmatch(session_id) is not None
