"""What a database says when it cannot be used, told so that the user can do something about it."""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from typing import TYPE_CHECKING

from sqlalchemy.exc import DataError, DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from paddock.zoo.errors import InvalidAgentError, FieldError, ZooUnavailableError

if TYPE_CHECKING:
    from collections.abc import Iterator

_SQLITE_MESSAGES = {
    sqlite3.SQLITE_BUSY: (
        "another program has been holding its lock",
        "end the program that is writing to it, then try again",
    ),
    sqlite3.SQLITE_LOCKED: (
        "another connection holds its lock",
        "end the program that is writing to it, then try again",
    ),
    sqlite3.SQLITE_READONLY: (
        "it may be read only",
        "make the file and its directory writable for you",
    ),
    sqlite3.SQLITE_PERM: ("it may not be opened", "make it readable and writable for you"),
    sqlite3.SQLITE_CANTOPEN: (
        "it cannot be opened",
        "make the file and its directory readable and writable for you",
    ),
    sqlite3.SQLITE_FULL: (
        "there is no space left for it",
        "make space on its disk; nothing of the last change was kept",
    ),
    sqlite3.SQLITE_IOERR: (
        "its disk cannot be read or written",
        "look whether the disk is full or failing; nothing of the last change was kept",
    ),
    sqlite3.SQLITE_CORRUPT: (
        "it is damaged",
        "put a backup in its place with `paddock zoo restore`, and keep the damaged file",
    ),
    sqlite3.SQLITE_NOTADB: (
        "it is no SQLite database",
        "name another file, or move this one away",
    ),
}


_LOCK_NOT_AVAILABLE_STATE = "55P03"
"""What PostgreSQL says when a lock was waited for too long."""
_UNSENDABLE_VALUE_ERRORS = (
    FieldError("text", "has a character that cannot be kept (NUL, or half of a pair)"),
    FieldError("number", "is too large to be kept"),
)


@contextmanager
def convert_database_errors(where: str) -> Iterator[None]:
    """Tell why a database cannot be used as an error of ours; faults in our statements pass.

    Raises:
        ZooUnavailableError: in place of what the driver raises.
        InvalidAgentError: when something was looked for that no database can be asked for.
    """
    text, number = _UNSENDABLE_VALUE_ERRORS
    try:
        yield
    except UnicodeEncodeError:
        raise InvalidAgentError([text]) from None
    except OverflowError:
        raise InvalidAgentError([number]) from None
    except DataError as error:
        # The driver of PostgreSQL refuses a NUL itself; the server refuses a number it is sent.
        has_code = getattr(error.orig, "sqlstate", None) is not None
        raise InvalidAgentError([number if has_code else text]) from None
    except PoolTimeoutError:
        raise ZooUnavailableError(
            "all its connections are in use",
            where=where,
            hint="try again; fewer things at once may be asked of it",
        ) from None
    except sqlite3.Error as error:  # of the first statements on a connection, which are our own
        told = convert_sqlite_error(error, where)
        if told is None:
            raise
        raise told from error
    except DBAPIError as error:
        told = _convert_database_error(error, where)
        if told is None:
            raise
        raise told from error


def _convert_database_error(error: DBAPIError, where: str) -> ZooUnavailableError | None:
    fault = error.orig
    if isinstance(fault, sqlite3.Error):
        return convert_sqlite_error(fault, where)
    if getattr(fault, "sqlstate", None) == _LOCK_NOT_AVAILABLE_STATE:
        text, hint = _SQLITE_MESSAGES[sqlite3.SQLITE_BUSY]
        return ZooUnavailableError(text, where=where, hint=hint)
    if error.connection_invalidated or isinstance(error, OperationalError | InterfaceError):
        said = str(fault).strip().partition("\n")[0]
        return ZooUnavailableError(
            f"the database does not answer as it should: {said}",
            where=where,
            hint="look whether it runs, and whether its address, user and password are right",
        )
    return None


def convert_sqlite_error(fault: sqlite3.Error, where: str) -> ZooUnavailableError | None:
    """What SQLite's error means; None when the fault is in a statement."""
    code = getattr(fault, "sqlite_errorcode", 0) & 0xFF
    if code not in _SQLITE_MESSAGES:
        return None
    text, hint = _SQLITE_MESSAGES[code]
    return ZooUnavailableError(text, where=where, hint=hint)
