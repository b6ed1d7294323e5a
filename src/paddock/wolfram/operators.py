r"""The operator table: precedence, grouping and head of each operator.

Only the order of the precedences matters. Most follow the documented operator input forms; where
kernels deviate from the documentation, the table follows the kernels. Operators that are named
characters are written as `\[Name]`.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

OperatorShape = Literal["left", "right", "chain", "compare", "vector", "postfix", "special"]
"""The grouping of an operator, which also decides if a series of it forms one node."""


class InfixOperator(NamedTuple):
    """An operator that follows an operand: infix or postfix."""

    precedence: int
    shape: OperatorShape
    head: str


class PrefixOperator(NamedTuple):
    """An operator before its operand."""

    precedence: int
    head: str


CALL_PRECEDENCE = 670
COMPARE_PRECEDENCE = 290
DIFFERENTIAL_PRECEDENCE = 565
INTEGRAL_PRECEDENCE = 325
OPTIONAL_PRECEDENCE = 140
PATTERN_PRECEDENCE = 150
SET_PRECEDENCE = 40
SPAN_PRECEDENCE = 297
TIMES_PRECEDENCE = 400


def _build_infix(shape: OperatorShape, *rows: tuple[str, int, str]) -> dict[str, InfixOperator]:
    """Build operators of one shape from rows of text, precedence and head."""
    return {text: InfixOperator(precedence, shape, head) for text, precedence, head in rows}


def _build_named(shape: OperatorShape, precedence: int, *names: str) -> dict[str, InfixOperator]:
    """Build operators whose named characters equal their heads."""
    heads = " ".join(names).split()
    return {f"\\[{head}]": InfixOperator(precedence, shape, head) for head in heads}


# Precedences are listed by shape, because a shape determines the handler and the node builder.
_LEFT_OPERATORS = {
    **_build_infix(
        "left",
        ("/.", 110, "ReplaceAll"),
        ("//.", 110, "ReplaceRepeated"),
        ("/;", 130, "Condition"),
        ("?", 680, "PatternTest"),
    ),
    **_build_named("left", 50, "Because"),
    **_build_named("left", 190, "LeftTee DoubleLeftTee UpTee DownTee Perpendicular"),
    **_build_named("left", 310, "PlusMinus MinusPlus"),
    **_build_named("left", 330, "CircleMinus"),
}
_RIGHT_OPERATORS = {
    **_build_infix(
        "right",
        ("=", SET_PRECEDENCE, "Set"),
        (":=", SET_PRECEDENCE, "SetDelayed"),
        ("^=", SET_PRECEDENCE, "UpSet"),
        ("^:=", SET_PRECEDENCE, "UpSetDelayed"),
        ("|->", SET_PRECEDENCE, "Function"),
        ("//=", 75, "ApplyTo"),
        ("+=", 100, "AddTo"),
        ("-=", 100, "SubtractFrom"),
        ("*=", 100, "TimesBy"),
        ("/=", 100, "DivideBy"),
        ("->", 120, "Rule"),
        (":>", 120, "RuleDelayed"),
        ("<->", 125, "TwoWayRule"),
        ("^", 590, "Power"),
        ("/@", 620, "Map"),
        ("//@", 620, "MapAll"),
        ("@@", 620, "Apply"),
        ("@@@", 620, "MapApply"),
    ),
    **_build_named("right", SET_PRECEDENCE, "Function"),
    **_build_named("right", 51, "Therefore"),
    **_build_named("right", 120, "Rule RuleDelayed"),
    **_build_named("right", 125, "TwoWayRule"),
    **_build_named("right", 180, "SuchThat"),
    **_build_named("right", 192, "RightTee DoubleRightTee"),
    **_build_named("right", 200, "Implies RoundImplies"),
    **_build_named("right", 295, "DirectedEdge UndirectedEdge"),
}
_CHAIN_OPERATORS = {
    **_build_infix(
        "chain",
        ("~~", 135, "StringExpression"),
        ("|", 160, "Alternatives"),
        ("||", 215, "Or"),
        ("&&", 217, "And"),
        ("===", 260, "SameQ"),
        ("=!=", 260, "UnsameQ"),
        ("+", 310, "Plus"),
        ("\\[ImplicitPlus]", 312, "Plus"),
        ("*", TIMES_PRECEDENCE, "Times"),
        ("\\[InvisibleTimes]", TIMES_PRECEDENCE, "Times"),
        (".", 490, "Dot"),
        ("**", 510, "NonCommutativeMultiply"),
        ("<>", 600, "StringJoin"),
        ("/*", 645, "RightComposition"),
        ("@*", 646, "Composition"),
    ),
    **_build_named("chain", 60, "VerticalSeparator"),
    **_build_named("chain", 80, "Colon"),
    **_build_named("chain", 195, "Conditioned"),
    **_build_named("chain", 205, "Equivalent"),
    **_build_named("chain", 215, "Or Nor"),
    **_build_named("chain", 216, "Xor Xnor"),
    **_build_named("chain", 217, "And Nand"),
    **_build_named(
        "chain",
        250,
        "Element NotElement ReverseElement NotReverseElement Distributed",
        "Subset NotSubset SubsetEqual NotSubsetEqual",
        "Superset NotSuperset SupersetEqual NotSupersetEqual",
        "SquareSubset NotSquareSubset SquareSubsetEqual NotSquareSubsetEqual",
        "SquareSuperset NotSquareSuperset SquareSupersetEqual NotSquareSupersetEqual",
    ),
    **_build_named(
        "chain",
        270,
        "LeftArrow RightArrow LeftRightArrow LeftArrowBar RightArrowBar LeftTeeArrow RightTeeArrow",
        "RightArrowLeftArrow LeftArrowRightArrow ShortLeftArrow ShortRightArrow",
        "DoubleLeftArrow DoubleRightArrow DoubleLeftRightArrow",
        "UpperLeftArrow UpperRightArrow LowerRightArrow LowerLeftArrow",
        "LeftVector RightVector LeftRightVector LeftVectorBar RightVectorBar",
        "LeftTeeVector RightTeeVector DownLeftVector DownRightVector DownLeftRightVector",
        "DownLeftVectorBar DownRightVectorBar DownLeftTeeVector DownRightTeeVector",
    ),
    **_build_named(
        "chain", 280, "VerticalBar NotVerticalBar DoubleVerticalBar NotDoubleVerticalBar"
    ),
    **_build_named(
        "chain",
        COMPARE_PRECEDENCE,
        "LeftTriangle RightTriangle NotLeftTriangle NotRightTriangle",
        "LeftTriangleEqual RightTriangleEqual NotLeftTriangleEqual NotRightTriangleEqual",
        "LeftTriangleBar RightTriangleBar NotLeftTriangleBar NotRightTriangleBar",
        "Tilde NotTilde TildeEqual NotTildeEqual TildeFullEqual NotTildeFullEqual",
        "TildeTilde NotTildeTilde EqualTilde NotEqualTilde Congruent NotCongruent",
        "Proportional Proportion DotEqual Equilibrium ReverseEquilibrium CupCap NotCupCap",
        "HumpEqual NotHumpEqual HumpDownHump NotHumpDownHump",
        "Precedes PrecedesEqual PrecedesTilde PrecedesSlantEqual",
        "NotPrecedes NotPrecedesEqual NotPrecedesTilde NotPrecedesSlantEqual",
        "Succeeds SucceedsEqual SucceedsTilde SucceedsSlantEqual",
        "NotSucceeds NotSucceedsEqual NotSucceedsTilde NotSucceedsSlantEqual",
    ),
    **_build_named("chain", 300, "Union SquareUnion UnionPlus"),
    **_build_named("chain", 305, "Intersection SquareIntersection"),
    **_build_named("chain", 330, "CirclePlus"),
    **_build_named("chain", 340, "Cup"),
    **_build_named("chain", 350, "Cap"),
    **_build_named("chain", 360, "Coproduct"),
    **_build_named("chain", 370, "VerticalTilde"),
    **_build_named("chain", 390, "Star"),
    **_build_named("chain", TIMES_PRECEDENCE, "Times"),
    **_build_named("chain", 410, "CenterDot"),
    **_build_named("chain", 420, "CircleTimes"),
    **_build_named("chain", 422, "PermutationProduct"),
    **_build_named("chain", 424, "TensorProduct"),
    **_build_named("chain", 426, "TensorWedge"),
    **_build_named("chain", 430, "Vee"),
    **_build_named("chain", 440, "Wedge"),
    **_build_named("chain", 450, "Diamond"),
    **_build_named("chain", 460, "Backslash"),
    **_build_named("chain", 500, "Cross"),
    **_build_named("chain", 520, "CircleDot"),
    **_build_named("chain", 530, "SmallCircle"),
    **_build_named(
        "chain",
        580,
        "UpArrow DownArrow UpDownArrow UpArrowBar DownArrowBar UpTeeArrow DownTeeArrow",
        "UpArrowDownArrow DownArrowUpArrow ShortUpArrow ShortDownArrow",
        "DoubleUpArrow DoubleDownArrow DoubleUpDownArrow",
        "LongLeftArrow LongRightArrow LongLeftRightArrow",
        "DoubleLongLeftArrow DoubleLongRightArrow DoubleLongLeftRightArrow",
        "RightUpVector LeftUpVector RightDownVector LeftDownVector",
        "RightUpDownVector LeftUpDownVector RightUpVectorBar RightDownVectorBar",
        "LeftUpVectorBar LeftDownVectorBar RightUpTeeVector RightDownTeeVector",
        "LeftUpTeeVector LeftDownTeeVector UpEquilibrium ReverseUpEquilibrium",
    ),
}
_COMPARISON_OPERATORS = {
    **_build_infix(
        "compare",
        *((text, COMPARE_PRECEDENCE, "Equal") for text in ("==", "\\[Equal]", "\\[LongEqual]")),
        *((text, COMPARE_PRECEDENCE, "Unequal") for text in ("!=", "\\[NotEqual]")),
        ("<", COMPARE_PRECEDENCE, "Less"),
        (">", COMPARE_PRECEDENCE, "Greater"),
        ("<=", COMPARE_PRECEDENCE, "LessEqual"),
        (">=", COMPARE_PRECEDENCE, "GreaterEqual"),
        ("\\[LessSlantEqual]", COMPARE_PRECEDENCE, "LessEqual"),
        ("\\[GreaterSlantEqual]", COMPARE_PRECEDENCE, "GreaterEqual"),
    ),
    **_build_named(
        "compare",
        COMPARE_PRECEDENCE,
        "LessEqual LessFullEqual LessTilde LessLess LessGreater LessEqualGreater NestedLessLess",
        "GreaterEqual GreaterFullEqual GreaterTilde GreaterGreater GreaterLess GreaterEqualLess",
        "NestedGreaterGreater NotLess NotLessEqual NotLessFullEqual NotLessTilde NotLessLess",
        "NotLessGreater NotLessSlantEqual NotNestedLessLess NotGreater NotGreaterEqual",
        "NotGreaterFullEqual NotGreaterTilde NotGreaterGreater NotGreaterLess",
        "NotGreaterSlantEqual NotNestedGreaterGreater",
    ),
    **_build_named(
        "vector",
        COMPARE_PRECEDENCE,
        "VectorLess VectorLessEqual VectorGreater VectorGreaterEqual",
    ),
}
_POSTFIX_OPERATORS = {
    **_build_infix(
        "postfix",
        ("&", 90, "Function"),
        ("..", 170, "Repeated"),
        ("...", 170, "RepeatedNull"),
        ("!", 610, "Factorial"),
        ("!!", 610, "Factorial2"),
        ("++", 661, "Increment"),
        ("--", 661, "Decrement"),
        ("\\[HermitianConjugate]", 605, "ConjugateTranspose"),
    ),
    **_build_named("postfix", 605, "Conjugate Transpose ConjugateTranspose"),
}
_SPECIAL_OPERATORS = _build_infix(
    "special",
    (";", 10, "CompoundExpression"),
    (">>", 30, "Put"),
    (">>>", 30, "PutAppend"),
    ("=.", SET_PRECEDENCE, "Unset"),
    ("/:", SET_PRECEDENCE, "TagSet"),
    ("//", 70, "Postfix"),
    (":", PATTERN_PRECEDENCE, "Pattern"),
    (";;", SPAN_PRECEDENCE, "Span"),
    ("-", 310, "Subtract"),
    ("\\[Minus]", 310, "Subtract"),
    ("/", 470, "Divide"),
    ("\\[Divide]", 470, "Divide"),
    ("\\[DivisionSlash]", 470, "Divide"),
    ("\\[Divides]", 470, "Divisible"),
    ("\\[DifferentialD]", DIFFERENTIAL_PRECEDENCE, "DifferentialD"),
    ("\\[CapitalDifferentialD]", DIFFERENTIAL_PRECEDENCE, "CapitalDifferentialD"),
    ("'", 602, "Derivative"),
    ("~", 630, "Infix"),
    ("@", 640, "Prefix"),
    ("\\[InvisibleApplication]", 640, "Prefix"),
    ("\\[Application]", 640, "Application"),
    ("::", 750, "MessageName"),
)
INFIX_OPERATORS: dict[str, InfixOperator] = {
    **_LEFT_OPERATORS,
    **_RIGHT_OPERATORS,
    **_CHAIN_OPERATORS,
    **_COMPARISON_OPERATORS,
    **_POSTFIX_OPERATORS,
    **_SPECIAL_OPERATORS,
}
"""Operators that follow an operand, by text."""

PREFIX_OPERATORS: dict[str, PrefixOperator] = {
    "!": PrefixOperator(230, "Not"),
    "!!": PrefixOperator(230, "NotNot"),
    "\\[Not]": PrefixOperator(230, "Not"),
    **{f"\\[{head}]": PrefixOperator(240, head) for head in ("ForAll", "Exists", "NotExists")},
    "\\[Sum]": PrefixOperator(320, "Sum"),
    "\\[Integral]": PrefixOperator(INTEGRAL_PRECEDENCE, "Integral"),
    **{
        f"\\[{head}]": PrefixOperator(INTEGRAL_PRECEDENCE, head)
        for head in (
            *("ContourIntegral", "DoubleContourIntegral", "ClockwiseContourIntegral"),
            *("CounterClockwiseContourIntegral", "ExpectationE", "ProbabilityPr"),
        )
    },
    **{f"\\[{head}]": PrefixOperator(380, head) for head in ("Product", "ContinuedFractionK")},
    "-": PrefixOperator(480, "Minus"),
    "\\[Minus]": PrefixOperator(480, "Minus"),
    "+": PrefixOperator(480, "Plus"),
    **{
        f"\\[{head}]": PrefixOperator(480, head)
        for head in ("PlusMinus", "MinusPlus", "CircleTimes", "Coproduct")
    },
    "\\[Square]": PrefixOperator(540, "Square"),
    "\\[Del]": PrefixOperator(550, "Del"),
    "\\[Piecewise]": PrefixOperator(560, "Piecewise"),
    "\\[DifferentialD]": PrefixOperator(DIFFERENTIAL_PRECEDENCE, "DifferentialD"),
    "\\[CapitalDifferentialD]": PrefixOperator(DIFFERENTIAL_PRECEDENCE, "CapitalDifferentialD"),
    **{f"\\[{head}]": PrefixOperator(570, head) for head in ("Sqrt", "CubeRoot")},
    "++": PrefixOperator(660, "PreIncrement"),
    "--": PrefixOperator(660, "PreDecrement"),
}
"""Operators before an operand, by text."""

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
"""Brackets that need no operand before them: closing bracket and head."""

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

PLAIN_SIGNS = sorted(
    {text for text in (*INFIX_OPERATORS, *PREFIX_OPERATORS) if not text.startswith("\\[")}
    | {"[", "]", "(", ")", "{", "}", "<|", "|>", ",", "<<", "::["},
    key=len,
    reverse=True,
)
"""Operators and brackets of plain characters, the longest first."""

NAMED_SIGNS = frozenset(
    text[2:-1]
    for text in (
        *INFIX_OPERATORS,
        *PREFIX_OPERATORS,
        *SIGN_SYNONYMS,
        *GROUP_BRACKETS,
        *CALL_BRACKETS,
        *(closer for closer, _ in GROUP_BRACKETS.values()),
        *CALL_BRACKETS.values(),
    )
    if text.startswith("\\[")
)
"""Named characters that are operators or brackets."""
