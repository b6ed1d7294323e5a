"""Trying tools and prompts, giving servers to clients, and seeing that they call."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from paddock import connect
from tests.web.conftest import Open
from tests.web.running import Up


def tool(page: Page, paddock: Up, server: str, name: str) -> None:
    page.goto(f"{paddock.url}/servers/{server}?open=tool:{name}")
    expect(page.get_by_role("button", name="Run it")).to_be_visible()


def test_the_list_says_what_exists_and_leads_to_it(paddock: Up, open_page: Open) -> None:
    page = open_page(f"{paddock.url}/servers")
    expect(page.get_by_role("heading", name="Engines of the Wolfram Language")).to_be_visible()
    expect(page.get_by_text("in use", exact=True)).to_be_visible()
    page.get_by_role("link", name=re.compile("Paddock demo")).click()
    expect(page.get_by_role("heading", level=1, name="Paddock demo")).to_be_focused()
    page.get_by_role("button", name="Greet").click()
    expect(page).to_have_url(re.compile("open=tool%3Agreet"))


def test_a_tool_is_run_from_its_form(paddock: Up, open_page: Open) -> None:
    page = open_page(paddock.url)
    tool(page, paddock, "Demo", "greet")
    page.get_by_role("button", name="Run it").click()
    name = page.get_by_label("name (needed)")
    expect(name).to_be_focused()
    expect(page.get_by_text("This is needed.")).to_be_visible()
    name.fill("Ada")
    page.get_by_label("language").select_option("French")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_label("Answer of Greet")).to_contain_text("Bonjour, Ada")
    page.reload()
    expect(page.get_by_label("name (needed)")).to_have_value("Ada")


def test_a_number_out_of_bounds_is_pointed_out_and_nothing_is_sent(
    paddock: Up, open_page: Open
) -> None:
    page = open_page(paddock.url)
    tool(page, paddock, "Demo", "roll_dice")
    page.get_by_label("sides").fill("1")
    page.get_by_role("button", name="Run it").click()
    expect(page.get_by_text("2 or more.")).to_be_visible()
    expect(page.get_by_label("Answer of Roll dice")).to_have_count(0)


def test_pictures_data_and_failures_are_shown(paddock: Up, open_page: Open) -> None:
    page = open_page(paddock.url)
    tool(page, paddock, "Demo", "draw_picture")
    page.get_by_label("seed (needed)").fill("moss")
    page.get_by_role("button", name="Run it").click()
    picture = page.get_by_role("img", name="Answered by Draw a picture")
    expect(picture).to_be_visible()
    assert picture.evaluate("(one) => one.naturalWidth") > 0
    tool(page, paddock, "Demo", "roll_dice")
    page.get_by_role("button", name="Run it").click()
    page.get_by_text("As data").click()
    expect(page.get_by_label("The answer as data")).to_be_visible()
    tool(page, paddock, "Demo", "fail")
    page.get_by_label("reason").fill('<img src=x onerror="window.hacked=1">')
    page.get_by_role("button", name="Run it").click()
    expect(page.get_by_text("The tool says that it failed")).to_be_visible()
    expect(page.get_by_label("Answer of Fail")).to_contain_text("<img src=x")
    assert page.evaluate("window.hacked") is None


def test_code_runs_and_the_answer_of_an_engine_is_shown(paddock: Up, open_page: Open) -> None:
    page = open_page(paddock.url)
    tool(page, paddock, "Wolfram", "WolframLanguageEvaluator")
    page.get_by_label("code (needed)").fill("2^100")
    page.get_by_role("button", name="Run it").click()
    expect(page.get_by_label("Answer of Wolfram Language evaluator")).to_contain_text(
        "1267650600228229401496703205376", timeout=60_000
    )


def test_a_prompt_is_filled_in_and_shown(paddock: Up, open_page: Open) -> None:
    page = open_page(f"{paddock.url}/servers/Demo?open=prompt:tour")
    page.get_by_label("theme").fill("progress")
    page.get_by_role("button", name="Show it").click()
    expect(page.get_by_label("What Tour says")).to_contain_text("progress")


@pytest.fixture
def cursor(fresh: Up) -> Iterator[Path]:
    """The file of a client that is on this machine, with something of the user's own in it."""
    file = fresh.place / ".cursor" / "mcp.json"
    file.parent.mkdir()
    file.write_text('{"mcpServers": {"mine": {"url": "http://127.0.0.1:1/mcp"}}}\n', "utf-8")
    yield file


def test_from_nothing_to_an_agent_that_a_client_has_called(
    fresh: Up, cursor: Path, open_page: Open
) -> None:
    page = open_page(fresh.url)
    page.get_by_role("link", name="Begin with a starter").click()
    expect(page.get_by_role("heading", level=1, name="First steps")).to_be_focused()
    page.get_by_role("button", name=re.compile("^Bramble")).click()
    page.get_by_role("button", name="Take 1 agent home").click()

    page.get_by_label("It calls this running Paddock").check()
    change = page.get_by_role("region", name="What changes in the file of Cursor")
    expect(change).to_contain_text(f"{fresh.url}/mcp")
    assert list(json.loads(cursor.read_text("utf-8"))["mcpServers"]) == ["mine"]
    page.get_by_role("button", name="Install into Cursor").click()

    expect(page.get_by_text("Use the agent zoo and become Bramble.")).to_be_visible(timeout=30_000)
    servers = json.loads(cursor.read_text("utf-8"))["mcpServers"]
    assert servers["mine"] == {"url": "http://127.0.0.1:1/mcp"}
    assert servers["AgentZoo"]["url"] == f"{fresh.url}/mcp"
    expect(page.get_by_text("No calls yet")).to_be_visible()
    expect(page.get_by_role("link", name=re.compile("First steps"))).to_contain_text("2 of 3")

    with connect(servers["AgentZoo"]["url"]) as client:
        client.call("agent_zoo_inject", agentId="bramble")
        expect(page.get_by_role("heading", level=1, name="You are all set")).to_be_visible()
    expect(page.get_by_role("link", name=re.compile("First steps"))).to_have_count(0)

    page.goto(f"{fresh.url}/servers/AgentZoo")
    expect(page.get_by_text("Connected:")).to_be_visible()
    page.get_by_role("button", name="Connect a client").click()
    page.get_by_role("button", name="Take it out").click()
    expect(page.get_by_text("AgentZoo is out of Cursor.", exact=True)).to_be_visible(timeout=30_000)
    assert list(json.loads(cursor.read_text("utf-8"))["mcpServers"]) == ["mine"]


def test_the_first_steps_can_be_sent_away_and_found_again(fresh: Up, open_page: Open) -> None:
    page = open_page(f"{fresh.url}/start")
    page.get_by_role("button", name=re.compile("I know my way")).click()
    expect(page.get_by_role("heading", name="The zoo")).to_be_visible()
    expect(page.get_by_role("link", name=re.compile("First steps"))).to_have_count(0)
    page.keyboard.press("Control+k")
    page.get_by_role("combobox").fill("first")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1, name="First steps")).to_be_visible()
