"""Passwords as they are kept: never themselves, only what scrypt makes of them."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from threading import BoundedSemaphore

COST, BLOCK, PARALLEL = 2**15, 8, 1
MOST_MEMORY = 64 * 1024 * 1024
AT_ONCE = 4
"""One takes 32 MB: nobody may have many checked at the same time."""

_working = BoundedSemaphore(AT_ONCE)


def kept_form(password: str) -> str:
    """What is kept of a password."""
    salt = secrets.token_bytes(16)
    return f"scrypt${COST}${_text(salt)}${_text(_derived(password, salt, COST))}"


def is_right(password: str, kept: str) -> bool:
    """Whether a password is the one of which this was kept."""
    try:
        kind, cost, salt, derived = kept.split("$")
        wanted = base64.b64decode(derived, validate=True)
        found = _derived(password, base64.b64decode(salt, validate=True), int(cost))
    except ValueError:  # it is kept so that none is right
        return False
    return kind == "scrypt" and hmac.compare_digest(found, wanted)


def _derived(password: str, salt: bytes, cost: int) -> bytes:
    with _working:
        return hashlib.scrypt(
            password.encode(), salt=salt, n=cost, r=BLOCK, p=PARALLEL, maxmem=MOST_MEMORY, dklen=32
        )


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()
