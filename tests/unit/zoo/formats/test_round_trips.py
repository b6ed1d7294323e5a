"""What goes out comes back, and what came in goes out as it was."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paddock.zoo.formats.agents_md import insert_block
from paddock.zoo.formats.converter import export_agents, import_files
from paddock.zoo.formats.exchange import File
from paddock.zoo.formats.format_registry import FILE_FORMATS
from paddock.zoo.formats.memory_file import make_memory_file, parse_entries
from paddock.zoo.formats.skill_folders import add_standalone_skill
from paddock.zoo.model import Agent, BrainEntry, LibrarySkill, Pack
from tests.unit.zoo.formats.any_agents import AGENTS, ENTRIES, LINES, TEXTS, what_fits

HAND_WRITTEN = {
    "plain": "---\nname: reviewer\ndescription: Reviews code\n---\n\nYou review code.\n",
    "comments, quotes and an order of its own": (
        "---\n# ours\ndescription: 'It''s for \"reviews\"'   # why\nmodel: opus\n\n"
        'tools: [Read, Grep]  # no more\nname: "reviewer"\n# end\n---\n\n\nYou review.\n\n\n'
    ),
    "Windows": (
        "\ufeff---\r\nname: reviewer\r\ndescription: Reviews\r\n---\r\n\r\nYou.\r\n\r\nGo.\r\n"
    ),
    "no YAML": (
        '---\nname: reviewer\ndescription: Use it: user: "look" <example>a: b</example>\n'
        "globs: **/*.ts,*.{a,b}\n\tcolor: red\n---\nYou review.\n"
    ),
    "folded": "---\nname: reviewer\ndescription: >-\n  Reviews\n  code\n---\nGo",
    "anchors": "---\nname: &n reviewer\ndescription: *n\n---\nGo\n",
    "keys twice": "---\nname: a\nname: b\ndescription: c\n---\nGo\n",
    "no front matter": "Just do it.\n",
    "front matter alone": "---\nname: reviewer\n---\n",
    "nothing": "",
    "a rule first": "---\nnot closed\n\nText\n",
    "mixed line ends": "---\nname: x\r\ndescription: y\n---\r\nA\nB\r\nC\n",
    "skills by hand": (
        "---\nname: x\n---\nSoul\n\n---\n\n## Active Skills\n\n\n### One\n\n- do\n### Two\n"
    ),
    "indented": "---\n  name: x\n  description: y\n---\nGo\n",
    "in braces": "---\n{name: x, description: y, tools: [a]}\n---\nGo\n",
    "strange line ends": "---\nname: x\ndescription: a\u2028b\x85c\n---\n\x0cGo\x0c\n",
}


@pytest.mark.parametrize("kind", FILE_FORMATS)
@settings(max_examples=50)
@given(agent=AGENTS)
def test_an_agent_comes_back_from_a_file(kind: str, agent: Agent) -> None:
    found = import_files(export_agents([agent], kind).files)
    assert [what_fits(one) for one in found.agents] == [what_fits(agent)]


@pytest.mark.parametrize("kind", FILE_FORMATS)
@pytest.mark.parametrize("text", HAND_WRITTEN.values(), ids=HAND_WRITTEN)
def test_a_file_written_by_hand_goes_out_as_it_came(kind: str, text: str) -> None:
    file = File(path=FILE_FORMATS[kind].make_path("reviewer"), text=text)
    assert export_agents(import_files([file]).agents, kind).files == [file]


@given(kind=st.sampled_from(sorted(FILE_FORMATS)), block=TEXTS, body=TEXTS, is_marked=st.booleans())
def test_any_file_goes_out_as_it_came(kind: str, block: str, body: str, *, is_marked: bool) -> None:
    mark = "\ufeff" if is_marked else ""
    file = File(path=FILE_FORMATS[kind].make_path("any"), text=f"{mark}---\n{block}\n---\n{body}")
    assert export_agents(import_files([file]).agents, kind).files == [file]


@pytest.mark.parametrize("kind", FILE_FORMATS)
@pytest.mark.parametrize("text", HAND_WRITTEN.values(), ids=HAND_WRITTEN)
@settings(max_examples=10)
@given(agent=AGENTS)
def test_a_file_that_is_changed_says_what_the_agent_says(
    kind: str, text: str, agent: Agent
) -> None:
    path = FILE_FORMATS[kind].make_path("reviewer")
    (before,) = import_files([File(path=path, text=text)]).agents
    before.name, before.description = agent.name, agent.description
    before.system_prompt, before.skills = agent.system_prompt, agent.skills
    (after,) = import_files(export_agents([before], kind).files).agents
    assert what_fits(after) == what_fits(before)
    assert after.extra[kind]["fields"] == before.extra[kind]["fields"]


@given(agent=AGENTS, around=TEXTS)
def test_an_agent_comes_back_from_a_block(agent: Agent, around: str) -> None:
    around = around.replace("<!-- paddock:", "").replace("<!-- /paddock:", "")
    (block,) = export_agents([agent], "agents-md").files
    text = insert_block(around, block)
    (found,) = import_files([File(path="AGENTS.md", text=text)]).agents
    assert what_fits(found) == what_fits(agent)
    assert insert_block(text, block) == text
    assert text.startswith(around)


@given(entries=ENTRIES)
def test_a_brain_comes_back_from_a_memory_file(entries: list[BrainEntry]) -> None:
    file, report = make_memory_file("x", "x", entries)
    assert report == []
    newest = sorted(entries, key=lambda one: one.timestamp, reverse=True)
    assert parse_entries(file, "x") == sorted(newest, key=lambda one: not one.pinned)


@given(agent=AGENTS, entries=ENTRIES)
def test_a_bundle_holds_everything(agent: Agent, entries: list[BrainEntry]) -> None:
    agent.extra = {"claude-code": {"fields": {"model": "opus"}}}
    for entry in entries:
        entry.agent_id = agent.id
    library, packs = [LibrarySkill(id="a", name="A", pack_id="p")], [Pack(id="p", name="P")]
    brains = {agent.id: entries}
    files = export_agents([agent], "bundle", brains=brains, library=library, packs=packs).files
    found = import_files(files)
    assert (found.agents, found.brains) == ([agent], brains)
    assert (found.library, found.packs, found.report) == (library, packs, [])


@given(agent=AGENTS, whens=st.lists(LINES.filter(bool), min_size=3, max_size=3))
def test_skills_come_back_from_their_folders(agent: Agent, whens: list[str]) -> None:
    for skill, when in zip(agent.skills, whens, strict=False):
        skill.when_to_use = when
    found = import_files(export_agents([agent], "agent-skills").files)
    expected = [(one.name, one.description, one.when_to_use) for one in agent.skills]
    loose = [one.skill for one in found.skills]
    assert [(one.name, one.description, one.when_to_use) for one in loose] == expected


def test_a_skill_file_goes_out_as_it_came() -> None:
    text = "---\nname: s0\n# why\ndescription: When it rains\nlicense: MIT\n---\n# Wet\n\nGo in.\n"
    file = File(path=".agents/skills/s0/SKILL.md", text=text)
    agent = Agent(id="sage", name="Sage")
    add_standalone_skill(agent, *import_files([file]).skills)
    assert export_agents([agent], "agent-skills").files == [file]
