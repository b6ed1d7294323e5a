"""What can go wrong in a zoo, for every way into it; REST and MCP have their own names for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from paddock.errors import PaddockError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paddock.zoo.model import Agent, BrainEntry, LibrarySkill, Pack


class FieldError(Struct):
    """One thing that is wrong with what was given."""

    path: str
    """Where, as in `skills[0].name`."""
    message: str


class ZooError(PaddockError):
    """Something about the agent zoo; the base of the next ones."""

    code = "zoo"


class NotInZooError(ZooError):
    """Something that was asked for is not there; the base of the next ones."""

    code = "not-in-zoo"


class AgentNotFoundError(NotInZooError):
    """There is no agent of that id, or that name."""

    code = "agent-not-found"


class EntryNotFoundError(NotInZooError):
    """The agent's brain has no such entry."""

    code = "entry-not-found"


class SkillNotFoundError(NotInZooError):
    """The agent has no such skill."""

    code = "skill-not-found"


class CategoryNotFoundError(NotInZooError):
    """The agent has no such category of skills."""

    code = "category-not-found"


class AgentVersionNotFoundError(NotInZooError):
    """That version of the agent is not kept."""

    code = "agent-version-not-found"


class LibraryItemNotFoundError(NotInZooError):
    """The library has no such skill or pack."""

    code = "library-item-not-found"


class UserNotFoundError(NotInZooError):
    """There is no user of that name, or no such token of theirs."""

    code = "user-not-found"


class UserExistsError(ZooError):
    """There is a user of that name already."""

    code = "user-exists"


class InvalidAgentError(ZooError):
    """What was given for an agent, an entry or a skill cannot be kept; `details` says why."""

    code = "invalid-agent"

    def __init__(self, details: Sequence[FieldError], *, hint: str | None = None) -> None:
        told = "; ".join(f"{issue.path}: {issue.message}" for issue in details)
        super().__init__(told, hint=hint)
        self.details = list(details)


class ConflictError(ZooError):
    """Something was changed by somebody else meanwhile; `current` is what it is now."""

    code = "version-conflict"

    def __init__(self, expected: int, current: Agent | BrainEntry | LibrarySkill | Pack) -> None:
        super().__init__(
            f"{current.id} is at version {current.version}, and the change is of {expected}",
            hint="look at what it is now, then make the change again",
        )
        self.current = current


class ZooFileError(ZooError):
    """A file that should be imported or restored cannot be read, or is something else."""

    code = "zoo-file"


class ZooUnavailableError(ZooError):
    """The database of the zoo cannot be used: locked, read-only, full, damaged or too new."""

    code = "zoo-unavailable"
