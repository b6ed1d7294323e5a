r"""Operators and brackets, from the table in `operators.txt`.

Operators that are named characters are written as `\[Name]`.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple


class WolframOperator(NamedTuple):
    """An operator of the Wolfram Language, such as `+`."""

    precedence: int
    """The rank of the operator. Higher values bind more tightly."""
    shape: str
    """The operator's position and grouping.

    This is `prefix`, `postfix`, or for infix operators `left`, `right`, `chain` (a series forms one
    node), `compare`, `vector` or `special`.
    """
    head: str
    """The head of the operator's expression, such as `Plus`."""


def _read_operators() -> tuple[dict[str, WolframOperator], dict[str, WolframOperator]]:
    """Read `operators.txt`, in which a line such as `right 590 Power:^` defines operators.

    Returns:
        Two dictionaries, keyed by sign: the infix and postfix operators, and the prefix operators.
        A sign such as `-` can be in both.
    """
    infix_operators: dict[str, WolframOperator] = {}
    prefix_operators: dict[str, WolframOperator] = {}
    for line in Path(__file__).with_name("operators.txt").read_text("ascii").splitlines():
        if line.startswith("#"):
            continue
        shape, precedence, *entries = line.split()
        operators = prefix_operators if shape == "prefix" else infix_operators
        for entry in entries:
            head, _, sign = entry.partition(":")
            operators[sign or f"\\[{head}]"] = WolframOperator(int(precedence), shape, head)
    return infix_operators, prefix_operators


INFIX_OPERATORS, PREFIX_OPERATORS = _read_operators()
CALL_PRECEDENCE, OPTIONAL_PRECEDENCE = 670, 140
"""Precedences of calls and of patterns with a default: `p : d` uses the same sign as `x : p`."""
COMPARE_PRECEDENCE = INFIX_OPERATORS["=="].precedence
INTEGRAL_PRECEDENCE = PREFIX_OPERATORS["\\[Integral]"].precedence
PATTERN_PRECEDENCE = INFIX_OPERATORS[":"].precedence
SPAN_PRECEDENCE = INFIX_OPERATORS[";;"].precedence
TIMES_PRECEDENCE = INFIX_OPERATORS["*"].precedence

GROUP_BRACKETS = {
    "{": ("}", "List"),
    "<|": ("|>", "Association"),
    "(": (")", "Sequence"),
    "\\[LeftAngleBracket]": ("\\[RightAngleBracket]", "AngleBracket"),
    "\\[LeftCeiling]": ("\\[RightCeiling]", "Ceiling"),
    "\\[LeftFloor]": ("\\[RightFloor]", "Floor"),
    "\\[LeftBracketingBar]": ("\\[RightBracketingBar]", "BracketingBar"),
    "\\[LeftDoubleBracketingBar]": ("\\[RightDoubleBracketingBar]", "DoubleBracketingBar"),
    "\\[OpenCurlyQuote]": ("\\[CloseCurlyQuote]", "CurlyQuote"),
    "\\[OpenCurlyDoubleQuote]": ("\\[CloseCurlyDoubleQuote]", "CurlyDoubleQuote"),
}
"""Closing bracket and head of brackets that need no operand before them."""

CALL_BRACKETS = {
    "[": "]",
    "[[": "]]",
    "::[": "]",
    "\\[LeftDoubleBracket]": "\\[RightDoubleBracket]",
}
"""Brackets that follow an operand, with their closing bracket."""

SIGN_SYNONYMS = {
    "\\[LeftAssociation]": "<|",
    "\\[RightAssociation]": "|>",
    "\\[InvisibleComma]": ",",
}
"""Named characters with the same meaning as a plain operator."""

_OPERATOR_SIGNS = INFIX_OPERATORS.keys() | PREFIX_OPERATORS.keys()
_BRACKETS = {
    *GROUP_BRACKETS,
    *(closer for closer, _ in GROUP_BRACKETS.values()),
    *CALL_BRACKETS,
    *CALL_BRACKETS.values(),
}
PLAIN_SIGNS = sorted(
    {sign for sign in _OPERATOR_SIGNS if not sign.startswith("\\[")}
    | {"[", "]", "(", ")", "{", "}", "<|", "|>", ",", "<<", "::["},
    key=len,
    reverse=True,
)
"""Operators and brackets written in plain characters, longest first."""

NAMED_SIGNS = frozenset(
    sign[2:-1]
    for sign in _OPERATOR_SIGNS | SIGN_SYNONYMS.keys() | _BRACKETS
    if sign.startswith("\\[")
)
"""Named characters that are operators or brackets."""
