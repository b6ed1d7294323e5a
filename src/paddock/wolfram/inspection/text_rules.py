"""Rules about syntax, comments and lines, and the comments that suppress rules."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from typing import TYPE_CHECKING

from paddock.wolfram.expressions import has_head, walk
from paddock.wolfram.inspection.inspection import (
    IssueFix,
    SpanSet,
    TextSpan,
    find_text_end,
)
from paddock.wolfram.inspection.rule_set import RuleSet

if TYPE_CHECKING:
    from paddock.wolfram.expressions import Expression
    from paddock.wolfram.inspection.inspection import Inspection, RawIssue
    from paddock.wolfram.source import ParsedSource


SYNTAX = RuleSet()
COMMENTS = RuleSet()
LINES = RuleSet()
_COMMENT_CLOSER = re.compile(r"\*\)")
_MAX_DESCRIPTION_CHARACTERS = 500
"""Maximum number of characters of a comment used as an issue description."""
_DIRECTIVE = re.compile(
    r"\(\*\s*:!CodeAnalysis::(?:(BeginBlock|EndBlock)|Disable::(\w+(?:::[\w$`]+)?))::\s*\*\)"
)
_MAX_LINE_CHARACTERS = 200
_MAX_FILE_LINES = 10_000


_TAGS_BY_MESSAGE = {
    re.compile(pattern): tag
    for pattern, tag in (
        (r".* is not closed", "GroupMissingCloser"),
        (r"Expected \]\] and found \]", "GroupMissingCloser"),
        (r"Unexpected character ", "UnexpectedCharacter"),
        (r"Unexpected ", "UnexpectedCloser"),
        (r"The string has no end", "UnterminatedString"),
        (r"The comment has no end", "UnterminatedComment"),
        (r"Expected an expression before ", "ExpectedOperand"),
        (r"A comma ", "UnexpectedComma"),
        (r"Nothing in parentheses", "EmptyParentheses"),
        (r".* is not a digit in base ", "InvalidNumber"),
        (r"", "SyntaxError"),
    )
}
"""Tags for parser problems, by the first pattern that matches the message."""


@SYNTAX.check_source
def _report_syntax_problems(inspection: Inspection) -> None:
    """Report each syntax problem that the parser found, with the tag of its rule.

    Problems caused by a stray `*)` are reported as a single issue about this sign.
    """
    comment_closers = {match.start() for match in _COMMENT_CLOSER.finditer(inspection.text)}
    for problem in inspection.source.problems:
        start, end = problem.start, max(problem.start, problem.end)
        tag = next(tag for regex, tag in _TAGS_BY_MESSAGE.items() if regex.match(problem.message))
        # The parser sees a stray `*)` as `*` without an operand and an unexpected `)`.
        if start - 1 in comment_closers:
            place = TextSpan(start - 1, start + 1)
            description = "This `*)` does not close a comment."
            inspection.report_issue("UnexpectedCommentCloser", place, description)
            continue
        if tag == "ExpectedOperand":
            sign_start = find_text_end(inspection.text, start) - 2
            if start in comment_closers or sign_start in comment_closers:
                continue
            if inspection.text[start - 2 : start + 1] == "!==":
                _report_mistyped_sign(inspection, TextSpan(start - 2, start + 1))
                continue
        inspection.report_issue(tag, TextSpan(start, end), f"{problem.message}.")


def _report_mistyped_sign(inspection: Inspection, place: TextSpan) -> None:
    inspection.report_issue(
        "ExpectedOperand",
        place,
        "`!==` is not an operator.",
        fixes=[IssueFix("Replace `!==` with `=!=`", place, "=!=")],
    )


@COMMENTS.check_source
def _check_fixme_comments(inspection: Inspection) -> None:
    """Report comments that begin with `FIXME:`. Their text becomes the description of the issue."""
    text = inspection.text
    for start, end in inspection.source.comments:
        comment = text[start + 2 : end].removesuffix("*)").strip()
        if comment.startswith("FIXME:"):
            description = " ".join(comment[:_MAX_DESCRIPTION_CHARACTERS].split())
            if len(comment) > _MAX_DESCRIPTION_CHARACTERS:
                description += "…"
            inspection.report_issue("FixMeComment", TextSpan(start, end), description)


def find_suppressions(source: ParsedSource) -> dict[str, SpanSet]:
    """Return the spans where comments suppress a rule, by the rule's tag.

    For example, `(* :!CodeAnalysis::Disable::IfSet:: *)` suppresses the rule `IfSet` in the next
    expression, or in the whole block if it is between `BeginBlock` and `EndBlock` comments.
    """
    text = source.text
    # A source without this marker has no such comments, so there is no need to match any.
    if ":!CodeAnalysis::" not in text:
        return {}
    suppressions: defaultdict[str, SpanSet] = defaultdict(SpanSet)
    open_blocks: list[tuple[int, list[str]]] = []
    next_expression_tags: list[tuple[int, str]] = []
    for start, end in source.comments:
        directive = _DIRECTIVE.fullmatch(text, start, end)
        if directive is None:
            continue
        if directive[1] == "BeginBlock":
            open_blocks.append((start, []))
        elif directive[1] == "EndBlock":
            _close_block(open_blocks, end, suppressions)
        elif open_blocks:
            open_blocks[-1][1].append(directive[2])
        else:
            next_expression_tags.append((end, directive[2]))
    # An unclosed block extends to the end of the file.
    while open_blocks:
        _close_block(open_blocks, len(text) + 1, suppressions)
    _suppress_next_expression(source, next_expression_tags, suppressions)
    return suppressions


def _close_block(
    open_blocks: list[tuple[int, list[str]]], end: int, suppressions: dict[str, SpanSet]
) -> None:
    """Close the innermost block of suppressed rules at a position, or ignore an unmatched end.

    Args:
        open_blocks: The start of each open block, and the tags of the rules that it suppresses.
        end: The position after the block.
        suppressions: The spans where each rule is suppressed. This function adds the block.
    """
    if open_blocks:
        start, tags = open_blocks.pop()
        for tag in tags:
            suppressions[tag].add(start, end)


def _suppress_next_expression(
    source: ParsedSource,
    next_expression_tags: list[tuple[int, str]],
    suppressions: dict[str, SpanSet],
) -> None:
    """Suppress rules in the expression that follows a comment outside any block.

    Args:
        source: The parsed code.
        next_expression_tags: The end of each comment, and the tag of the rule that it suppresses.
        suppressions: The spans where each rule is suppressed. This function adds to them.
    """
    if not next_expression_tags:
        return
    parts = [
        part
        for expression in source.expressions
        for part in walk(expression)
        if part.start < part.end
    ]
    # Among expressions that start at the same position, the outermost comes first.
    parts.sort(key=lambda part: (part.start, -part.end))
    starts = [part.start for part in parts]
    for comment_end, tag in next_expression_tags:
        index = bisect_left(starts, comment_end)
        end = _get_first_statement(parts[index]).end if index < len(parts) else comment_end
        suppressions[tag].add(comment_end, end)


def is_suppressed(suppressions: dict[str, SpanSet], issue: RawIssue) -> bool:
    """Return whether the issue is suppressed at its position, by its tag or qualified tag."""
    return any(
        tag in suppressions and suppressions[tag].covers(issue.place.start)
        for tag in (issue.rule.tag, f"{issue.rule.tag}::{issue.argument}")
    )


def _get_first_statement(expression: Expression) -> Expression:
    """Return the first statement of a sequence such as `a; b`. Anything else is unchanged."""
    while has_head(expression, "CompoundExpression") and not expression.is_grouped:
        expression = expression.args[0]
    return expression


@LINES.check_source
def _check_lengths(inspection: Inspection) -> None:
    """Report lines that are too long, and a file that has too many lines.

    An issue about a line marks the part beyond the limit.
    """
    source = inspection.source
    for number in range(1, source.line_count + 1):
        start, end = source.get_line_span(number)
        if end - start > _MAX_LINE_CHARACTERS:
            inspection.report_issue(
                "ExcessiveLineLength",
                TextSpan(start + _MAX_LINE_CHARACTERS, end),
                f"The line has {end - start} characters, more than {_MAX_LINE_CHARACTERS}.",
            )
    if source.line_count > _MAX_FILE_LINES:
        inspection.report_issue(
            "ExcessiveFileLength",
            TextSpan(*source.get_line_span(_MAX_FILE_LINES + 1)),
            f"The file has {source.line_count} lines, more than {_MAX_FILE_LINES}.",
        )
