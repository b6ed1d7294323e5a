"""Whether a page can be used by everyone, as far as axe can tell."""

from pathlib import Path
from typing import Any

from playwright.sync_api import Page

AXE = Path(__file__).parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
ASK = """async (tags) => {
  const found = await axe.run(document, {runOnly: {type: "tag", values: tags}});
  return found.violations.map(({id, nodes}) =>
    ({id, nodes: nodes.map(({html, failureSummary}) => [html.slice(0, 200), failureSummary])}));
}"""


def violations(page: Page) -> list[Any]:
    """What axe complains of, once the page has come to rest."""
    page.evaluate("document.fonts.ready")
    page.evaluate(AXE.read_text(encoding="utf-8"))
    page.evaluate("Promise.allSettled(document.getAnimations().map((one) => one.finished))")
    found: list[Any] = page.evaluate(ASK, RULES)
    return found
