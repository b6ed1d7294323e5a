"""The text that is injected, byte for byte."""

from collections.abc import Iterator

import pytest

from paddock.zoo.model import Agent, AgentSkill, BrainEntry
from paddock.zoo.prompt_compiler import (
    MAX_CONSECUTIVE_MISFITS,
    compile_injection,
    compile_prompt,
    estimate_tokens,
    select_entries_within_budget,
)

U = "You are now Sage. Use agentId=sage for all agent_zoo tool usage."


def skill(name: str, description: str = "", *, enabled: bool = True) -> AgentSkill:
    return AgentSkill(id=name.lower(), name=name, description=description, enabled=enabled)


def entry(content: str, **others: object) -> BrainEntry:
    at = "2026-01-31T10:00:00.000Z"
    made = BrainEntry(id=content, agent_id="sage", type="note", content=content, timestamp=at)
    for name, value in others.items():
        setattr(made, name, value)
    return made


@pytest.mark.parametrize(
    ("prompt", "skills", "text"),
    [
        ("", [], U),
        (" \n\t ", [skill("Off", "x", enabled=False)], U),
        (" Be wise.\n", [], f"{U}\n\nBe wise."),
        ("", [skill("A", " Do a. \n")], f"{U}\n\n## Active Skills\n\n### A\nDo a."),
        (
            "\ufeffBe wise.\u00a0",
            [skill("Zeta", "Last first."), skill("Off", "x", enabled=False), skill("Alpha", " ")],
            f"{U}\n\nBe wise.\n\n---\n\n## Active Skills\n\n### Zeta\nLast first.\n\n### Alpha",
        ),
        ("\x1fkept\x85", [], f"{U}\n\n\x1fkept\x85"),
        (
            "a\r\nb",
            [skill(" # A ", "line\n\nline")],
            f"{U}\n\na\r\nb\n\n---\n\n## Active Skills\n\n###  # A \nline\n\nline",
        ),
    ],
)
def test_the_base_text_is_that_of_older_zoos(
    prompt: str, skills: list[AgentSkill], text: str
) -> None:
    agent = Agent(id="sage", name="Sage", system_prompt=prompt, skills=skills, description="No.")
    assert compile_prompt(agent) == text


MEMORY = """## Memory

Kept from earlier sessions, the most important first. Take it as background: what the user \
says now counts for more.

### note · 2026-01-31 · pinned · from mcp · a, b
First

### note · 2026-01-31
Second"""


def test_memory_follows_after_a_rule_line() -> None:
    first = entry("First", pinned=True, tags=["a", "b"], metadata={"source": "mcp"})
    brain = [first, entry("Second", metadata={"source": "manual"})]
    agent = Agent(id="sage", name="Sage", system_prompt="Be wise.")
    assert compile_prompt(agent, brain) == f"{U}\n\nBe wise.\n\n---\n\n{MEMORY}"
    assert compile_prompt(Agent(id="sage", name="Sage"), brain) == f"{U}\n\n{MEMORY}"


def test_the_sections_are_the_parts_of_the_text_with_their_sizes() -> None:
    agent = Agent(id="sage", name="Sage", system_prompt="Be wisé.", skills=[skill("A", "Do a.")])
    found = compile_injection(agent, [entry("First")], warnings=["careful"])
    assert [section.kind for section in found.sections] == [
        *("introduction", "soul", "skills", "memory"),
    ]
    for section in found.sections:
        assert section.text in found.prompt
        assert section.characters == len(section.text)
        assert section.tokens == estimate_tokens(section.text)
    assert found.tokens == estimate_tokens(found.prompt)
    assert found.warnings == ["careful"]


def test_entries_are_chosen_whole_in_their_order_until_the_budget_is_used() -> None:
    small, large = entry("x" * 40), entry("y" * 4_000)
    assert select_entries_within_budget([large, small, large], [], 100) == [small]
    assert select_entries_within_budget([small], [large, small], 2_000) == [small, large]
    assert select_entries_within_budget([small], [], 0) == []


def test_entries_that_would_not_fit_are_not_even_asked_for() -> None:
    asked = []

    def others() -> Iterator[BrainEntry]:
        for number in range(100):
            asked.append(number)
            yield entry(f"{number:04}" * 20)

    chosen = select_entries_within_budget([], others(), 300)
    assert [one.content[:4] for one in chosen] == [f"{n:04}" for n in range(len(chosen))]
    assert len(chosen) > 5
    assert len(asked) == len(chosen) + MAX_CONSECUTIVE_MISFITS


@pytest.mark.parametrize(
    ("text", "tokens"), [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2), ("жж", 1), ("漢字漢字", 3)]
)
def test_tokens_are_four_bytes_each(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens
