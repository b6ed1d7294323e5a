"""The web app as it is shipped, a running Paddock, and pages of a real browser that look at it."""

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, sync_playwright

from tests.web.chromium import QUIET, chromium
from tests.web.running import Up, up
from tests.workers import shared_lock

ROOT = Path(__file__).parents[2]
Open = Callable[..., Page]


@pytest.fixture(scope="session")
def web_app() -> Path:
    """The directory with the built app, which is made again if a source is newer."""
    with shared_lock("web"):
        built = subprocess.run(
            ["make", "--silent", "web"], cwd=ROOT, capture_output=True, text=True, check=False
        )
    assert built.returncode == 0, built.stdout + built.stderr
    return ROOT / "src" / "paddock" / "web_dist"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=chromium(), args=QUIET)
        yield launched
        launched.close()


@pytest.fixture(scope="module")
def paddock(web_app: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    """A Paddock for all tests of a file; what they add has names of their own."""
    assert web_app.is_dir()
    with up(tmp_path_factory.mktemp("up")) as running:
        yield running


@pytest.fixture
def fresh(web_app: Path, tmp_path: Path) -> Iterator[Up]:
    """A Paddock with an empty zoo."""
    assert web_app.is_dir()
    with up(tmp_path) as running:
        yield running


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Open]:
    """Opens a page in a window of its own; none may complain on its console."""
    contexts: list[BrowserContext] = []
    complaints: list[str] = []

    def opened(url: str, *, expected: tuple[str, ...] = (), **options: Any) -> Page:
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 800}, **options})
        context.set_default_timeout(15_000)
        contexts.append(context)
        page = context.new_page()

        def complain(text: str) -> None:
            if not any(part in text for part in expected):
                complaints.append(text)

        def hear(told: ConsoleMessage) -> None:
            if told.type == "error":
                complain(told.text)

        page.on("console", hear)
        page.on("pageerror", lambda error: complain(str(error)))
        page.goto(url)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []
