"""The page of the documentation on the rules, written from the table.

Write it anew with `python -m paddock.wolfram.inspection.rules_page > docs/reference/inspector-rules.md`;
a test compares.
"""

from __future__ import annotations

import sys

from paddock.reports.inspection_report import SEVERITIES
from paddock.wolfram.inspection.inspector import RULES, RULES_BY_SUBJECT

PAGE_HEADER = """# Inspector rules

<!-- python -m paddock.wolfram.inspection.rules_page > docs/reference/inspector-rules.md -->

What [CodeInspector](wolfram-tools.md#codeinspector) and `paddock.wolfram.inspection` look for in
Wolfram Language code: {count} rules. Nothing is evaluated, so what is reported is likely and not
certain; the confidence says how likely. Severities are, from the gravest: {severities}.

Tags are the names that suppressing comments and exclusions use, with the argument of an issue if it
has one: `DuplicateClauses` or `DuplicateClauses::If`. What is inside of `HoldPattern` is not code,
and is checked for names only. Where an expression cannot be read, nothing else is reported of it.

## Suppressing issues

Between `BeginBlock` and `EndBlock` the rules are off that the block disables. Without a block,
`Disable` holds for the expression that follows: of several statements the first.

```wl
(* :!CodeAnalysis::BeginBlock:: *)
(* :!CodeAnalysis::Disable::SelfAssignment:: *)
(* :!CodeAnalysis::Disable::DuplicateClauses::If:: *)
x = x;
(* :!CodeAnalysis::EndBlock:: *)

(* :!CodeAnalysis::Disable::ReturnAmbiguous:: *)
f[x_] := Return[x]
```
"""


def render_page() -> str:
    """The whole page."""
    head = PAGE_HEADER.format(count=len(RULES), severities=", ".join(SEVERITIES))
    parts = [head]
    for subject, rules in RULES_BY_SUBJECT.items():
        rows = [
            f"| `{rule.tag}` | {rule.severity} | {rule.confidence:.0%} | {_escape_cell(rule.summary)} |"
            for rule in rules
        ]
        table = "\n".join(["| tag | severity | confidence | reports |", "|---|---|---|---|", *rows])
        parts.append(f"## {subject}\n\n{table}\n")
    return "\n".join(parts)


def _escape_cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    sys.stdout.write(render_page())
