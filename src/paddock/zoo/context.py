"""What all parts of the service stand on: the database, and whose zoo it is."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from paddock.suggestions import find_similar
from paddock.zoo import timestamps
from paddock.zoo.errors import AgentNotFoundError, ConflictError
from paddock.zoo.store import agent_rows
from paddock.zoo.store.transaction import ReadTransaction, WriteTransaction
from paddock.zoo.validation import make_invalid_field_error

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.zoo.model import Agent, BrainEntry, LibrarySkill, Pack
    from paddock.zoo.store.agent_rows import AgentRow
    from paddock.zoo.store.database import ZooDatabase

_MAX_HINT_NAMES = 500


class ZooContext:
    """A part of the service of one owner's zoo."""

    def __init__(self, database: ZooDatabase, owner: str = "") -> None:
        self._database = database
        self._owner = owner

    @contextmanager
    def _read_transaction(self) -> Iterator[ReadTransaction]:
        with self._database.read_transaction() as connection:
            yield ReadTransaction(connection, self._owner)

    @contextmanager
    def _write_transaction(self, source: str) -> Iterator[WriteTransaction]:
        with self._database.write_transaction(self._owner) as connection:
            writing = WriteTransaction(
                connection, self._owner, source, timestamps.get_current_timestamp()
            )
            yield writing
            writing.flush_events()


def require_agent(transaction: ReadTransaction, agent_id: str) -> AgentRow:
    """The agent of an id.

    Raises:
        AgentNotFoundError: when there is none.
    """
    kept = agent_rows.find_agent_row(transaction, agent_id.strip())
    if kept is None:
        raise make_agent_not_found_error(transaction, agent_id)
    return kept


def require_agent_by_name(transaction: ReadTransaction, id_or_name: str) -> AgentRow:
    """The agent of an id or, without regard to case, of a name.

    Raises:
        AgentNotFoundError: when there is neither.
    """
    kept = agent_rows.find_agent_row(transaction, id_or_name.strip())
    kept = kept or agent_rows.find_agent_row_by_name(transaction, id_or_name)
    if kept is None:
        raise make_agent_not_found_error(transaction, id_or_name)
    return kept


def make_agent_not_found_error(transaction: ReadTransaction, id_or_name: str) -> AgentNotFoundError:
    """The error that says which agent may have been meant."""
    names = agent_rows.list_agent_names(transaction, _MAX_HINT_NAMES)
    if not names:
        hint = "the zoo is empty: create an agent first"
    else:
        known = {name: one for one, name in names} | {one: one for one, _ in names}
        meant = dict.fromkeys(known[name] for name in find_similar(id_or_name, known))
        hint = (
            f"did you mean {' or '.join(meant)}?" if meant else "list the agents to see their ids"
        )
    return AgentNotFoundError(f"Agent with ID '{id_or_name[:100]}' not found.", hint=hint)


def check_expected_version(
    expected: int | None, current: Agent | BrainEntry | LibrarySkill | Pack
) -> None:
    """Make sure that what is to be changed is what the caller has seen.

    Raises:
        ConflictError: when it is not.
    """
    if expected is not None and expected != current.version:
        raise ConflictError(expected, current)


def parse_agent_cursor(cursor: str | None) -> int | None:
    """The key at which a page ended.

    Raises:
        InvalidAgentError: when the cursor is none of ours.
    """
    if cursor is None:
        return None
    if not cursor.isascii() or not cursor.isdigit() or len(cursor) > 18:
        raise make_invalid_field_error("cursor", "is none that was given out")
    return int(cursor)
