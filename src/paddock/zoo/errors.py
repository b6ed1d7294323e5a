"""Zoo errors, which all interfaces share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from paddock.errors import PaddockError
from paddock.zoo.model import set_component_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paddock.zoo.model import Agent, BrainEntry, LibrarySkill, Pack


def get_api_code(error: PaddockError) -> str:
    """Return an error's code as the REST API and the AgentZoo tools spell it.

    Clients of the original agent zoo expect capitals and underscores: `AGENT_NOT_FOUND`.
    """
    return "_".join(error.code.split("-")).upper()


@set_component_name("Detail")
class FieldError(Struct):
    """An invalid value in a request."""

    path: str
    """The location of the value, such as `skills[0].name`."""
    message: str


class ZooError(PaddockError):
    """Base class of the errors of a zoo."""

    code = "zoo"


class NotInZooError(ZooError):
    """Base class of the errors for objects that do not exist."""

    code = "not-in-zoo"


class AgentNotFoundError(NotInZooError):
    """No agent has this ID or name."""

    code = "agent-not-found"


class EntryNotFoundError(NotInZooError):
    """The agent's brain has no entry with this ID."""

    code = "entry-not-found"


class SkillNotFoundError(NotInZooError):
    """The agent has no skill with this ID."""

    code = "skill-not-found"


class CategoryNotFoundError(NotInZooError):
    """The agent has no skill category with this ID."""

    code = "category-not-found"


class AgentVersionNotFoundError(NotInZooError):
    """The version of the agent is not stored."""

    code = "agent-version-not-found"


class LibraryItemNotFoundError(NotInZooError):
    """The library has no skill or pack with this ID."""

    code = "library-item-not-found"


class UserNotFoundError(NotInZooError):
    """No user has this name, or the user has no such token."""

    code = "user-not-found"


class UserExistsError(ZooError):
    """The user name is taken."""

    code = "user-exists"


class InvalidAgentError(ZooError):
    """Invalid values in an agent, skill, entry, account or query; `details` lists all of them."""

    code = "invalid-agent"

    def __init__(self, details: Sequence[FieldError], *, hint: str | None = None) -> None:
        message = "; ".join(f"{detail.path}: {detail.message}" for detail in details)
        super().__init__(message, hint=hint)
        self.details = list(details)


class ConflictError(ZooError):
    """The object has changed since the version that a change is based on.

    `current` is the object as it is stored now, so that a client can merge its change.
    """

    code = "version-conflict"

    def __init__(self, expected: int, current: Agent | BrainEntry | LibrarySkill | Pack) -> None:
        super().__init__(
            f"{current.id} is at version {current.version}, but the change is based on {expected}",
            hint="read the current version, then repeat the change",
        )
        self.current = current


class ZooFileError(ZooError):
    """A file cannot be imported, restored or written."""

    code = "zoo-file"


class ZooUnavailableError(ZooError):
    """The database is locked, read-only, full, damaged, unreachable or too new."""

    code = "zoo-unavailable"
