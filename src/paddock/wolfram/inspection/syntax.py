"""Rules on what cannot be read: the problems of the parser by the tags that people know."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from paddock.wolfram.inspection.inspecting import IssueFix, find_text_end
from paddock.wolfram.inspection.rule import InspectionRule

if TYPE_CHECKING:
    from paddock.wolfram.inspection.inspecting import SourceCheck, Inspection
    from paddock.wolfram.source import SyntaxProblem


def _make_fatal_rule(tag: str, summary: str) -> InspectionRule:
    return InspectionRule(tag, "Fatal", 1.0, summary)


GROUP_MISSING_CLOSER = _make_fatal_rule("GroupMissingCloser", "a bracket that is not closed")
UNEXPECTED_CLOSER = _make_fatal_rule("UnexpectedCloser", "a closing bracket that has no opening one")
UNTERMINATED_STRING = _make_fatal_rule("UnterminatedString", "a string without an end")
UNTERMINATED_COMMENT = _make_fatal_rule("UnterminatedComment", "a comment without an end")
UNEXPECTED_COMMENT_CLOSER = _make_fatal_rule("UnexpectedCommentCloser", "`*)` outside of a comment")
EXPECTED_OPERAND = _make_fatal_rule("ExpectedOperand", "an operator without an operand")
UNEXPECTED_COMMA = _make_fatal_rule("UnexpectedComma", "a comma outside of brackets or in parentheses")
UNEXPECTED_CHARACTER = _make_fatal_rule("UnexpectedCharacter", "a character that means nothing")
EMPTY_PARENTHESES = _make_fatal_rule("EmptyParentheses", "`()`")
INVALID_NUMBER = _make_fatal_rule("InvalidNumber", "a digit that the base of the number does not have")
SYNTAX_ERROR = _make_fatal_rule("SyntaxError", "anything else that cannot be read")
SYNTAX_RULES = (
    *(GROUP_MISSING_CLOSER, UNEXPECTED_CLOSER, UNTERMINATED_STRING, UNTERMINATED_COMMENT),
    *(UNEXPECTED_COMMENT_CLOSER, EXPECTED_OPERAND, UNEXPECTED_COMMA, UNEXPECTED_CHARACTER),
    *(EMPTY_PARENTHESES, INVALID_NUMBER, SYNTAX_ERROR),
)

_RULES_BY_MESSAGE = tuple(
    (re.compile(pattern), rule)
    for pattern, rule in (
        (r".* is not closed", GROUP_MISSING_CLOSER),
        (r"Expected \]\] and found \]", GROUP_MISSING_CLOSER),
        (r"Unexpected character ", UNEXPECTED_CHARACTER),
        (r"Unexpected ", UNEXPECTED_CLOSER),
        (r"The string has no end", UNTERMINATED_STRING),
        (r"The comment has no end", UNTERMINATED_COMMENT),
        (r"Expected an expression before ", EXPECTED_OPERAND),
        (r"A comma ", UNEXPECTED_COMMA),
        (r"Nothing in parentheses", EMPTY_PARENTHESES),
        (r".* is no digit in base ", INVALID_NUMBER),
    )
)
_COMMENT_CLOSER = re.compile(r"\*\)")


def _check_problems(inspection: Inspection) -> None:
    closers = {found.start() for found in _COMMENT_CLOSER.finditer(inspection.text)}
    for problem in inspection.source.problems:
        rule = next((rule for regex, rule in _RULES_BY_MESSAGE if regex.match(problem.message)), None)
        if problem.start - 1 in closers:
            inspection.report_issue(
                UNEXPECTED_COMMENT_CLOSER,
                problem.start - 1,
                problem.start + 1,
                "No comment ends here.",
            )
        elif rule is not EXPECTED_OPERAND:
            end = max(problem.end, problem.start)
            inspection.report_issue(rule or SYNTAX_ERROR, problem.start, end, f"{problem.message}.")
        elif not {problem.start, find_text_end(inspection.text, problem.start) - 2} & closers:
            _report_missing_operand(inspection, problem)


def _report_missing_operand(inspection: Inspection, problem: SyntaxProblem) -> None:
    text, at = inspection.text, problem.start
    if text[at - 2 : at + 1] == "!==":
        edit = IssueFix("Replace `!==` with `=!=`", at - 2, at + 1, "=!=")
        inspection.report_issue(
            EXPECTED_OPERAND,
            at - 2,
            at + 1,
            "`!==` is no operator.",
            edits=[edit],
        )
        return
    inspection.report_issue(EXPECTED_OPERAND, at, problem.end, f"{problem.message}.")


SYNTAX_CHECKS: tuple[SourceCheck, ...] = (_check_problems,)
