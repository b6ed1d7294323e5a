"""Rules on the text as such: its lines and how many there are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.wolfram.inspection.rule import Rule

if TYPE_CHECKING:
    from paddock.wolfram.inspection.inspecting import Inspection

EXCESSIVE_LINE_LENGTH = Rule(
    "ExcessiveLineLength", "Formatting", 0.95, "a line of more than 200 characters"
)
EXCESSIVE_FILE_LENGTH = Rule(
    "ExcessiveFileLength", "Formatting", 0.95, "a file of more than 10,000 lines"
)
RULES = (EXCESSIVE_LINE_LENGTH, EXCESSIVE_FILE_LENGTH)
TAGS = frozenset(rule.tag for rule in RULES)

_LONGEST_LINE = 200
_LONGEST_FILE = 10_000


def check_lines(inspection: Inspection) -> None:
    """Report lines that are too long, and a file that is."""
    source = inspection.source
    for number in range(1, source.line_count + 1):
        start, end = source.line(number)
        if end - start > _LONGEST_LINE:
            inspection.report(
                EXCESSIVE_LINE_LENGTH,
                start + _LONGEST_LINE,
                end,
                f"The line has {end - start} characters, which is more than {_LONGEST_LINE}.",
            )
    if source.line_count > _LONGEST_FILE:
        inspection.report(
            EXCESSIVE_FILE_LENGTH,
            *source.line(_LONGEST_FILE + 1),
            f"The file has {source.line_count} lines, which is more than {_LONGEST_FILE}.",
        )
