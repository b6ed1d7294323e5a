"""The zoo's interface for other packages: one object with a part for each kind of data.

A zoo can be used from any thread.
"""

from __future__ import annotations

from contextlib import AbstractContextManager

from paddock.zoo.accounts import TeamAccounts
from paddock.zoo.agents import AgentRepository, VersionHistory
from paddock.zoo.backups import BackupManager
from paddock.zoo.brain import BrainRepository
from paddock.zoo.context import ZooContext
from paddock.zoo.event_log import EventLog
from paddock.zoo.importer import AgentImporter
from paddock.zoo.injector import AgentInjector
from paddock.zoo.library import SkillLibrary
from paddock.zoo.skills import SkillEditor
from paddock.zoo.store.database import ZooDatabase


class Zoo(AbstractContextManager["Zoo"]):
    """The agents of one owner, with their skills, brains and history.

    An agent is a stored persona: a soul (the system prompt) and skills that a chat can take over.
    Every change is one transaction, which is on disk when the method returns. Other processes see
    it immediately. Methods that change something take a `source`, the origin of the change: `web`,
    `mcp`, `cli`, `import` or `sync`.
    """

    def __init__(self, context: ZooContext) -> None:
        self._context = context
        self.agents = AgentRepository(context)
        self.skills = SkillEditor(context)
        self.history = VersionHistory(context)
        self.brain = BrainRepository(context)
        self.injector = AgentInjector(context)
        self.library = SkillLibrary(context)
        self.importer = AgentImporter(context)
        self.backups = BackupManager(context)
        self.events = EventLog(context)

    def for_owner(self, owner: str) -> Zoo:
        """Return another owner's zoo in the same database.

        The returned zoo can be used until this one is closed. Closing it has no effect.
        """
        return Zoo(ZooContext(self._context.database, owner))

    def accounts(self) -> TeamAccounts:
        """Return the accounts of the users whose zoos are in the same database."""
        return TeamAccounts(self._context)

    def close(self) -> None:
        """Close the database.

        Neither this zoo nor those of other owners in the same database can be used afterwards.
        """
        if self._context.owns_database:
            self._context.database.close()

    def __exit__(self, *_error: object) -> None:
        self.close()


def connect_zoo(address: str, wait_seconds: float) -> Zoo:
    """Open the zoo in a database, after importing an earlier program's file if there is one.

    Called by `open_zoo`, which only imports this module when a zoo is opened.

    Args:
        address: The URL of the database, or the path of a SQLite file.
        wait_seconds: How long to wait for another writer's lock.

    Raises:
        ZooUnavailableError: The database cannot be used.
        ZooFileError: The file that AGENT_ZOO_STORE_PATH names cannot be imported.
    """
    database = ZooDatabase(address, wait_seconds=wait_seconds)
    zoo = Zoo(ZooContext(database, owns_database=True))
    try:
        zoo.importer.import_legacy_file_once()
    except BaseException:
        zoo.close()
        raise
    return zoo
