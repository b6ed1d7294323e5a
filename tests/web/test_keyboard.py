"""Everything with the keys alone."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.web.conftest import Open
from tests.web.running import Up


@pytest.fixture(scope="module")
def inhabited(paddock: Up) -> Up:
    for name in ("Ash", "Birch", "Cedar", "Dogwood"):
        paddock.agent(name=name)
    return paddock


def focused(page: Page) -> str:
    said: str = page.evaluate("document.activeElement.textContent")
    return said


def test_creatures_are_reached_from_each_other_and_opened(inhabited: Up, open_page: Open) -> None:
    page = open_page(inhabited.url, reduced_motion="reduce")
    creatures = page.get_by_role("list", name="Agents in the meadow").get_by_role("button")
    expect(creatures).to_have_count(4)
    creatures.first.focus()
    seen = {focused(page)}
    for key in ("ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp") * 4:
        page.keyboard.press(key)
        seen.add(focused(page))
    assert len(seen) > 1
    name = focused(page).partition(",")[0]
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1, name=name)).to_be_focused()


def test_an_agent_is_made_written_and_deleted_without_a_mouse(
    inhabited: Up, open_page: Open
) -> None:
    page = open_page(inhabited.url)
    expect(page.get_by_role("heading", name="The zoo")).to_be_visible()
    page.keyboard.press("n")
    expect(page.get_by_role("textbox", name="Name")).to_be_focused()
    page.keyboard.type("Elder")
    page.keyboard.press("Enter")
    soul = page.get_by_role("textbox", name="Who it is and how it works")
    expect(soul).to_be_visible()
    soul.focus()
    page.keyboard.type("Grows anywhere.")
    page.keyboard.press("Control+s")
    expect(page.get_by_text("Saved", exact=False).first).to_be_visible()
    page.get_by_role("heading", level=1).focus()
    page.keyboard.press("3")
    expect(page).to_have_url(re.compile("/skills$"))
    assert inhabited.ask("GET", "/api/agents/elder")["systemPrompt"] == "Grows anywhere."
    inhabited.ask("DELETE", "/api/agents/elder")


def test_the_palette_finds_agents_and_pages_and_returns_the_focus(
    inhabited: Up, open_page: Open
) -> None:
    page = open_page(inhabited.url)
    page.get_by_role("button", name="New agent").last.focus()
    page.keyboard.press("Control+k")
    field = page.get_by_role("combobox", name=re.compile("Find"))
    expect(field).to_be_focused()
    field.fill("nothing is called so")
    expect(page.get_by_text("Nothing is called that.")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="New agent").last).to_be_focused()
    page.keyboard.press("Control+k")
    page.keyboard.type("ced")
    expect(page.get_by_role("option", selected=True)).to_contain_text("Cedar")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1, name="Cedar")).to_be_focused()
    page.keyboard.press("Control+k")
    page.keyboard.type("wolfram alpha")
    expect(page.get_by_role("option", selected=True)).to_contain_text("Wolfram|Alpha")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1, name="Wolfram|Alpha")).to_be_visible()


def test_single_key_shortcuts_can_be_turned_off(inhabited: Up, open_page: Open) -> None:
    page = open_page(inhabited.url)
    expect(page.get_by_role("heading", name="The zoo")).to_be_visible()
    page.keyboard.press("?")
    page.get_by_label("Enable single-key shortcuts").press("Space")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.keyboard.press("n")
    page.keyboard.press("Control+k")
    expect(page.get_by_role("dialog")).to_have_count(1)
    expect(page.get_by_role("combobox")).to_be_visible()


def test_letters_typed_into_a_field_are_letters(inhabited: Up, open_page: Open) -> None:
    page = open_page(inhabited.url)
    expect(page.get_by_role("heading", name="The zoo")).to_be_visible()
    page.keyboard.press("/")
    search = page.get_by_role("searchbox", name="Search agents")
    expect(search).to_be_focused()
    page.keyboard.type("n?gs")
    expect(search).to_have_value("n?gs")
    expect(page.get_by_role("dialog")).to_have_count(0)
