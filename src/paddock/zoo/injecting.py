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
    from paddock.zoo.model import Agent, BrainEntry, Injection
    from paddock.zoo.store.agent_rows import KeptAgent
    from paddock.zoo.store.transaction import Reading

MOST_BUDGET = 1_000_000
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
    candidates = _candidates(transaction, kept.key, workspace_id, about) if is_wanted else []
    chosen = compiling.chosen_entries(candidates, budget)
    warnings = _warnings(kept.agent)
    left_out = sum(entry.pinned for entry in candidates) - sum(entry.pinned for entry in chosen)
    if left_out:
        entries = "entry does" if left_out == 1 else "entries do"
        warnings.append(f"{left_out} pinned {entries} not fit into {budget} tokens of memory")
    return compiling.injection(kept.agent, chosen, warnings=warnings)


def _candidates(
    transaction: Reading, key: int, workspace_id: str | None, about: str | None
) -> list[BrainEntry]:
    """What may be injected of a brain: pinned first, then what fits the work, then the newest."""
    most = limits.MEMORY_CANDIDATES

    def newest(wanted: EntryFilter) -> list[BrainEntry]:
        return entry_rows.list_page(transaction, key, wanted, most, None).items

    words = words_of(about)[:MOST_WORDS] if about else []
    found = newest(EntryFilter(pinned=True))
    if words:
        found += _relevant(transaction, key, words)
    if workspace_id is not None:
        found += newest(EntryFilter(workspace_id=workspace_id))
    found += newest(EntryFilter())
    if workspace_id is not None:
        found.sort(key=lambda entry: _is_elsewhere(entry, workspace_id))
    return [*{entry.id: entry for entry in found}.values()]


def _relevant(transaction: Reading, key: int, words: list[str]) -> list[BrainEntry]:
    """Entries with some of the words, those with the most of them first."""
    found = entry_rows.search(
        transaction, words, agent_key=key, most=limits.MEMORY_CANDIDATES, is_any_enough=True
    )
    wanted = set(words)
    shared = {
        entry.id: len(wanted & set(words_of(" ".join([entry.content, *entry.tags]))))
        for (_, entry), _ in found
    }
    entries = [entry for (_, entry), _ in found]
    return sorted(entries, key=lambda entry: -shared[entry.id])


def _is_elsewhere(entry: BrainEntry, workspace_id: str) -> bool:
    """Whether an entry that nobody has pinned is about other work."""
    where = entry.metadata.get("workspaceId")
    return not entry.pinned and where is not None and where != workspace_id


def _warnings(agent: Agent) -> list[str]:
    found = []
    if not compiling.trimmed(agent.system_prompt):
        found.append("the agent has no soul: its system prompt is empty")
    found += [one.message for one in skill_findings(agent) if one.kind != "duplicate"]
    return found
