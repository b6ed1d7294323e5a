"""Takes the pictures of the web app that the documentation shows: `make screenshots`.

They are taken of a Paddock that was just started, with the agents to start with, so that they stay
true. What a picture shows is stated here and nowhere else.
"""

from __future__ import annotations

import io
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PIL import Image
from playwright.sync_api import Page, sync_playwright

from tests.web.chromium import QUIET, chromium
from tests.web.running import Up, up

if TYPE_CHECKING:
    from collections.abc import Callable

IMAGES = Path(__file__).parents[2] / "docs" / "images"
MOST_BYTES = 290_000
COLOURS = 256
"""For pictures that would be larger."""
PORT = 3912
"""The default port of `paddock up`, which is visible in the pictures."""

WIDE = {"width": 1440, "height": 900}
MIDDLE = {"width": 900, "height": 1100}
PHONE = {"width": 390, "height": 844}

NEIGHBOURS = {
    "Marlow": "Keeps the release notes, and knows who is waiting for what.",
    "Juniper": "Draws how things hang together before anybody builds them.",
    "Otis": "Reads logs at night so that you need not.",
    "Saffron": "Makes words in the interface short and kind.",
}
MEMORIES = [
    ("decision", "Retries stop after five attempts: more only hid that the queue was full.", True),
    ("milestone", "The importer reads every file of the old archive.", False),
    ("note", "The staging database has no index on created_at. Slow there says nothing.", False),
]


def furnish(paddock: Up) -> None:
    """A zoo as someone has it who has used it for a while."""
    paddock.ask("POST", "/api/starters", {"ids": ["fern", "bramble", "quill"]})
    for name, description in NEIGHBOURS.items():
        paddock.agent(name=name, description=description)
    for kind, content, pinned in reversed(MEMORIES):
        body = {"type": kind, "content": content, "pinned": pinned, "tags": ["queue"]}
        paddock.ask("POST", "/api/agents/bramble/brain", body)


def zoo(page: Page) -> None:
    """The meadow, with everyone in it."""
    page.get_by_role("heading", name="The zoo").wait_for()


def agent(page: Page) -> None:
    """The skills of one agent."""
    page.get_by_role("heading", name="Bramble").first.wait_for()


def tool(page: Page) -> None:
    """A tool that was tried, with its answer."""
    page.get_by_label("seed (needed)").fill("paddock")
    page.get_by_role("button", name="Run it").click()
    page.get_by_role("img", name="Answered by Draw a picture").wait_for()
    page.get_by_role("button", name="Draw a picture").scroll_into_view_if_needed()


def installing(page: Page) -> None:
    """What would be written into a client."""
    page.get_by_role("button", name="Connect a client").click()
    page.get_by_role("button", name="Cursor").click()
    page.get_by_label("It calls this running Paddock").check()
    page.get_by_text(f":{PORT}/mcp").last.wait_for()


def starters(page: Page) -> None:
    """The agents to start with."""
    page.get_by_role("button", name="Choose who moves in").click()
    page.get_by_role("button", name="Bramble").click()


def palette(page: Page) -> None:
    """Finding anything."""
    page.get_by_role("heading", name="The zoo").wait_for()
    page.keyboard.press("Control+k")
    page.get_by_role("combobox").fill("br")


SHOTS: dict[str, tuple[str, dict[str, int], str, Callable[[Page], None]]] = {
    "zoo-light": ("/", WIDE, "light", zoo),
    "zoo-dark": ("/", WIDE, "dark", zoo),
    "zoo-phone": ("/", PHONE, "light", zoo),
    "agent-light": ("/agent/bramble", WIDE, "light", agent),
    "skills-light": ("/agent/bramble/skills", MIDDLE, "light", agent),
    "brain-dark": ("/agent/bramble/brain", MIDDLE, "dark", agent),
    "injected-phone": ("/agent/bramble/injected", PHONE, "dark", agent),
    "tool-light": ("/servers/Demo?open=tool:draw_picture", WIDE, "light", tool),
    "install-dark": ("/servers/AgentZoo", MIDDLE, "dark", installing),
    "start-light": ("/start", WIDE, "light", starters),
    "palette-dark": ("/", WIDE, "dark", palette),
}


def save(name: str, taken: bytes) -> None:
    """Write a picture in as few bytes as it takes."""
    picture = Image.open(io.BytesIO(taken)).convert("RGB")
    IMAGES.mkdir(parents=True, exist_ok=True)
    file = IMAGES / f"{name}.png"
    picture.save(file, optimize=True)
    if file.stat().st_size > MOST_BYTES:
        picture.quantize(COLOURS).save(file, optimize=True)


def take(wanted: list[str]) -> None:
    """Take the pictures of these names, or all."""
    with (
        tempfile.TemporaryDirectory(prefix="home-") as place,
        up(Path(place), PORT) as paddock,
        sync_playwright() as play,
    ):
        for directory in (".cursor", ".codex"):
            (Path(place) / directory).mkdir()
        furnish(paddock)
        browser = play.chromium.launch(executable_path=chromium(), args=QUIET)
        for name in wanted or SHOTS:
            path, size, scheme, prepare = SHOTS[name]
            options: dict[str, Any] = {"viewport": size, "color_scheme": scheme}
            page = browser.new_page(**options, reduced_motion="reduce")
            page.goto(paddock.url + path)
            prepare(page)
            page.evaluate("document.fonts.ready")
            page.wait_for_load_state("networkidle")
            save(name, page.screenshot())
            page.close()
        browser.close()


if __name__ == "__main__":
    take(sys.argv[1:])
