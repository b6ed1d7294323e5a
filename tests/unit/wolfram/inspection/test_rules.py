"""Each rule reports what it should, exactly where it is, and leaves alone what is right."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from paddock.wolfram import parse
from paddock.wolfram.inspection import RULES, CodeIssue, IssueFilter, inspect_code

SAMPLES = Path(__file__).parents[3] / "samples" / "inspection"
CORPUS: dict[str, dict[str, Any]] = tomllib.loads(
    (SAMPLES / "rules.toml").read_text(encoding="utf-8")
)
REPORTED = [(tag, marked) for tag, samples in CORPUS.items() for marked in samples["reported"]]
ACCEPTED = [(tag, code) for tag, samples in CORPUS.items() for code in samples["accepted"]]
DEFAULTS = IssueFilter(0.75, frozenset({"Formatting", "Scoping"}))
TOO_LONG_TO_SHOW = {"ExcessiveFileLength"}


def places(marked: str) -> tuple[str, list[tuple[int, int]]]:
    """The code without its marks, and what they stand around."""
    code, found = "", []
    for piece in re.split("(«[^»]*»)", marked):
        inner = piece.strip("«»")
        if piece.startswith("«"):
            found.append((len(code), len(code) + len(inner)))
        code += inner
    return code, found


def spans(code: str, issues: list[CodeIssue]) -> list[tuple[int, int]]:
    """The positions of issues as offsets, computed from lines and columns only."""
    ends = [0, *(end.end() for end in re.finditer(r"\r\n?|\n", code))]
    return [
        (
            ends[issue.location.line - 1] + issue.location.column - 1,
            ends[issue.location.end_line - 1] + issue.location.end_column - 1,
        )
        for issue in issues
    ]


def test_every_rule_has_samples() -> None:
    assert set(CORPUS) | TOO_LONG_TO_SHOW == set(RULES)


@pytest.mark.parametrize(("tag", "marked"), REPORTED)
def test_a_rule_reports_what_it_is_for(tag: str, marked: str) -> None:
    code, expected = places(marked)
    issues = [issue for issue in inspect_code(code) if issue.tag == tag]
    assert spans(code, issues) == expected
    assert {issue.severity for issue in issues} == {RULES[tag].severity}


@pytest.mark.parametrize(("tag", "code"), ACCEPTED)
def test_a_rule_leaves_alone_what_is_right(tag: str, code: str) -> None:
    assert [issue for issue in inspect_code(code) if issue.tag == tag] == []


@pytest.mark.parametrize("file", sorted((SAMPLES / "clean").iterdir()), ids=lambda file: file.name)
def test_nothing_is_found_in_clean_files(file: Path) -> None:
    text = file.read_bytes().decode("utf-8")
    assert parse(text).problems == []
    assert inspect_code(text, DEFAULTS) == []


@pytest.mark.parametrize(("tag", "marked"), REPORTED)
def test_a_fix_leaves_code_without_the_issue(tag: str, marked: str) -> None:
    code, _ = places(marked)
    before = [issue for issue in inspect_code(code) if issue.tag == tag]
    for issue in before:
        for fix in issue.fixes:
            ((start, end),) = spans(code, [issue._replace(location=fix.location)])
            repaired = code[:start] + fix.replacement + code[end:]
            after = [issue for issue in inspect_code(repaired) if issue.tag == tag]
            assert len(after) < len(before), fix.label


def test_a_file_of_very_many_lines_is_reported_once() -> None:
    (issue,) = inspect_code("x\n" * 10_001)
    assert (issue.tag, tuple(issue.location)) == ("ExcessiveFileLength", (10_001, 1, 10_001, 2))
    assert inspect_code("x\n" * 10_000) == []
