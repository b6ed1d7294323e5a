"""What all parts of the service stand on: the database, and whose zoo it is."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from paddock.suggestions import near
from paddock.zoo import times
from paddock.zoo.checks import fail
from paddock.zoo.errors import AgentNotFoundError, ConflictError
from paddock.zoo.store import agent_rows
from paddock.zoo.store.transaction import Reading, Writing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.zoo.model import Agent, BrainEntry, LibrarySkill, Pack
    from paddock.zoo.store.agent_rows import KeptAgent
    from paddock.zoo.store.database import Database

_NAMES_FOR_HINTS = 500


class Part:
    """A part of the service of one owner's zoo."""

    def __init__(self, database: Database, owner: str = "") -> None:
        self._database = database
        self._owner = owner

    @contextmanager
    def _reading(self) -> Iterator[Reading]:
        with self._database.reading() as connection:
            yield Reading(connection, self._owner)

    @contextmanager
    def _writing(self, source: str) -> Iterator[Writing]:
        with self._database.writing(self._owner) as connection:
            writing = Writing(connection, self._owner, source, times.now())
            yield writing
            writing.finish()


def wanted_agent(transaction: Reading, agent_id: str) -> KeptAgent:
    """The agent of an id.

    Raises:
        AgentNotFoundError: when there is none.
    """
    kept = agent_rows.find(transaction, agent_id.strip())
    if kept is None:
        raise not_found(transaction, agent_id)
    return kept


def wanted_by_name(transaction: Reading, id_or_name: str) -> KeptAgent:
    """The agent of an id or, without regard to case, of a name.

    Raises:
        AgentNotFoundError: when there is neither.
    """
    kept = agent_rows.find(transaction, id_or_name.strip())
    kept = kept or agent_rows.find_by_name(transaction, id_or_name)
    if kept is None:
        raise not_found(transaction, id_or_name)
    return kept


def not_found(transaction: Reading, id_or_name: str) -> AgentNotFoundError:
    """The error that says which agent may have been meant."""
    names = agent_rows.all_names(transaction, _NAMES_FOR_HINTS)
    if not names:
        hint = "the zoo is empty: create an agent first"
    else:
        known = {name: one for one, name in names} | {one: one for one, _ in names}
        meant = dict.fromkeys(known[name] for name in near(id_or_name, known))
        hint = (
            f"did you mean {' or '.join(meant)}?" if meant else "list the agents to see their ids"
        )
    return AgentNotFoundError(f"Agent with ID '{id_or_name[:100]}' not found.", hint=hint)


def check_version(expected: int | None, current: Agent | BrainEntry | LibrarySkill | Pack) -> None:
    """Make sure that what is to be changed is what the caller has seen.

    Raises:
        ConflictError: when it is not.
    """
    if expected is not None and expected != current.version:
        raise ConflictError(expected, current)


def place_of(cursor: str | None) -> int | None:
    """The key at which a page ended.

    Raises:
        InvalidAgentError: when the cursor is none of ours.
    """
    if cursor is None:
        return None
    if not cursor.isascii() or not cursor.isdigit() or len(cursor) > 18:
        raise fail("cursor", "is none that was given out")
    return int(cursor)
