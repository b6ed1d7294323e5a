"""What agents were before: looking at it, comparing, and taking it back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from paddock.zoo import differences
from paddock.zoo.agents import save_agent
from paddock.zoo.checks import EDITABLE_AGENT_FIELDS, apply_changes
from paddock.zoo.errors import AgentVersionNotFoundError
from paddock.zoo.part import ZooContext, check_expected_version, require_agent
from paddock.zoo.store import version_rows

if TYPE_CHECKING:
    from paddock.zoo.model import Agent, AgentVersion, FieldChange
    from paddock.zoo.store.agent_rows import AgentRow
    from paddock.zoo.store.transaction import ReadTransaction


class VersionHistory(ZooContext):
    """The versions of agents."""

    def versions(self, agent_id: str) -> list[AgentVersion]:
        """All that are kept, the newest first, without the agents themselves.

        Raises:
            AgentNotFoundError: when there is no such agent.
        """
        with self._read_transaction() as reading:
            return version_rows.list_versions(reading, require_agent(reading, agent_id).key)

    def get_version(self, agent_id: str, version: int) -> AgentVersion:
        """One version, with what the agent was then.

        Raises:
            AgentNotFoundError: when there is no such agent.
            AgentVersionNotFoundError: when that version is not kept.
        """
        with self._read_transaction() as reading:
            return _require_agent_version(reading, require_agent(reading, agent_id), version)

    def diff_versions(self, agent_id: str, before: int, after: int) -> list[FieldChange]:
        """In what two versions differ.

        Raises:
            AgentNotFoundError: when there is no such agent.
            AgentVersionNotFoundError: when one of them is not kept.
        """
        with self._read_transaction() as reading:
            kept = require_agent(reading, agent_id)
            old = _require_agent_version(reading, kept, before).agent
            new = _require_agent_version(reading, kept, after).agent
        assert old is not None  # noqa: S101 - single versions have their agent
        assert new is not None  # noqa: S101 - single versions have their agent
        return differences.diff_agents(old, new)

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
        with self._write_transaction(source) as writing:
            kept = require_agent(writing, agent_id)
            check_expected_version(current, kept.agent)
            old = _require_agent_version(writing, kept, version).agent
            changed = apply_changes(kept.agent, msgspec.to_builtins(old), EDITABLE_AGENT_FIELDS)
            return save_agent(writing, kept, changed, f"restored version {version}")


def _require_agent_version(transaction: ReadTransaction, kept: AgentRow, version: int) -> AgentVersion:
    found = version_rows.find_version(transaction, kept.key, version)
    if found is None:
        raise AgentVersionNotFoundError(
            f"version {version} of {kept.agent.name} is not kept",
            hint="list the versions that are",
        )
    return found
