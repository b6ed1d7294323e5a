"""The server AgentZoo: its tools, resources and prompts, as a chat meets them."""

import json
import os
import queue
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from paddock import Peer, PeerError, TextContent, connect, get_server
from paddock.toolkits.zoo.live_lists import serve_zoo
from paddock.zoo.agents import AgentRepository
from paddock.zoo.opening import open_zoo
from paddock.zoo.service import Zoo

PATIENCE = 30
SERVE = [sys.executable, "-m", "paddock", "serve", "AgentZoo"]
SKILLS = [
    {"id": "zeta", "name": "Zeta", "description": "  Last letter first.  "},
    {"id": "off", "name": "Off", "description": "Never said.", "enabled": False},
    {"id": "alpha", "name": "Alpha"},
]
PROMPT = """\
You are now Ada. Use agentId=ada for all agent_zoo tool usage.

Think before you count.

---

## Active Skills

### Zeta
Last letter first.

### Alpha"""


opened_zoos: list[Zoo] = []
"""The zoo of the test that is running."""


@pytest.fixture
def zoo(tmp_path: Path) -> Iterator[Zoo]:
    with open_zoo(f"sqlite:///{tmp_path / 'zoo.db'}") as opened:
        opened_zoos.append(opened)
        yield opened
        opened_zoos.remove(opened)


def load_server() -> Any:
    """The server AgentZoo, with the zoo of the test."""
    server = get_server("AgentZoo").load()
    serve_zoo(server, opened_zoos[-1])
    return server


@contextmanager
def chat(era: str, **options: Any) -> Iterator[Peer]:
    with connect(load_server(), era=era, **options) as peer:
        yield peer


def add_ada(zoo: Zoo) -> None:
    zoo.agents.create(
        {"name": "Ada", "systemPrompt": "\nThink before you count.\n", "skills": SKILLS},
        source="web",
    )


def refused(peer: Peer, tool: str, **arguments: Any) -> str:
    """The code under which a call fails."""
    result = peer.call(tool, arguments)
    assert result.is_error
    told = json.loads(result.text)
    assert told["error"] is True
    assert told["message"]
    return str(told["code"])


def test_an_agent_is_injected_byte_for_byte(era: str, zoo: Zoo) -> None:
    add_ada(zoo)
    with chat(era) as peer:
        result = peer.call("agent_zoo_inject", agentId="ada")
    expected = {"agentId": "ada", "agentName": "Ada", "prompt": PROMPT}
    assert result.structured == expected
    assert json.loads(result.text) == expected


def test_a_structured_injection_has_the_enabled_skills_only(era: str, zoo: Zoo) -> None:
    add_ada(zoo)
    with chat(era) as peer:
        found: Any = peer.call("agent_zoo_inject", agentId="ada", format="structured").structured
    assert found == {
        "agentId": "ada",
        "agentName": "Ada",
        "systemPrompt": "\nThink before you count.\n",
        "skills": [
            {"id": "zeta", "name": "Zeta", "description": "  Last letter first.  "},
            {"id": "alpha", "name": "Alpha", "description": ""},
        ],
    }


def test_an_agent_is_found_by_its_name(era: str, zoo: Zoo) -> None:
    add_ada(zoo)
    with chat(era) as peer:
        for wanted in ("ada", "Ada", "ADA", " ada "):
            found: Any = peer.call("agent_zoo_get_agent", agentId=wanted).structured
            assert found["id"] == "ada"


def test_an_agent_that_is_not_there_is_reported_byte_for_byte(era: str, zoo: Zoo) -> None:
    add_ada(zoo)
    with chat(era) as peer:
        told = json.loads(peer.call("agent_zoo_inject", agentId="xyz").text)
        nearly = json.loads(peer.call("agent_zoo_get_agent", agentId="adaa").text)
    assert told.pop("hint") == "list the agents to see their ids"
    assert told == {
        "error": True,
        "code": "AGENT_NOT_FOUND",
        "message": "Agent with ID 'xyz' not found.",
    }
    assert nearly["hint"] == "did you mean ada?"


def test_what_goes_wrong_is_reported_with_a_code(era: str, zoo: Zoo) -> None:
    add_ada(zoo)
    with chat(era) as peer:
        assert refused(peer, "agent_zoo_inject", agentId="missing") == "AGENT_NOT_FOUND"
        assert refused(peer, "agent_zoo_inject", agentId="missing", format="x") == "INVALID_FORMAT"
        assert refused(peer, "agent_zoo_inject") == "INVALID_ARGUMENTS"
        arguments = {"agentId": "ada", "type": "rumour", "content": "x"}
        assert refused(peer, "agent_zoo_create_brain_entry", **arguments) == "INVALID_ARGUMENTS"
        arguments = {"agentId": "ada", "type": "note", "content": "  "}
        assert refused(peer, "agent_zoo_create_brain_entry", **arguments) == "INVALID_ARGUMENTS"
        missing = {"agentId": "ada", "entryId": "none"}
        assert refused(peer, "agent_zoo_update_brain_entry", **missing) == "NOT_FOUND"
        assert refused(peer, "agent_zoo_delete_brain_entry", **missing) == "NOT_FOUND"
        toggled = {"agentId": "ada", "skillId": "none"}
        assert refused(peer, "agent_zoo_toggle_skill", **toggled) == "SKILL_NOT_FOUND"


def test_a_list_says_enough_to_choose(era: str, zoo: Zoo) -> None:
    add_ada(zoo)
    zoo.agents.create({"name": "Bob", "description": "Builds", "tags": ["work"]}, source="web")
    with chat(era) as peer:
        all_agents: Any = peer.call("agent_zoo_list_agents").structured
        workers: Any = peer.call("agent_zoo_find_agents", tag="work").structured
    ada = {"id": "ada", "name": "Ada", "description": "", "tags": [], "skills": ["Zeta", "Alpha"]}
    bob = {"id": "bob", "name": "Bob", "description": "Builds", "tags": ["work"], "skills": []}
    assert all_agents == {"agents": [ada, bob]}
    assert workers == {"agents": [bob]}


def test_a_memory_is_written_changed_found_and_forgotten(era: str, zoo: Zoo) -> None:
    add_ada(zoo)
    with chat(era, client_info={"name": "tester", "version": "1"}) as peer:
        written: Any = peer.call(
            "agent_zoo_create_brain_entry",
            agentId="ada",
            type="decision",
            content=" Use primes. ",
            tags=["numbers", " "],
            metadata={"workspaceId": "w"},
        ).structured
        assert written["content"] == "Use primes."
        assert written["tags"] == ["numbers"]
        assert written["metadata"] == {"source": "mcp", "client": "tester", "workspaceId": "w"}
        entry = {"agentId": "ada", "entryId": written["id"]}
        pinned: Any = peer.call(
            "agent_zoo_update_brain_entry", {**entry, "pinned": True}
        ).structured
        for key in ("type", "content", "tags", "metadata", "timestamp"):
            assert pinned[key] == written[key]
        assert pinned["pinned"] is True
        query: Any = peer.call(
            "agent_zoo_query_brain_entries", agentId="ada", tags=["numbers"], pinned=True
        ).structured
        assert [found["id"] for found in query["entries"]] == [written["id"]]
        search: Any = peer.call("agent_zoo_search_brain", text="prime").structured
        assert [found["entry"]["id"] for found in search["results"]] == [written["id"]]
        gone = peer.call("agent_zoo_delete_brain_entry", entry).structured
        assert gone == {"success": True, "entryId": written["id"]}
        nothing: Any = peer.call("agent_zoo_query_brain_entries", agentId="ada").structured
        assert nothing["entries"] == []


def test_what_an_agent_remembers_is_injected_unless_an_option_says_no(zoo: Zoo) -> None:
    add_ada(zoo)
    zoo.brain.create_entry("ada", "note", "The answer is 42.", source="web")
    server = load_server()
    with connect(server) as peer:
        assert "The answer is 42." in peer.call("agent_zoo_inject", agentId="ada").text
    server.set_tool_options({"agent_zoo_inject": {"Memory": False}})
    with connect(server) as peer:
        told: Any = peer.call("agent_zoo_inject", agentId="ada").structured
    assert told["prompt"] == PROMPT


def test_the_prompt_of_an_agent_follows_the_memory_options_of_the_tool(zoo: Zoo) -> None:
    add_ada(zoo)
    for number in range(40):
        zoo.brain.create_entry("ada", "note", f"{number} " + "word " * 50, source="web")
    server = load_server()
    for options in ({}, {"MemoryTokens": 300}, {"Memory": False}):
        server.set_tool_options({"agent_zoo_inject": options})
        with connect(server) as peer:
            told: Any = peer.call("agent_zoo_inject", agentId="ada").structured
            (message,) = peer.prompt("agent_zoo_use_ada").messages
        assert isinstance(message.content, TextContent)
        assert message.content.text.endswith(told["prompt"])


def test_a_structured_injection_reads_the_agent_once(
    zoo: Zoo, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_ada(zoo)

    def get(*_arguments: object) -> None:
        raise AssertionError("the agent may have changed since the injection")

    monkeypatch.setattr(AgentRepository, "get", get)
    with chat("2025-06-18") as peer:
        found: Any = peer.call("agent_zoo_inject", agentId="ada", format="structured").structured
    assert found["systemPrompt"] == "\nThink before you count.\n"


def test_work_is_handed_over_to_another_agent(era: str, zoo: Zoo) -> None:
    add_ada(zoo)
    zoo.agents.create({"name": "Bob"}, source="web")
    with chat(era) as peer:
        told: Any = peer.call(
            "agent_zoo_hand_over", fromAgentId="Ada", toAgentId="Bob", summary="Count on from 7."
        ).structured
        prompt = peer.call("agent_zoo_inject", agentId="bob").text
    assert (told["toAgentId"], told["entry"]["type"]) == ("bob", "handoff")
    assert "Count on from 7." in prompt


def test_a_skill_is_toggled_by_id_or_name(era: str, zoo: Zoo) -> None:
    add_ada(zoo)
    with chat(era) as peer:
        peer.call("agent_zoo_toggle_skill", agentId="ada", skillId="off")
        told: Any = peer.call(
            "agent_zoo_toggle_skill", agentId="ada", skillId="zeta", enabled=False
        ).structured
    assert [skill["enabled"] for skill in told["skills"]] == [False, True, True]


def test_a_project_has_a_default_agent(
    era: str, zoo: Zoo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_ada(zoo)
    monkeypatch.chdir(tmp_path)
    with chat(era) as peer:
        assert refused(peer, "agent_zoo_get_default_agent") == "NO_DEFAULT_AGENT"
        peer.call("agent_zoo_set_default_agent", agentId="Ada")
        found: Any = peer.call("agent_zoo_get_default_agent").structured
    assert found == {"agentId": "ada", "agentName": "Ada", "project": str(tmp_path)}


def test_every_advertised_resource_can_be_read(era: str, zoo: Zoo) -> None:
    zoo.agents.create({"name": "C++/C# & co", "id": "c"}, source="web")
    entry = zoo.brain.create_entry("c", "note", "Remember.", source="web")
    with chat(era) as peer:
        listed = [resource.uri for resource in peer.resources()]
        read = {uri: json.loads(peer.read(uri).text) for uri in listed}
        one = peer.read(f"agent-zoo://agents/c/brain/{entry.id}")
        notes = peer.read("agent-zoo://agents/c/brain?type=note&pinned=false")
        none = peer.read("agent-zoo://agents/c/brain?type=decision")
        with pytest.raises(PeerError):
            peer.read("agent-zoo://agents/missing")
    assert listed == ["agent-zoo://agents", "agent-zoo://agents/c", "agent-zoo://agents/c/brain"]
    assert read["agent-zoo://agents/c"]["name"] == "C++/C# & co"
    assert json.loads(one.text)["content"] == "Remember."
    assert [found["id"] for found in json.loads(notes.text)["entries"]] == [entry.id]
    assert json.loads(none.text)["entries"] == []


def test_each_agent_has_a_prompt(era: str, zoo: Zoo) -> None:
    add_ada(zoo)
    with chat(era) as peer:
        (prompt,) = peer.prompts()
        told = peer.prompt("agent_zoo_use_ada")
    assert (prompt.name, prompt.title) == ("agent_zoo_use_ada", "Use Agent: Ada")
    (message,) = told.messages
    assert isinstance(message.content, TextContent)
    assert message.content.text.endswith(f"\n\n{PROMPT}")


def test_without_writing_there_are_no_tools_that_write(
    zoo: Zoo, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_ada(zoo)
    with chat("2025-11-25") as peer:
        readers = {tool.name for tool in peer.tools() if (tool.annotations or {})["readOnlyHint"]}
    monkeypatch.setenv("PADDOCK_ZOO_READ_ONLY", "1")
    with chat("2025-11-25") as peer:
        kept = {tool.name for tool in peer.tools()}
    assert kept == readers
    assert "agent_zoo_inject" in kept
    assert "agent_zoo_create_brain_entry" not in kept


def test_a_session_hears_of_what_another_process_changes(zoo: Zoo, tmp_path: Path) -> None:
    add_ada(zoo)
    heard: queue.Queue[tuple[str, dict[str, Any]]] = queue.Queue()
    environment = {"PADDOCK_ZOO_DATABASE": f"sqlite:///{tmp_path / 'zoo.db'}"}
    with connect(
        SERVE,
        env=environment,
        era="2025-11-25",
        on_notification=lambda method, params: heard.put((method, params)),
    ) as peer:
        assert len(peer.prompts()) == 1
        peer.subscribe("agent-zoo://agents/ada/brain")
        zoo.brain.create_entry("ada", "note", "From elsewhere.", source="web")
        told = heard.get(timeout=PATIENCE)
        assert told == (
            "notifications/resources/updated",
            {"uri": "agent-zoo://agents/ada/brain"},
        )
        zoo.agents.create({"name": "Bob"}, source="web")
        methods = {heard.get(timeout=PATIENCE)[0] for _ in range(2)}
        assert methods == {
            "notifications/prompts/list_changed",
            "notifications/resources/list_changed",
        }
        assert [prompt.name for prompt in peer.prompts()] == [
            "agent_zoo_use_ada",
            "agent_zoo_use_bob",
        ]
        zoo.agents.delete("ada", source="web")
        heard.get(timeout=PATIENCE)
        assert [prompt.name for prompt in peer.prompts()] == ["agent_zoo_use_bob"]


def test_what_one_chat_writes_another_one_reads(zoo: Zoo, tmp_path: Path) -> None:
    add_ada(zoo)
    environment = {"PADDOCK_ZOO_DATABASE": f"sqlite:///{tmp_path / 'zoo.db'}"}
    with connect(SERVE, env=environment) as one, connect(SERVE, env=environment) as other:
        one.call("agent_zoo_create_brain_entry", agentId="ada", type="note", content="Blue.")
        found: Any = other.call("agent_zoo_query_brain_entries", agentId="ada").structured
    assert [entry["content"] for entry in found["entries"]] == ["Blue."]


def test_the_server_ends_when_its_input_ends(tmp_path: Path) -> None:
    environment = {**os.environ, "PADDOCK_ZOO_DATABASE": f"sqlite:///{tmp_path / 'zoo.db'}"}
    served = subprocess.run(
        SERVE,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env=environment,
        timeout=PATIENCE,
        check=False,
    )
    assert (served.returncode, served.stdout) == (0, b"")


def test_a_zoo_that_cannot_be_opened_is_reported_by_each_call(tmp_path: Path) -> None:
    (tmp_path / "zoo.db").write_bytes(b"Not a database file." * 1000)
    environment = {"PADDOCK_ZOO_DATABASE": f"sqlite:///{tmp_path / 'zoo.db'}"}
    with connect(SERVE, env=environment, stderr="capture") as peer:
        assert refused(peer, "agent_zoo_list_agents") == "ZOO_UNAVAILABLE"
    assert (tmp_path / "zoo.db").read_bytes() == b"Not a database file." * 1000
