"""Rules on what cannot be read: the problems of the parser by the tags that people know.

Rules on comments, and the comments that switch rules off.

Rules on the text as such: its lines and how many there are.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from typing import TYPE_CHECKING

from paddock.wolfram.expressions import Node, has_head, walk
from paddock.wolfram.inspection.inspection import InspectionRule, IssueFix, SpanSet, find_text_end

if TYPE_CHECKING:
    from paddock.wolfram.expressions import Expression
    from paddock.wolfram.inspection.inspection import Inspection, RawIssue, SourceCheck
    from paddock.wolfram.source import ParsedSource, SyntaxProblem


def _make_fatal_rule(tag: str, summary: str) -> InspectionRule:
    return InspectionRule(tag, "Fatal", 1.0, summary)


GROUP_MISSING_CLOSER = _make_fatal_rule("GroupMissingCloser", "a bracket that is not closed")
UNEXPECTED_CLOSER = _make_fatal_rule(
    "UnexpectedCloser", "a closing bracket that has no opening one"
)
UNTERMINATED_STRING = _make_fatal_rule("UnterminatedString", "a string without an end")
UNTERMINATED_COMMENT = _make_fatal_rule("UnterminatedComment", "a comment without an end")
UNEXPECTED_COMMENT_CLOSER = _make_fatal_rule("UnexpectedCommentCloser", "`*)` outside of a comment")
EXPECTED_OPERAND = _make_fatal_rule("ExpectedOperand", "an operator without an operand")
UNEXPECTED_COMMA = _make_fatal_rule(
    "UnexpectedComma", "a comma outside of brackets or in parentheses"
)
UNEXPECTED_CHARACTER = _make_fatal_rule("UnexpectedCharacter", "a character that means nothing")
EMPTY_PARENTHESES = _make_fatal_rule("EmptyParentheses", "`()`")
INVALID_NUMBER = _make_fatal_rule(
    "InvalidNumber", "a digit that the base of the number does not have"
)
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
        (r".* is not a digit in base ", INVALID_NUMBER),
    )
)
_COMMENT_CLOSER = re.compile(r"\*\)")


def _check_problems(inspection: Inspection) -> None:
    closers = {found.start() for found in _COMMENT_CLOSER.finditer(inspection.text)}
    for problem in inspection.source.problems:
        rule = next(
            (rule for regex, rule in _RULES_BY_MESSAGE if regex.match(problem.message)), None
        )
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


FIX_ME_COMMENT = InspectionRule(
    "FixMeComment", "Warning", 0.9, "a comment that begins with `FIXME:`; it is the description"
)
COMMENT_RULES = (FIX_ME_COMMENT,)

_MAX_DESCRIPTION_CHARACTERS = 500
"""Characters of a comment that are a description."""
_DIRECTIVE = re.compile(
    r"\(\*\s*:!CodeAnalysis::(?:(BeginBlock|EndBlock)|Disable::(\w+(?:::[\w$`]+)?))::\s*\*\)"
)


def _check_fix_me(inspection: Inspection) -> None:
    text = inspection.text
    for start, end in inspection.source.comments:
        if text.startswith("FIXME:", start + 2) or text[start + 2 : end].lstrip().startswith(
            "FIXME:"
        ):
            said = text[start + 2 : end].removesuffix("*)").strip()
            said = " ".join(said[:_MAX_DESCRIPTION_CHARACTERS].split()) + (
                "…" if len(said) > _MAX_DESCRIPTION_CHARACTERS else ""
            )
            inspection.report_issue(FIX_ME_COMMENT, start, end, said)


def find_suppressions(source: ParsedSource) -> dict[str, SpanSet]:
    """Where which tags, or tags with an argument, are switched off by comments.

    `Disable` in a block holds for all of the block, elsewhere for the expression that follows.
    """
    text = source.text
    if ":!CodeAnalysis::" not in text:
        return {}
    found: defaultdict[str, SpanSet] = defaultdict(SpanSet)
    blocks: list[tuple[int, list[str]]] = []
    single: list[tuple[int, str]] = []
    for start, end in source.comments:
        directive = _DIRECTIVE.fullmatch(text, start, end)
        if directive is None:
            continue
        if directive[1] == "BeginBlock":
            blocks.append((start, []))
        elif directive[1] == "EndBlock":
            _close_block(blocks, end, found)
        elif blocks:
            blocks[-1][1].append(directive[2])
        else:
            single.append((end, directive[2]))
    while blocks:
        _close_block(blocks, len(text) + 1, found)
    _suppress_next_expression(source, single, found)
    return found


def _close_block(blocks: list[tuple[int, list[str]]], end: int, found: dict[str, SpanSet]) -> None:
    if blocks:
        start, names = blocks.pop()
        for name in names:
            found[name].add(start, end)


def _suppress_next_expression(
    source: ParsedSource, single: list[tuple[int, str]], found: dict[str, SpanSet]
) -> None:
    """For each comment, the first expression that begins after it, and of those the longest."""
    if not single:
        return
    parts = [
        part
        for expression in source.expressions
        for part in walk(expression)
        if part.start < part.end
    ]
    parts.sort(key=lambda part: (part.start, -part.end))
    starts = [part.start for part in parts]
    for at, name in single:
        place = bisect_left(starts, at)
        end = _get_first_statement(parts[place]).end if place < len(parts) else at
        found[name].add(at, end)


def is_suppressed(silent: dict[str, SpanSet], found: RawIssue) -> bool:
    """Whether an issue is switched off where it is; a tag is meant with any argument."""
    return any(
        name in silent and silent[name].covers(found.start)
        for name in (found.rule.tag, f"{found.rule.tag}::{found.argument}")
    )


def _get_first_statement(expression: Expression) -> Expression:
    """Of several statements the first."""
    while (
        isinstance(expression, Node)
        and has_head(expression, "CompoundExpression")
        and not expression.is_grouped
    ):
        expression = expression.args[0]
    return expression


COMMENT_CHECKS: tuple[SourceCheck, ...] = (_check_fix_me,)


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
