"""What is injected from a kept agent, in both databases; the text itself is tested as a unit."""

import pytest

from paddock.zoo.errors import AgentNotFoundError, InvalidAgentError
from paddock.zoo.model import Injection
from paddock.zoo.service import Zoo


@pytest.fixture
def sage(zoo: Zoo) -> Zoo:
    """A zoo with one agent, whose brain is empty."""
    zoo.agents.create({"name": "Sage", "systemPrompt": "Be wise."})
    return zoo


BASE = "You are now Sage. Use agentId=sage for all agent_zoo tool usage.\n\nBe wise."


def memory_of(found: Injection) -> list[str]:
    """The contents of the entries that came along, in their order."""
    texts = [section.text for section in found.sections if section.kind == "memory"]
    return [part.partition("\n")[2] for text in texts for part in text.split("\n\n### ")[1:]]


def test_without_memory_the_text_is_the_base_text(sage: Zoo) -> None:
    assert sage.injector.inject("sage").injection.prompt == BASE
    sage.brain.create_entry("sage", "note", "Remember")
    assert sage.injector.inject("sage", memory=False).injection.prompt == BASE
    sage.agents.update("sage", {"injectsMemory": False})
    assert sage.injector.inject("sage").injection.prompt == BASE
    assert memory_of(sage.injector.inject("sage", memory=True).injection) == ["Remember"]


def test_pinned_entries_come_first_then_the_newest(sage: Zoo) -> None:
    for number in range(4):
        sage.brain.create_entry("sage", "note", f"note {number}", pinned=number == 1)
    assert memory_of(sage.injector.inject("sage").injection) == [
        "note 1",
        "note 3",
        "note 2",
        "note 0",
    ]


def test_what_the_work_is_about_and_its_workspace_come_before_the_newest(sage: Zoo) -> None:
    sage.brain.create_entry("sage", "note", "About parsers and lexers")
    sage.brain.create_entry("sage", "note", "Only parsers")
    sage.brain.create_entry("sage", "note", "Here", metadata={"workspaceId": "here"})
    sage.brain.create_entry("sage", "note", "Newest")
    sage.brain.create_entry("sage", "note", "Elsewhere", metadata={"workspaceId": "elsewhere"})
    found = sage.injector.inject("sage", about="Lexers, parsers!", workspace_id="here").injection
    assert memory_of(found) == [
        *("About parsers and lexers", "Only parsers", "Here", "Newest", "Elsewhere"),
    ]


def test_memory_keeps_to_its_budget_and_says_which_pins_did_not_fit(sage: Zoo) -> None:
    sage.brain.create_entry("sage", "note", "long " * 100, pinned=True)
    sage.brain.create_entry("sage", "note", "short")
    found = sage.injector.inject("sage", budget_tokens=60).injection
    assert memory_of(found) == ["short"]
    (memory,) = [section for section in found.sections if section.kind == "memory"]
    assert memory.tokens <= 60
    assert found.warnings == ["1 pinned entry does not fit into 60 tokens of memory"]
    assert sage.injector.inject("sage", budget_tokens=0).injection.prompt == BASE
    with pytest.raises(InvalidAgentError):
        sage.injector.inject("sage", budget_tokens=-1)


def test_an_agent_is_injected_by_its_name_too(sage: Zoo) -> None:
    assert sage.injector.inject(" SAGE ").injection.agent_id == "sage"
    with pytest.raises(AgentNotFoundError):
        sage.injector.inject("missing")


def test_only_an_injection_is_reported_and_not_a_preview(sage: Zoo) -> None:
    before = sage.events.get_latest_id()
    preview = sage.injector.preview("sage", workspace_id="w")
    assert sage.events.list_after(before) == []
    assert sage.agents.list_summaries().items[0].last_injected_at is None
    assert sage.injector.inject("sage", workspace_id="w", source="mcp").injection == preview
    (event,) = sage.events.list_after(before)
    assert (event.kind, event.agent_id, event.source) == ("agent:injected", "sage", "mcp")
    assert event.detail == {"tokens": preview.tokens, "workspaceId": "w"}
    summary = sage.agents.list_summaries().items[0]
    assert (summary.last_injected_at, summary.version) == (event.at, 1)


def test_what_is_odd_about_the_agent_is_a_warning(sage: Zoo) -> None:
    sage.agents.update("sage", {"systemPrompt": " "})
    sage.skills.add("sage", {"name": "Proofs", "requires": ["logic"]})
    assert sage.injector.preview("sage").warnings == [
        "the agent has no soul: its system prompt is empty",
        "Proofs requires logic, which the agent does not have",
    ]
