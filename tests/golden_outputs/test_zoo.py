"""Agents of the zoo: their compiled prompts, and their files for other programs."""

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from paddock.testing import connect
from tests.golden_outputs.golden_files import (
    GoldenFiles,
    MachineNames,
    dump_json,
    format_texts,
    split_files,
)
from tests.golden_outputs.program import Program

FORMATS = (
    *("claude-code", "cursor", "cursor-rules", "copilot", "opencode", "codex", "agent-skills"),
    *("agents-md", "bundle"),
)
STARTERS = ("bramble", "fern", "quill")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00:00)")
DATE = re.compile(r"\d{4}-\d\d-\d\d")
ENTRY_ID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b")
ADA = {
    "id": "ada",
    "name": "Ada & Co",
    "description": 'Says: "no"\nand why.',
    "systemPrompt": "You are Ada.\n\n## Active Skills\n\nNone yet.",
    "skillCategories": [{"id": "counting", "name": "Counting", "color": "#4F7CAC"}],
    "skills": [
        {
            "id": "count",
            "name": "Count # twice",
            "description": "Count.\n\n### Then\n\nCount again.",
            "whenToUse": "Something can be counted: anything",
            "categoryId": "counting",
        },
        {"id": "guess", "name": "Guess", "enabled": False, "requires": ["count"]},
        {"id": "empty", "name": "Say nothing"},
    ],
    "contextRefs": ["docs/counting.md"],
    "tags": ["mine"],
    "brainEntries": [
        {
            "id": "00000000-0000-4000-8000-000000000000",
            "agentId": "ada",
            "type": "decision",
            "content": "Use tabs.",
            "timestamp": "2026-01-02T03:04:05.678Z",
            "pinned": True,
            "tags": ["style"],
        },
        {
            "id": "00000000-0000-4000-8000-000000000001",
            "agentId": "ada",
            "type": "note",
            "content": "The tests are slow.\n\nStill.",
            "timestamp": "2026-01-03T03:04:05.678Z",
            "metadata": {"source": "mcp", "workspaceId": "here"},
        },
        {
            "id": "00000000-0000-4000-8000-000000000002",
            "agentId": "ada",
            "type": "handoff",
            "content": "Go on with the parser.",
            "timestamp": "2026-01-04T03:04:05.678Z",
        },
    ],
}
BUNDLE = {"format": "paddock-zoo", "version": 1, "agents": [ADA], "library": [], "packs": []}
CLAUDE_FILE = """\
---
# ours
name: hand-written   # by hand
description: "Reviews: code"
model: opus
tools: [Read, Grep]
---

You review code.
"""


def hide_times(text: str) -> str:
    return ENTRY_ID.sub("ID", TIME.sub("TIME", text))


def hide_times_in(value: Any) -> Any:
    return json.loads(hide_times(json.dumps(value)))


@pytest.fixture
def zoo(paddock: Program, user: Path) -> Program:
    """The program, with agents of all sorts and a memory."""
    for name in STARTERS:
        assert paddock("zoo", "new", "--starter", name).code == 0
    (user / "work" / "ada.json").write_text(json.dumps(BUNDLE), encoding="utf-8")
    assert paddock("zoo", "import", "ada.json", "--yes").code == 0
    folder = user / "work" / "hand" / ".claude" / "agents"
    folder.mkdir(parents=True)
    (folder / "hand-written.md").write_text(CLAUDE_FILE, encoding="utf-8")
    assert paddock("zoo", "import", "hand", "--yes").code == 0
    assert paddock("zoo", "edit", "fern", "--disable", "prune").code == 0
    return paddock


AGENTS = (*STARTERS, "ada", "hand-written")


def test_compiled_prompts(golden: GoldenFiles, zoo: Program) -> None:
    files = {}
    for agent in AGENTS:
        files[f"{agent}.txt"] = hide_times(zoo("zoo", "inject", agent, "--preview").out)
        document = zoo("zoo", "inject", agent, "--preview", "--json").json
        sections = [{**one, "text": len(str(one.get("text", "")))} for one in document["sections"]]
        keys = sorted(document)
        files[f"{agent}.sections.json"] = dump_json({"keys": keys, "sections": sections})
    files["ada.no_memory.txt"] = zoo("zoo", "inject", "ada", "--preview", "--no-memory").out
    files["ada.budget.txt"] = hide_times(
        zoo("zoo", "inject", "ada", "--preview", "--budget", "20").out
    )
    golden.check("zoo/prompts", files)


def test_agents_as_json(golden: GoldenFiles, zoo: Program) -> None:
    files = split_files("list", hide_times_in(zoo("zoo", "list", "--json").json))
    for agent in AGENTS:
        shown = hide_times_in(zoo("zoo", "show", agent, "--json").json)
        files |= split_files(f"show.{agent}", shown)
    files["list.txt"] = DATE.sub("DATE", zoo("zoo", "list").text)
    golden.check("zoo/json", files)


@pytest.mark.parametrize("kind", FORMATS)
def test_exported_files(golden: GoldenFiles, zoo: Program, kind: str) -> None:
    target = Path("out.json" if kind == "bundle" else "out")
    words = ("zoo", "export", "--format", kind, "--to", str(target), "--memory", "--json")
    result = zoo(*words)
    written = sorted(target.rglob("*")) if target.is_dir() else [target]
    # In one file, or agents that work here would take these for their own instructions.
    texts = {
        file.as_posix(): hide_times(file.read_bytes().decode("utf-8"))
        for file in written
        if file.is_file()
    }
    document = hide_times_in(result.json)
    for entry in document["files"]:
        entry.pop("diff", None)  # what the files say
    report = split_files("report", document)
    golden.check(f"zoo/files/{kind}", {"files.txt": format_texts(texts), **report})


def test_results_of_zoo_tools(golden: GoldenFiles, zoo: Program, names: MachineNames) -> None:
    calls: dict[str, dict[str, Any]] = {
        "agent_zoo_list_agents": {},
        "agent_zoo_find_agents": {"text": "ada"},
        "agent_zoo_get_agent": {"agentId": "ada"},
        "agent_zoo_query_brain_entries": {"agentId": "ada"},
        "agent_zoo_inject": {"agentId": "ada"},
    }
    results = {}
    # A process keeps the zoo that it opened first, so this needs one of its own.
    with connect([sys.executable, "-m", "paddock", "serve", "--named", "AgentZoo"]) as peer:
        for tool, arguments in calls.items():
            answer = peer.request("tools/call", {"name": tool, "arguments": arguments})
            results[tool] = hide_times_in(names.hide_in(answer))
    texts = {
        tool: "\n".join(str(part.pop("text", "")) for part in result["content"])
        for tool, result in results.items()
    }
    files = {**split_files("results", results), "texts.txt": format_texts(texts)}
    golden.check("zoo/tools", files)
