"""Every screen and dialog, light and dark, wide and narrow, is fit for everyone, says axe."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.web.checking import violations
from tests.web.conftest import Open
from tests.web.running import Up

PHONE = {"width": 390, "height": 844}
SCREENS = {
    "/": "The zoo",
    "/start": "First steps",
    "/servers": "Servers & tools",
    "/servers/Demo?open=tool:greet": "Paddock demo",
    "/servers/nothing-of-that-name": "Not here",
    "/agent/bramble": "Bramble",
    "/agent/bramble/soul": "Bramble",
    "/agent/bramble/skills": "Bramble",
    "/agent/bramble/brain": "Bramble",
    "/agent/bramble/injected": "Bramble",
}


THIRTY_FRAMES = """new Promise((done) => {
  let frames = 0;
  const step = () => (++frames > 30 ? done(frames) : requestAnimationFrame(step));
  step();
})"""


@pytest.fixture(scope="module")
def furnished(paddock: Up) -> Up:
    """With the agents to start with, something to remember, and a client to install into."""
    (paddock.place / ".cursor").mkdir()
    paddock.ask("POST", "/api/starters", {"ids": ["bramble", "fern", "quill"]})
    for kind in ("decision", "milestone", "note", "summary", "handoff"):
        body = {"type": kind, "content": f"A {kind}.", "tags": ["queue"], "pinned": kind == "note"}
        paddock.ask("POST", "/api/agents/bramble/brain", body)
    return paddock


def settle(page: Page) -> None:
    """Nothing moves, and nothing is on its way."""
    page.wait_for_load_state("networkidle")
    expect(page.locator(".skeleton")).to_have_count(0)


def test_axe_finds_what_is_wrong(furnished: Up, open_page: Open) -> None:
    page = open_page(furnished.url, reduced_motion="reduce")
    expect(page.get_by_role("heading", name="The zoo")).to_be_visible()
    page.evaluate("document.querySelector('main').append(new Image())")
    assert [one["id"] for one in violations(page)] == ["image-alt"]


@pytest.mark.parametrize(
    ("scheme", "width"), [("light", "wide"), ("dark", "wide"), ("light", "phone")]
)
def test_no_screen_has_a_violation(furnished: Up, open_page: Open, scheme: str, width: str) -> None:
    options = {"viewport": PHONE} if width == "phone" else {}
    page = open_page(
        furnished.url,
        expected=("404",),
        color_scheme=scheme,
        reduced_motion="reduce",
        **options,
    )
    found = {}
    for path, title in SCREENS.items():
        page.goto(furnished.url + path)
        expect(page.get_by_role("heading", level=1, name=title)).to_be_attached()
        settle(page)
        found[path] = violations(page)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
    assert {path: said for path, said in found.items() if said} == {}


def _palette(page: Page) -> None:
    page.keyboard.press("Control+k")
    expect(page.get_by_role("combobox", name=re.compile("Find"))).to_be_focused()


def _shortcuts(page: Page) -> None:
    page.keyboard.press("?")


def _new_agent(page: Page) -> None:
    page.keyboard.press("n")


def _import(page: Page) -> None:
    page.get_by_role("button", name="Import agents").click()


def _connect(page: Page) -> None:
    page.keyboard.press("g")
    page.keyboard.press("s")
    page.get_by_role("link", name=re.compile("^Agent zoo")).click()
    page.get_by_role("button", name="Connect a client").click()
    expect(page.get_by_role("region", name=re.compile("What changes"))).to_be_visible()


DIALOGS = [_palette, _shortcuts, _new_agent, _import, _connect]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_dialog_has_a_violation(furnished: Up, open_page: Open, scheme: str) -> None:
    page = open_page(furnished.url, color_scheme=scheme, reduced_motion="reduce")
    expect(page.get_by_role("heading", name="The zoo")).to_be_visible()
    found = {}
    for show in DIALOGS:
        show(page)
        expect(page.get_by_role("dialog")).to_be_visible()
        settle(page)
        found[show.__name__] = violations(page)
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)
    assert {name: said for name, said in found.items() if said} == {}


def test_with_reduced_motion_the_meadow_stands_still(furnished: Up, open_page: Open) -> None:
    page = open_page(furnished.url, reduced_motion="reduce")
    meadow = page.locator("canvas")
    expect(meadow).to_be_visible()
    settle(page)
    page.evaluate(THIRTY_FRAMES)
    before = meadow.screenshot()
    page.evaluate(THIRTY_FRAMES)
    assert meadow.screenshot() == before
