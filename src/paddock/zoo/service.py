"""What happens in a zoo, as those hear of it who watch it from any process.

The zoo as the rest of Paddock uses it, from any thread: all its parts in one.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Literal, Self

from paddock.zoo.accounts import TeamAccounts
from paddock.zoo.agents import AgentRepository, VersionHistory
from paddock.zoo.backups import BackupManager
from paddock.zoo.brain import BrainRepository
from paddock.zoo.context import ZooContext
from paddock.zoo.errors import ZooUnavailableError
from paddock.zoo.importer import AgentImporter
from paddock.zoo.injector import AgentInjector
from paddock.zoo.library import SkillLibrary
from paddock.zoo.skills import SkillEditor
from paddock.zoo.store import transaction

if TYPE_CHECKING:
    from types import TracebackType

    from paddock.zoo.model import ZooEvent


MAX_EVENTS_PER_READ = 1_000
POLL_SECONDS = 15.0
"""How long to rely on being woken before looking anyway."""


class EventLog(ZooContext):
    """The events of a zoo."""

    def latest_event_id(self) -> int:
        """The id of the last event; 0 before the first."""
        with self._read_transaction() as reading:
            return transaction.get_latest_event_id(reading)

    def events_after(self, event_id: int, limit: int = MAX_EVENTS_PER_READ) -> list[ZooEvent]:
        """What has happened since an event, the oldest first."""
        with self._read_transaction() as reading:
            return transaction.list_events_after(reading, event_id, min(limit, MAX_EVENTS_PER_READ))

    def wait_for_events(self, after: int, timeout: float) -> list[ZooEvent]:
        """What happens after an event, as soon as it does; nothing when the time is over.

        Changes of all processes count. Closing the zoo ends the waiting.
        """
        watcher = self._database.watcher
        end = time.monotonic() + timeout
        while not watcher.is_closed:
            turn = watcher.change_count
            try:
                found = self.events_after(after)
            except ZooUnavailableError:
                if watcher.is_closed:
                    break
                raise
            left = end - time.monotonic()
            if found or left <= 0:
                return found
            watcher.wait_for_change(turn, min(left, POLL_SECONDS))
        return []


class Zoo(
    AgentRepository,
    SkillEditor,
    VersionHistory,
    BrainRepository,
    AgentInjector,
    SkillLibrary,
    AgentImporter,
    BackupManager,
    EventLog,
):
    """The agents of one owner, with their skills, brains and history.

    Every change is a transaction, and is on the disk when the method returns. Other processes see
    it at once. `source` says who makes it: `web`, `mcp`, `cli`, `import` or `sync`.
    """

    @property
    def database(self) -> Literal["sqlite", "postgresql"]:
        """What it is kept in."""
        return "sqlite" if self._database.is_sqlite else "postgresql"

    @property
    def location(self) -> str:
        """The path or the address of the database, without any password."""
        return self._database.location

    @property
    def owner(self) -> str:
        """Whose zoo it is; empty where there are no accounts."""
        return self._owner

    def for_owner(self, owner: str) -> Zoo:
        """The zoo of somebody else in the same database; it is open as long as this one."""
        return _OwnerZoo(self._database, owner)

    def accounts(self) -> TeamAccounts:
        """The people who have zoos in the same database."""
        return TeamAccounts(self._database)

    def close(self) -> None:
        """Let go of the database; nothing more can be asked of this zoo, nor of others in it."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


class _OwnerZoo(Zoo):
    """One of the zoos in a database that somebody else has opened, and closes."""

    def close(self) -> None:
        """Leave the database open, for the others."""
