"""In what two versions of an agent differ, and in a few words what a change was.

Agents: making, finding, changing, deleting them, and having them back.

What agents were before: looking at it, comparing, and taking it back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from sqlalchemy import delete

from paddock.zoo import timestamps, validation
from paddock.zoo.context import (
    ZooContext,
    check_expected_version,
    make_agent_not_found_error,
    parse_agent_cursor,
    require_agent,
    require_agent_by_name,
)
from paddock.zoo.errors import AgentNotFoundError, AgentVersionNotFoundError
from paddock.zoo.model import Agent, AgentSummary, FieldChange, NewAgent, Page
from paddock.zoo.slugs import find_free_slug, slugify
from paddock.zoo.store import agent_rows
from paddock.zoo.store.agent_rows import AgentFilter, AgentRow
from paddock.zoo.store.schema import agents
from paddock.zoo.validation import EDITABLE_AGENT_FIELDS, apply_changes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from paddock.zoo.model import AgentVersion
    from paddock.zoo.store.transaction import ReadTransaction, WriteTransaction


_BOOKKEEPING_FIELDS = frozenset({"version", "createdAt", "updatedAt"})
_LIST_FIELDS = ("skills", "skillCategories")


def diff_agents(before: Agent, after: Agent) -> list[FieldChange]:
    """Every field that is not the same; skills and categories one by one, and their order."""
    old, new = msgspec.to_builtins(before), msgspec.to_builtins(after)
    found: list[FieldChange] = []
    for key in new:
        if key in _BOOKKEEPING_FIELDS or old[key] == new[key]:
            continue
        if key in _LIST_FIELDS:
            found += _diff_items(key, old[key], new[key])
        else:
            found.append(FieldChange(field=key, before=old[key], after=new[key]))
    return found


def _diff_items(
    key: str, before: list[dict[str, Any]], after: list[dict[str, Any]]
) -> list[FieldChange]:
    old, new = ({item["id"]: item for item in items} for items in (before, after))
    found: list[FieldChange] = []
    for one in {**old, **new}:
        if one in old and one in new:
            found += [
                FieldChange(field=f"{key}.{one}.{name}", before=old[one][name], after=value)
                for name, value in new[one].items()
                if value != old[one][name]
            ]
        else:
            found.append(FieldChange(field=f"{key}.{one}", before=old.get(one), after=new.get(one)))
    order = [[one for one in items if one in old and one in new] for items in (old, new)]
    if order[0] != order[1]:
        found.append(FieldChange(field=f"{key}.order", before=list(old), after=list(new)))
    return found


def summarize_changes(changes: list[FieldChange]) -> str:
    """As in `changed name, skills.testing.enabled and 2 more`."""
    fields = [change.field for change in changes]
    if not fields:
        return "no change"
    shown = ", ".join(fields[:3])
    more = len(fields) - 3
    return f"changed {shown} and {more} more" if more > 0 else f"changed {shown}"


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
        size, after = validation.validate_page_size(limit), parse_agent_cursor(cursor)
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
        size, after = validation.validate_page_size(limit), parse_agent_cursor(cursor)
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
        wanted = validation.parse_new_agent(new)
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
            changed = validation.apply_changes(
                kept.agent, changes, validation.EDITABLE_AGENT_FIELDS
            )
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
            room = validation.MAX_NAME_CHARACTERS - len(_COPY_SUFFIX)
            wanted = validation.convert_to_struct(NewAgent, msgspec.to_builtins(agent))
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
            page = agent_rows.list_agent_summaries(
                reading, AgentFilter(None, is_deleted=True), None, None
            )
        since = timestamps.get_past_timestamp(validation.DELETED_RETENTION_DAYS)
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
        id=find_free_slug(
            slugify(asked_id or new.name, "agent"), agent_rows.make_agent_id_check(writing)
        ),
        created_at=writing.timestamp,
        updated_at=writing.timestamp,
    )
    agent.appearance_seed = new.appearance_seed or asked_id or new.name
    agent = validation.validate_agent(agent)
    kept = AgentRow(agent_rows.insert_agent(writing, agent), agent)
    agent_rows.insert_version(writing, kept, summary)
    writing.record_event("agent:created", agent.id, name=agent.name)
    return kept


def save_agent(
    writing: WriteTransaction, kept: AgentRow, changed: Agent, summary: str | None = None
) -> Agent:
    """Write a change as the next version; one that changes nothing is none."""
    tidy = validation.validate_agent(changed)
    if tidy == kept.agent:
        return kept.agent
    summary = summary or summarize_changes(diff_agents(kept.agent, tidy))
    tidy.version = kept.agent.version + 1
    tidy.updated_at = writing.timestamp
    agent_rows.update_agent(writing, kept.key, tidy)
    agent_rows.insert_version(writing, AgentRow(kept.key, tidy), summary)
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
    old = agents.c.deleted_at < timestamps.get_past_timestamp(validation.DELETED_RETENTION_DAYS)
    writing.connection.execute(delete(agents).where(agents.c.owner == writing.owner, old))


class VersionHistory(ZooContext):
    """The versions of agents."""

    def versions(self, agent_id: str) -> list[AgentVersion]:
        """All that are kept, the newest first, without the agents themselves.

        Raises:
            AgentNotFoundError: when there is no such agent.
        """
        with self._read_transaction() as reading:
            return agent_rows.list_versions(reading, require_agent(reading, agent_id).key)

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
        return diff_agents(old, new)

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


def _require_agent_version(
    transaction: ReadTransaction, kept: AgentRow, version: int
) -> AgentVersion:
    found = agent_rows.find_version(transaction, kept.key, version)
    if found is None:
        raise AgentVersionNotFoundError(
            f"version {version} of {kept.agent.name} is not kept",
            hint="list the versions that are",
        )
    return found
