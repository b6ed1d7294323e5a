"""The inspector's rules, from the table in `rules.txt`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

if TYPE_CHECKING:
    from paddock.reports.inspection_report import Severity


class InspectionRule(NamedTuple):
    """An inspector rule, which finds mistakes in Wolfram Language code."""

    tag: str
    """The name of the rule, such as `PrefixPlus`."""
    severity: Severity
    confidence: float
    """The likelihood, from 0 to 1, that an issue found by this rule is a real mistake."""
    summary: str
    """A clause that completes the sentence "Reports …" in the documentation."""
    subject: str
    """The heading in the documentation, such as `Control flow`."""


def _read_rules() -> dict[str, InspectionRule]:
    """Return the inspector's rules from `rules.txt` by tag, in the order of the documentation.

    A line such as `PrefixPlus | Remark | 0.8 | ...` defines a rule. A line that begins with `##` is
    the subject of the rules below it. Other lines that begin with `#` are comments.
    """
    rules: dict[str, InspectionRule] = {}
    subject = ""
    for line in Path(__file__).with_name("rules.txt").read_text("utf-8").splitlines():
        if line.startswith("## "):
            subject = line.removeprefix("## ")
        elif line and not line.startswith("#"):
            tag, severity, confidence, summary = line.split(" | ", 3)
            rules[tag] = InspectionRule(
                tag, cast("Severity", severity), float(confidence), summary, subject
            )
    return rules


RULES = _read_rules()
"""All rules by tag."""
