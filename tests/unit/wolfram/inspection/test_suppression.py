"""Comments switch rules off, for a block or for what follows."""

import pytest

from paddock.wolfram.inspection import IssueFilter, inspect_code

BEGIN = "(* :!CodeAnalysis::BeginBlock:: *)\n"
END = "(* :!CodeAnalysis::EndBlock:: *)\n"


def disable(name: str) -> str:
    return f"(* :!CodeAnalysis::Disable::{name}:: *)\n"


def found(code: str, selection: IssueFilter | None = None) -> list[tuple[str, int]]:
    issues = inspect_code(code, selection or IssueFilter())
    return [(issue.qualified_tag, issue.location.line) for issue in issues]


def test_a_rule_is_off_in_its_block_only() -> None:
    code = "x = x\n" + BEGIN + disable("SelfAssignment") + "y = y; Throw[1]\n" + END + "z = z\n"
    assert found(code) == [("SelfAssignment", 1), ("NoSurroundingCatch", 4), ("SelfAssignment", 6)]


def test_a_block_within_a_block_is_its_own() -> None:
    code = (
        BEGIN + disable("SelfAssignment") + "a = a\n"
        + BEGIN + disable("NoSurroundingCatch") + "b = b; Throw[1]\n" + END
        + "c = c; Throw[2]\n" + END
    )  # fmt: skip
    assert found(code) == [("NoSurroundingCatch", 8)]


def test_a_block_without_an_end_goes_on_to_the_end() -> None:
    assert found(BEGIN + disable("SelfAssignment") + "x = x\n\ny = y") == []


def test_several_rules_may_be_off() -> None:
    code = BEGIN + disable("SelfAssignment") + disable("NoSurroundingCatch") + "x = x; Throw[1]"
    assert found(code) == []


def test_a_rule_may_be_off_for_one_argument() -> None:
    code = "If[a, b, b]; Which[a, 1, a, 2]\n"
    assert found(BEGIN + disable("DuplicateClauses::If") + code) == [("DuplicateClauses::Which", 3)]
    assert found(BEGIN + disable("DuplicateClauses") + code) == []


@pytest.mark.parametrize(
    ("code", "left"),
    [
        (disable("SelfAssignment") + "x = x\ny = y", [("SelfAssignment", 3)]),
        (disable("SelfAssignment") + "x = x; y = y", [("SelfAssignment", 2)]),
        ("f[" + disable("SelfAssignment") + "x = x, y = y]", [("SelfAssignment", 2)]),
        ("f[] := (a;" + disable("SelfAssignment") + "x = x;\ny = y)", [("SelfAssignment", 3)]),
        (disable("SelfAssignment") + "f[x = x, {y = y}]", []),
        ("x = x\n" + disable("SelfAssignment"), [("SelfAssignment", 1)]),
    ],
)
def test_outside_of_a_block_a_rule_is_off_for_the_next_expression(
    code: str, left: list[tuple[str, int]]
) -> None:
    assert found(code) == left


def test_what_is_not_readable_and_what_is_in_comments_can_be_switched_off() -> None:
    assert found(BEGIN + disable("GroupMissingCloser") + "{1") == []
    assert found(disable("FixMeComment") + "(* FIXME: a *) 1") == []
    assert found(BEGIN + disable("ExcessiveLineLength") + "x" * 300) == []


def test_other_comments_mean_nothing() -> None:
    code = "(* CodeAnalysis::Disable::SelfAssignment:: *) x = x"
    assert found(code) == [("SelfAssignment", 1)]
    assert found(f'"{disable("SelfAssignment")}"; x = x') == [("SelfAssignment", 2)]


def test_issues_are_selected_by_confidence_severity_and_tag() -> None:
    code = "If[a, b, b]; Which[a, 1, a, 2]; x = x; Module[{y}, 1]"
    assert len(found(code)) == 4
    assert found(code, IssueFilter(0.95)) == [("SelfAssignment", 1), ("UnusedVariable::Module", 1)]
    excluded = IssueFilter(0, frozenset({"Error", "Scoping"}))
    assert found(code, excluded) == [("SelfAssignment", 1)]
    tags = IssueFilter(0, frozenset(), frozenset({"DuplicateClauses::If", "UnusedVariable"}))
    assert found(code, tags) == [("DuplicateClauses::Which", 1), ("SelfAssignment", 1)]


def test_of_lines_an_exclusion_with_any_argument_excludes_all() -> None:
    tags = IssueFilter(0, frozenset(), frozenset({"ExcessiveLineLength::x", "SelfAssignment::x"}))
    assert found("x = x; " + "y" * 300, tags) == [("SelfAssignment", 1)]


def test_what_is_found_is_in_the_order_of_places_and_lines_come_last() -> None:
    code = "y" * 300 + ";\nx = x; Throw[1]"
    assert found(code) == [
        ("SelfAssignment", 2),
        ("NoSurroundingCatch", 2),
        ("ExcessiveLineLength", 1),
    ]


def test_in_an_expression_that_cannot_be_read_only_that_is_reported() -> None:
    assert found("x = x\nf[{y = y]\nz = z") == [
        ("SelfAssignment", 1), ("GroupMissingCloser", 2), ("SelfAssignment", 3)
    ]  # fmt: skip
