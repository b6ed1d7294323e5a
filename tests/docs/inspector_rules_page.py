"""The documentation page of the inspector rules, generated from the rules.

After a change to a rule, write the page again; a test compares it with the rules:
`python -m tests.docs.inspector_rules_page > docs/reference/inspector-rules.md`
"""

from __future__ import annotations

import sys

from paddock.reports.inspection_report import SEVERITIES
from paddock.wolfram.inspection.rule_table import RULES

PAGE_HEADER = """# Inspector rules

<!-- python -m tests.docs.inspector_rules_page > docs/reference/inspector-rules.md -->

[CodeInspector](wolfram-tools.md#codeinspector) and `paddock.wolfram.inspection` check Wolfram
Language code with {count} rules. Because they do not evaluate the code, some of the issues that
they report are not real. Each issue therefore has a confidence, which states how likely it is to be
real. The severities, from the most severe, are {severities}.

To exclude or suppress issues, use the tags in the tables below. To match only the issues about one
function, add the name of the function: `DuplicateClauses` matches all issues of the rule, while
`DuplicateClauses::If` matches only those about `If`. Some rules do not apply everywhere: within
`HoldPattern` and `Verbatim`, only the rules on symbols, syntax, comments and lines apply, and in an
expression with a syntax error only the rules on syntax, comments and lines.

## Suppressing issues

A `Disable` comment suppresses a rule in the expression that follows it. If several statements are
joined by `;`, it applies to the first one. Between `BeginBlock` and `EndBlock`, it applies to the
whole block.

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
TABLE_HEADER = "| tag | severity | confidence | reports |\n|---|---|---|---|"


def render_page() -> str:
    """Return the documentation page with all rules of the inspector, as Markdown tables."""
    sections = [PAGE_HEADER.format(count=len(RULES), severities=", ".join(SEVERITIES))]
    for subject in dict.fromkeys(rule.subject for rule in RULES.values()):
        rows = [
            f"| `{rule.tag}` | {rule.severity} | {rule.confidence:.0%} "
            f"| {_escape_cell(rule.summary)} |"
            for rule in RULES.values()
            if rule.subject == subject
        ]
        table = "\n".join([TABLE_HEADER, *rows])
        sections.append(f"## {subject}\n\n{table}\n")
    return "\n".join(sections)


def _escape_cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    sys.stdout.write(render_page())
