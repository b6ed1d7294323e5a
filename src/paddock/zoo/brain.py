"""Agent brains: create, query, change, search and hand over entries."""

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
    require_agent_by_id_or_name,
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
"""The default `metadata.source` of an entry, by the source of the change."""
MAX_QUERY_WORDS = 20
"""Maximum number of words in a query. The others are ignored."""
MIN_PREFIX_CHARACTERS = 2
"""Minimum length of a word that is searched for as a prefix."""


class EntryQuery(TypedDict, total=False):
    """The keyword arguments of a query for brain entries."""

    type: str | None
    """The type of the entries, such as `note`."""
    tags: Sequence[str]
    """Match entries with any of these tags."""
    date_from: str | None
    """Earliest date or time, inclusive."""
    date_to: str | None
    """Latest date or time, inclusive. A date means the end of the day in UTC."""
    pinned: bool | None
    """True for pinned entries only, False for the others, None for both."""
    text: str | None
    """Match entries that contain all words of this text."""
    workspace_id: str | None
    """Match entries whose metadata names this workspace."""
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

    def query_entries(self, agent_id: str, **query: Unpack[EntryQuery]) -> ResultPage[BrainEntry]:
        """Return one page of an agent's entries that meet all conditions, newest first."""
        text = query.get("text") or ""
        entry_filter = EntryFilter(
            type=query.get("type"),
            tags=validation.normalize_tags(query.get("tags", ())),
            not_before=validation.parse_date_bound(
                "dateFrom", query.get("date_from"), timestamps.parse_period_start
            ),
            before=validation.parse_date_bound(
                "dateTo", query.get("date_to"), timestamps.parse_period_end
            ),
            pinned=query.get("pinned"),
            words=extract_words(text)[:MAX_QUERY_WORDS],
            workspace_id=query.get("workspace_id"),
            limit=validation.validate_page_size(query.get("limit")),
            after=entry_rows.parse_entry_cursor(query.get("cursor")),
        )
        with self.context.read_transaction() as tx:
            row = require_agent(tx, agent_id)
            # A text with only punctuation has no words. It must match nothing, not everything.
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
        """Create an entry in an agent's brain, with a new ID and the current time.

        Args:
            agent_id: The ID of the agent.
            type: The type of the entry, such as `note`.
            content: The text of the entry.
            tags: Tags for finding the entry.
            pinned: Put the entry first when memory is added to a prompt.
            metadata: Additional data, such as `{"workspaceId": "…"}`.
            source: The origin of the change: `web`, `mcp`, `cli`, `import` or `sync`.
        """
        fields = {
            "type": type,
            "content": content,
            "tags": list(tags),
            "pinned": pinned,
            "metadata": metadata or {},
        }
        with self.context.write_transaction(source) as tx:
            return add_entry(tx, require_agent(tx, agent_id), fields)

    def update_entry(
        self,
        agent_id: str,
        entry_id: str,
        changes: Mapping[str, Any],
        **options: Unpack[ChangeOptions],
    ) -> BrainEntry:
        """Update fields of an entry, and save it as its next version.

        Args:
            agent_id: The ID of the agent.
            entry_id: The ID of the entry.
            changes: New values by JSON key, such as `{"tags": ["code"]}`. Unknown keys are ignored.
            **options: `version`, the version that the change is based on, and `source`.
        """
        with self.context.change_transaction(options) as tx:
            row = _require_entry(tx, require_agent(tx, agent_id), entry_id)
            check_expected_version(options.get("version"), row.entry)
            updated_entry = validation.apply_changes(row.entry, changes)
            return _save_entry(tx, row, updated_entry)

    def pin_entry(
        self, agent_id: str, entry_id: str, pinned: bool | None = None, *, source: str = "web"
    ) -> BrainEntry:
        """Pin an entry, or unpin it if `pinned` is False. By default, toggle its state.

        Pinned entries come first when memory is added to a prompt.
        """
        with self.context.write_transaction(source) as tx:
            row = _require_entry(tx, require_agent(tx, agent_id), entry_id)
            if pinned is None:
                pinned = not row.entry.pinned
            return _save_entry(tx, row, msgspec.structs.replace(row.entry, pinned=pinned))

    def delete_entry(self, agent_id: str, entry_id: str, **options: Unpack[ChangeOptions]) -> None:
        """Move an entry to the bin, from which it can be restored for 30 days."""
        with self.context.change_transaction(options) as tx:
            agent_row = require_agent(tx, agent_id)
            row = _require_entry(tx, agent_row, entry_id)
            check_expected_version(options.get("version"), row.entry)
            # Removing the indexed words removes the entry from the full-text index.
            entry_rows.update_entry_columns(tx, row.key, deleted_at=tx.timestamp, words="")
            entry_rows.change_entry_count(tx, agent_row.key, -1)
            tx.record_event("brain:deleted", agent_row.agent.id, entry_id)
            _purge_expired_entries(tx, agent_row.key)

    def restore_entry(self, agent_id: str, entry_id: str, *, source: str = "web") -> BrainEntry:
        """Move an entry from the bin back into its agent's brain.

        Raises:
            EntryNotFoundError: The agent has no such entry in the bin.
        """
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

        If no entry contains them all, the last word is searched for as a prefix.

        Args:
            text: The words to search for.
            agent_id: The agent whose brain to search, by default those of all agents.
            limit: The maximum number of entries.
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
        """Hand over work to another agent by writing a summary and quoted entries into its brain.

        Args:
            from_id: The agent that hands over, by ID or name.
            to_id: The agent that takes over, by ID or name. Must be a different agent.
            summary: Text of the entry. Must not be empty.
            entry_ids: Entries of the first agent to quote after the summary.
            source: The origin of the change.

        Returns:
            The new entry, of type `handoff`.
        """
        with self.context.write_transaction(source) as tx:
            sender = require_agent_by_id_or_name(tx, from_id)
            receiver = require_agent_by_id_or_name(tx, to_id)
            if sender.key == receiver.key:
                raise validation.make_invalid_field_error("toAgentId", "must be another agent")
            if not summary.strip():
                raise validation.make_invalid_field_error("summary", "must not be empty")
            unique_ids = dict.fromkeys(entry_ids)
            quoted = [_require_entry(tx, sender, entry_id).entry for entry_id in unique_ids]
            entry = add_entry(tx, receiver, _make_handoff_fields(sender.agent, summary, quoted))
            tx.record_event(
                "agent:handedOver", sender.agent.id, entry.id, toAgentId=receiver.agent.id
            )
            return entry


def add_entry(tx: WriteTransaction, agent_row: AgentRow, fields: Mapping[str, Any]) -> BrainEntry:
    """Insert an entry into an agent's brain, and record a `brain:written` event.

    Args:
        tx: The transaction.
        agent_row: The agent.
        fields: Values by JSON key. A missing ID or time is filled in.

    Raises:
        InvalidAgentError: A value of the entry is invalid.
    """
    agent_id = agent_row.agent.id
    defaults = {"id": str(uuid4()), "timestamp": tx.timestamp}
    entry = validation.convert_to_struct(BrainEntry, {**defaults, **fields, "agentId": agent_id})
    entry.updated_at = entry.updated_at or tx.timestamp
    # The metadata states who wrote the entry. Imported entries keep the source from their file.
    entry.metadata.setdefault("source", METADATA_SOURCES.get(tx.source, "auto"))
    entry = validation.validate_object(entry)
    entry_rows.insert_entry(tx, agent_row.key, entry)
    tx.record_event("brain:written", agent_id, entry.id, type=entry.type)
    return entry


def _make_handoff_fields(sender: Agent, summary: str, quoted: list[BrainEntry]) -> dict[str, Any]:
    """Return the fields of a `handoff` entry, which passes work from one agent to another.

    Its content is the summary, followed by the quoted entries of the sender.
    """
    quotes = [f"[{entry.type}, {entry.timestamp[:10]}] {entry.content}" for entry in quoted]
    tags = validation.normalize_tags(tag for entry in quoted for tag in entry.tags)
    return {
        "type": "handoff",
        "content": "\n\n".join([f"From {sender.name}: {summary.strip()}", *quotes]),
        "tags": tags[: validation.MAX_TAGS],
        "metadata": {"fromAgentId": sender.id, "entryIds": [entry.id for entry in quoted]},
    }


def _save_entry(tx: WriteTransaction, row: EntryRow, updated_entry: BrainEntry) -> BrainEntry:
    """Save a changed entry as its next version, and record a `brain:updated` event.

    If it equals the stored entry, nothing is saved.
    """
    entry = validation.validate_object(updated_entry)
    # Pinning a pinned entry must not change its version.
    if entry == row.entry:
        return row.entry
    entry.version = row.entry.version + 1
    entry.updated_at = tx.timestamp
    entry_rows.update_entry(tx, row.key, entry)
    tx.record_event("brain:updated", entry.agent_id, entry.id, version=entry.version)
    return entry


def _purge_expired_entries(tx: WriteTransaction, agent_key: int) -> None:
    oldest = timestamps.get_past_timestamp(validation.DELETED_RETENTION_DAYS)
    tx.connection.execute(
        delete(entries).where(entries.c.agent_key == agent_key, entries.c.deleted_at < oldest)
    )


def _require_entry(tx: ReadTransaction, agent_row: AgentRow, entry_id: str) -> EntryRow:
    """Return one of an agent's entries.

    Raises:
        EntryNotFoundError: The agent's brain has no such entry.
    """
    row = entry_rows.find_entry_row(tx, agent_row.key, entry_id.strip())
    if row is None:
        raise EntryNotFoundError(
            f"{agent_row.agent.name} has no entry {entry_id[:100]!r}",
            hint="query the entries to see their ids",
        )
    return row
