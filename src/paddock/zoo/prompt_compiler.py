"""Compiles injected prompts: pure text processing, without database access.

Without memory, the prompt is byte for byte the same as in older zoos: introduction, soul, a rule
and the enabled skills in their stored order. Memory comes last, after another rule.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from paddock.zoo.model import Injection, PromptSection

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from paddock.zoo.model import Agent, AgentSkill, BrainEntry, SectionKind


# Tokenizers differ by model and are megabytes in size. Four bytes of UTF-8 per token are close
# enough for a budget: four English letters, two Russian ones, or 4/3 of a Chinese character.
BYTES_PER_TOKEN = 4

ECMASCRIPT_WHITESPACE = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
"""The characters that ECMAScript's `trim` removes, as older zoos did. `str.strip` differs."""
SECTION_RULE = "\n\n---\n\n"
SKILLS_TITLE = "## Active Skills"
MEMORY_TITLE = "## Memory"
MAX_CONSECUTIVE_MISFITS = 5
MEMORY_INTRODUCTION = (
    "Kept from earlier sessions, the most important first. Take it as background: what the user "
    "says now counts for more."
)


def estimate_tokens(text: str) -> int:
    """Estimate the number of tokens, rounded up."""
    return -(-len(text.encode()) // BYTES_PER_TOKEN)


def trim_whitespace(text: str) -> str:
    """Remove white space at both ends."""
    return text.strip(ECMASCRIPT_WHITESPACE)


def format_introduction(agent: Agent) -> str:
    """Return the line that names the agent."""
    return f"You are now {agent.name}. Use agentId={agent.id} for all agent_zoo tool usage."


def list_enabled_skills(agent: Agent) -> list[AgentSkill]:
    """Return the skills that are injected, in their stored order."""
    return [skill for skill in agent.skills if skill.enabled]


def format_skills(agent: Agent) -> str:
    """Return the section with the enabled skills, or an empty string if no skills are enabled."""
    enabled = list_enabled_skills(agent)
    if not enabled:
        return ""
    return "\n\n".join([SKILLS_TITLE, *map(_format_skill, enabled)])


def _format_skill(skill: AgentSkill) -> str:
    description = trim_whitespace(skill.description)
    return f"### {skill.name}\n{description}" if description else f"### {skill.name}"


def format_entry(entry: BrainEntry) -> str:
    """Format one brain entry for the memory section of a prompt.

    The heading has the type, the date and the tags: `### note · 2026-01-31 · pinned · python`.
    """
    labels = [entry.type, entry.timestamp[:10]]
    if entry.pinned:
        labels.append("pinned")
    origin = entry.metadata.get("source")
    # The model should know which entries have not been written or reviewed by a person.
    if origin in ("mcp", "import"):
        labels.append(f"from {origin}")
    if entry.tags:
        labels.append(", ".join(entry.tags))
    return f"### {' · '.join(labels)}\n{trim_whitespace(entry.content)}"


def format_memory(entries: Sequence[BrainEntry]) -> str:
    """Return the memory section, or an empty string if there are no entries."""
    if not entries:
        return ""
    return "\n\n".join([MEMORY_TITLE, MEMORY_INTRODUCTION, *map(format_entry, entries)])


def select_entries_within_budget(
    pinned: Iterable[BrainEntry], others: Iterable[BrainEntry], budget_tokens: int
) -> list[BrainEntry]:
    """Return the brain entries that fit into a token budget, in order and without duplicates.

    Entries are never truncated. All pinned entries are tried. The others are tried until several in
    a row do not fit, because each additional one may cost a query.

    Args:
        pinned: The pinned entries, which come first.
        others: The other entries, most relevant first.
        budget_tokens: The maximum size of the memory section of the prompt.
    """
    remaining_tokens = budget_tokens - estimate_tokens(f"{MEMORY_TITLE}\n\n{MEMORY_INTRODUCTION}")
    selected: dict[str, BrainEntry] = {}
    consecutive_misfits = 0
    for entry in chain(pinned, others):
        if entry.id in selected:
            continue
        tokens = estimate_tokens(f"\n\n{format_entry(entry)}")
        if tokens <= remaining_tokens:
            selected[entry.id] = entry
            remaining_tokens -= tokens
            consecutive_misfits = 0
        # Pinned entries are always tried, so they do not count.
        elif not entry.pinned:
            consecutive_misfits += 1
            if consecutive_misfits == MAX_CONSECUTIVE_MISFITS:
                break
    return [*selected.values()]


def compile_prompt(agent: Agent, memory: Sequence[BrainEntry] = ()) -> str:
    """Join an agent's introduction, soul, skills and memory into one prompt.

    Rules (`---`) separate all parts except the introduction. Empty parts are left out.
    """
    soul = trim_whitespace(agent.system_prompt)
    parts = [soul, format_skills(agent), format_memory(memory)]
    body = SECTION_RULE.join(part for part in parts if part)
    introduction = format_introduction(agent)
    return "\n\n".join(part for part in (introduction, body) if part)


def compile_injection(
    agent: Agent, memory: Sequence[BrainEntry] = (), *, warnings: Sequence[str] = ()
) -> Injection:
    """Return the prompt that makes a chat act as an agent, with its sections and their sizes.

    Args:
        agent: The agent, whose name, soul and enabled skills go into the prompt.
        memory: The brain entries to include, most important first.
        warnings: Messages for the user, passed on unchanged.
    """
    prompt = compile_prompt(agent, memory)
    sections = [
        _make_section("introduction", "Introduction", format_introduction(agent)),
        _make_section("soul", "Soul", trim_whitespace(agent.system_prompt)),
        _make_section("skills", "Active skills", format_skills(agent)),
        _make_section("memory", "Memory", format_memory(memory)),
    ]
    return Injection(
        agent_id=agent.id,
        agent_name=agent.name,
        prompt=prompt,
        sections=[section for section in sections if section.text],
        tokens=estimate_tokens(prompt),
        warnings=list(warnings),
    )


def _make_section(kind: SectionKind, title: str, text: str) -> PromptSection:
    """Return a section with its size, for prompt previews."""
    return PromptSection(
        kind=kind, title=title, text=text, characters=len(text), tokens=estimate_tokens(text)
    )
