"""Passwords as they are kept: never themselves, only what scrypt makes of them.

The people of a team: each has a name, a password, and a zoo of their own.

Beside the password a person is let in by a pass: the session of a browser, or the token of a
program. Of both only a digest is kept, so that nobody who reads the database can come in with it.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import secrets
from datetime import UTC, datetime, timedelta
from functools import cache
from hashlib import sha256
from threading import BoundedSemaphore
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct
from sqlalchemy import delete, func, insert, select, update

from paddock.zoo import timestamps
from paddock.zoo.context import ZooContext
from paddock.zoo.errors import UserExistsError, UserNotFoundError
from paddock.zoo.store.schema import passes, users
from paddock.zoo.validation import make_invalid_field_error

if TYPE_CHECKING:
    from sqlalchemy import Row


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
            password.encode(),
            salt=salt,
            n=cost,
            r=SCRYPT_BLOCK_SIZE,
            p=SCRYPT_PARALLELISM,
            maxmem=MAX_SCRYPT_MEMORY_BYTES,
            dklen=32,
        )


def _encode_base64(data: bytes) -> str:
    return base64.b64encode(data).decode()


SESSION_DAYS = 30
MIN_PASSWORD_CHARACTERS, MAX_PASSWORD_CHARACTERS = 10, 1000
"""Characters of a password."""
MAX_LABEL_CHARACTERS = 100
ALL_OWNERS = ""
"""Accounts are changed one at a time, whosever they are."""

_USER_NAME_PATTERN = re.compile(r"[a-z0-9][a-z0-9._@-]{0,63}")


class TeamUser(Struct, rename="camel", kw_only=True, frozen=True):
    """A person of a team."""

    name: str
    owner: str
    """Of which zoo."""
    is_admin: bool
    created_at: str


class Token(Struct, rename="camel", kw_only=True, frozen=True):
    """What a program of a person is let in by, without the secret itself."""

    id: str
    label: str
    """What the person calls it."""
    created_at: str


class TeamAccounts(ZooContext):
    """The accounts of one database."""

    def list_users(self) -> list[TeamUser]:
        """Everybody, by name."""
        with self._read_transaction() as reading:
            return [
                _make_user(row)
                for row in reading.connection.execute(select(users).order_by("name"))
            ]

    def add_user(self, name: str, password: str, *, is_admin: bool = False) -> TeamUser:
        """Let somebody in from now on. The first one owns the zoo that was there before.

        Raises:
            InvalidAgentError: when the name or the password cannot be.
            UserExistsError: when there is one of that name.
        """
        name = name.strip().lower()
        if not _USER_NAME_PATTERN.fullmatch(name):
            raise make_invalid_field_error(
                "name", "takes a-z, 0-9 and . _ @ -, 64 characters at most"
            )
        kept = hash_password(_validate_password(password))
        with self._write_transaction(ALL_OWNERS) as writing:
            is_first = not writing.connection.scalar(select(func.count()).select_from(users))
            row = {
                "name": name,
                "owner": "" if is_first else secrets.token_hex(8),
                "password": kept,
                "is_admin": is_admin,
                "created_at": writing.timestamp,
            }
            if writing.connection.scalar(select(users.c.name).where(users.c.name == name)):
                raise UserExistsError(f"there is a user {name!r} already")
            writing.connection.execute(insert(users), row)
        return TeamUser(
            name=name, owner=str(row["owner"]), is_admin=is_admin, created_at=str(row["created_at"])
        )

    def set_password(self, name: str, password: str) -> None:
        """Give somebody another password; their sessions end, their tokens stay.

        Raises:
            UserNotFoundError: when there is no such user.
            InvalidAgentError: when the password cannot be.
        """
        kept = hash_password(_validate_password(password))
        with self._write_transaction(ALL_OWNERS) as writing:
            self._update_user(writing.connection, name, password=kept)
            own = (passes.c.user_name == name) & (passes.c.kind == "session")
            writing.connection.execute(delete(passes).where(own))

    def set_admin(self, name: str, *, is_admin: bool) -> None:
        """Have somebody look after the others, or not any more.

        Raises:
            UserNotFoundError: when there is no such user.
            InvalidAgentError: when nobody else would.
        """
        with self._write_transaction(ALL_OWNERS) as writing:
            if not is_admin:
                self._require_another_admin(writing.connection, name)
            self._update_user(writing.connection, name, is_admin=is_admin)

    def delete_user(self, name: str) -> None:
        """Let somebody in no more. Their zoo stays in the database.

        Raises:
            UserNotFoundError: when there is no such user.
            InvalidAgentError: when they are the last administrator.
        """
        with self._write_transaction(ALL_OWNERS) as writing:
            self._require_another_admin(writing.connection, name)
            writing.connection.execute(delete(passes).where(passes.c.user_name == name))
            done = writing.connection.execute(delete(users).where(users.c.name == name))
            if not done.rowcount:
                raise _make_user_not_found_error(name)

    def authenticate(self, name: str, password: str) -> TeamUser | None:
        """Who has said this name and password; None when it is nobody's."""
        name = name.strip().lower()
        with self._read_transaction() as reading:
            row = reading.connection.execute(select(users).where(users.c.name == name)).first()
        if not verify_password(
            password[:MAX_PASSWORD_CHARACTERS], _get_dummy_hash() if row is None else row.password
        ):
            return None
        return None if row is None else _make_user(row)

    def create_session(self, name: str) -> str:
        """The secret of a new session of a browser."""
        secret = secrets.token_urlsafe(32)
        until = timestamps.format_timestamp(datetime.now(UTC) + timedelta(days=SESSION_DAYS))
        self._insert_pass(secret, name, "session", "", until)
        return secret

    def revoke_session(self, secret: str) -> None:
        """Have a session count no more."""
        with self._write_transaction(ALL_OWNERS) as writing:
            mine = (passes.c.digest == _compute_digest(secret)) & (passes.c.kind == "session")
            writing.connection.execute(delete(passes).where(mine))

    def create_token(self, name: str, label: str) -> tuple[Token, str]:
        """A token for a program of somebody, and its secret, which is told only now.

        Raises:
            UserNotFoundError: when there is no such user.
            InvalidAgentError: when the label cannot be.
        """
        label = label.strip()
        if not label or len(label) > MAX_LABEL_CHARACTERS or not label.isprintable():
            raise make_invalid_field_error("label", f"needs 1 to {MAX_LABEL_CHARACTERS} characters")
        secret = f"paddock_{secrets.token_urlsafe(32)}"
        return self._insert_pass(secret, name, "token", label, None), secret

    def list_tokens(self, name: str) -> list[Token]:
        """The tokens of somebody, the oldest first."""
        own = (passes.c.user_name == name) & (passes.c.kind == "token")
        with self._read_transaction() as reading:
            rows = reading.connection.execute(
                select(passes).where(own).order_by("created_at", "id")
            )
            return [Token(id=r.id, label=r.label, created_at=r.created_at) for r in rows]

    def delete_token(self, name: str, token_id: str) -> None:
        """Have a token of somebody count no more.

        Raises:
            UserNotFoundError: when they have no such token.
        """
        own = (passes.c.user_name == name) & (passes.c.kind == "token") & (passes.c.id == token_id)
        with self._write_transaction(ALL_OWNERS) as writing:
            if not writing.connection.execute(delete(passes).where(own)).rowcount:
                raise UserNotFoundError(f"{name} has no token {token_id[:100]!r}")

    def authenticate_secret(
        self, secret: str, kind: Literal["session", "token"]
    ) -> TeamUser | None:
        """Who is let in by the secret of a session or a token; None when it is nobody's."""
        wanted = select(users, passes.c.expires_at).join_from(users, passes)
        wanted = wanted.where(passes.c.digest == _compute_digest(secret), passes.c.kind == kind)
        with self._read_transaction() as reading:
            row = reading.connection.execute(wanted).first()
        if row is None or (
            row.expires_at is not None and row.expires_at < timestamps.get_current_timestamp()
        ):
            return None
        return _make_user(row)

    def _insert_pass(
        self, secret: str, name: str, kind: str, label: str, expires_at: str | None
    ) -> Token:
        token_id = secrets.token_hex(8)
        with self._write_transaction(ALL_OWNERS) as writing:
            row = {
                "digest": _compute_digest(secret),
                "id": token_id,
                "user_name": name,
                "kind": kind,
                "label": label,
                "created_at": writing.timestamp,
                "expires_at": expires_at,
            }
            writing.connection.execute(
                delete(passes).where(passes.c.expires_at < writing.timestamp)
            )
            if not writing.connection.scalar(select(users.c.name).where(users.c.name == name)):
                raise _make_user_not_found_error(name)
            writing.connection.execute(insert(passes), row)
            return Token(id=token_id, label=label, created_at=writing.timestamp)

    def _update_user(self, connection: Any, name: str, **values: object) -> None:
        done = connection.execute(update(users).where(users.c.name == name).values(**values))
        if not done.rowcount:
            raise _make_user_not_found_error(name)

    def _require_another_admin(self, connection: Any, name: str) -> None:
        """Make sure that somebody is left who looks after the others."""
        admins = [*connection.scalars(select(users.c.name).where(users.c.is_admin))]
        if admins == [name]:
            raise make_invalid_field_error("name", f"{name} is the last administrator")


def _make_user(row: Row[Any]) -> TeamUser:
    return TeamUser(
        name=row.name, owner=row.owner, is_admin=row.is_admin, created_at=row.created_at
    )


@cache
def _get_dummy_hash() -> str:
    """What is checked where there is no such user, so that the answer takes as long."""
    return hash_password(secrets.token_hex())


def _compute_digest(secret: str) -> str:
    return sha256(secret.encode()).hexdigest()


def _validate_password(password: str) -> str:
    if not MIN_PASSWORD_CHARACTERS <= len(password) <= MAX_PASSWORD_CHARACTERS:
        raise make_invalid_field_error(
            "password", f"needs {MIN_PASSWORD_CHARACTERS} to {MAX_PASSWORD_CHARACTERS} characters"
        )
    return password


def _make_user_not_found_error(name: str) -> UserNotFoundError:
    return UserNotFoundError(f"there is no user {name[:100]!r}")
