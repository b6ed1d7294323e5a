"""Agents and their versions: create, find, change, delete, compare and restore them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import msgspec
from sqlalchemy import delete

from paddock.zoo import timestamps, validation
from paddock.zoo.context import (
    ChangeOptions,
    ZooContext,
    check_expected_version,
    make_agent_not_found_error,
    parse_agent_cursor,
    require_agent,
    require_agent_by_id_or_name,
)
from paddock.zoo.errors import AgentNotFoundError, AgentVersionNotFoundError
from paddock.zoo.model import Agent, AgentSummary, FieldChange, ResultPage
from paddock.zoo.slugs import find_free_slug, slugify
from paddock.zoo.store import agent_rows
from paddock.zoo.store.agent_rows import AgentFilter, AgentRow
from paddock.zoo.store.schema import agents

if TYPE_CHECKING:
    from collections.abc import Mapping

    from paddock.zoo.model import AgentVersion
    from paddock.zoo.store.transaction import ReadTransaction, WriteTransaction


_BOOKKEEPING_FIELDS = frozenset({"version", "createdAt", "updatedAt"})
_LIST_FIELDS = ("skills", "skillCategories")
_COPY_SUFFIX = " copy"


class AgentQuery(TypedDict, total=False):
    """The keyword arguments of the methods that list agents."""

    archived: bool | None
    """True for archived agents only, False (the default) for all others, None for both."""
    text: str | None
    """Substring of the name, the description or a tag, ignoring case."""
    tag: str | None
    """A tag that the agents must have."""
    limit: int | None
    """Maximum number of agents, by default all."""
    cursor: str | None
    """`next_cursor` of the previous page."""


@dataclass(frozen=True)
class AgentRepository:
    """The agents of a zoo.

    Methods raise `AgentNotFoundError` for an unknown agent, `ConflictError` if the agent is not at
    the expected `version`, and `InvalidAgentError` if a value is invalid.
    """

    context: ZooContext

    def list_summaries(self, **query: Unpack[AgentQuery]) -> ResultPage[AgentSummary]:
        """Return the summaries of agents, in order of creation."""
        return self._list_agents(AgentSummary, query)

    def list_agents(self, **query: Unpack[AgentQuery]) -> ResultPage[Agent]:
        """Return complete agents, without their brains, in order of creation."""
        return self._list_agents(Agent, query)

    def _list_agents(
        self, result_type: type[agent_rows.AgentT], query: AgentQuery
    ) -> ResultPage[agent_rows.AgentT]:
        """Return one page of agents that match a query.

        Args:
            result_type: `Agent` for complete agents, or `AgentSummary`.
            query: The conditions as the caller gave them. They are validated here.
        """
        agent_filter = AgentFilter(
            archived=query.get("archived", False),
            text=query.get("text"),
            tag=query.get("tag"),
            limit=validation.validate_page_size(query.get("limit")),
            after=parse_agent_cursor(query.get("cursor")),
        )
        with self.context.read_transaction() as tx:
            return agent_rows.list_agents(tx, result_type, agent_filter)

    def get(self, agent_id: str) -> Agent:
        """Return the agent with the given ID."""
        with self.context.read_transaction() as tx:
            return require_agent(tx, agent_id).agent

    def find(self, id_or_name: str) -> Agent:
        """Return the agent with the given ID, or else the given name, ignoring case."""
        with self.context.read_transaction() as tx:
            return require_agent_by_id_or_name(tx, id_or_name).agent

    def create(self, fields: Mapping[str, Any], *, source: str = "web") -> Agent:
        """Create an agent, and return it with its ID.

        The ID is a slug of the given ID or of the name, with `-2`, `-3`, … if that is taken.

        Args:
            fields: Values by JSON key, such as `{"name": "Ada", "systemPrompt": "…"}`.
            source: The origin of the change: `web`, `mcp`, `cli`, `import` or `sync`.
        """
        new_agent = validation.parse_new_agent(fields)
        with self.context.write_transaction(source) as tx:
            return add_agent(tx, new_agent, "created").agent

    def update(
        self, agent_id: str, changes: Mapping[str, Any], **options: Unpack[ChangeOptions]
    ) -> Agent:
        """Update fields of an agent, and save it as its next version.

        Args:
            agent_id: The ID of the agent.
            changes: New values by JSON key, such as `{"tags": ["code"]}`. Unknown keys are ignored.
            **options: `version`, the version that the change is based on, and `source`.
        """
        with self.context.change_transaction(options) as tx:
            row = require_agent(tx, agent_id)
            check_expected_version(options.get("version"), row.agent)
            updated_agent = validation.apply_changes(row.agent, changes)
            return save_agent(tx, row, updated_agent)

    def duplicate(self, agent_id: str, name: str | None = None, *, source: str = "web") -> Agent:
        """Create a copy of an agent, without the entries in its brain.

        By default, the copy is named after the original, with ` copy` appended.
        """
        with self.context.write_transaction(source) as tx:
            agent = require_agent(tx, agent_id).agent
            if name is None:
                # Shorten a long name to leave room for the suffix.
                max_characters = validation.MAX_NAME_CHARACTERS - len(_COPY_SUFFIX)
                name = agent.name[:max_characters] + _COPY_SUFFIX
            # Without a seed, `add_agent` derives one from the new name, so the copy looks
            # different.
            fields = {"id": None, "name": name, "appearanceSeed": ""}
            copy = validation.parse_new_agent({**msgspec.to_builtins(agent), **fields})
            return add_agent(tx, copy, f"copied from {agent.id}").agent

    def delete(self, agent_id: str, version: int | None = None, *, source: str = "web") -> None:
        """Move an agent to the bin, from which it can be restored for 30 days."""
        with self.context.write_transaction(source) as tx:
            row = require_agent(tx, agent_id)
            check_expected_version(version, row.agent)
            agent_rows.update_agent_columns(tx, row.key, deleted_at=tx.timestamp)
            tx.record_event("agent:deleted", row.agent.id, name=row.agent.name)
            # There is no periodic task, so each deletion also removes expired agents from the bin.
            _purge_expired_agents(tx)

    def list_deleted(self) -> list[AgentSummary]:
        """Return the agents in the bin that can be restored, most recently deleted first."""
        with self.context.read_transaction() as tx:
            in_bin = AgentFilter(archived=None, is_deleted=True)
            page = agent_rows.list_agents(tx, AgentSummary, in_bin)
        # Expired agents stay in the table until the next deletion removes them.
        retention_start = timestamps.get_past_timestamp(validation.DELETED_RETENTION_DAYS)
        restorable = [agent for agent in page.items if (agent.deleted_at or "") >= retention_start]
        return sorted(restorable, key=lambda agent: agent.deleted_at or "", reverse=True)

    def restore(self, agent_id: str, *, source: str = "web") -> Agent:
        """Restore an agent from the bin, with its brain and its history."""
        with self.context.write_transaction(source) as tx:
            row = _require_deleted_agent(tx, agent_id)
            agent_rows.update_agent_columns(tx, row.key, deleted_at=None)
            tx.record_event("agent:restored", row.agent.id, name=row.agent.name)
            return row.agent

    def purge(self, agent_id: str, *, source: str = "web") -> None:
        """Delete an agent in the bin permanently, with its brain and its history."""
        with self.context.write_transaction(source) as tx:
            row = _require_deleted_agent(tx, agent_id)
            tx.connection.execute(delete(agents).where(agents.c.key == row.key))
            tx.record_event("agent:purged", row.agent.id, name=row.agent.name)


@dataclass(frozen=True)
class VersionHistory:
    """The stored versions of agents.

    Methods raise `AgentNotFoundError` for an unknown agent, and `AgentVersionNotFoundError` for a
    version that never existed or is no longer stored.
    """

    context: ZooContext

    def list_versions(self, agent_id: str) -> list[AgentVersion]:
        """Return an agent's stored versions, newest first, without their content."""
        with self.context.read_transaction() as tx:
            return agent_rows.list_versions(tx, require_agent(tx, agent_id).key)

    def get_version(self, agent_id: str, version: int) -> AgentVersion:
        """Return one version with its content."""
        with self.context.read_transaction() as tx:
            return _require_agent_version(tx, require_agent(tx, agent_id), version)

    def diff_versions(self, agent_id: str, before: int, after: int) -> list[FieldChange]:
        """Return the fields that differ between two versions."""
        with self.context.read_transaction() as tx:
            row = require_agent(tx, agent_id)
            old, new = (_require_agent_at(tx, row, version) for version in (before, after))
            return diff_agents(old, new)

    def restore_version(
        self,
        agent_id: str,
        version: int,
        *,
        current: int | None = None,
        source: str = "web",
    ) -> Agent:
        """Save the content of an earlier version as the next version of the agent.

        Args:
            agent_id: The ID of the agent.
            version: The number of the version to restore.
            current: The expected current version of the agent, or None for any.
            source: The origin of the change.

        Raises:
            ConflictError: The agent is not at the version `current`.
        """
        with self.context.write_transaction(source) as tx:
            row = require_agent(tx, agent_id)
            check_expected_version(current, row.agent)
            earlier_agent = _require_agent_at(tx, row, version)
            # Only the editable fields are copied, so the ID and the timestamps stay the same.
            restored = validation.apply_changes(row.agent, msgspec.to_builtins(earlier_agent))
            return save_agent(tx, row, restored, f"restored version {version}")


def add_agent(tx: WriteTransaction, new_agent: Agent, summary: str) -> AgentRow:
    """Insert an agent with its first version, and record an `agent:created` event.

    Args:
        tx: The transaction.
        new_agent: The agent. If its ID is empty, taken or not a slug, it gets a free one.
        summary: The summary of the first version in the history, such as "created" or "imported".
    """
    requested_id = new_agent.id.strip()
    slug = slugify(requested_id or new_agent.name, "agent")
    agent = validation.validate_object(
        msgspec.structs.replace(
            new_agent,
            id=find_free_slug(slug, agent_rows.make_agent_id_predicate(tx)),
            # The agent's picture is generated from this seed. It is stored, so the picture does not
            # change with the name.
            appearance_seed=new_agent.appearance_seed or requested_id or new_agent.name,
            created_at=tx.timestamp,
            updated_at=tx.timestamp,
        )
    )
    row = AgentRow(agent_rows.insert_agent(tx, agent), agent)
    agent_rows.insert_version(tx, row, summary)
    tx.record_event("agent:created", agent.id, name=agent.name)
    return row


def save_agent(
    tx: WriteTransaction, row: AgentRow, updated_agent: Agent, summary: str | None = None
) -> Agent:
    """Save a changed agent as its next version, unless nothing has changed.

    All changes to an existing agent go through this function, which also adds the version to the
    history and records an `agent:updated` event.

    Args:
        tx: The transaction.
        row: The stored agent.
        updated_agent: The agent with the changes.
        summary: The summary for the history. By default it lists the changed fields.
    """
    updated_agent = validation.validate_object(updated_agent)
    # Saving an unchanged form must not fill the history with identical versions.
    if updated_agent == row.agent:
        return row.agent
    summary = summary or summarize_changes(diff_agents(row.agent, updated_agent))
    version = row.agent.version + 1
    updated_agent.version = version
    updated_agent.updated_at = tx.timestamp
    agent_rows.update_agent(tx, row.key, updated_agent)
    agent_rows.insert_version(tx, AgentRow(row.key, updated_agent), summary)
    tx.record_event("agent:updated", updated_agent.id, version=version, summary=summary)
    return updated_agent


def diff_agents(before: Agent, after: Agent) -> list[FieldChange]:
    """Return the fields that differ between two states of an agent.

    Skills and categories are compared one by one, so the history names the skill that changed:
    `FieldChange(field="skills.testing.enabled", before=True, after=False)`. Version numbers and
    timestamps are left out.
    """
    old, new = msgspec.to_builtins(before), msgspec.to_builtins(after)
    changes: list[FieldChange] = []
    for key in new:
        if key in _BOOKKEEPING_FIELDS or old[key] == new[key]:
            continue
        if key in _LIST_FIELDS:
            changes += _diff_lists(key, old[key], new[key])
        else:
            changes.append(FieldChange(field=key, before=old[key], after=new[key]))
    return changes


def _diff_lists(
    list_name: str, before: list[dict[str, Any]], after: list[dict[str, Any]]
) -> list[FieldChange]:
    """Compare two lists of skills or categories, matching their items by ID.

    Returns changed fields as `skills.<id>.<field>`, added and removed items as `skills.<id>`, and a
    change in order as `skills.order`.
    """
    old = {item["id"]: item for item in before}
    new = {item["id"]: item for item in after}
    changes: list[FieldChange] = []
    for item_id in {**old, **new}:
        path = f"{list_name}.{item_id}"
        if item_id in old and item_id in new:
            changes += [
                FieldChange(field=f"{path}.{name}", before=old[item_id][name], after=value)
                for name, value in new[item_id].items()
                if value != old[item_id][name]
            ]
        else:
            changes.append(FieldChange(field=path, before=old.get(item_id), after=new.get(item_id)))
    # Added and removed items shift the others, so only items in both versions reveal a new order.
    old_order = [item_id for item_id in old if item_id in new]
    new_order = [item_id for item_id in new if item_id in old]
    if old_order != new_order:
        changes.append(FieldChange(field=f"{list_name}.order", before=list(old), after=list(new)))
    return changes


def summarize_changes(changes: list[FieldChange]) -> str:
    """Describe changes on one line, as in `changed name, skills.testing.enabled and 2 more`."""
    fields = [change.field for change in changes]
    if not fields:
        return "no change"
    shown = ", ".join(fields[:3])
    hidden_count = len(fields) - 3
    return f"changed {shown} and {hidden_count} more" if hidden_count > 0 else f"changed {shown}"


def _require_deleted_agent(tx: WriteTransaction, agent_id: str) -> AgentRow:
    """Return an agent that is in the bin.

    Raises:
        AgentNotFoundError: The agent does not exist, or has not been deleted.
    """
    row = agent_rows.find_agent_row(tx, agent_id.strip(), in_bin=True)
    if row is not None:
        return row
    if agent_rows.find_agent_row(tx, agent_id.strip()) is not None:
        raise AgentNotFoundError(f"{agent_id[:100]} is not in the bin", hint="delete it first")
    raise make_agent_not_found_error(tx, agent_id)


def _purge_expired_agents(tx: WriteTransaction) -> None:
    is_expired = agents.c.deleted_at < timestamps.get_past_timestamp(
        validation.DELETED_RETENTION_DAYS
    )
    tx.connection.execute(delete(agents).where(agents.c.owner == tx.owner, is_expired))


def _require_agent_version(tx: ReadTransaction, row: AgentRow, version: int) -> AgentVersion:
    """Return one of an agent's stored versions with its content.

    Raises:
        AgentVersionNotFoundError: The version never existed, or is no longer stored.
    """
    agent_version = agent_rows.find_version(tx, row.key, version)
    if agent_version is None:
        raise AgentVersionNotFoundError(
            f"version {version} of {row.agent.name} is not stored",
            hint="list the versions of the agent to see which are",
        )
    return agent_version


def _require_agent_at(tx: ReadTransaction, row: AgentRow, version: int) -> Agent:
    """Return an agent's state at a version."""
    agent = _require_agent_version(tx, row, version).agent
    assert agent is not None  # noqa: S101 - only lists omit the agent
    return agent
