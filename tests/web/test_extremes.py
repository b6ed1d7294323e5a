"""More agents, longer texts and stranger names than anybody has."""

import re

from playwright.sync_api import expect

from tests.web.conftest import Open
from tests.web.running import Up

AGENTS = 1000
STRANGE = [
    "🦊🌲 Fuchs",
    "<b>bold</b> & 'quoted'",
    "\u05e9\u05dc\u05d5\u05dd from right to left",
    "Ünïcödé 漢字 ไทย",
    "W" * 100,
]


def agents_as_files(count: int) -> list[dict[str, str]]:
    return [
        {
            "path": f"agents/crowd-{number}.md",
            "text": f"---\nname: crowd-{number}\n"
            f"description: Number {number} of many.\n---\nOne of many.\n",
        }
        for number in range(count)
    ]


def test_a_thousand_agents_are_shown_found_and_opened(fresh: Up, open_page: Open) -> None:
    fresh.ask("POST", "/api/import", {"files": agents_as_files(AGENTS), "format": "claude-code"})
    page = open_page(fresh.url)
    expect(page.get_by_text("1,000 agents at home")).to_be_visible()
    creatures = page.get_by_role("list", name="Agents in the meadow").get_by_role("button")
    expect(creatures).to_have_count(AGENTS)
    page.get_by_role("searchbox", name="Search agents").fill("crowd 777")
    page.get_by_role("link", name=re.compile("Crowd 777")).click()
    expect(page.get_by_role("heading", level=1, name="Crowd 777")).to_be_focused()


def test_strange_names_and_long_souls_are_shown_as_they_are(paddock: Up, open_page: Open) -> None:
    soul = ("A long line of thought. " * 500)[:10_000]
    made = [paddock.agent(name=name, systemPrompt=soul) for name in STRANGE]
    page = open_page(paddock.url)
    for agent in made:
        page.goto(f"{paddock.url}/agent/{agent['id']}/soul")
        expect(page.get_by_role("heading", level=1)).to_have_text(agent["name"])
        expect(page.get_by_role("textbox", name="Who it is and how it works")).to_have_value(soul)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
