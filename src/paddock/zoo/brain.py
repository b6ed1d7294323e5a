"""The brains of agents: create, query, change and search entries, and hand them over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypedDict, Unpack
from uuid import uuid4

import msgspec
from sqlalchemy import delete

from paddock.zoo import timestamps, validation
from paddock.zoo.context import (
    ChangeOptions,
    ZooContext,
    check_expected_version,
    require_agent,
    require_agent_by_name,
)
from paddock.zoo.errors import EntryNotFoundError
from paddock.zoo.model import BrainEntry, ResultPage, SearchHit
from paddock.zoo.search_terms import extract_words, make_snippet
from paddock.zoo.store import entry_rows
from paddock.zoo.store.entry_rows import EntryFilter, EntryRow
from paddock.zoo.store.schema import entries

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from paddock.zoo.model import Agent
    from paddock.zoo.store.agent_rows import AgentRow
    from paddock.zoo.store.transaction import ReadTransaction, WriteTransaction

METADATA_SOURCES = {
    "web": "manual",
    "cli": "manual",
    "mcp": "mcp",
    "import": "import",
    "sync": "import",
}
"""The default of an entry's `metadata.source`, by the source of the change."""
MAX_QUERY_WORDS = 20
"""Further words of a query are ignored."""
MIN_PREFIX_CHARACTERS = 2
"""Minimum length of a word to be searched for as a prefix."""


class EntryConditions(TypedDict, total=False):
    """The keyword arguments of a query for brain entries."""

    type: str | None
    tags: Sequence[str]
    """Tags of which an entry must have at least one."""
    date_from: str | None
    """Earliest date or time, inclusive."""
    date_to: str | None
    """Latest date or time, inclusive. A date means the end of the day in UTC."""
    pinned: bool | None
    text: str | None
    """Words that an entry must all contain."""
    workspace_id: str | None
    limit: int | None
    """Maximum number of entries, by default all."""
    cursor: str | None
    """`next_cursor` of the previous page."""


@dataclass(frozen=True)
class BrainRepository:
    """The brain entries of agents.

    Methods raise `AgentNotFoundError` for an unknown agent, `EntryNotFoundError` for an unknown
    entry, `ConflictError` if the entry is not at the expected `version`, and `InvalidAgentError` if
    a value is invalid.
    """

    context: ZooContext

    def query_entries(
        self, agent_id: str, **conditions: Unpack[EntryConditions]
    ) -> ResultPage[BrainEntry]:
        """Return the entries of an agent that meet all conditions, newest first."""
        text = conditions.get("text") or ""
        entry_filter = EntryFilter(
            type=conditions.get("type"),
            tags=validation.normalize_tags(conditions.get("tags", ())),
            not_before=validation.parse_date_bound(
                "dateFrom", conditions.get("date_from"), timestamps.parse_period_start
            ),
            before=validation.parse_date_bound(
                "dateTo", conditions.get("date_to"), timestamps.parse_period_end
            ),
            pinned=conditions.get("pinned"),
            words=extract_words(text)[:MAX_QUERY_WORDS],
            workspace_id=conditions.get("workspace_id"),
            limit=validation.validate_page_size(conditions.get("limit")),
            after=entry_rows.parse_entry_cursor(conditions.get("cursor")),
        )
        with self.context.read_transaction() as tx:
            row = require_agent(tx, agent_id)
            # A query of punctuation only has no words, which must not mean "no condition".
            if text.strip() and not entry_filter.words:
                return ResultPage(items=[])
            return entry_rows.list_entry_page(tx, row.key, entry_filter)

    def get_entry(self, agent_id: str, entry_id: str) -> BrainEntry:
        """Return one entry."""
        with self.context.read_transaction() as tx:
            return _require_entry(tx, require_agent(tx, agent_id), entry_id).entry

    def create_entry(
        self,
        agent_id: str,
        type: str,  # noqa: A002 - the name of the field
        content: str,
        *,
        tags: Sequence[str] = (),
        pinned: bool = False,
        metadata: Mapping[str, Any] | None = None,
        source: str = "web",
    ) -> BrainEntry:
        """Create an entry with a new ID and the current time.

        Pinned entries come first when memory is injected into a prompt.
        """
        data = {"type": type, "content": content, "tags": list(tags), "pinned": pinned}
        with self.context.write_transaction(source) as tx:
            row = require_agent(tx, agent_id)
            return write_entry(tx, row, {**data, "metadata": metadata or {}})

    def update_entry(
        self,
        agent_id: str,
        entry_id: str,
        changes: Mapping[str, Any],
        **options: Unpack[ChangeOptions],
    ) -> BrainEntry:
        """Set the fields whose JSON keys are given, and ignore unknown keys."""
        with self.context.change_transaction(options) as tx:
            row = _require_entry(tx, require_agent(tx, agent_id), entry_id)
            check_expected_version(options, row.entry)
            changed = validation.apply_changes(row.entry, changes)
            return _save_entry(tx, row, changed)

    def pin_entry(
        self, agent_id: str, entry_id: str, pinned: bool | None = None, *, source: str = "web"
    ) -> BrainEntry:
        """Pin or unpin an entry. Without `pinned`, invert its state."""
        with self.context.write_transaction(source) as tx:
            row = _require_entry(tx, require_agent(tx, agent_id), entry_id)
            is_pinned = not row.entry.pinned if pinned is None else pinned
            return _save_entry(tx, row, msgspec.structs.replace(row.entry, pinned=is_pinned))

    def delete_entry(self, agent_id: str, entry_id: str, **options: Unpack[ChangeOptions]) -> None:
        """Move an entry to the bin, from which it can be restored for 30 days."""
        with self.context.change_transaction(options) as tx:
            agent_row = require_agent(tx, agent_id)
            row = _require_entry(tx, agent_row, entry_id)
            check_expected_version(options, row.entry)
            # Removing the indexed words removes the entry from the full-text index.
            entry_rows.update_entry_columns(tx, row.key, deleted_at=tx.timestamp, words="")
            entry_rows.change_entry_count(tx, agent_row.key, -1)
            tx.record_event("brain:deleted", agent_row.agent.id, entry_id)
            _purge_expired_entries(tx, agent_row.key)

    def restore_entry(self, agent_id: str, entry_id: str, *, source: str = "web") -> BrainEntry:
        """Restore an entry from the bin."""
        with self.context.write_transaction(source) as tx:
            agent_row = require_agent(tx, agent_id)
            row = entry_rows.find_entry_row(tx, agent_row.key, entry_id, in_bin=True)
            if row is None:
                raise EntryNotFoundError(
                    f"{agent_row.agent.name} has no entry {entry_id[:100]!r} in the bin"
                )
            # Writing the whole entry restores its words in the full-text index.
            entry_rows.update_entry(tx, row.key, row.entry)
            entry_rows.update_entry_columns(tx, row.key, deleted_at=None)
            entry_rows.change_entry_count(tx, agent_row.key, 1)
            tx.record_event("brain:restored", agent_row.agent.id, entry_id)
            return row.entry

    def search(self, text: str, *, agent_id: str | None = None, limit: int = 20) -> list[SearchHit]:
        """Return the newest entries that contain all words of a text, ignoring case and accents.

        If no entry does, the last word matches as a prefix. Without `agent_id` the brains of all
        agents are searched.
        """
        words = extract_words(text)[:MAX_QUERY_WORDS]
        validation.validate_page_size(limit)
        with self.context.read_transaction() as tx:
            agent_key = require_agent(tx, agent_id).key if agent_id is not None else None
            if not words:
                return []
            matches = entry_rows.search_entries(tx, words, agent_key=agent_key, max_results=limit)
            if not matches and len(words[-1]) >= MIN_PREFIX_CHARACTERS:
                matches = entry_rows.search_entries(
                    tx, words, agent_key=agent_key, max_results=limit, last_is_prefix=True
                )
        return [
            SearchHit(entry=entry, agent_name=name, snippet=make_snippet(entry.content, words))
            for entry, name in matches
        ]

    def hand_over(
        self,
        from_id: str,
        to_id: str,
        summary: str,
        *,
        entry_ids: Sequence[str] = (),
        source: str = "web",
    ) -> BrainEntry:
        """Create an entry in another agent's brain, with a summary and quoted entries.

        Args:
            from_id: The agent that hands over, by ID or name.
            to_id: The agent that takes over, by ID or name. Must be another one.
            summary: Text of the entry. Must not be empty.
            entry_ids: Entries of the first agent to quote after the summary.
            source: The origin of the change.
        """
        with self.context.write_transaction(source) as tx:
            sender = require_agent_by_name(tx, from_id)
            receiver = require_agent_by_name(tx, to_id)
            if sender.key == receiver.key:
                raise validation.make_invalid_field_error("toAgentId", "must be another agent")
            if not summary.strip():
                raise validation.make_invalid_field_error("summary", "must not be empty")
            quoted = [_require_entry(tx, sender, i).entry for i in dict.fromkeys(entry_ids)]
            entry = write_entry(tx, receiver, _make_handoff(sender.agent, summary, quoted))
            tx.record_event(
                "agent:handedOver", sender.agent.id, entry.id, toAgentId=receiver.agent.id
            )
            return entry


def write_entry(tx: WriteTransaction, agent: AgentRow, data: Mapping[str, Any]) -> BrainEntry:
    """Insert an entry into a brain, and record the event.

    Raises:
        InvalidAgentError: A value of the entry is invalid.
    """
    defaults = {"id": str(uuid4()), "timestamp": tx.timestamp}
    entry = validation.convert_to_struct(
        BrainEntry, {**defaults, **data, "agentId": agent.agent.id}
    )
    entry.updated_at = entry.updated_at or tx.timestamp
    # An imported entry keeps the source that its file states.
    entry.metadata.setdefault("source", METADATA_SOURCES.get(tx.source, "auto"))
    entry = validation.validate_object(entry)
    entry_rows.insert_entry(tx, agent.key, entry)
    tx.record_event("brain:written", agent.agent.id, entry.id, type=entry.type)
    return entry


def _make_handoff(sender: Agent, summary: str, quoted: list[BrainEntry]) -> dict[str, Any]:
    """Return the fields of a `handoff` entry."""
    quotes = [f"[{entry.type}, {entry.timestamp[:10]}] {entry.content}" for entry in quoted]
    tags = validation.normalize_tags(tag for entry in quoted for tag in entry.tags)
    return {
        "type": "handoff",
        "content": "\n\n".join([f"From {sender.name}: {summary.strip()}", *quotes]),
        "tags": tags[: validation.MAX_TAGS],
        "metadata": {"fromAgentId": sender.id, "entryIds": [entry.id for entry in quoted]},
    }


def _save_entry(tx: WriteTransaction, row: EntryRow, changed: BrainEntry) -> BrainEntry:
    """Save a changed entry as its next version, unless nothing has changed."""
    changed = validation.validate_object(changed)
    # Pinning a pinned entry must not change its version.
    if changed == row.entry:
        return row.entry
    changed.version = row.entry.version + 1
    changed.updated_at = tx.timestamp
    entry_rows.update_entry(tx, row.key, changed)
    tx.record_event("brain:updated", changed.agent_id, changed.id, version=changed.version)
    return changed


def _purge_expired_entries(tx: WriteTransaction, agent_key: int) -> None:
    oldest = timestamps.get_past_timestamp(validation.DELETED_RETENTION_DAYS)
    tx.connection.execute(
        delete(entries).where(entries.c.agent_key == agent_key, entries.c.deleted_at < oldest)
    )


def _require_entry(tx: ReadTransaction, agent: AgentRow, entry_id: str) -> EntryRow:
    """Return an entry of an agent, or raise an error that names the agent."""
    row = entry_rows.find_entry_row(tx, agent.key, entry_id.strip())
    if row is None:
        raise EntryNotFoundError(
            f"{agent.agent.name} has no entry {entry_id[:100]!r}",
            hint="query the entries to see their ids",
        )
    return row
