"""The rules of the inspector, from the table in `rules.txt`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

if TYPE_CHECKING:
    from paddock.reports.inspection_report import Severity


class InspectionRule(NamedTuple):
    """A rule of the inspector. `summary` completes the sentence "Reports ..."."""

    tag: str
    severity: Severity
    confidence: float
    summary: str
    subject: str
    """The heading in the documentation, such as `Control flow`."""


def _read_rules() -> dict[str, InspectionRule]:
    """Return the rules in `rules.txt` by tag, in the order of the documentation.

    A line such as `PrefixPlus | Remark | 0.8 | ...` defines a rule. Headings begin with `##`.
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
