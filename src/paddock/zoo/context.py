"""The context that all parts of a zoo share: its database, its owner, and their transactions."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict

from paddock.suggestions import find_similar
from paddock.zoo import timestamps
from paddock.zoo.errors import AgentNotFoundError, ConflictError
from paddock.zoo.store import agent_rows
from paddock.zoo.store.database import ZooDatabase
from paddock.zoo.store.transaction import ReadTransaction, WriteTransaction
from paddock.zoo.validation import parse_cursor_key

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

    from paddock.zoo.model import Agent, BrainEntry, LibrarySkill, Pack
    from paddock.zoo.store.agent_rows import AgentRow

# Reading every name in a large zoo just to improve a hint would slow down mistyped IDs.
_MAX_HINT_NAMES = 500


@dataclass(frozen=True)
class ZooContext:
    """The database of a zoo, and the owner whose rows the zoo reads and writes.

    All repositories of a zoo share one context.
    """

    database: ZooDatabase
    owner: str = ""
    """Empty if the database has no accounts."""
    owns_database: bool = False
    """Whether closing the zoo closes the database.

    Zoos of other owners share the database, and must not close it.
    """

    @contextmanager
    def read_transaction(self) -> Iterator[ReadTransaction]:
        """Open a transaction that reads the owner's data."""
        with self.database.read_transaction() as connection:
            yield ReadTransaction(connection, self.owner)

    def change_transaction(
        self, options: ChangeOptions
    ) -> AbstractContextManager[WriteTransaction]:
        """Open a write transaction for a method that takes `ChangeOptions`."""
        return self.write_transaction(options.get("source", "web"))

    @contextmanager
    def write_transaction(self, source: str) -> Iterator[WriteTransaction]:
        """Open a transaction that changes the owner's data, and commit it with its events.

        An exception in the block rolls back the changes and the events.

        Args:
            source: The origin of the change, which events and versions record.
        """
        with self.database.write_transaction(self.owner) as connection:
            tx = WriteTransaction(
                connection, self.owner, source, timestamps.get_current_timestamp()
            )
            yield tx
            # Events are rows in the same transaction, so a reader never sees a change without its
            # event, or an event without its change.
            tx.flush_events()


def require_agent(tx: ReadTransaction, agent_id: str) -> AgentRow:
    """Return the agent with the given ID.

    Raises:
        AgentNotFoundError: The zoo has no such agent.
    """
    row = agent_rows.find_agent_row(tx, agent_id.strip())
    if row is None:
        raise make_agent_not_found_error(tx, agent_id)
    return row


def require_agent_by_id_or_name(tx: ReadTransaction, id_or_name: str) -> AgentRow:
    """Return the agent with the given ID, or else the given name, ignoring case.

    Raises:
        AgentNotFoundError: The zoo has no such agent.
    """
    row = agent_rows.find_agent_row(tx, id_or_name.strip())
    if row is None:
        row = agent_rows.find_agent_row_by_name(tx, id_or_name)
    if row is None:
        raise make_agent_not_found_error(tx, id_or_name)
    return row


def make_agent_not_found_error(tx: ReadTransaction, id_or_name: str) -> AgentNotFoundError:
    """Return an error whose hint suggests similar agents, as in `did you mean sage or sage-2?`."""
    agents = agent_rows.list_agent_names(tx, _MAX_HINT_NAMES)
    # An ID takes precedence over another agent's identical name.
    ids_by_term = {name: agent_id for agent_id, name in agents}
    ids_by_term |= {agent_id: agent_id for agent_id, _ in agents}
    similar_ids = dict.fromkeys(ids_by_term[term] for term in find_similar(id_or_name, ids_by_term))
    if not agents:
        hint = "the zoo is empty: create an agent first"
    elif similar_ids:
        hint = f"did you mean {' or '.join(similar_ids)}?"
    else:
        hint = "list the agents to see their ids"
    return AgentNotFoundError(f"Agent with ID '{id_or_name[:100]}' not found.", hint=hint)


def check_expected_version(
    expected_version: int | None, current: Agent | BrainEntry | LibrarySkill | Pack
) -> None:
    """Check that an object is at the version that the caller's change is based on.

    This is optimistic locking: clients send the version that they read, so none of them can
    overwrite another client's changes without seeing them.

    Args:
        expected_version: The version that the client read, or None to accept any version.
        current: The stored object.

    Raises:
        ConflictError: The object is at a different version.
    """
    if expected_version is not None and expected_version != current.version:
        raise ConflictError(expected_version, current)


class ChangeOptions(TypedDict, total=False):
    """The keyword arguments of the methods that change a versioned object."""

    version: int | None
    """The version that the change is based on. Any other raises `ConflictError`."""
    source: str
    """The origin of the change: `web` (the default), `mcp`, `cli`, `import` or `sync`."""


def parse_agent_cursor(cursor: str | None) -> int | None:
    """Return the row key where the previous page ended.

    Raises:
        InvalidAgentError: The cursor did not come from a page.
    """
    return None if cursor is None else parse_cursor_key(cursor)
