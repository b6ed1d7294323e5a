"""After `paddock zoo export`, a real client passes the agent's prompt to its model."""

import json
from collections.abc import Iterator
from dataclasses import replace

import pytest

from paddock.zoo.formats.soul_markdown import format_persona, make_persona
from paddock.zoo.starter_agents import load_starters
from tests.clients import environments as installed
from tests.clients import own_settings, starts
from tests.clients.household import Household, household
from tests.clients.starts import Place, Start, Starting, simply

BRAMBLE = load_starters()[0].agent


def claude_as(agent_id: str) -> Starting:
    """Claude Code in the part of an agent."""

    def start(place: Place) -> Start:
        plain = starts.claude(place)
        return replace(plain, command=[*plain.command, "--agent", agent_id])

    return start


def copilot(place: Place) -> Start:
    """Copilot CLI in the part of an agent."""
    start = starts.copilot(place)
    return replace(start, command=[*start.command, "--agent", BRAMBLE.id])


opencode = simply(
    installed.OPENCODE,
    *("opencode", "run", "-m", "fake/fake", "--agent", BRAMBLE.id, starts.QUESTION),
)


@pytest.fixture
def home() -> Iterator[Household]:
    """A home with the agent in its zoo."""
    with household() as found:
        own_settings.opencode(found.place)
        found.paddock("zoo", "new", "--starter", BRAMBLE.id)
        # What a careless reader of front matter would stumble over.
        facts = ("--name", 'Bramble & "Co": #1', "--description", "Finds: faults # really")
        found.paddock("zoo", "edit", BRAMBLE.id, *facts)
        yield found


def written(text: str) -> str:
    """A text as it is in a request."""
    return json.dumps(text, ensure_ascii=False)[1:-1]


@pytest.mark.parametrize(
    ("kind", "starting"),
    [
        pytest.param("claude-code", claude_as(BRAMBLE.id), id="claude-code"),
        pytest.param("opencode", opencode, id="opencode"),
        pytest.param("copilot", copilot, id="copilot", marks=pytest.mark.every_client),
    ],
)
def test_a_client_tells_its_model_what_the_agent_is(
    home: Household, kind: str, starting: Starting
) -> None:
    home.paddock("zoo", "export", BRAMBLE.id, "--format", kind)
    ended = home.start(starting)
    text = written(format_persona(make_persona(BRAMBLE)))
    assert any(text in told for told in home.model.told), ended.output + ended.errors


def test_claude_code_sees_what_an_agent_remembers(home: Household) -> None:
    bundle = home.place.home / "zoo.json"
    entry = {"id": "1", "agentId": "b", "type": "note", "timestamp": "2026-11-18T10:00:00.000Z"}
    remembering = {
        "id": "elephant",
        "name": "Elephant",
        "systemPrompt": "You remember.",
        "brainEntries": [{**entry, "content": "The well is behind the third acacia."}],
    }
    data = {"format": "paddock-zoo", "version": 1, "agents": [remembering]}
    bundle.write_text(json.dumps(data), encoding="utf-8")
    home.paddock("zoo", "import", str(bundle))
    home.paddock("zoo", "export", "elephant", "--format", "claude-code", "--memory")
    ended = home.start(claude_as("elephant"))
    told = [one for one in home.model.told if "You remember." in one]
    text = "The well is behind the third acacia."
    assert any(text in one for one in told), ended.output + ended.errors


def test_claude_code_is_reported_when_to_use_a_skill(home: Household) -> None:
    home.paddock("zoo", "export", BRAMBLE.id, "--format", "agent-skills")
    ended = home.start(starts.claude)
    for skill in BRAMBLE.skills:
        text = written(skill.when_to_use)
        assert any(text in told for told in home.model.told), ended.output + ended.errors
