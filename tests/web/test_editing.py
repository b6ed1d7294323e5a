"""No typed text is lost: two windows, a reload, an undone deletion."""

import re

from playwright.sync_api import Locator, Page, expect

from tests.web.conftest import Open
from tests.web.running import Up


def soul_of(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Who it is and how it works")


def test_two_windows_change_different_lines_and_both_are_kept(paddock: Up, open_page: Open) -> None:
    paddock.agent(name="Hazel", systemPrompt="one\ntwo\nthree\nfour")
    address = f"{paddock.url}/agent/hazel/soul"
    windows = [open_page(address, expected=("412",)) for _ in range(2)]
    soul_of(windows[0]).fill("ONE\ntwo\nthree\nfour")
    soul_of(windows[1]).fill("one\ntwo\nthree\nFOUR")
    for window in windows:
        soul_of(window).press("Control+s")
        expect(window.get_by_role("button", name="Save", exact=True)).to_be_disabled()
    assert paddock.ask("GET", "/api/agents/hazel")["systemPrompt"] == "ONE\ntwo\nthree\nFOUR"
    expect(soul_of(windows[0])).to_have_value("ONE\ntwo\nthree\nFOUR")


def test_two_windows_change_the_same_line_and_the_user_decides(
    paddock: Up, open_page: Open
) -> None:
    paddock.agent(name="Rowan", systemPrompt="one")
    mine, theirs = (open_page(f"{paddock.url}/agent/rowan/soul", expected=("412",)) for _ in "ab")
    soul_of(mine).fill("one by me")
    soul_of(theirs).fill("one by them")
    soul_of(theirs).press("Control+s")
    expect(theirs.get_by_role("button", name="Save", exact=True)).to_be_disabled()
    soul_of(mine).press("Control+s")
    dialog = mine.get_by_role("dialog", name="Changed here and elsewhere")
    expect(dialog).to_contain_text("one by them")
    assert paddock.ask("GET", "/api/agents/rowan")["systemPrompt"] == "one by them"
    dialog.get_by_role("textbox").fill("one by both")
    dialog.get_by_role("button", name="Save the text below").click()
    expect(soul_of(theirs)).to_have_value("one by both")


def test_a_draft_survives_a_reload(paddock: Up, open_page: Open) -> None:
    paddock.agent(name="Sorrel", systemPrompt="saved")
    page = open_page(f"{paddock.url}/agent/sorrel/soul")
    soul_of(page).fill("not saved yet")
    page.reload()
    expect(soul_of(page)).to_have_value("not saved yet")
    assert paddock.ask("GET", "/api/agents/sorrel")["systemPrompt"] == "saved"


def test_a_deletion_is_reverted(paddock: Up, open_page: Open) -> None:
    paddock.agent(name="Tansy")
    page = open_page(f"{paddock.url}/agent/tansy")
    page.get_by_role("button", name=re.compile("More")).click()
    page.get_by_role("menuitem", name=re.compile("Delete")).click()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("link", name=re.compile("Tansy")).first).to_be_visible()
    assert paddock.ask("GET", "/api/agents/tansy")["name"] == "Tansy"
