"""The zoo as the rest of Paddock uses it, from any thread: all its parts in one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Self

from paddock.zoo.accounts import TeamAccounts
from paddock.zoo.agents import AgentRepository
from paddock.zoo.backups import BackupManager
from paddock.zoo.brain import BrainRepository
from paddock.zoo.history import VersionHistory
from paddock.zoo.importing import AgentImporter
from paddock.zoo.injecting import AgentInjector
from paddock.zoo.library import SkillLibrary
from paddock.zoo.skills import SkillEditor
from paddock.zoo.telling import EventLog

if TYPE_CHECKING:
    from types import TracebackType


class Zoo(AgentRepository, SkillEditor, VersionHistory, BrainRepository, AgentInjector, SkillLibrary, AgentImporter, BackupManager, EventLog):
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
