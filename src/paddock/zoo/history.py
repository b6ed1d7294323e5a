"""What agents were before: looking at it, comparing, and taking it back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from paddock.zoo import differences
from paddock.zoo.agents import save_agent
from paddock.zoo.checks import AGENT_FIELDS, merged
from paddock.zoo.errors import AgentVersionNotFoundError
from paddock.zoo.part import Part, check_version, wanted_agent
from paddock.zoo.store import version_rows

if TYPE_CHECKING:
    from paddock.zoo.model import Agent, AgentVersion, FieldChange
    from paddock.zoo.store.agent_rows import KeptAgent
    from paddock.zoo.store.transaction import Reading


class History(Part):
    """The versions of agents."""

    def versions(self, agent_id: str) -> list[AgentVersion]:
        """All that are kept, the newest first, without the agents themselves.

        Raises:
            AgentNotFoundError: when there is no such agent.
        """
        with self._reading() as reading:
            return version_rows.list_all(reading, wanted_agent(reading, agent_id).key)

    def get_version(self, agent_id: str, version: int) -> AgentVersion:
        """One version, with what the agent was then.

        Raises:
            AgentNotFoundError: when there is no such agent.
            AgentVersionNotFoundError: when that version is not kept.
        """
        with self._reading() as reading:
            return _wanted(reading, wanted_agent(reading, agent_id), version)

    def diff_versions(self, agent_id: str, before: int, after: int) -> list[FieldChange]:
        """In what two versions differ.

        Raises:
            AgentNotFoundError: when there is no such agent.
            AgentVersionNotFoundError: when one of them is not kept.
        """
        with self._reading() as reading:
            kept = wanted_agent(reading, agent_id)
            old = _wanted(reading, kept, before).agent
            new = _wanted(reading, kept, after).agent
        assert old is not None  # noqa: S101 - single versions have their agent
        assert new is not None  # noqa: S101 - single versions have their agent
        return differences.differences(old, new)

    def restore_version(
        self,
        agent_id: str,
        version: int,
        *,
        current: int | None = None,
        source: str = "web",
    ) -> Agent:
        """Make the agent what it was, as its next version; nothing in between is lost.

        Args:
            agent_id: Whose version.
            version: Which one it is to be again.
            current: The version that the caller believes the agent to be at.
            source: Who does it.

        Raises:
            AgentNotFoundError: when there is no such agent.
            AgentVersionNotFoundError: when that version is not kept.
            ConflictError: when the agent is not at the version `current` any more.
        """
        with self._writing(source) as writing:
            kept = wanted_agent(writing, agent_id)
            check_version(current, kept.agent)
            old = _wanted(writing, kept, version).agent
            changed = merged(kept.agent, msgspec.to_builtins(old), AGENT_FIELDS)
            return save_agent(writing, kept, changed, f"restored version {version}")


def _wanted(transaction: Reading, kept: KeptAgent, version: int) -> AgentVersion:
    found = version_rows.find(transaction, kept.key, version)
    if found is None:
        raise AgentVersionNotFoundError(
            f"version {version} of {kept.agent.name} is not kept",
            hint="list the versions that are",
        )
    return found
