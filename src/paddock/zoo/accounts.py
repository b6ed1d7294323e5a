"""Team accounts: users, their passwords, and the credentials that browsers and programs send.

A credential (table `passes`) is a browser session or a program's token. The database stores scrypt
hashes of passwords and digests of credentials, so a copy of it is not enough to sign in.
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
from paddock.zoo.store.schema import credentials, users
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
# Accounts do not belong to an owner. All writers take the lock of this one, so two of them cannot
# both remove the last administrator.
_LOCK_OWNER = ""
_CHANGE_SOURCE = "accounts"  # never stored: account changes do not record events
_USER_NAME_PATTERN = re.compile(r"[a-z0-9][a-z0-9._@-]{0,63}")
_hash_slots = BoundedSemaphore(MAX_CONCURRENT_HASHES)


def hash_password(password: str) -> str:
    """Return a salted scrypt hash of a password, as text with its parameters."""
    salt = secrets.token_bytes(16)
    key = _derive_key(password, salt, SCRYPT_COST)
    return f"scrypt${SCRYPT_COST}${_encode_base64(salt)}${_encode_base64(key)}"


def verify_password(password: str, password_hash: str) -> bool:
    """Return whether a password matches a hash that `hash_password` made.

    A malformed hash matches no password.
    """
    try:
        algorithm, cost, salt, key = password_hash.split("$")
        expected_key = base64.b64decode(key, validate=True)
        actual_key = _derive_key(password, base64.b64decode(salt, validate=True), int(cost))
    except ValueError:
        return False
    return algorithm == "scrypt" and hmac.compare_digest(actual_key, expected_key)


def _derive_key(password: str, salt: bytes, cost: int) -> bytes:
    """Derive a 32-byte key from a password with scrypt, a hash function that is slow by design.

    One call takes 32 MB of memory, so `_hash_slots` limits how many run at the same time.
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
    """The owner name of the rows in the user's zoo."""
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
        """Create a user with an empty zoo. The first user takes over the single-user zoo.

        Raises:
            InvalidAgentError: The name or the password is not allowed.
            UserExistsError: The name is taken.
        """
        # Names are case-insensitive, so that a new user "Ada" cannot be mistaken for "ada".
        name = name.strip().lower()
        if not _USER_NAME_PATTERN.fullmatch(name):
            raise make_invalid_field_error(
                "name", "must consist of a-z, 0-9 and . _ @ -, with at most 64 characters"
            )
        # Hashing is slow by design, so do it before taking the write lock.
        password_hash = hash_password(_validate_password(password))
        with self._write_transaction() as tx:
            if tx.connection.scalar(select(users.c.name).where(users.c.name == name)):
                raise UserExistsError(f"a user named {name!r} already exists")
            # In single-user mode, the zoo has an empty owner. The first user gets that owner, so
            # switching to team mode does not hide the existing agents.
            is_first_user = not tx.connection.scalar(select(func.count()).select_from(users))
            user = TeamUser(
                name=name,
                owner="" if is_first_user else secrets.token_hex(8),
                is_admin=is_admin,
                created_at=tx.timestamp,
            )
            row = {**msgspec.structs.asdict(user), "password": password_hash}
            tx.connection.execute(insert(users), row)
        return user

    def set_password(self, name: str, password: str) -> None:
        """Change a user's password, and end all their sessions. Access tokens stay valid."""
        password_hash = hash_password(_validate_password(password))
        with self._write_transaction() as tx:
            _update_user(tx, name, password=password_hash)
            # A session opened with the old password must not stay valid.
            user_sessions = (credentials.c.user_name == name) & (credentials.c.kind == "session")
            tx.connection.execute(delete(credentials).where(user_sessions))

    def set_admin(self, name: str, *, is_admin: bool) -> None:
        """Grant or revoke a user's administrator rights. The last administrator keeps them."""
        with self._write_transaction() as tx:
            if not is_admin:
                _check_not_last_admin(tx, name)
            _update_user(tx, name, is_admin=is_admin)

    def delete_user(self, name: str) -> None:
        """Delete a user with all their sessions and tokens. The zoo stays in the database.

        Raises:
            InvalidAgentError: The user is the last administrator.
            UserNotFoundError: There is no such user.
        """
        with self._write_transaction() as tx:
            _check_not_last_admin(tx, name)
            tx.connection.execute(delete(credentials).where(credentials.c.user_name == name))
            result = tx.connection.execute(delete(users).where(users.c.name == name))
            if not result.rowcount:
                raise _make_user_not_found_error(name)

    def authenticate(self, name: str, password: str) -> TeamUser | None:
        """Return the user with this name and password, or None if they do not match."""
        name = name.strip().lower()
        with self._context.read_transaction() as tx:
            row = tx.connection.execute(select(users).where(users.c.name == name)).first()
        # A hash is computed even for an unknown name. Otherwise the response time would reveal
        # which names exist.
        password_hash = _get_dummy_hash() if row is None else row.password
        # The password is truncated, because the cost of hashing grows with the length of the input.
        is_correct = verify_password(password[:MAX_PASSWORD_CHARACTERS], password_hash)
        return _make_user(row) if row is not None and is_correct else None

    def create_session(self, name: str) -> str:
        """Create a browser session, and return its secret."""
        secret = secrets.token_urlsafe(32)
        expires_at = timestamps.format_timestamp(datetime.now(UTC) + timedelta(days=SESSION_DAYS))
        self._store_credential(secret, name, kind="session", label="", expires_at=expires_at)
        return secret

    def revoke_session(self, secret: str) -> None:
        """End a browser session."""
        statement = delete(credentials).where(
            credentials.c.digest == _compute_digest(secret), credentials.c.kind == "session"
        )
        with self._write_transaction() as tx:
            tx.connection.execute(statement)

    def create_token(self, name: str, label: str) -> IssuedToken:
        """Create an access token for a user's program, and return it with its secret.

        The secret cannot be read again later, because only its digest is stored.

        Args:
            name: The name of the user.
            label: The user's name for the token.
        """
        label = label.strip()
        if not label or len(label) > MAX_LABEL_CHARACTERS or not label.isprintable():
            raise make_invalid_field_error("label", f"needs 1 to {MAX_LABEL_CHARACTERS} characters")
        # The prefix shows what a leaked or forgotten token belongs to.
        secret = f"paddock_{secrets.token_urlsafe(32)}"
        token = self._store_credential(secret, name, kind="token", label=label, expires_at=None)
        return IssuedToken(token, secret)

    def list_tokens(self, name: str) -> list[Token]:
        """Return a user's access tokens, oldest first."""
        user_tokens = (credentials.c.user_name == name) & (credentials.c.kind == "token")
        with self._context.read_transaction() as tx:
            rows = tx.connection.execute(
                select(credentials).where(user_tokens).order_by("created_at", "id")
            )
            return msgspec.convert([*rows], list[Token], from_attributes=True)

    def delete_token(self, name: str, token_id: str) -> None:
        """Revoke one of a user's access tokens.

        Raises:
            UserNotFoundError: The user does not exist, or has no such token.
        """
        statement = delete(credentials).where(
            credentials.c.user_name == name,
            credentials.c.kind == "token",
            credentials.c.id == token_id,
        )
        with self._write_transaction() as tx:
            if not tx.connection.execute(statement).rowcount:
                raise UserNotFoundError(f"{name} has no token {token_id[:100]!r}")

    def authenticate_secret(
        self, secret: str, kind: Literal["session", "token"]
    ) -> TeamUser | None:
        """Return the user of a session or token, or None if it is unknown or has expired.

        This method authenticates every request, so it must be fast. Secrets are long and random, so
        a plain digest is enough and a slow password hash is unnecessary.
        """
        statement = (
            select(users, credentials.c.expires_at)
            .join_from(users, credentials)
            .where(credentials.c.digest == _compute_digest(secret), credentials.c.kind == kind)
        )
        with self._context.read_transaction() as tx:
            row = tx.connection.execute(statement).first()
        if row is None:
            return None
        now = timestamps.get_current_timestamp()
        has_expired = row.expires_at is not None and row.expires_at < now
        return None if has_expired else _make_user(row)

    def _write_transaction(self) -> AbstractContextManager[WriteTransaction]:
        return self._context.write_transaction(_CHANGE_SOURCE)

    def _store_credential(
        self,
        secret: str,
        user_name: str,
        *,
        kind: Literal["session", "token"],
        label: str,
        expires_at: str | None,
    ) -> Token:
        """Store the digest of a new session's or token's secret.

        Sessions and tokens share one table.

        Args:
            secret: The secret that the browser or program will send.
            user_name: The user who signs in with it.
            kind: The kind of credential.
            label: The user's name for a token; empty for a session.
            expires_at: When a session expires, or None for a token, which does not expire.

        Returns:
            The public part: the ID, the label and the creation time.
        """
        with self._write_transaction() as tx:
            token = Token(id=secrets.token_hex(8), label=label, created_at=tx.timestamp)
            # Expired sessions are deleted here, because nothing runs periodically.
            tx.connection.execute(
                delete(credentials).where(credentials.c.expires_at < tx.timestamp)
            )
            if not tx.connection.scalar(select(users.c.name).where(users.c.name == user_name)):
                raise _make_user_not_found_error(user_name)
            row = {
                **msgspec.structs.asdict(token),
                "digest": _compute_digest(secret),
                "user_name": user_name,
                "kind": kind,
                "expires_at": expires_at,
            }
            tx.connection.execute(insert(credentials), row)
        return token


def _update_user(tx: WriteTransaction, name: str, **values: object) -> None:
    result = tx.connection.execute(update(users).where(users.c.name == name).values(**values))
    if not result.rowcount:
        raise _make_user_not_found_error(name)


def _check_not_last_admin(tx: WriteTransaction, name: str) -> None:
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
