"""Agents as the files of programs: what is in them, and what is stated to be missing."""

from paddock.zoo.formats.converter import export_agents, import_files
from paddock.zoo.formats.exchange import File
from paddock.zoo.model import Agent, AgentSkill, BrainEntry, SkillCategory

SAGE = Agent(
    id="sage",
    name="Sage the Kind",
    description="Explains: slowly",
    system_prompt="You explain.",
    skills=[
        AgentSkill(
            id="a", name="Ask back", description="Ask first.", when_to_use="Something is vague"
        ),
        AgentSkill(id="b", name="Draw", enabled=False),
    ],
)
TEXT = """You explain.

---

## Active Skills

### Ask back
*When to use:* Something is vague

Ask first.
"""


def text_of(agent: Agent, kind: str) -> str:
    return export_agents([agent], kind).files[0].text


def test_claude_code_gets_a_safe_name_and_the_given_one_as_a_comment() -> None:
    head = '---\n# zoo-name: Sage the Kind\nname: sage\ndescription: "Explains: slowly"\n---\n\n'
    assert text_of(SAGE, "claude-code") == head + TEXT


def test_copilot_gets_the_given_name() -> None:
    head = '---\nname: Sage the Kind\ndescription: "Explains: slowly"\n---\n\n'
    assert text_of(SAGE, "copilot") == head + TEXT


def test_a_cursor_rule_is_asked_for_by_its_description() -> None:
    head = '---\n# zoo-name: Sage the Kind\ndescription: "Explains: slowly"\n'
    head += "alwaysApply: false\n---\n\n"
    assert text_of(SAGE, "cursor-rules") == head + TEXT


def test_opencode_names_an_agent_by_its_file_alone() -> None:
    (file,) = export_agents([SAGE], "opencode").files
    head = '---\n# zoo-name: Sage the Kind\ndescription: "Explains: slowly"\n---\n\n'
    assert (file.path, file.text) == (".opencode/agents/sage.md", head + TEXT)


def test_a_change_leaves_every_other_line_alone() -> None:
    before = (
        "---\n# the team's\nname: sage   # never change\ndescription: >\n  Explains\n  a lot\n"
        "model: opus\r\n\ntools:\n  - Read   # only\n---\n\n\nYou explain.\n\n"
    )
    (agent,) = import_files([File(path=".claude/agents/sage.md", text=before)]).agents
    agent.description, agent.system_prompt = "Explains", "You explain\nwell."
    assert text_of(agent, "claude-code") == (
        "---\n# the team's\nname: sage   # never change\ndescription: Explains\n"
        "model: opus\r\n\ntools:\n  - Read   # only\n---\n\n\nYou explain\nwell.\n\n"
    )


def test_a_field_of_the_program_can_be_changed_taken_out_and_added() -> None:
    before = "---\nname: sage\nmodel: opus # big\ncolor: red\n---\nGo\n"
    (agent,) = import_files([File(path=".claude/agents/sage.md", text=before)]).agents
    fields = agent.extra["claude-code"]["fields"]
    assert fields == {"model": "opus", "color": "red"}
    agent.extra["claude-code"]["fields"] = {"model": "haiku", "tools": ["Read", "Grep"]}
    assert text_of(agent, "claude-code") == (
        '---\nname: sage\nmodel: haiku # big\ntools: ["Read", "Grep"]\n---\nGo\n'
    )


def test_another_name_is_in_a_comment_where_the_file_has_a_safe_one() -> None:
    before = "---\nname: sage\ndescription: d\n---\nGo\n"
    (agent,) = import_files([File(path=".claude/agents/sage.md", text=before)]).agents
    assert agent.name == "Sage"
    agent.name = "Sage II"
    after = "---\n# zoo-name: Sage II\nname: sage\ndescription: d\n---\nGo\n"
    assert text_of(agent, "claude-code") == after
    (agent,) = import_files([File(path=".claude/agents/sage.md", text=after)]).agents
    agent.name = "Sage"
    assert text_of(agent, "claude-code") == before


def test_a_globs_pattern_that_is_not_yaml_is_read_and_kept() -> None:
    text = "---\ndescription: Types\nglobs: **/*.ts, *.tsx\nalwaysApply: true\n---\nUse types.\n"
    found = import_files([File(path=".cursor/rules/types.mdc", text=text)])
    assert found.agents[0].extra["cursor-rules"]["fields"] == {
        "globs": "**/*.ts, *.tsx",
        "alwaysApply": True,
    }
    assert [(one.field, one.path) for one in found.report] == [
        ("file", ".cursor/rules/types.mdc"),
        ("globs", ".cursor/rules/types.mdc"),
        ("alwaysApply", ".cursor/rules/types.mdc"),
    ]


def test_a_chat_mode_is_read_and_stays_where_it_is() -> None:
    file = File(path=".github/chatmodes/plan.chatmode.md", text="---\ntools: []\n---\nPlan.\n")
    (agent,) = import_files([file]).agents
    assert (agent.id, agent.name) == ("plan", "Plan")
    assert export_agents([agent], "copilot").files == [file]


def test_one_agent_in_the_files_of_two_programs_is_one() -> None:
    files = [*export_agents([SAGE], "claude-code").files, *export_agents([SAGE], "copilot").files]
    (agent,) = import_files(files).agents
    assert set(agent.extra) == {"claude-code", "copilot"}
    assert export_agents([agent], "copilot").files == files[1:]


def test_two_that_say_something_else_stay_two() -> None:
    other = File(path=".cursor/agents/sage.md", text="---\nname: sage\n---\nSomething else\n")
    found = import_files([*export_agents([SAGE], "claude-code").files, other])
    assert [one.id for one in found.agents] == ["sage", "sage-2"]
    assert [(one.field, one.agent_id) for one in found.report] == [("id", "sage-2")]


def test_the_report_names_every_field_that_has_no_place() -> None:
    agent = Agent(
        id="sage",
        name="Sage",
        system_prompt="x" * 30_001,
        skill_categories=[SkillCategory(id="art", name="Art")],
        skills=[
            AgentSkill(id="a", name="A", category_id="art", requires=["b"]),
            AgentSkill(id="b", name="B", category_id="art", enabled=False),
        ],
        context_refs=["docs/a.md"],
        tags=["kind"],
    )
    entry = BrainEntry(id="e", agent_id="sage", type="note", content="n", timestamp="2026")
    report = export_agents([agent], "copilot", brains={"sage": [entry]}).report
    assert [one.field for one in report] == [
        *("skills", "skillCategories", "skills", "contextRefs", "tags", "description"),
        *("systemPrompt", "brain"),
    ]
    assert {one.agent_id for one in report} == {"sage"}


def test_claude_code_gets_the_memory_too_and_is_asked_to_read_so_many_lines() -> None:
    entries = [
        BrainEntry(id=str(n), agent_id="sage", type="note", content=f"n{n}", timestamp=f"2026-{n}")
        for n in range(70)
    ]
    found = export_agents([SAGE], "claude-code", brains={"sage": entries})
    assert [file.path for file in found.files] == [
        ".claude/agents/sage.md",
        ".claude/agent-memory/sage/MEMORY.md",
    ]
    assert "\nmemory: project\n" in found.files[0].text
    assert [one.field for one in found.report] == ["skills", "brain"]
    assert len(import_files(found.files).brains["sage"]) == len(entries)


def test_codex_says_what_it_would_fill_in() -> None:
    agent = Agent(id="cost", name="Cost", description="d", system_prompt="It costs $100.")
    (remark,) = export_agents([agent], "codex").report
    assert (remark.field, "$1" in remark.message) == ("systemPrompt", True)


def test_a_file_that_no_one_knows_is_reported_and_left_out() -> None:
    found = import_files([File(path="README.md", text="Hello")])
    assert (found.agents, [(one.field, one.path) for one in found.report]) == (
        [],
        [("file", "README.md")],
    )
    named = import_files([File(path="README.md", text="Hello")], "opencode")
    assert [one.id for one in named.agents] == ["readme"]


def test_texts_that_are_made_to_be_slow_to_read_are_read() -> None:
    for text in ("#" * 100_000 + "x", "a-" * 50_000, "eyJ-" * 25_000, "### a\n" * 15_000):
        agent = Agent(id="slow", name="Slow", description="d", system_prompt=text)
        (found,) = import_files(export_agents([agent], "agents-md").files).agents
        assert found.system_prompt == text.strip()
    block = "a: b\n" * 3_000 + "c: 'd" + " #" * 20_000 + "'\n"
    file = File(path=".claude/agents/slow.md", text=f"---\n{block}---\nGo\n")
    (found,) = import_files([file]).agents
    found.system_prompt = "Stop"
    assert text_of(found, "claude-code") == f"---\n{block}---\nStop\n"
