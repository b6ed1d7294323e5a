"""What was found in files becomes agents, changes to agents, and skills."""

from paddock.zoo.formats.converter import import_files
from paddock.zoo.formats.exchange import File, ImportBatch
from paddock.zoo.import_plan import apply_import, plan_import
from paddock.zoo.service import Zoo

FILE = File(path=".claude/agents/sage.md", text="---\nname: sage\nmodel: opus\n---\nYou explain.\n")
MEMORY = File(
    path=".claude/agent-memory/sage/MEMORY.md",
    text=(
        "# Memory\n\nA note of the model.\n\n"
        "## Decision 2026-11-18T10:00:00.000Z (pinned)\n\n*Tags:* a, b\n\nSQLite.\n"
    ),
)
SKILL = File(path="tidy/SKILL.md", text="---\nname: tidy\ndescription: Untidy\n---\nTidy up.\n")


def test_an_agent_is_made_with_what_it_remembers(zoo: Zoo) -> None:
    found = import_files([FILE, MEMORY])
    done = apply_import(zoo, found, plan_import(zoo, found), source="import")
    assert done.created == ["sage"]
    entries = {one.content: one for one in zoo.brain.query_entries("sage").items}
    assert set(entries) == {"A note of the model.", "SQLite."}
    decision, note = entries["SQLite."], entries["A note of the model."]
    assert (decision.type, decision.pinned, decision.tags) == ("decision", True, ["a", "b"])
    assert decision.timestamp == "2026-11-18T10:00:00.000Z"
    assert (note.type, note.metadata["source"]) == ("note", "import")
    assert note.timestamp
    assert zoo.agents.get("sage").extra["claude-code"]["fields"] == {"model": "opus"}


def test_an_agent_that_is_there_is_changed_only_when_that_is_wanted(zoo: Zoo) -> None:
    zoo.agents.create({"name": "Sage", "systemPrompt": "Mine.", "tags": ["kind"]})
    found = import_files([FILE, MEMORY])
    planned = plan_import(zoo, found, is_update=True)
    assert [(one.action, one.changes) for one in planned.agents] == [
        ("update", ["extra", "systemPrompt"])
    ]
    done = apply_import(zoo, found, planned, source="import")
    assert (done.created, done.updated) == ([], ["sage"])
    assert [one.field for one in done.report if one.agent_id == "sage"] == ["model", "brain"]
    agent = zoo.agents.get("sage")
    assert (agent.system_prompt, agent.tags, agent.version) == ("You explain.", ["kind"], 2)
    again = plan_import(zoo, found, is_update=True)
    assert [one.action for one in again.agents] == ["unchanged"]
    found = import_files([FILE])
    planned = plan_import(zoo, found)
    assert [(one.field, one.agent_id) for one in planned.report] == [
        ("model", "sage"),
        ("id", "sage"),
    ]
    assert apply_import(zoo, found, planned, source="import").created == ["sage-2"]


def test_loose_skills_go_to_the_library_or_to_an_agent(zoo: Zoo) -> None:
    zoo.agents.create({"name": "Sage"})
    found = import_files([SKILL])
    planned = plan_import(zoo, found)
    assert planned.skills == ["Tidy"]
    apply_import(zoo, found, planned, source="import")
    assert [(one.name, one.when_to_use) for one in zoo.library.list_skills()] == [
        ("Tidy", "Untidy")
    ]
    apply_import(zoo, found, planned, skills_to="SAGE", source="import")
    (skill,) = zoo.agents.get("sage").skills
    assert (skill.name, skill.description, skill.when_to_use) == ("Tidy", "Tidy up.", "Untidy")


def test_nothing_to_take_in_changes_nothing(zoo: Zoo) -> None:
    before = zoo.events.get_latest_id()
    done = apply_import(zoo, ImportBatch(), plan_import(zoo, ImportBatch()), source="import")
    assert (done.created, done.updated, zoo.events.get_latest_id()) == ([], [], before)
