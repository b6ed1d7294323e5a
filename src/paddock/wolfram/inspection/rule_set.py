"""The rules of the inspector, and the registration of their checks by subject."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.reports.inspection_report import Severity
    from paddock.wolfram.expressions import Node
    from paddock.wolfram.inspection.inspection import Inspection

    NodeCheck = Callable[[Inspection, Node], None]
    SourceCheck = Callable[[Inspection], None]


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


class RuleSet:
    """The checks of the rules on one subject.

    Node checks run during the walk over the expressions, for the heads they are registered for.
    Source checks run after the walk, when the whole source has been seen.
    """

    def __init__(self) -> None:
        self.node_checks: defaultdict[str, list[NodeCheck]] = defaultdict(list)
        self.source_checks: list[SourceCheck] = []
        self.scoping_checks: list[SourceCheck] = []
        """Source checks that report issues of the severity Scoping only."""

    def check_nodes(self, *heads: str) -> Callable[[NodeCheck], NodeCheck]:
        """Register the decorated function as a check of nodes with these heads."""

        def register(check: NodeCheck) -> NodeCheck:
            for head in heads:
                self.node_checks[head].append(check)
            return check

        return register

    def check_source(self, check: SourceCheck) -> SourceCheck:
        """Register the decorated function as a check of the whole source."""
        self.source_checks.append(check)
        return check

    def check_scoping(self, check: SourceCheck) -> SourceCheck:
        """Register a source check that is skipped if the severity Scoping is excluded."""
        self.scoping_checks.append(check)
        return check
