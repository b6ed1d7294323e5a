"""How many tokens a text is to a model, roughly.

Every model counts otherwise, and its own tokenizer would be megabytes to load. The bytes of a text
in UTF-8, four to a token, are near enough for a budget: four letters of English are a token, two of
Russian, and four characters of Chinese are three.

What is injected of an agent, as text. Nothing here reads or writes anything.

Without memory the text is, byte for byte, what clients of older zoos know: the introduction, the
soul, a rule line and the enabled skills in their stored order. Memory comes last, after a rule line
of its own.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from paddock.zoo.model import Injection, Section

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from paddock.zoo.model import Agent, BrainEntry, SectionKind, Skill


BYTES_PER_TOKEN = 4


def estimate_tokens(text: str) -> int:
    """The number of tokens, rounded up."""
    return -(-len(text.encode()) // BYTES_PER_TOKEN)


ECMASCRIPT_WHITESPACE = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
"""What ECMAScript trims; str.strip() takes a few control characters more, and not the last one."""

SECTION_RULE = "\n\n---\n\n"
SKILLS_TITLE = "## Active Skills"
MEMORY_TITLE = "## Memory"
MAX_CONSECUTIVE_MISFITS = 5
MEMORY_INTRODUCTION = (
    "Kept from earlier sessions, the most important first. Take it as background: what the user "
    "says now counts for more."
)


def trim_whitespace(text: str) -> str:
    """A text without white space around it."""
    return text.strip(ECMASCRIPT_WHITESPACE)


def format_introduction(agent: Agent) -> str:
    """The line that names the agent."""
    return f"You are now {agent.name}. Use agentId={agent.id} for all agent_zoo tool usage."


def list_enabled_skills(agent: Agent) -> list[Skill]:
    """The skills that are injected, in their order."""
    return [skill for skill in agent.skills if skill.enabled]


def format_skills(agent: Agent) -> str:
    """The part about the skills; empty when none is enabled."""
    enabled = list_enabled_skills(agent)
    if not enabled:
        return ""
    return "\n\n".join([SKILLS_TITLE, *map(_format_skill, enabled)])


def _format_skill(skill: Skill) -> str:
    description = trim_whitespace(skill.description)
    return f"### {skill.name}\n{description}" if description else f"### {skill.name}"


def format_entry(entry: BrainEntry) -> str:
    """One entry as memory shows it."""
    words = [entry.type, entry.timestamp[:10]]
    if entry.pinned:
        words.append("pinned")
    origin = entry.metadata.get("source")
    if origin in ("mcp", "import"):
        words.append(f"from {origin}")
    if entry.tags:
        words.append(", ".join(entry.tags))
    return f"### {' · '.join(words)}\n{trim_whitespace(entry.content)}"


def format_memory(entries: Sequence[BrainEntry]) -> str:
    """The part about the brain; empty without entries."""
    if not entries:
        return ""
    return "\n\n".join([MEMORY_TITLE, MEMORY_INTRODUCTION, *map(format_entry, entries)])


def select_entries_within_budget(
    pinned: Iterable[BrainEntry], others: Iterable[BrainEntry], budget_tokens: int
) -> list[BrainEntry]:
    """As many entries as fit into the budget, in their order, each once; none is cut.

    All that is pinned is tried. Of the others no more are asked for when several in a row did not
    fit.
    """
    left = budget_tokens - estimate_tokens(f"{MEMORY_TITLE}\n\n{MEMORY_INTRODUCTION}")
    chosen: dict[str, BrainEntry] = {}
    misfits = 0
    for entry in chain(pinned, others):
        if entry.id in chosen:
            continue
        tokens = estimate_tokens(f"\n\n{format_entry(entry)}")
        if tokens <= left:
            chosen[entry.id] = entry
            left -= tokens
            misfits = 0
        elif not entry.pinned:
            misfits += 1
            if misfits == MAX_CONSECUTIVE_MISFITS:
                break
    return [*chosen.values()]


def compile_prompt(agent: Agent, memory: Sequence[BrainEntry] = ()) -> str:
    """The whole text that is injected."""
    configuration = SECTION_RULE.join(
        filter(
            None,
            [trim_whitespace(agent.system_prompt), format_skills(agent), format_memory(memory)],
        )
    )
    return "\n\n".join(filter(None, [format_introduction(agent), configuration]))


def compile_injection(
    agent: Agent, memory: Sequence[BrainEntry] = (), *, warnings: Sequence[str] = ()
) -> Injection:
    """The text with its parts, and how long they are."""
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


def _make_section(kind: SectionKind, title: str, text: str) -> Section:
    return Section(
        kind=kind, title=title, text=text, characters=len(text), tokens=estimate_tokens(text)
    )
