"""Injecting agents: which of their memory comes along, and that others see it happen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.zoo import compiling, limits
from paddock.zoo.checks import fail
from paddock.zoo.part import Part, wanted_by_name
from paddock.zoo.skill_findings import skill_findings
from paddock.zoo.store import agent_rows, entry_rows
from paddock.zoo.store.entry_rows import EntryFilter
from paddock.zoo.words import words_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.zoo.model import Agent, BrainEntry, Injection
    from paddock.zoo.store.agent_rows import KeptAgent
    from paddock.zoo.store.transaction import Reading

MOST_BUDGET = 1_000_000
PART = 30
"""How many entries are read at a time."""
MOST_WORDS = 40
"""Of what an injection is about; further ones are not looked at."""


class Injecting(Part):
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
        budget = _checked_budget(budget_tokens)
        with self._writing(source) as writing:
            kept = wanted_by_name(writing, id_or_name)
            found = _injection(writing, kept, memory, budget, workspace_id, about)
            agent_rows.change(writing, kept.key, last_injected_at=writing.at)
            detail = {"workspaceId": workspace_id} if workspace_id is not None else {}
            writing.tell("agent:injected", kept.agent.id, tokens=found.tokens, **detail)
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
        budget = _checked_budget(budget_tokens)
        with self._reading() as reading:
            kept = wanted_by_name(reading, id_or_name)
            return _injection(reading, kept, memory, budget, workspace_id, about)


def _checked_budget(budget_tokens: int | None) -> int:
    budget = limits.MEMORY_TOKENS if budget_tokens is None else budget_tokens
    if not 0 <= budget <= MOST_BUDGET:
        raise fail("budgetTokens", f"must be a number from 0 to {MOST_BUDGET}")
    return budget


def _injection(
    transaction: Reading,
    kept: KeptAgent,
    memory: bool | None,
    budget: int,
    workspace_id: str | None,
    about: str | None,
) -> Injection:
    is_wanted = kept.agent.injects_memory if memory is None else memory
    pinned: list[BrainEntry] = []
    chosen: list[BrainEntry] = []
    if is_wanted:
        pinned = _pinned(transaction, kept.key)
        others = _others(transaction, kept.key, workspace_id, about)
        chosen = compiling.chosen_entries(pinned, others, budget)
    warnings = _warnings(kept.agent)
    left_out = len(pinned) - sum(entry.pinned for entry in chosen)
    if left_out:
        entries = "entry does" if left_out == 1 else "entries do"
        warnings.append(f"{left_out} pinned {entries} not fit into {budget} tokens of memory")
    return compiling.injection(kept.agent, chosen, warnings=warnings)


def _pinned(transaction: Reading, key: int) -> list[BrainEntry]:
    wanted = EntryFilter(pinned=True)
    return entry_rows.list_page(transaction, key, wanted, limits.MEMORY_CANDIDATES, None).items


def _others(
    transaction: Reading, key: int, workspace_id: str | None, about: str | None
) -> Iterator[BrainEntry]:
    """What is not pinned: what fits the work, then the newest; read only as far as it is taken.

    What belongs to other workspaces comes after everything else.
    """
    words = words_of(about)[:MOST_WORDS] if about else []
    if words:
        for entry in _relevant(transaction, key, words):
            if workspace_id is None or not _is_elsewhere(entry, workspace_id):
                yield entry
    if workspace_id is not None:
        yield from _newest(transaction, key, EntryFilter(workspace_id=workspace_id))
        yield from _newest(transaction, key, EntryFilter(is_of_no_workspace=True))
    yield from _newest(transaction, key, EntryFilter())


def _newest(transaction: Reading, key: int, wanted: EntryFilter) -> Iterator[BrainEntry]:
    unpinned = wanted._replace(pinned=False)
    after = None
    for _ in range(limits.MEMORY_CANDIDATES // PART):
        page = entry_rows.list_page(transaction, key, unpinned, PART, after)
        yield from page.items
        if page.next_cursor is None:
            return
        after = entry_rows.place_of(page.next_cursor)


def _relevant(transaction: Reading, key: int, words: list[str]) -> list[BrainEntry]:
    """Entries with some of the words, those with the most of them first."""
    found = entry_rows.search(transaction, words, agent_key=key, most=PART, is_any_enough=True)
    wanted = set(words)
    shared = {
        entry.id: len(wanted & set(words_of(" ".join([entry.content, *entry.tags]))))
        for (_, entry), _ in found
    }
    entries = [entry for (_, entry), _ in found if not entry.pinned]
    return sorted(entries, key=lambda entry: -shared[entry.id])


def _is_elsewhere(entry: BrainEntry, workspace_id: str) -> bool:
    where = entry.metadata.get("workspaceId")
    return where is not None and where != workspace_id


def _warnings(agent: Agent) -> list[str]:
    found = []
    if not compiling.trimmed(agent.system_prompt):
        found.append("the agent has no soul: its system prompt is empty")
    found += [one.message for one in skill_findings(agent) if one.kind != "duplicate"]
    return found
