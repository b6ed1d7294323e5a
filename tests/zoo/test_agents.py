"""Making, finding and changing agents, in both databases."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import text

from paddock.zoo import timestamps, validation
from paddock.zoo.errors import (
    AgentNotFoundError,
    ConflictError,
    EntryNotFoundError,
    InvalidAgentError,
    ZooError,
)
from paddock.zoo.model import Agent, AgentSkill, SkillCategory, make_general_category
from paddock.zoo.opening import get_database_info
from paddock.zoo.service import Zoo
from paddock.zoo.store.transaction import PRUNE_INTERVAL_EVENTS
from tests.zoo.conftest import connected

WIZARD: dict[str, Any] = {
    "name": "Code Wizard",
    "description": "Writes code",
    "systemPrompt": "Be concise.",
    "skills": [
        {"id": "ts", "name": "TypeScript", "description": "Strict types.", "categoryId": "general"}
    ],
    "tags": ["code"],
}


def test_a_new_agent_has_what_was_given_and_the_rest_by_default(zoo: Zoo) -> None:
    agent = zoo.agents.create(WIZARD)
    assert agent == zoo.agents.get("code-wizard")
    assert agent == Agent(
        id="code-wizard",
        name="Code Wizard",
        description="Writes code",
        system_prompt="Be concise.",
        skill_categories=[make_general_category()],
        skills=[AgentSkill(id="ts", name="TypeScript", description="Strict types.")],
        tags=["code"],
        appearance_seed="Code Wizard",
        created_at=agent.created_at,
        updated_at=agent.created_at,
        version=1,
    )


def test_ids_are_slugs_and_those_that_are_taken_get_a_number(zoo: Zoo) -> None:
    names = ["Sage", "sage!", "Ähnlich  wie/C++", "日本", "Sage"]
    assert [zoo.agents.create({"name": name}).id for name in names] == [
        *("sage", "sage-2", "ahnlich-wie-c", "agent", "sage-3")
    ]
    assert zoo.agents.create({"id": "My Own", "name": "Sage"}).id == "my-own"


def test_an_id_in_the_bin_is_not_given_again(zoo: Zoo) -> None:
    zoo.agents.create({"name": "Sage"})
    zoo.agents.delete("sage")
    assert zoo.agents.create({"name": "Sage"}).id == "sage-2"
    assert zoo.agents.restore("sage").id == "sage"


def test_an_update_changes_only_what_is_given_and_never_the_id(zoo: Zoo) -> None:
    before = zoo.agents.create(WIZARD)
    unknown = {"id": "other", "version": 7, "brainEntries": [], "createdAt": "x", "nonsense": 1}
    after = zoo.agents.update("code-wizard", {"description": "Knows code", **unknown})
    expected = {**vars_of(before), "description": "Knows code", "version": 2}
    assert vars_of(after) == {**expected, "updated_at": after.updated_at}
    assert zoo.agents.get("code-wizard") == after


def vars_of(agent: Agent) -> dict[str, Any]:
    return {name: getattr(agent, name) for name in agent.__struct_fields__}


def test_an_update_that_changes_nothing_makes_no_version(zoo: Zoo) -> None:
    agent = zoo.agents.create(WIZARD)
    assert zoo.agents.update("code-wizard", WIZARD) == agent
    assert [one.version for one in zoo.history.list_versions("code-wizard")] == [1]


def test_a_change_of_an_older_version_is_refused_with_what_the_agent_is_now(zoo: Zoo) -> None:
    zoo.agents.create(WIZARD)
    current = zoo.agents.update("code-wizard", {"name": "Wizard"}, version=1)
    with pytest.raises(ConflictError) as refused:
        zoo.agents.update("code-wizard", {"name": "Witch"}, version=1)
    assert refused.value.current == current
    assert zoo.agents.get("code-wizard") == current


@pytest.mark.parametrize(
    ("changes", "paths"),
    [
        ({"name": " "}, ["name"]),
        ({"name": "x" * (validation.MAX_NAME_CHARACTERS + 1)}, ["name"]),
        ({"skills": "nope", "tags": 5}, ["skills", "tags"]),
        ({"skills": [{"id": "a", "name": "A"}, {"id": 5, "name": "B"}]}, ["skills[1].id"]),
        ({"skills": [{"id": "a", "name": "A"}, {"id": "a", "name": "B"}]}, ["skills[1].id"]),
        (
            {"skillCategories": [{"id": "c", "name": "C", "color": "red"}]},
            ["skillCategories[0].color"],
        ),
        ({"systemPrompt": "x" * (validation.MAX_SYSTEM_PROMPT_CHARACTERS + 1)}, ["systemPrompt"]),
        ({"systemPrompt": "a\0b"}, ["systemPrompt"]),
        ({"description": "half \ud800"}, ["description"]),
        ({"contextRefs": ["", "ok"]}, ["contextRefs[0]"]),
        ({"tags": ["a\x1fb"]}, ["tags[0]"]),
        ({"extra": {"x": {"y": "z" * validation.MAX_EXTRA_BYTES}}}, ["extra"]),
        ({"archived": "yes"}, ["archived"]),
    ],
)
def test_what_cannot_be_kept_is_reported_with_its_place_and_nothing_is_changed(
    zoo: Zoo, changes: dict[str, Any], paths: list[str]
) -> None:
    agent = zoo.agents.create(WIZARD)
    with pytest.raises(InvalidAgentError) as refused:
        zoo.agents.update("code-wizard", changes)
    assert [issue.path for issue in refused.value.details] == paths
    with pytest.raises(InvalidAgentError):
        zoo.agents.create({"name": "New", **changes})
    assert zoo.agents.list_agents().items == [agent]


def test_a_skill_of_an_unknown_category_goes_to_the_first(zoo: Zoo) -> None:
    categories = [{"id": "one", "name": "One"}, {"id": "two", "name": "Two"}]
    skills = [{"id": "a", "name": "A", "categoryId": "two"}, {"id": "b", "name": "B"}]
    agent = zoo.agents.create({"name": "X", "skillCategories": categories, "skills": skills})
    assert [skill.category_id for skill in agent.skills] == ["two", "one"]
    assert zoo.agents.update("x", {"skillCategories": []}).skill_categories == [
        SkillCategory(id="general", name="General")
    ]


def test_an_agent_is_found_by_id_and_by_name_without_regard_to_case(zoo: Zoo) -> None:
    one = zoo.agents.create({"name": "Ärger Müller"})
    other = zoo.agents.create({"name": "arger-muller", "id": "second"})
    assert zoo.agents.find("arger-muller") == one
    assert zoo.agents.find(" ÄRGER MÜLLER ") == one
    assert zoo.agents.find("second") == other


def test_an_agent_that_is_not_there_is_reported_with_the_nearest(zoo: Zoo) -> None:
    with pytest.raises(AgentNotFoundError) as missing:
        zoo.agents.get("sage")
    assert missing.value.hint == "the zoo is empty: create an agent first"
    zoo.agents.create({"name": "Code Wizard"})
    with pytest.raises(AgentNotFoundError) as missing:
        zoo.agents.find("code wizzard")
    assert missing.value.message == "Agent with ID 'code wizzard' not found."
    assert missing.value.hint == "did you mean code-wizard?"


LOOKS: dict[str, Callable[[Zoo, str], object]] = {
    "agent": lambda zoo, odd: [zoo.agents.get(odd)],
    "name": lambda zoo, odd: [zoo.agents.find(odd)],
    "entry": lambda zoo, odd: [zoo.brain.get_entry("ada", odd)],
    "text": lambda zoo, odd: zoo.agents.list_summaries(text=odd).items,
    "tag": lambda zoo, odd: zoo.agents.list_summaries(tag=odd).items,
    "tags": lambda zoo, odd: zoo.brain.query_entries("ada", tags=[odd]).items,
    "brain": lambda zoo, odd: zoo.brain.search(odd),
}


@pytest.mark.parametrize("odd", ["a\0b", "half \ud800"])
@pytest.mark.parametrize("look", LOOKS)
def test_what_no_database_can_hold_is_not_found(zoo: Zoo, look: str, odd: str) -> None:
    zoo.agents.create({"name": "Ada"})
    try:
        found = LOOKS[look](zoo, odd)
    except ZooError:
        found = []
    assert found == []


def test_number_that_no_database_can_hold_is_that_of_no_version(zoo: Zoo) -> None:
    zoo.agents.create({"name": "Ada"})
    with pytest.raises(ZooError):
        zoo.history.get_version("ada", 10**30)


def test_lists_come_in_the_order_of_making_and_in_pages(zoo: Zoo) -> None:
    for number in range(7):
        zoo.agents.create({"name": f"Agent {number}", "archived": number == 3})
    expected = [f"agent-{number}" for number in range(7) if number != 3]
    assert [one.id for one in zoo.agents.list_summaries().items] == expected
    found, cursor = [], None
    while True:
        page = zoo.agents.list_summaries(limit=4, cursor=cursor)
        found.append([one.id for one in page.items])
        cursor = page.next_cursor
        if cursor is None:
            break
    assert found == [expected[:4], expected[4:]]
    assert [one.id for one in zoo.agents.list_summaries(archived=True).items] == ["agent-3"]
    assert len(zoo.agents.list_summaries(archived=None).items) == 7


def test_lists_are_filtered_by_text_and_by_tag(zoo: Zoo) -> None:
    zoo.agents.create({"name": "Ölkanne", "tags": ["Shop", "100%"]})
    zoo.agents.create({"name": "Other", "description": "Knows oil_prices", "tags": ["shopping"]})

    def ids(**conditions: str) -> list[str]:
        return [one.id for one in zoo.agents.list_summaries(**conditions).items]  # type: ignore[arg-type]  # texts all

    assert ids(text="OLKANNE") == ["olkanne"]
    assert ids(text="oil_p") == ["other"]
    assert ids(text="oilxp") == []
    assert ids(text="0%") == ["olkanne"]
    assert ids(tag="Shop") == ["olkanne"]
    assert ids(tag="shop") == []


def test_a_page_of_nonsense_is_refused(zoo: Zoo) -> None:
    for conditions in ({"cursor": "x"}, {"limit": 0}, {"limit": validation.MAX_PAGE_ITEMS + 1}):
        with pytest.raises(InvalidAgentError):
            zoo.agents.list_summaries(**conditions)


def test_a_copy_has_all_but_the_id_the_look_and_the_brain(zoo: Zoo) -> None:
    agent = zoo.agents.create(WIZARD)
    zoo.brain.create_entry("code-wizard", "note", "Remember")
    copy = zoo.agents.duplicate("code-wizard")
    assert (copy.id, copy.name) == ("code-wizard-copy", "Code Wizard copy")
    assert (copy.skills, copy.system_prompt, copy.tags) == (
        agent.skills,
        agent.system_prompt,
        agent.tags,
    )
    assert zoo.brain.query_entries(copy.id).items == []
    assert zoo.agents.duplicate("code-wizard", "Apprentice").id == "apprentice"


def test_a_deleted_agent_comes_back_with_its_brain_and_its_history(zoo: Zoo) -> None:
    zoo.agents.create(WIZARD)
    agent = zoo.agents.update("code-wizard", {"name": "Wizard"})
    entry = zoo.brain.create_entry("code-wizard", "note", "Remember")
    zoo.agents.delete("code-wizard")
    assert zoo.agents.list_summaries().items == []
    assert [one.id for one in zoo.agents.list_deleted()] == ["code-wizard"]
    assert zoo.brain.search("remember") == []
    with pytest.raises(AgentNotFoundError):
        zoo.agents.get("code-wizard")
    assert zoo.agents.restore("code-wizard") == agent
    assert zoo.agents.list_deleted() == []
    assert zoo.brain.query_entries("code-wizard").items == [entry]
    assert [one.version for one in zoo.history.list_versions("code-wizard")] == [2, 1]


def test_the_agent_that_was_deleted_last_comes_first_in_the_bin(
    zoo: Zoo, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("Ada", "Bob", "Eve"):
        zoo.agents.create({"name": name})
    for second, agent_id in enumerate(("bob", "eve", "ada")):
        now = timestamps.format_timestamp(datetime.now(UTC) + timedelta(seconds=second))
        monkeypatch.setattr(timestamps, "get_current_timestamp", lambda now=now: now)
        zoo.agents.delete(agent_id)
    assert [one.id for one in zoo.agents.list_deleted()] == ["ada", "eve", "bob"]


def test_purging_an_agent_is_an_event(zoo: Zoo) -> None:
    zoo.agents.create(WIZARD)
    zoo.agents.delete("code-wizard")
    before = zoo.events.get_latest_id()
    zoo.agents.purge("code-wizard", source="cli")
    (event,) = zoo.events.list_after(before)
    assert (event.kind, event.agent_id, event.source) == ("agent:purged", "code-wizard", "cli")


def test_only_what_is_in_the_bin_is_deleted_for_ever(zoo: Zoo) -> None:
    zoo.agents.create(WIZARD)
    zoo.brain.create_entry("code-wizard", "note", "Remember")
    with pytest.raises(AgentNotFoundError):
        zoo.agents.purge("code-wizard")
    zoo.agents.delete("code-wizard")
    zoo.agents.purge("code-wizard")
    assert zoo.agents.list_deleted() == []
    assert zoo.brain.search("remember") == []
    assert zoo.agents.create(WIZARD).id == "code-wizard"


def test_deleting_an_agent_that_was_changed_in_the_meantime_is_refused(zoo: Zoo) -> None:
    zoo.agents.create(WIZARD)
    zoo.agents.update("code-wizard", {"name": "Wizard"})
    with pytest.raises(ConflictError):
        zoo.agents.delete("code-wizard", 1)
    zoo.agents.delete("code-wizard", 2)


def test_owners_see_nothing_of_each_other(zoo: Zoo) -> None:
    ada, bob = zoo.for_owner("ada"), zoo.for_owner("bob")
    for one in (zoo, ada, bob):
        assert one.agents.create({"name": "Sage"}).id == "sage"
    ada.brain.create_entry("sage", "note", "The secret of Ada")
    assert [one.brain.search("secret") != [] for one in (zoo, ada, bob)] == [False, True, False]
    assert bob.brain.query_entries("sage").items == []
    ada.agents.delete("sage")
    assert [len(one.agents.list_summaries().items) for one in (zoo, ada, bob)] == [1, 0, 1]
    assert [event.kind for event in bob.events.list_after(0)] == ["agent:created"]


def test_the_zoo_of_an_owner_closes_nothing_that_others_use(zoo: Zoo) -> None:
    with zoo.for_owner("ada") as ada:
        ada.agents.create({"name": "Sage"})
    assert zoo.agents.list_summaries().items == []


def test_what_has_been_in_the_bin_for_long_is_gone(zoo: Zoo, zoo_address: str) -> None:
    for name in ("Old", "Other"):
        zoo.agents.create({"name": name})
    entries = [zoo.brain.create_entry("other", "note", str(number)) for number in range(2)]
    zoo.agents.delete("old")
    zoo.brain.delete_entry("other", entries[0].id)
    with connected(zoo_address) as connection:
        for table in ("agents", "entries"):
            long_ago = "UPDATE {} SET deleted_at = '2020-01-01T00:00:00.000Z' WHERE deleted_at > ''"
            connection.execute(text(long_ago.format(table)))
    assert zoo.agents.list_deleted() == []
    zoo.brain.delete_entry("other", entries[1].id)
    zoo.agents.delete("other")
    for lost in ("old", "missing"):
        with pytest.raises(AgentNotFoundError):
            zoo.agents.restore(lost)
    zoo.agents.restore("other")
    with pytest.raises(EntryNotFoundError):
        zoo.brain.restore_entry("other", entries[0].id)
    assert zoo.brain.restore_entry("other", entries[1].id) == entries[1]


def test_the_oldest_of_very_many_versions_and_events_are_forgotten(
    zoo: Zoo, zoo_address: str
) -> None:
    zoo.agents.create({"name": "Sage"})
    for number in range(validation.MAX_AGENT_VERSIONS + 3):
        zoo.skills.toggle("sage", "a") if number else zoo.skills.add("sage", {"name": "A"})
    kept = [one.version for one in zoo.history.list_versions("sage")]
    assert kept == list(range(validation.MAX_AGENT_VERSIONS + 4, 4, -1))

    last = validation.MAX_EVENTS + PRUNE_INTERVAL_EVENTS - 1
    with connected(zoo_address) as connection:
        connection.execute(text("UPDATE events SET id = :last WHERE id = 3"), {"last": last})
        if get_database_info(zoo).kind == "postgresql":
            connection.execute(text("SELECT setval('events_id_seq', :last)"), {"last": last})
    zoo.agents.create({"name": "Other"})
    assert [one.id for one in zoo.events.list_after(0)] == [last, last + 1]
