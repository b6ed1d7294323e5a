"""Passwords as they are kept: never themselves, only what scrypt makes of them."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from threading import BoundedSemaphore

SCRYPT_COST, SCRYPT_BLOCK_SIZE, SCRYPT_PARALLELISM = 2**15, 8, 1
MAX_SCRYPT_MEMORY_BYTES = 64 * 1024 * 1024
MAX_CONCURRENT_HASHES = 4
"""One takes 32 MB: nobody may have many checked at the same time."""

_hash_slots = BoundedSemaphore(MAX_CONCURRENT_HASHES)


def hash_password(password: str) -> str:
    """What is kept of a password."""
    salt = secrets.token_bytes(16)
    return f"scrypt${SCRYPT_COST}${_encode_base64(salt)}${_encode_base64(_derive_key(password, salt, SCRYPT_COST))}"


def verify_password(password: str, kept: str) -> bool:
    """Whether a password is the one of which this was kept."""
    try:
        kind, cost, salt, derived = kept.split("$")
        wanted = base64.b64decode(derived, validate=True)
        found = _derive_key(password, base64.b64decode(salt, validate=True), int(cost))
    except ValueError:  # it is kept so that none is right
        return False
    return kind == "scrypt" and hmac.compare_digest(found, wanted)


def _derive_key(password: str, salt: bytes, cost: int) -> bytes:
    with _hash_slots:
        return hashlib.scrypt(
            password.encode(), salt=salt, n=cost, r=SCRYPT_BLOCK_SIZE, p=SCRYPT_PARALLELISM, maxmem=MAX_SCRYPT_MEMORY_BYTES, dklen=32
        )


def _encode_base64(data: bytes) -> str:
    return base64.b64encode(data).decode()
