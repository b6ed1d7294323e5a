"""The zoo, as someone sees it in a browser."""

import re

from playwright.sync_api import expect

from paddock import connect
from tests.web.conftest import Open
from tests.web.running import Up, up


def test_an_agent_is_made_and_is_there_after_a_reload(paddock: Up, open_page: Open) -> None:
    page = open_page(paddock.url)
    page.get_by_role("button", name="New agent").first.click()
    page.get_by_role("textbox", name="Name").fill("Clover")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/agent/clover"))
    page.goto(paddock.url)
    expect(page.get_by_role("link", name=re.compile("Clover")).first).to_be_visible()
    assert paddock.ask("GET", "/api/agents/clover")["name"] == "Clover"


def test_what_a_chat_does_shows_without_a_reload(paddock: Up, open_page: Open) -> None:
    page = open_page(paddock.url)
    paddock.agent(name="Thistle")
    expect(page.get_by_role("link", name=re.compile("Thistle")).first).to_be_visible()
    page.goto(f"{paddock.url}/agent/thistle/brain")
    expect(page.get_by_role("heading", name=re.compile("Thistle")).first).to_be_visible()
    with connect(f"{paddock.url}/mcp") as chat:
        chat.call(
            "agent_zoo_create_brain_entry",
            agentId="thistle",
            type="note",
            content="Prickly on purpose.",
        )
        expect(page.get_by_text("Prickly on purpose.")).to_be_visible()


HOSTILE = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>'


def test_no_text_of_an_agent_is_run_or_shown_as_markup(paddock: Up, open_page: Open) -> None:
    agent = paddock.agent(
        name=HOSTILE[:100], description=HOSTILE, systemPrompt=f"# {HOSTILE}", tags=[HOSTILE[:40]]
    )
    body = {"type": "note", "content": HOSTILE}
    paddock.ask("POST", f"/api/agents/{agent['id']}/brain", body)
    page = open_page(paddock.url)
    for part in ("", "/soul", "/skills", "/brain", "/injected"):
        page.goto(f"{paddock.url}/agent/{agent['id']}{part}")
        expect(page.get_by_text("onerror").first).to_be_visible()
        assert page.evaluate("window.hacked") is None
        assert page.locator("img[src=x]").count() == 0


def test_a_page_goes_on_when_the_server_was_started_again(fresh: Up, open_page: Open) -> None:
    fresh.agent(name="Moss")
    page = open_page(fresh.url, expected=("net::ERR_",))  # of requests while no server runs
    expect(page.get_by_role("link", name=re.compile("Moss")).first).to_be_visible()
    assert fresh.end() == 0
    with up(fresh.place, fresh.port) as again:
        again.agent(name="Fern")
        expect(page.get_by_role("link", name=re.compile("Fern")).first).to_be_visible(
            timeout=30_000
        )
