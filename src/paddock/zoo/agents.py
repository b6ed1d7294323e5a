"""Agents: making, finding, changing, deleting them, and having them back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from sqlalchemy import delete

from paddock.zoo import checks, limits, times
from paddock.zoo.differences import diff_agents, summarize_changes
from paddock.zoo.errors import AgentNotFoundError
from paddock.zoo.model import Agent, AgentSummary, NewAgent, Page
from paddock.zoo.part import (
    ZooContext,
    check_expected_version,
    make_agent_not_found_error,
    parse_agent_cursor,
    require_agent,
    require_agent_by_name,
)
from paddock.zoo.slugs import find_free_slug, slugify
from paddock.zoo.store import agent_rows, version_rows
from paddock.zoo.store.agent_rows import AgentFilter, AgentRow
from paddock.zoo.store.tables import agents

if TYPE_CHECKING:
    from collections.abc import Mapping

    from paddock.zoo.store.transaction import WriteTransaction

_COPY_SUFFIX = " copy"


class AgentRepository(ZooContext):
    """The agents of a zoo."""

    def list_agents(
        self,
        *,
        archived: bool | None = False,
        text: str | None = None,
        tag: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Page[AgentSummary]:
        """What lists show of the agents, in the order in which they were made.

        Args:
            archived: Whether archived ones are wanted, or the others; None is all.
            text: Part of the name, the description or a tag.
            tag: A tag that they have.
            limit: How many at most; None is all.
            cursor: `next_cursor` of the page before.
        """
        wanted = AgentFilter(archived, text, tag)
        size, after = checks.validate_page_size(limit), parse_agent_cursor(cursor)
        with self._read_transaction() as reading:
            return agent_rows.list_agent_summaries(reading, wanted, size, after)

    def list_whole_agents(
        self,
        *,
        archived: bool | None = False,
        text: str | None = None,
        tag: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Page[Agent]:
        """The same with everything that agents have, but for their brains."""
        wanted = AgentFilter(archived, text, tag)
        size, after = checks.validate_page_size(limit), parse_agent_cursor(cursor)
        with self._read_transaction() as reading:
            page = agent_rows.list_agent_rows(reading, wanted, size, after)
        return Page(items=[kept.agent for kept in page.items], next_cursor=page.next_cursor)

    def get_agent(self, agent_id: str) -> Agent:
        """The agent of an id.

        Raises:
            AgentNotFoundError: when there is none.
        """
        with self._read_transaction() as reading:
            return require_agent(reading, agent_id).agent

    def find_agent(self, id_or_name: str) -> Agent:
        """The agent of an id or, without regard to case, of a name.

        Raises:
            AgentNotFoundError: when there is neither; the hint names the nearest.
        """
        with self._read_transaction() as reading:
            return require_agent_by_name(reading, id_or_name).agent

    def create_agent(self, new: NewAgent | Mapping[str, Any], *, source: str = "web") -> Agent:
        """Make an agent; its id is a slug of the given id, or of the name, with `-2` if need be.

        Raises:
            InvalidAgentError: when it cannot be as it was asked for.
        """
        wanted = checks.parse_new_agent(new)
        with self._write_transaction(source) as writing:
            return add_agent(writing, wanted, "created").agent

    def update_agent(
        self,
        agent_id: str,
        changes: Mapping[str, Any],
        *,
        version: int | None = None,
        source: str = "web",
    ) -> Agent:
        """Change the fields whose JSON keys are given, and no others; unknown keys are ignored.

        Raises:
            AgentNotFoundError: when there is no such agent.
            ConflictError: when it is not at that version any more.
            InvalidAgentError: when it cannot be as it was asked for.
        """
        with self._write_transaction(source) as writing:
            kept = require_agent(writing, agent_id)
            check_expected_version(version, kept.agent)
            changed = checks.apply_changes(kept.agent, changes, checks.EDITABLE_AGENT_FIELDS)
            return save_agent(writing, kept, changed)

    def duplicate_agent(
        self, agent_id: str, name: str | None = None, *, source: str = "web"
    ) -> Agent:
        """Make another agent that has all of one but its id and its brain.

        Raises:
            AgentNotFoundError: when there is no such agent.
            InvalidAgentError: when it cannot have that name.
        """
        with self._write_transaction(source) as writing:
            agent = require_agent(writing, agent_id).agent
            room = limits.MAX_NAME_CHARACTERS - len(_COPY_SUFFIX)
            wanted = checks.convert_to_struct(NewAgent, msgspec.to_builtins(agent))
            wanted.id = None
            wanted.name = name if name is not None else agent.name[:room] + _COPY_SUFFIX
            wanted.appearance_seed = ""
            return add_agent(writing, wanted, f"copied from {agent.id}").agent

    def delete_agent(
        self, agent_id: str, version: int | None = None, *, source: str = "web"
    ) -> None:
        """Put an agent into the bin, from where it can be restored for 30 days.

        Raises:
            AgentNotFoundError: when there is no such agent.
            ConflictError: when it is not at that version any more.
        """
        with self._write_transaction(source) as writing:
            kept = require_agent(writing, agent_id)
            check_expected_version(version, kept.agent)
            agent_rows.update_agent_columns(writing, kept.key, deleted_at=writing.timestamp)
            writing.record_event("agent:deleted", kept.agent.id, name=kept.agent.name)
            _purge_expired_agents(writing)

    def bin(self) -> list[AgentSummary]:
        """The agents that can be restored, in the order in which they were made."""
        with self._read_transaction() as reading:
            page = agent_rows.list_agent_summaries(reading, AgentFilter(None, is_deleted=True), None, None)
        since = times.get_past_timestamp(limits.DELETED_RETENTION_DAYS)
        return [one for one in page.items if one.deleted_at is not None and one.deleted_at >= since]

    def restore_agent(self, agent_id: str, *, source: str = "web") -> Agent:
        """Take an agent out of the bin, as it was.

        Raises:
            AgentNotFoundError: when it is not there.
        """
        with self._write_transaction(source) as writing:
            kept = _require_deleted_agent(writing, agent_id)
            agent_rows.update_agent_columns(writing, kept.key, deleted_at=None)
            writing.record_event("agent:restored", kept.agent.id, name=kept.agent.name)
            return kept.agent

    def purge_agent(self, agent_id: str, *, source: str = "web") -> None:
        """Delete an agent that is in the bin, its brain and its history, for ever.

        Raises:
            AgentNotFoundError: when it is not in the bin.
        """
        with self._write_transaction(source) as writing:
            kept = _require_deleted_agent(writing, agent_id)
            writing.connection.execute(delete(agents).where(agents.c.key == kept.key))


def add_agent(writing: WriteTransaction, new: NewAgent, summary: str) -> AgentRow:
    """Make an agent, its first version and the event of it."""
    values = msgspec.structs.asdict(new)
    asked_id = (values.pop("id") or "").strip()
    agent = Agent(
        **values,
        id=find_free_slug(slugify(asked_id or new.name, "agent"), agent_rows.make_agent_id_check(writing)),
        created_at=writing.timestamp,
        updated_at=writing.timestamp,
    )
    agent.appearance_seed = new.appearance_seed or asked_id or new.name
    agent = checks.validate_agent(agent)
    kept = AgentRow(agent_rows.insert_agent(writing, agent), agent)
    version_rows.insert_version(writing, kept, summary)
    writing.record_event("agent:created", agent.id, name=agent.name)
    return kept


def save_agent(
    writing: WriteTransaction, kept: AgentRow, changed: Agent, summary: str | None = None
) -> Agent:
    """Write a change as the next version; one that changes nothing is none."""
    tidy = checks.validate_agent(changed)
    if tidy == kept.agent:
        return kept.agent
    summary = summary or summarize_changes(diff_agents(kept.agent, tidy))
    tidy.version = kept.agent.version + 1
    tidy.updated_at = writing.timestamp
    agent_rows.update_agent(writing, kept.key, tidy)
    version_rows.insert_version(writing, AgentRow(kept.key, tidy), summary)
    writing.record_event("agent:updated", tidy.id, version=tidy.version, summary=summary)
    return tidy


def _require_deleted_agent(writing: WriteTransaction, agent_id: str) -> AgentRow:
    kept = agent_rows.find_agent_row(writing, agent_id.strip(), in_bin=True)
    if kept is None:
        if agent_rows.find_agent_row(writing, agent_id.strip()) is None:
            raise make_agent_not_found_error(writing, agent_id)
        raise AgentNotFoundError(f"{agent_id[:100]} is not in the bin", hint="delete it first")
    return kept


def _purge_expired_agents(writing: WriteTransaction) -> None:
    old = agents.c.deleted_at < times.get_past_timestamp(limits.DELETED_RETENTION_DAYS)
    writing.connection.execute(delete(agents).where(agents.c.owner == writing.owner, old))
