"""What agents keep: written, changed, asked for and searched, in both databases."""

from typing import Any

import pytest

from paddock.zoo.errors import (
    AgentNotFoundError,
    ConflictError,
    EntryNotFoundError,
    InvalidAgentError,
)
from paddock.zoo.model import BrainEntry
from paddock.zoo.service import Zoo


@pytest.fixture
def sage(zoo: Zoo) -> Zoo:
    """A zoo with one agent."""
    zoo.agents.create({"name": "Sage"})
    return zoo


def contents(entries: list[BrainEntry]) -> list[str]:
    return [entry.content for entry in entries]


def test_the_zoo_gives_an_entry_its_id_and_time_and_says_who_wrote_it(sage: Zoo) -> None:
    entry = sage.brain.create_entry(
        "sage", "note", " Ships on Friday ", tags=[" ops ", "", "ops"], source="mcp"
    )
    assert entry == BrainEntry(
        id=entry.id,
        agent_id="sage",
        type="note",
        content="Ships on Friday",
        timestamp=entry.timestamp,
        updated_at=entry.timestamp,
        tags=["ops"],
        metadata={"source": "mcp"},
    )
    assert sage.brain.get_entry("sage", entry.id) == entry
    assert sage.agents.list_summaries().items[0].entry_count == 1


def test_an_update_of_the_pin_keeps_everything_else(sage: Zoo) -> None:
    before = sage.brain.create_entry(
        "sage", "note", "Text", tags=["a"], metadata={"sessionId": "s"}
    )
    after = sage.brain.update_entry("sage", before.id, {"pinned": True})
    assert (after.pinned, after.version) == (True, 2)
    assert (after.type, after.content, after.tags, after.metadata, after.timestamp) == (
        *(before.type, before.content, before.tags, before.metadata, before.timestamp),
    )
    assert sage.brain.get_entry("sage", before.id) == after


def test_id_agent_and_time_of_an_entry_never_change(sage: Zoo) -> None:
    before = sage.brain.create_entry("sage", "note", "Text")
    after = sage.brain.update_entry(
        "sage", before.id, {"id": "x", "agentId": "y", "timestamp": "z", "version": 9}
    )
    assert after == before


def test_pinning_turns_over_or_sets(sage: Zoo) -> None:
    entry = sage.brain.create_entry("sage", "note", "Text")
    assert [sage.brain.pin_entry("sage", entry.id).pinned for _ in range(2)] == [True, False]
    assert [sage.brain.pin_entry("sage", entry.id, True).pinned for _ in range(2)] == [True, True]


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ({"type": "thought", "content": "x"}, "type"),
        ({"type": "note", "content": "  "}, "content"),
        ({"type": "note", "content": "a\0b"}, "content"),
        ({"type": "note", "content": 5}, "content"),
        ({"type": "note", "content": "x", "tags": [5]}, "tags[0]"),
        ({"type": "note", "content": "x", "metadata": {"source": 5}}, "metadata.source"),
        ({"type": "note", "content": "x", "metadata": {"a": "b" * 20_000}}, "metadata"),
    ],
)
def test_an_entry_that_cannot_be_kept_is_refused(
    sage: Zoo, given: dict[str, Any], path: str
) -> None:
    with pytest.raises(InvalidAgentError) as refused:
        sage.brain.create_entry("sage", **given)
    assert [issue.path for issue in refused.value.details] == [path]
    entry = sage.brain.create_entry("sage", "note", "Text")
    with pytest.raises(InvalidAgentError):
        sage.brain.update_entry("sage", entry.id, given)
    assert sage.brain.query_entries("sage").items == [entry]


def test_entries_are_asked_for_newest_first_and_by_conditions(sage: Zoo) -> None:
    sage.brain.create_entry("sage", "note", "one", tags=["a"], metadata={"workspaceId": "w"})
    sage.brain.create_entry("sage", "decision", "two", tags=["b", "c"], pinned=True)
    sage.brain.create_entry("sage", "note", "three", tags=["A"])

    def found(**conditions: Any) -> list[str]:
        return contents(sage.brain.query_entries("sage", **conditions).items)

    assert found() == ["three", "two", "one"]
    assert found(type="note") == ["three", "one"]
    assert found(type="nonsense") == []
    assert found(tags=["a", "c"]) == ["two", "one"]
    assert found(pinned=True) == ["two"]
    assert found(pinned=False) == ["three", "one"]
    assert found(workspace_id="w") == ["one"]
    assert found(text="TWO") == ["two"]
    assert found(text="b two") == ["two"]
    assert found(text="two three") == []
    assert found(text="?!") == []


def test_the_last_day_of_a_period_counts_whole(sage: Zoo) -> None:
    entry = sage.brain.create_entry("sage", "note", "now")
    day = entry.timestamp[:10]

    def found(date_from: str | None, date_to: str | None) -> bool:
        return sage.brain.query_entries("sage", date_from=date_from, date_to=date_to).items != []

    assert found(day, day)
    assert found(None, entry.timestamp)
    assert found(entry.timestamp, None)
    assert not found("2999-01-01", None)
    assert not found(None, "2020-01-01T12:00:00+02:00")
    with pytest.raises(InvalidAgentError) as refused:
        found("yesterday", None)
    assert [issue.path for issue in refused.value.details] == ["dateFrom"]


def test_pages_of_entries_leave_nothing_out_when_some_are_of_one_moment(sage: Zoo) -> None:
    for number in range(9):
        sage.brain.create_entry("sage", "note", str(number))
    expected = contents(sage.brain.query_entries("sage").items)
    found, cursor = [], None
    while True:
        page = sage.brain.query_entries("sage", limit=2, cursor=cursor)
        found += contents(page.items)
        cursor = page.next_cursor
        if cursor is None:
            break
    assert found == expected == [str(number) for number in reversed(range(9))]


def test_a_deleted_entry_can_be_restored(sage: Zoo) -> None:
    entry = sage.brain.create_entry("sage", "note", "Remember the milk")
    sage.brain.delete_entry("sage", entry.id)
    assert sage.brain.query_entries("sage").items == []
    assert sage.brain.search("milk") == []
    assert sage.agents.list_summaries().items[0].entry_count == 0
    with pytest.raises(EntryNotFoundError):
        sage.brain.get_entry("sage", entry.id)
    assert sage.brain.restore_entry("sage", entry.id) == entry
    assert sage.brain.query_entries("sage").items == [entry]
    assert [hit.entry for hit in sage.brain.search("milk")] == [entry]
    assert sage.agents.list_summaries().items[0].entry_count == 1
    with pytest.raises(EntryNotFoundError):
        sage.brain.restore_entry("sage", entry.id)


def test_entries_are_found_by_whole_words_without_case_and_accents(sage: Zoo) -> None:
    texts = [
        "Wir déployen am Freitag",
        "東京で会う",
        "Deploy foo_bar to example.com",
        "x²",
        "Ω-level",
    ]
    for text in texts:
        sage.brain.create_entry("sage", "note", text)

    def found(text: str) -> list[str]:
        return [hit.entry.content for hit in sage.brain.search(text)]

    assert found("deployen") == [texts[0]]
    assert found("DEPLOY") == [texts[2]]
    assert found("京") == [texts[1]]
    assert found("bar com") == [texts[2]]
    assert found("ω") == [texts[4]]
    assert found("nothing") == []
    assert found("'; DROP TABLE entries; --") == []
    assert found('"*" OR (') == []
    assert found("") == []


def test_the_last_word_may_be_begun_when_nothing_has_it_whole(sage: Zoo) -> None:
    sage.brain.create_entry("sage", "note", "The migration of 東 Ωmega")
    for text in ("migr", "the mig", "ωme"):
        assert len(sage.brain.search(text)) == 1
    assert sage.brain.search("mig the") == []


def test_a_search_can_be_of_one_agent(sage: Zoo) -> None:
    sage.agents.create({"name": "Other"})
    sage.brain.create_entry("sage", "note", "shared word")
    sage.brain.create_entry("other", "note", "shared word too")
    assert [hit.agent_name for hit in sage.brain.search("shared")] == ["Other", "Sage"]
    assert [hit.agent_name for hit in sage.brain.search("shared", agent_id="sage")] == ["Sage"]
    assert [hit.agent_name for hit in sage.brain.search("shared", limit=1)] == ["Other"]
    with pytest.raises(AgentNotFoundError):
        sage.brain.search("shared", agent_id="missing")


def test_a_search_follows_changes_of_the_text_and_the_tags(sage: Zoo) -> None:
    entry = sage.brain.create_entry("sage", "note", "old words", tags=["first"])
    sage.brain.update_entry("sage", entry.id, {"content": "new words", "tags": ["second"]})
    found = {text: len(sage.brain.search(text)) for text in ("old", "new", "first", "second")}
    assert found == {"old": 0, "new": 1, "first": 0, "second": 1}


def test_a_change_of_an_older_version_of_an_entry_is_refused(sage: Zoo) -> None:
    entry = sage.brain.create_entry("sage", "note", "one")
    current = sage.brain.update_entry("sage", entry.id, {"content": "two"}, version=1)
    with pytest.raises(ConflictError) as refused:
        sage.brain.update_entry("sage", entry.id, {"content": "three"}, version=1)
    assert refused.value.current == current
    with pytest.raises(ConflictError):
        sage.brain.delete_entry("sage", entry.id, version=1)


def test_a_hand_over_leaves_the_other_agent_a_summary_with_entries(sage: Zoo) -> None:
    sage.agents.create({"name": "Builder"})
    entry = sage.brain.create_entry("sage", "decision", "Use SQLite", tags=["store"])
    before = sage.events.get_latest_id()
    handed = sage.brain.hand_over("sage", "builder", "Build the store", entry_ids=[entry.id])
    assert sage.brain.query_entries("builder").items == [handed]
    assert (handed.type, handed.tags) == ("handoff", ["store"])
    assert handed.content == (
        f"From Sage: Build the store\n\n[decision, {entry.timestamp[:10]}] Use SQLite"
    )
    assert handed.metadata == {"fromAgentId": "sage", "entryIds": [entry.id], "source": "manual"}
    events = sage.events.list_after(before)
    assert [(one.kind, one.agent_id) for one in events] == [
        ("brain:written", "builder"),
        ("agent:handedOver", "sage"),
    ]
    assert events[1].detail == {"toAgentId": "builder"}


def test_a_hand_over_that_makes_no_sense_is_refused_whole(sage: Zoo) -> None:
    sage.agents.create({"name": "Builder"})
    with pytest.raises(InvalidAgentError):
        sage.brain.hand_over("sage", "sage", "To myself")
    with pytest.raises(InvalidAgentError):
        sage.brain.hand_over("sage", "builder", " ")
    with pytest.raises(EntryNotFoundError):
        sage.brain.hand_over("sage", "builder", "Look", entry_ids=["missing"])
    assert sage.brain.query_entries("builder").items == []
