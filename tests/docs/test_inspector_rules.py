"""The pages on inspection show the rules and a report as they are."""

import json
import re

from paddock import Server, connect
from paddock.toolkits.wolfram.tools import code_inspector_tool as tool
from paddock.wolfram.inspection import RULES
from tests.docs.inspector_rules_page import render_page
from tests.docs.pages import ROOT


def test_the_page_on_the_rules_is_what_the_table_says() -> None:
    file = ROOT / "docs" / "reference" / "inspector-rules.md"
    assert file.read_text(encoding="utf-8") == render_page(), (
        "python -m tests.docs.inspector_rules_page > docs/reference/inspector-rules.md"
    )


def test_the_page_on_tools_shows_a_report_as_it_is() -> None:
    page = (ROOT / "docs" / "reference" / "wolfram-tools.md").read_text(encoding="utf-8")
    given = re.search(r'^The answer is markdown. For `(\{"code".*?\})`:$', page, flags=re.M)
    shown = re.search(r"^````markdown\n(# Code Inspection.*?)\n````$", page, flags=re.M | re.S)
    assert given is not None
    assert shown is not None
    with connect(Server("inspector", tools=[tool])) as peer:
        assert peer.call("CodeInspector", json.loads(given[1])).text == shown[1]


def test_the_changelog_counts_the_rules() -> None:
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"`paddock.wolfram.inspection`: {len(RULES)} rules" in changes
