"""Rules on the text as such: its lines and how many there are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.wolfram.inspection.rule import InspectionRule

if TYPE_CHECKING:
    from paddock.wolfram.inspection.inspecting import Inspection

EXCESSIVE_LINE_LENGTH = InspectionRule(
    "ExcessiveLineLength", "Formatting", 0.95, "a line of more than 200 characters"
)
EXCESSIVE_FILE_LENGTH = InspectionRule(
    "ExcessiveFileLength", "Formatting", 0.95, "a file of more than 10,000 lines"
)
LINE_RULES = (EXCESSIVE_LINE_LENGTH, EXCESSIVE_FILE_LENGTH)
LINE_RULE_TAGS = frozenset(rule.tag for rule in LINE_RULES)

_MAX_LINE_CHARACTERS = 200
_MAX_FILE_LINES = 10_000


def check_lines(inspection: Inspection) -> None:
    """Report lines that are too long, and a file that is."""
    source = inspection.source
    for number in range(1, source.line_count + 1):
        start, end = source.get_line_span(number)
        if end - start > _MAX_LINE_CHARACTERS:
            inspection.report_issue(
                EXCESSIVE_LINE_LENGTH,
                start + _MAX_LINE_CHARACTERS,
                end,
                f"The line has {end - start} characters, which is more than {_MAX_LINE_CHARACTERS}.",
            )
    if source.line_count > _MAX_FILE_LINES:
        inspection.report_issue(
            EXCESSIVE_FILE_LENGTH,
            *source.get_line_span(_MAX_FILE_LINES + 1),
            f"The file has {source.line_count} lines, which is more than {_MAX_FILE_LINES}.",
        )
