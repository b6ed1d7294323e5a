"""Injecting agents: which of their memory comes along, and that others see it happen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.zoo import prompt_compiler, validation
from paddock.zoo.context import ZooContext, require_agent_by_name
from paddock.zoo.search_terms import extract_words
from paddock.zoo.skills import check_skills
from paddock.zoo.store import agent_rows, entry_rows
from paddock.zoo.store.entry_rows import EntryFilter
from paddock.zoo.validation import make_invalid_field_error

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.zoo.model import Agent, BrainEntry, Injection
    from paddock.zoo.store.agent_rows import AgentRow
    from paddock.zoo.store.transaction import ReadTransaction

MAX_BUDGET_TOKENS = 1_000_000
READ_CHUNK_ROWS = 30
"""How many entries are read at a time."""
MAX_QUERY_WORDS = 40
"""Of what an injection is about; further ones are not looked at."""


class AgentInjector(ZooContext):
    """What is injected of agents."""

    def inject(
        self,
        id_or_name: str,
        *,
        memory: bool | None = None,
        budget_tokens: int | None = None,
        workspace_id: str | None = None,
        about: str | None = None,
        source: str = "mcp",
    ) -> Injection:
        """The text that makes a model take the part of an agent; others are told of it.

        Args:
            id_or_name: Which agent.
            memory: Whether what is in the brain comes along; by default as the agent has it.
            budget_tokens: How much of that; by default 2000.
            workspace_id: Whose entries come before the rest. Those of other workspaces come last.
            about: What it is for: entries with words of it come before the rest.
            source: Who does it.

        Raises:
            AgentNotFoundError: when there is no such agent.
        """
        budget = _validate_budget(budget_tokens)
        with self._write_transaction(source) as writing:
            kept = require_agent_by_name(writing, id_or_name)
            found = _compile_injection(writing, kept, memory, budget, workspace_id, about)
            agent_rows.update_agent_columns(writing, kept.key, last_injected_at=writing.timestamp)
            detail = {"workspaceId": workspace_id} if workspace_id is not None else {}
            writing.record_event("agent:injected", kept.agent.id, tokens=found.tokens, **detail)
            return found

    def preview(
        self,
        id_or_name: str,
        *,
        memory: bool | None = None,
        budget_tokens: int | None = None,
        workspace_id: str | None = None,
        about: str | None = None,
    ) -> Injection:
        """The same text, without anybody being told.

        Raises:
            AgentNotFoundError: when there is no such agent.
        """
        budget = _validate_budget(budget_tokens)
        with self._read_transaction() as reading:
            kept = require_agent_by_name(reading, id_or_name)
            return _compile_injection(reading, kept, memory, budget, workspace_id, about)


def _validate_budget(budget_tokens: int | None) -> int:
    budget = validation.DEFAULT_MEMORY_TOKENS if budget_tokens is None else budget_tokens
    if not 0 <= budget <= MAX_BUDGET_TOKENS:
        raise make_invalid_field_error(
            "budgetTokens", f"must be a number from 0 to {MAX_BUDGET_TOKENS}"
        )
    return budget


def _compile_injection(
    transaction: ReadTransaction,
    kept: AgentRow,
    memory: bool | None,
    budget: int,
    workspace_id: str | None,
    about: str | None,
) -> Injection:
    is_wanted = kept.agent.injects_memory if memory is None else memory
    pinned: list[BrainEntry] = []
    chosen: list[BrainEntry] = []
    if is_wanted:
        pinned = _list_pinned_entries(transaction, kept.key)
        others = _iterate_unpinned_entries(transaction, kept.key, workspace_id, about)
        chosen = prompt_compiler.select_entries_within_budget(pinned, others, budget)
    warnings = _list_warnings(kept.agent)
    left_out = len(pinned) - sum(entry.pinned for entry in chosen)
    if left_out:
        entries = "entry does" if left_out == 1 else "entries do"
        warnings.append(f"{left_out} pinned {entries} not fit into {budget} tokens of memory")
    return prompt_compiler.compile_injection(kept.agent, chosen, warnings=warnings)


def _list_pinned_entries(transaction: ReadTransaction, key: int) -> list[BrainEntry]:
    wanted = EntryFilter(pinned=True)
    return entry_rows.list_entry_page(
        transaction, key, wanted, validation.MAX_MEMORY_CANDIDATES, None
    ).items


def _iterate_unpinned_entries(
    transaction: ReadTransaction, key: int, workspace_id: str | None, about: str | None
) -> Iterator[BrainEntry]:
    """What is not pinned: what fits the work, then the newest; read only as far as it is taken.

    What belongs to other workspaces comes after everything else.
    """
    words = extract_words(about)[:MAX_QUERY_WORDS] if about else []
    if words:
        for entry in _find_relevant_entries(transaction, key, words):
            if workspace_id is None or not _is_of_other_workspace(entry, workspace_id):
                yield entry
    if workspace_id is not None:
        yield from _iterate_newest_entries(transaction, key, EntryFilter(workspace_id=workspace_id))
        yield from _iterate_newest_entries(transaction, key, EntryFilter(is_without_workspace=True))
    yield from _iterate_newest_entries(transaction, key, EntryFilter())


def _iterate_newest_entries(
    transaction: ReadTransaction, key: int, wanted: EntryFilter
) -> Iterator[BrainEntry]:
    unpinned = wanted._replace(pinned=False)
    after = None
    for _ in range(validation.MAX_MEMORY_CANDIDATES // READ_CHUNK_ROWS):
        page = entry_rows.list_entry_page(transaction, key, unpinned, READ_CHUNK_ROWS, after)
        yield from page.items
        if page.next_cursor is None:
            return
        after = entry_rows.parse_entry_cursor(page.next_cursor)


def _find_relevant_entries(
    transaction: ReadTransaction, key: int, words: list[str]
) -> list[BrainEntry]:
    """Entries with some of the words, those with the most of them first."""
    found = entry_rows.search_entries(
        transaction, words, agent_key=key, most=READ_CHUNK_ROWS, is_any_enough=True
    )
    wanted = set(words)
    shared = {
        entry.id: len(wanted & set(extract_words(" ".join([entry.content, *entry.tags]))))
        for (_, entry), _ in found
    }
    entries = [entry for (_, entry), _ in found if not entry.pinned]
    return sorted(entries, key=lambda entry: -shared[entry.id])


def _is_of_other_workspace(entry: BrainEntry, workspace_id: str) -> bool:
    where = entry.metadata.get("workspaceId")
    return where is not None and where != workspace_id


def _list_warnings(agent: Agent) -> list[str]:
    found = []
    if not prompt_compiler.trim_whitespace(agent.system_prompt):
        found.append("the agent has no soul: its system prompt is empty")
    found += [one.message for one in check_skills(agent) if one.kind != "duplicate"]
    return found
