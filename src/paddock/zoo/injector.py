"""Agent injection: selects memory for the compiled prompt, and records its use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypedDict, Unpack

from paddock.zoo import prompt_compiler, validation
from paddock.zoo.context import ZooContext, require_agent_by_id_or_name
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
# A typical budget holds fewer entries, so one query is enough for most injections.
PAGE_ROWS = 30
MAX_QUERY_WORDS = 40
"""Maximum number of words in a topic. The others are ignored."""


class InjectedAgent(NamedTuple):
    """An agent and the prompt compiled from it, both read in one transaction."""

    agent: Agent
    injection: Injection


class MemoryOptions(TypedDict, total=False):
    """The keyword arguments of an injection, which select the brain entries in the prompt."""

    memory: bool | None
    """Whether brain entries are included, by default the agent's setting."""
    budget_tokens: int | None
    """Maximum size of the entries, by default 2,000 tokens."""
    workspace_id: str | None
    """Prefer entries from this workspace, and put those from other workspaces last."""
    about: str | None
    """Prefer entries that contain words of this text."""


@dataclass(frozen=True)
class AgentInjector:
    """The compiler of prompts that make a chat act as one of the zoo's agents."""

    context: ZooContext

    def inject(
        self, id_or_name: str, *, source: str = "mcp", **options: Unpack[MemoryOptions]
    ) -> InjectedAgent:
        """Compile an agent's prompt, and record an `agent:injected` event.

        Args:
            id_or_name: The ID or the name of the agent.
            source: The channel of the request: `web`, `mcp` or `cli`.
            **options: The selection of brain entries; see `MemoryOptions`.

        Raises:
            AgentNotFoundError: The zoo has no such agent.
        """
        with self.context.write_transaction(source) as tx:
            row = require_agent_by_id_or_name(tx, id_or_name)
            injection = _compile_injection(tx, row, options)
            # Using an agent does not change it, so no version is stored.
            agent_rows.update_agent_columns(tx, row.key, last_injected_at=tx.timestamp)
            workspace_id = options.get("workspace_id")
            detail = {"workspaceId": workspace_id} if workspace_id is not None else {}
            tx.record_event("agent:injected", row.agent.id, tokens=injection.tokens, **detail)
            return InjectedAgent(row.agent, injection)

    def preview(self, id_or_name: str, **options: Unpack[MemoryOptions]) -> Injection:
        """Compile the same prompt as `inject` without recording anything.

        Raises:
            AgentNotFoundError: The zoo has no such agent.
        """
        with self.context.read_transaction() as tx:
            return _compile_injection(tx, require_agent_by_id_or_name(tx, id_or_name), options)


def _compile_injection(tx: ReadTransaction, row: AgentRow, options: MemoryOptions) -> Injection:
    """Compile an agent's prompt with the brain entries that fit into the token budget."""
    budget_tokens = _get_memory_budget(options)
    pinned: list[BrainEntry] = []
    selected: list[BrainEntry] = []
    includes_memory = options.get("memory")
    if includes_memory is None:
        includes_memory = row.agent.injects_memory
    if includes_memory:
        pinned = _list_pinned_entries(tx, row.key)
        selected = prompt_compiler.select_entries_within_budget(
            pinned, _iterate_unpinned_entries(tx, row.key, options), budget_tokens
        )
    warnings = _list_warnings(row.agent)
    # Users pin entries to have them in every prompt, so leaving one out must not go unnoticed.
    omitted_count = len(pinned) - sum(entry.pinned for entry in selected)
    if omitted_count:
        verb = "entry does" if omitted_count == 1 else "entries do"
        warnings.append(
            f"{omitted_count} pinned {verb} not fit into {budget_tokens} tokens of memory"
        )
    return prompt_compiler.compile_injection(row.agent, selected, warnings=warnings)


def _get_memory_budget(options: MemoryOptions) -> int:
    """Return the maximum size of injected memory in tokens.

    Raises:
        InvalidAgentError: The size is out of range.
    """
    budget_tokens = options.get("budget_tokens")
    if budget_tokens is None:
        return validation.DEFAULT_MEMORY_TOKENS
    if not 0 <= budget_tokens <= MAX_BUDGET_TOKENS:
        raise make_invalid_field_error(
            "budgetTokens", f"must be a number from 0 to {MAX_BUDGET_TOKENS}"
        )
    return budget_tokens


def _list_pinned_entries(tx: ReadTransaction, agent_key: int) -> list[BrainEntry]:
    pinned = EntryFilter(pinned=True, limit=validation.MAX_MEMORY_CANDIDATES)
    return entry_rows.list_entry_page(tx, agent_key, pinned).items


def _iterate_unpinned_entries(
    tx: ReadTransaction, agent_key: int, options: MemoryOptions
) -> Iterator[BrainEntry]:
    """Yield an agent's unpinned brain entries, most relevant first.

    The order is: entries about the topic, the newest in the workspace, the newest without a
    workspace, then the newest overall. An entry may be yielded more than once, because these groups
    overlap. Each group is queried only when the consumer reaches it, because the budget is usually
    spent earlier.
    """
    workspace_id = options.get("workspace_id")
    words = extract_words(options.get("about") or "")[:MAX_QUERY_WORDS]
    if words:
        for entry in _find_relevant_entries(tx, agent_key, words):
            if workspace_id is None or not _is_of_other_workspace(entry, workspace_id):
                yield entry
    if workspace_id is not None:
        yield from _iterate_newest_entries(tx, agent_key, EntryFilter(workspace_id=workspace_id))
        yield from _iterate_newest_entries(tx, agent_key, EntryFilter(is_without_workspace=True))
    yield from _iterate_newest_entries(tx, agent_key, EntryFilter())


def _iterate_newest_entries(
    tx: ReadTransaction, agent_key: int, entry_filter: EntryFilter
) -> Iterator[BrainEntry]:
    """Yield unpinned entries from newest to oldest, reading them in small pages.

    The consumer usually stops after the first page, when the budget is spent.
    """
    page_filter = entry_filter._replace(pinned=False, limit=PAGE_ROWS)
    max_pages = validation.MAX_MEMORY_CANDIDATES // PAGE_ROWS
    for _ in range(max_pages):
        page = entry_rows.list_entry_page(tx, agent_key, page_filter)
        yield from page.items
        if page.next_cursor is None:
            return
        page_filter = page_filter._replace(after=entry_rows.parse_entry_cursor(page.next_cursor))


def _find_relevant_entries(
    tx: ReadTransaction, agent_key: int, words: list[str]
) -> list[BrainEntry]:
    """Return unpinned entries that contain any of the words, best match first.

    Only the newest matches are considered.
    """
    matches = entry_rows.search_entries(
        tx, words, agent_key=agent_key, max_results=PAGE_ROWS, match_any=True
    )
    unpinned = [match.entry for match in matches if not match.entry.pinned]

    def count_matching_words(entry: BrainEntry) -> int:
        entry_words = extract_words(" ".join([entry.content, *entry.tags]))
        return len(set(words) & set(entry_words))

    # The sort is stable, so entries with the same number of matching words remain newest first.
    return sorted(unpinned, key=count_matching_words, reverse=True)


def _is_of_other_workspace(entry: BrainEntry, workspace_id: str) -> bool:
    """Return whether an entry belongs to a workspace other than the given one."""
    entry_workspace_id = entry.metadata.get("workspaceId")
    return entry_workspace_id is not None and entry_workspace_id != workspace_id


def _list_warnings(agent: Agent) -> list[str]:
    """Return warnings for the user about an agent that can be injected but seems faulty.

    Examples are an empty system prompt and skills that contradict each other.
    """
    warnings = []
    if not prompt_compiler.trim_whitespace(agent.system_prompt):
        warnings.append("the agent has no soul: its system prompt is empty")
    # Duplicate skills cost tokens but do not change what the agent does, so they need no warning.
    warnings += [finding.message for finding in check_skills(agent) if finding.kind != "duplicate"]
    return warnings
