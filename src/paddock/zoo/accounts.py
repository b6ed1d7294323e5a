"""Team accounts: users, their passwords, and the credentials that browsers and programs send.

A credential ("pass" in the tables) is the session of a browser or the token of a program. The
database stores scrypt hashes of passwords and digests of credentials, so that a copy of it is not
enough to sign in.
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
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import msgspec
from msgspec import Struct
from sqlalchemy import delete, func, insert, select, update

from paddock.zoo import timestamps
from paddock.zoo.context import ZooContext
from paddock.zoo.errors import UserExistsError, UserNotFoundError
from paddock.zoo.store.schema import passes, users
from paddock.zoo.validation import make_invalid_field_error

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from sqlalchemy import Row

    from paddock.zoo.store.transaction import WriteTransaction


SCRYPT_COST, SCRYPT_BLOCK_SIZE, SCRYPT_PARALLELISM = 2**15, 8, 1
MAX_SCRYPT_MEMORY_BYTES = 64 * 1024 * 1024
# One hash takes 32 MB. Without a limit, concurrent sign-ins could exhaust the memory.
MAX_CONCURRENT_HASHES = 4
SESSION_DAYS = 30
MIN_PASSWORD_CHARACTERS, MAX_PASSWORD_CHARACTERS = 10, 1000
MAX_LABEL_CHARACTERS = 100
# Accounts belong to no owner. All writers take the lock of this one, so that two of them cannot
# both remove the last administrator.
_LOCK_OWNER = ""
_CHANGE_SOURCE = "accounts"  # never stored: changes of accounts record no events
_USER_NAME_PATTERN = re.compile(r"[a-z0-9][a-z0-9._@-]{0,63}")
_hash_slots = BoundedSemaphore(MAX_CONCURRENT_HASHES)


def hash_password(password: str) -> str:
    """Return a salted scrypt hash of a password, as text with its parameters."""
    salt = secrets.token_bytes(16)
    key = _derive_key(password, salt, SCRYPT_COST)
    return f"scrypt${SCRYPT_COST}${_encode_base64(salt)}${_encode_base64(key)}"


def verify_password(password: str, password_hash: str) -> bool:
    """Return whether a hash was made from a password. A malformed hash matches no password."""
    try:
        kind, cost, salt, key = password_hash.split("$")
        expected = base64.b64decode(key, validate=True)
        actual = _derive_key(password, base64.b64decode(salt, validate=True), int(cost))
    except ValueError:
        return False
    return kind == "scrypt" and hmac.compare_digest(actual, expected)


def _derive_key(password: str, salt: bytes, cost: int) -> bytes:
    """Hash a password with scrypt.

    One hash takes 32 MB, so `_hash_slots` limits how many are computed at the same time.
    """
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


class TeamUser(Struct, rename="camel", kw_only=True, frozen=True):
    """A user of a team."""

    name: str
    owner: str
    """The owner of the user's zoo."""
    is_admin: bool
    created_at: str


class Token(Struct, rename="camel", kw_only=True, frozen=True):
    """An access token of a user's program, without its secret."""

    id: str
    label: str
    """The user's name for the token."""
    created_at: str


class IssuedToken(NamedTuple):
    """A new access token with the secret that programs send."""

    token: Token
    secret: str


class TeamAccounts:
    """The accounts in one database.

    Methods raise `UserNotFoundError` for an unknown user or token, and `InvalidAgentError` if a
    value is invalid.
    """

    def __init__(self, context: ZooContext) -> None:
        self._context = ZooContext(context.database, _LOCK_OWNER)

    def list_users(self) -> list[TeamUser]:
        """Return all users, sorted by name."""
        with self._context.read_transaction() as tx:
            rows = tx.connection.execute(select(users).order_by("name"))
            return [_make_user(row) for row in rows]

    def add_user(self, name: str, password: str, *, is_admin: bool = False) -> TeamUser:
        """Create a user with an empty zoo. The first user gets the zoo of the single-user mode.

        Raises:
            UserExistsError: The name is taken.
        """
        # Names are case-insensitive, so that "Ada" cannot pass for another user than "ada".
        name = name.strip().lower()
        if not _USER_NAME_PATTERN.fullmatch(name):
            raise make_invalid_field_error(
                "name", "must consist of a-z, 0-9 and . _ @ -, with at most 64 characters"
            )
        # Hashing is slow by design, so it comes before the write lock.
        password_hash = hash_password(_validate_password(password))
        with self._write_transaction() as tx:
            # Switching from single-user to team mode must not hide the agents that already exist.
            is_first = not tx.connection.scalar(select(func.count()).select_from(users))
            user = TeamUser(
                name=name,
                owner="" if is_first else secrets.token_hex(8),
                is_admin=is_admin,
                created_at=tx.timestamp,
            )
            if tx.connection.scalar(select(users.c.name).where(users.c.name == name)):
                raise UserExistsError(f"a user named {name!r} already exists")
            row = {**msgspec.structs.asdict(user), "password": password_hash}
            tx.connection.execute(insert(users), row)
        return user

    def set_password(self, name: str, password: str) -> None:
        """Change a password, and end the user's sessions. Tokens stay valid."""
        password_hash = hash_password(_validate_password(password))
        with self._write_transaction() as tx:
            _update_user(tx, name, password=password_hash)
            # A session that was opened with the old password must not stay valid.
            is_session = (passes.c.user_name == name) & (passes.c.kind == "session")
            tx.connection.execute(delete(passes).where(is_session))

    def set_admin(self, name: str, *, is_admin: bool) -> None:
        """Make a user an administrator, or revoke that. The last administrator has to remain."""
        with self._write_transaction() as tx:
            if not is_admin:
                _require_another_admin(tx, name)
            _update_user(tx, name, is_admin=is_admin)

    def delete_user(self, name: str) -> None:
        """Delete a user with all credentials. The user's zoo stays in the database.

        The last administrator cannot be deleted.
        """
        with self._write_transaction() as tx:
            _require_another_admin(tx, name)
            tx.connection.execute(delete(passes).where(passes.c.user_name == name))
            result = tx.connection.execute(delete(users).where(users.c.name == name))
            if not result.rowcount:
                raise _make_user_not_found_error(name)

    def authenticate(self, name: str, password: str) -> TeamUser | None:
        """Return the user with a name and password, or None if they do not match."""
        name = name.strip().lower()
        with self._context.read_transaction() as tx:
            row = tx.connection.execute(select(users).where(users.c.name == name)).first()
        # An unknown name costs one hash too. The response time would otherwise reveal user names.
        password_hash = _get_dummy_hash() if row is None else row.password
        # The password is truncated, because the cost of hashing grows with the length of the input.
        is_correct = verify_password(password[:MAX_PASSWORD_CHARACTERS], password_hash)
        return _make_user(row) if row is not None and is_correct else None

    def create_session(self, name: str) -> str:
        """Create a browser session, and return its secret."""
        secret = secrets.token_urlsafe(32)
        expires_at = timestamps.format_timestamp(datetime.now(UTC) + timedelta(days=SESSION_DAYS))
        self._insert_pass(secret, name, "session", "", expires_at)
        return secret

    def revoke_session(self, secret: str) -> None:
        """End a browser session."""
        is_session = (passes.c.digest == _compute_digest(secret)) & (passes.c.kind == "session")
        with self._write_transaction() as tx:
            tx.connection.execute(delete(passes).where(is_session))

    def create_token(self, name: str, label: str) -> IssuedToken:
        """Create an access token, and return it with its secret.

        The secret cannot be read again later, because only its digest is stored.
        """
        label = label.strip()
        if not label or len(label) > MAX_LABEL_CHARACTERS or not label.isprintable():
            raise make_invalid_field_error("label", f"needs 1 to {MAX_LABEL_CHARACTERS} characters")
        # The prefix shows what a leaked or forgotten token belongs to.
        secret = f"paddock_{secrets.token_urlsafe(32)}"
        return IssuedToken(self._insert_pass(secret, name, "token", label, None), secret)

    def list_tokens(self, name: str) -> list[Token]:
        """Return the access tokens of a user, oldest first."""
        is_token = (passes.c.user_name == name) & (passes.c.kind == "token")
        with self._context.read_transaction() as tx:
            rows = tx.connection.execute(
                select(passes).where(is_token).order_by("created_at", "id")
            )
            return msgspec.convert([*rows], list[Token], from_attributes=True)

    def delete_token(self, name: str, token_id: str) -> None:
        """Revoke an access token."""
        is_token = (
            (passes.c.user_name == name) & (passes.c.kind == "token") & (passes.c.id == token_id)
        )
        with self._write_transaction() as tx:
            if not tx.connection.execute(delete(passes).where(is_token)).rowcount:
                raise UserNotFoundError(f"{name} has no token {token_id[:100]!r}")

    def authenticate_secret(
        self, secret: str, kind: Literal["session", "token"]
    ) -> TeamUser | None:
        """Return the user of a session or token, or None if it is unknown or has expired.

        Requests are authenticated by this method, so it only looks up a digest and never hashes a
        password.
        """
        statement = select(users, passes.c.expires_at).join_from(users, passes)
        statement = statement.where(
            passes.c.digest == _compute_digest(secret), passes.c.kind == kind
        )
        with self._context.read_transaction() as tx:
            row = tx.connection.execute(statement).first()
        if row is None or (
            row.expires_at is not None and row.expires_at < timestamps.get_current_timestamp()
        ):
            return None
        return _make_user(row)

    def _write_transaction(self) -> AbstractContextManager[WriteTransaction]:
        return self._context.write_transaction(_CHANGE_SOURCE)

    def _insert_pass(
        self, secret: str, name: str, kind: str, label: str, expires_at: str | None
    ) -> Token:
        """Store the digest of a session or token secret, and return its public description.

        Sessions and tokens share one table. A token has no expiry time.
        """
        with self._write_transaction() as tx:
            token = Token(id=secrets.token_hex(8), label=label, created_at=tx.timestamp)
            # Expired sessions are deleted here, because nothing runs periodically.
            tx.connection.execute(delete(passes).where(passes.c.expires_at < tx.timestamp))
            if not tx.connection.scalar(select(users.c.name).where(users.c.name == name)):
                raise _make_user_not_found_error(name)
            row = {
                **msgspec.structs.asdict(token),
                "digest": _compute_digest(secret),
                "user_name": name,
                "kind": kind,
                "expires_at": expires_at,
            }
            tx.connection.execute(insert(passes), row)
        return token


def _update_user(tx: WriteTransaction, name: str, **values: object) -> None:
    result = tx.connection.execute(update(users).where(users.c.name == name).values(**values))
    if not result.rowcount:
        raise _make_user_not_found_error(name)


def _require_another_admin(tx: WriteTransaction, name: str) -> None:
    admins = [*tx.connection.scalars(select(users.c.name).where(users.c.is_admin))]
    if admins == [name]:
        raise make_invalid_field_error("name", f"{name} is the last administrator")


def _make_user(row: Row[Any]) -> TeamUser:
    return msgspec.convert(row, TeamUser, from_attributes=True)


@cache
def _get_dummy_hash() -> str:
    return hash_password(secrets.token_hex())


def _compute_digest(secret: str) -> str:
    # A fast hash is enough, because the secrets have 256 random bits and cannot be guessed.
    return sha256(secret.encode()).hexdigest()


def _validate_password(password: str) -> str:
    if not MIN_PASSWORD_CHARACTERS <= len(password) <= MAX_PASSWORD_CHARACTERS:
        raise make_invalid_field_error(
            "password", f"needs {MIN_PASSWORD_CHARACTERS} to {MAX_PASSWORD_CHARACTERS} characters"
        )
    return password


def _make_user_not_found_error(name: str) -> UserNotFoundError:
    return UserNotFoundError(f"no user is named {name[:100]!r}")
