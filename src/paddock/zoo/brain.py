"""What agents have kept: writing it down, finding it again, and handing it over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import uuid4

import msgspec
from sqlalchemy import delete

from paddock.zoo import timestamps, validation
from paddock.zoo.context import (
    ZooContext,
    check_expected_version,
    require_agent,
    require_agent_by_name,
)
from paddock.zoo.errors import EntryNotFoundError
from paddock.zoo.model import BrainEntry, Page, SearchHit
from paddock.zoo.search_terms import extract_words, make_snippet
from paddock.zoo.store import entry_rows
from paddock.zoo.store.entry_rows import EntryFilter, EntryRow
from paddock.zoo.store.schema import entries

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from paddock.zoo.store.agent_rows import AgentRow
    from paddock.zoo.store.transaction import ReadTransaction, WriteTransaction

METADATA_SOURCES = {
    "web": "manual",
    "cli": "manual",
    "mcp": "mcp",
    "import": "import",
    "sync": "import",
}
"""What `metadata.source` says of who wrote an entry, unless it was given."""
MAX_QUERY_WORDS = 20
"""Of a search; further ones are not looked at."""
MIN_PREFIX_CHARACTERS = 2
"""Of the beginning of a word that is searched for."""


class BrainRepository(ZooContext):
    """The brains of agents."""

    def query_entries(
        self,
        agent_id: str,
        *,
        type: str | None = None,  # noqa: A002 - the name of the field
        tags: Sequence[str] = (),
        date_from: str | None = None,
        date_to: str | None = None,
        pinned: bool | None = None,
        text: str | None = None,
        workspace_id: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Page[BrainEntry]:
        """Entries of an agent, the newest first.

        Args:
            agent_id: Whose.
            type: Only those of this type.
            tags: Only those with any of these tags.
            date_from: Only those of this day or moment, and later ones.
            date_to: Only those of this day or moment, and earlier ones; a day counts whole, in UTC.
            pinned: Only those that are pinned, or are not.
            text: Only those with all words of it.
            workspace_id: Only those of this workspace.
            limit: How many at most; None is all.
            cursor: `next_cursor` of the page before.

        Raises:
            AgentNotFoundError: when there is no such agent.
            InvalidAgentError: for dates that are none.
        """
        wanted = EntryFilter(
            type=type,
            tags=validation.normalize_tags(tags),
            not_before=validation.parse_date_bound(
                "dateFrom", date_from, timestamps.parse_period_start
            ),
            before=validation.parse_date_bound("dateTo", date_to, timestamps.parse_period_end),
            pinned=pinned,
            words=extract_words(text)[:MAX_QUERY_WORDS] if text else (),
            workspace_id=workspace_id,
        )
        size, after = validation.validate_page_size(limit), entry_rows.parse_entry_cursor(cursor)
        with self._read_transaction() as reading:
            kept = require_agent(reading, agent_id)
            if text and text.strip() and not wanted.words:
                return Page(items=[])  # nothing in it is a word
            return entry_rows.list_entry_page(reading, kept.key, wanted, size, after)

    def get_entry(self, agent_id: str, entry_id: str) -> BrainEntry:
        """One entry.

        Raises:
            AgentNotFoundError: when there is no such agent.
            EntryNotFoundError: when its brain has no such entry.
        """
        with self._read_transaction() as reading:
            return _require_entry(reading, require_agent(reading, agent_id), entry_id).entry

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
        """Write something down; the zoo gives it its id and its time.

        Raises:
            AgentNotFoundError: when there is no such agent.
            InvalidAgentError: when it cannot be kept.
        """
        data = {"type": type, "content": content, "tags": list(tags), "pinned": pinned}
        with self._write_transaction(source) as writing:
            kept = require_agent(writing, agent_id)
            return write_entry(writing, kept, {**data, "metadata": metadata or {}})

    def update_entry(
        self,
        agent_id: str,
        entry_id: str,
        changes: Mapping[str, Any],
        *,
        version: int | None = None,
        source: str = "web",
    ) -> BrainEntry:
        """Change the fields whose JSON keys are given, and no others; unknown keys are ignored.

        Raises:
            AgentNotFoundError: when there is no such agent.
            EntryNotFoundError: when its brain has no such entry.
            ConflictError: when it is not at that version any more.
            InvalidAgentError: when it cannot be kept so.
        """
        with self._write_transaction(source) as writing:
            agent = require_agent(writing, agent_id)
            kept = _require_entry(writing, agent, entry_id)
            check_expected_version(version, kept.entry)
            changed = validation.apply_changes(
                kept.entry, changes, validation.EDITABLE_ENTRY_FIELDS
            )
            return _save_entry(writing, kept, changed)

    def pin_entry(
        self, agent_id: str, entry_id: str, pinned: bool | None = None, *, source: str = "web"
    ) -> BrainEntry:
        """Have an entry pinned or not; by default, what it is not now.

        Raises:
            AgentNotFoundError: when there is no such agent.
            EntryNotFoundError: when its brain has no such entry.
        """
        with self._write_transaction(source) as writing:
            kept = _require_entry(writing, require_agent(writing, agent_id), entry_id)
            wanted = not kept.entry.pinned if pinned is None else pinned
            return _save_entry(writing, kept, msgspec.structs.replace(kept.entry, pinned=wanted))

    def delete_entry(
        self, agent_id: str, entry_id: str, *, version: int | None = None, source: str = "web"
    ) -> None:
        """Put an entry into the bin, from where it can be restored for 30 days.

        Raises:
            AgentNotFoundError: when there is no such agent.
            EntryNotFoundError: when its brain has no such entry.
            ConflictError: when it is not at that version any more.
        """
        with self._write_transaction(source) as writing:
            agent = require_agent(writing, agent_id)
            kept = _require_entry(writing, agent, entry_id)
            check_expected_version(version, kept.entry)
            # Without its words, no search comes upon it.
            entry_rows.update_entry_columns(
                writing, kept.key, deleted_at=writing.timestamp, words=""
            )
            entry_rows.change_entry_count(writing, agent.key, -1)
            writing.record_event("brain:deleted", agent.agent.id, entry_id)
            old = entries.c.deleted_at < timestamps.get_past_timestamp(
                validation.DELETED_RETENTION_DAYS
            )
            same = entries.c.agent_key == agent.key
            writing.connection.execute(delete(entries).where(same, old))

    def restore_entry(self, agent_id: str, entry_id: str, *, source: str = "web") -> BrainEntry:
        """Take an entry out of the bin, as it was.

        Raises:
            AgentNotFoundError: when there is no such agent.
            EntryNotFoundError: when it is not there.
        """
        with self._write_transaction(source) as writing:
            agent = require_agent(writing, agent_id)
            kept = entry_rows.find_entry_row(writing, agent.key, entry_id, in_bin=True)
            if kept is None:
                raise EntryNotFoundError(
                    f"no entry {entry_id[:100]!r} of {agent.agent.name} is in the bin"
                )
            entry_rows.update_entry(writing, kept.key, kept.entry)
            entry_rows.update_entry_columns(writing, kept.key, deleted_at=None)
            entry_rows.change_entry_count(writing, agent.key, 1)
            writing.record_event("brain:restored", agent.agent.id, entry_id)
            return kept.entry

    def search_brain(
        self, text: str, *, agent_id: str | None = None, limit: int = 20
    ) -> list[SearchHit]:
        """The newest entries with all words of a text, without regard to case and accents.

        When there are none, those in which a word begins like the last one.

        Raises:
            AgentNotFoundError: when there is no such agent.
        """
        words = extract_words(text)[:MAX_QUERY_WORDS]
        validation.validate_page_size(limit)
        with self._read_transaction() as reading:
            key = require_agent(reading, agent_id).key if agent_id is not None else None
            if not words:
                return []
            found = entry_rows.search_entries(reading, words, agent_key=key, most=limit)
            if not found and len(words[-1]) >= MIN_PREFIX_CHARACTERS:
                found = entry_rows.search_entries(
                    reading, words, agent_key=key, most=limit, is_last_open=True
                )
        return [
            SearchHit(entry=entry, agent_name=name, snippet=make_snippet(entry.content, words))
            for (_, entry), name in found
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
        """Leave another agent a summary and what belongs to it, as one entry of its brain.

        Raises:
            AgentNotFoundError: when there is no such agent.
            EntryNotFoundError: when the giver's brain has no such entry.
            InvalidAgentError: when the summary is empty or too long, or both are the same agent.
        """
        with self._write_transaction(source) as writing:
            giver, receiver = (
                require_agent_by_name(writing, from_id),
                require_agent_by_name(writing, to_id),
            )
            if giver.key == receiver.key:
                raise validation.make_invalid_field_error("toAgentId", "must be another agent")
            if not summary.strip():
                raise validation.make_invalid_field_error("summary", "must not be empty")
            given = [_require_entry(writing, giver, one).entry for one in dict.fromkeys(entry_ids)]
            quoted = [f"[{entry.type}, {entry.timestamp[:10]}] {entry.content}" for entry in given]
            content = "\n\n".join([f"From {giver.agent.name}: {summary.strip()}", *quoted])
            origin = {"fromAgentId": giver.agent.id, "entryIds": [entry.id for entry in given]}
            tags = validation.normalize_tags(tag for entry in given for tag in entry.tags)[
                : validation.MAX_TAGS
            ]
            data = {"type": "handoff", "content": content, "tags": tags, "metadata": origin}
            entry = write_entry(writing, receiver, data)
            writing.record_event(
                "agent:handedOver", giver.agent.id, entry.id, toAgentId=receiver.agent.id
            )
            return entry


def write_entry(writing: WriteTransaction, agent: AgentRow, data: Mapping[str, Any]) -> BrainEntry:
    """Put a new entry into a brain, and tell of it.

    Raises:
        InvalidAgentError: when it cannot be kept.
    """
    own = {"id": str(uuid4()), "timestamp": writing.timestamp}
    entry = validation.convert_to_struct(BrainEntry, {**own, **data, "agentId": agent.agent.id})
    entry.updated_at = entry.updated_at or writing.timestamp
    entry.metadata.setdefault("source", METADATA_SOURCES.get(writing.source, "auto"))
    entry = validation.validate_entry(entry)
    entry_rows.insert_entry(writing, agent.key, entry)
    writing.record_event("brain:written", agent.agent.id, entry.id, type=entry.type)
    return entry


def _save_entry(writing: WriteTransaction, kept: EntryRow, changed: BrainEntry) -> BrainEntry:
    tidy = validation.validate_entry(changed)
    if tidy == kept.entry:
        return kept.entry
    tidy.version = kept.entry.version + 1
    tidy.updated_at = writing.timestamp
    entry_rows.update_entry(writing, kept.key, tidy)
    writing.record_event("brain:updated", tidy.agent_id, tidy.id, version=tidy.version)
    return tidy


def _require_entry(transaction: ReadTransaction, agent: AgentRow, entry_id: str) -> EntryRow:
    kept = entry_rows.find_entry_row(transaction, agent.key, entry_id.strip())
    if kept is None:
        raise EntryNotFoundError(
            f"{agent.agent.name} has no entry {entry_id[:100]!r}",
            hint="query the entries to see their ids",
        )
    return kept
