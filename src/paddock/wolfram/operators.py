"""The operators of the language: how tightly each binds, and which expression it stands for.

The numbers are the precedences that the language documents in its operator input forms; only
their order matters. Named characters that are operators are below those made of plain ones.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

Shape = Literal["left", "right", "chain", "compare", "postfix", "special"]


class Operator(NamedTuple):
    """An operator that follows an operand."""

    precedence: int
    shape: Shape
    head: str


def _infix(shape: Shape, *rows: tuple[str, int, str]) -> dict[str, Operator]:
    return {text: Operator(precedence, shape, head) for text, precedence, head in rows}


CALL_PRECEDENCE = 670
TIMES_PRECEDENCE = 400
SPAN_PRECEDENCE = 305

INFIX: dict[str, Operator] = {
    **_infix(
        "left",
        ("\\[Therefore]", 50, "Therefore"),
        ("/.", 110, "ReplaceAll"),
        ("//.", 110, "ReplaceRepeated"),
        ("/;", 130, "Condition"),
        ("\\[SuchThat]", 180, "SuchThat"),
        ("\\[Conditioned]", 195, "Conditioned"),
        ("\\[Distributed]", 250, "Distributed"),
        ("?", 680, "PatternTest"),
        ("\\[PlusMinus]", 310, "PlusMinus"),
        ("\\[MinusPlus]", 310, "MinusPlus"),
        ("\\[CircleMinus]", 330, "CircleMinus"),
        ("\\[Divide]", 470, "Divide"),
        ("/", 470, "Divide"),
        ("\\[Backslash]", 460, "Backslash"),
    ),
    **_infix(
        "right",
        ("=", 40, "Set"),
        (":=", 40, "SetDelayed"),
        ("^=", 40, "UpSet"),
        ("^:=", 40, "UpSetDelayed"),
        ("\\[Function]", 90, "Function"),
        ("|->", 90, "Function"),
        ("+=", 100, "AddTo"),
        ("-=", 100, "SubtractFrom"),
        ("*=", 100, "TimesBy"),
        ("/=", 100, "DivideBy"),
        ("//=", 100, "ApplyTo"),
        ("->", 120, "Rule"),
        ("\\[Rule]", 120, "Rule"),
        (":>", 120, "RuleDelayed"),
        ("\\[RuleDelayed]", 120, "RuleDelayed"),
        ("<->", 125, "TwoWayRule"),
        ("\\[TwoWayRule]", 125, "TwoWayRule"),
        ("\\[DirectedEdge]", 120, "DirectedEdge"),
        ("\\[UndirectedEdge]", 120, "UndirectedEdge"),
        ("\\[Implies]", 200, "Implies"),
        ("\\[RoundImplies]", 240, "RoundImplies"),
        ("^", 590, "Power"),
        ("/@", 620, "Map"),
        ("//@", 620, "MapAll"),
        ("@@", 620, "Apply"),
        ("@@@", 620, "MapApply"),
    ),
    **_infix(
        "chain",
        ("~~", 135, "StringExpression"),
        ("|", 160, "Alternatives"),
        ("\\[Equivalent]", 205, "Equivalent"),
        ("||", 215, "Or"),
        ("\\[Or]", 215, "Or"),
        ("\\[Nor]", 215, "Nor"),
        ("\\[Xor]", 216, "Xor"),
        ("\\[Xnor]", 216, "Xnor"),
        ("&&", 217, "And"),
        ("\\[And]", 217, "And"),
        ("\\[Nand]", 217, "Nand"),
        ("===", 290, "SameQ"),
        ("=!=", 290, "UnsameQ"),
        ("\\[Union]", 306, "Union"),
        ("\\[Intersection]", 307, "Intersection"),
        ("+", 310, "Plus"),
        ("\\[CirclePlus]", 330, "CirclePlus"),
        ("\\[Cup]", 340, "Cup"),
        ("\\[Cap]", 350, "Cap"),
        ("\\[Coproduct]", 360, "Coproduct"),
        ("\\[VerticalTilde]", 370, "VerticalTilde"),
        ("\\[Star]", 390, "Star"),
        ("*", TIMES_PRECEDENCE, "Times"),
        ("\\[Times]", TIMES_PRECEDENCE, "Times"),
        ("\\[InvisibleTimes]", TIMES_PRECEDENCE, "Times"),
        ("\\[CenterDot]", 410, "CenterDot"),
        ("\\[CircleTimes]", 420, "CircleTimes"),
        ("\\[TensorProduct]", 495, "TensorProduct"),
        ("\\[TensorWedge]", 495, "TensorWedge"),
        ("\\[Vee]", 430, "Vee"),
        ("\\[Wedge]", 440, "Wedge"),
        ("\\[Diamond]", 450, "Diamond"),
        (".", 490, "Dot"),
        ("\\[Cross]", 500, "Cross"),
        ("**", 510, "NonCommutativeMultiply"),
        ("\\[CircleDot]", 520, "CircleDot"),
        ("\\[SmallCircle]", 530, "SmallCircle"),
        ("<>", 600, "StringJoin"),
        ("/*", 624, "RightComposition"),
        ("@*", 625, "Composition"),
    ),
    **_infix(
        "compare",
        ("==", 290, "Equal"),
        ("\\[Equal]", 290, "Equal"),
        ("\\[LongEqual]", 290, "Equal"),
        ("!=", 290, "Unequal"),
        ("\\[NotEqual]", 290, "Unequal"),
        ("<", 290, "Less"),
        (">", 290, "Greater"),
        ("<=", 290, "LessEqual"),
        ("\\[LessEqual]", 290, "LessEqual"),
        ("\\[LessSlantEqual]", 290, "LessEqual"),
        (">=", 290, "GreaterEqual"),
        ("\\[GreaterEqual]", 290, "GreaterEqual"),
        ("\\[GreaterSlantEqual]", 290, "GreaterEqual"),
    ),
    **_infix(
        "postfix",
        ("&", 90, "Function"),
        ("..", 170, "Repeated"),
        ("...", 170, "RepeatedNull"),
        ("!", 610, "Factorial"),
        ("!!", 610, "Factorial2"),
        ("\\[Conjugate]", CALL_PRECEDENCE, "Conjugate"),
        ("\\[Transpose]", CALL_PRECEDENCE, "Transpose"),
        ("\\[ConjugateTranspose]", CALL_PRECEDENCE, "ConjugateTranspose"),
        ("\\[HermitianConjugate]", CALL_PRECEDENCE, "ConjugateTranspose"),
        ("++", 660, "Increment"),
        ("--", 660, "Decrement"),
        ("=.", CALL_PRECEDENCE, "Unset"),
    ),
    **_infix(
        "special",
        (";", 10, "CompoundExpression"),
        (">>", 30, "Put"),
        (">>>", 30, "PutAppend"),
        ("/:", 40, "TagSet"),
        ("//", 70, "Postfix"),
        (":", 150, "Pattern"),
        (";;", SPAN_PRECEDENCE, "Span"),
        ("-", 310, "Plus"),
        ("~", 630, "Infix"),
        ("@", 640, "Prefix"),
        ("\\[InvisibleApplication]", 640, "Prefix"),
        ("\\[Application]", 640, "Prefix"),
        ("'", CALL_PRECEDENCE, "Derivative"),
        ("::", 750, "MessageName"),
    ),
}

# Relations: they compare, but mix with nothing but themselves.
for _name, _precedence in (
    *((_one, 250) for _one in ("Element", "NotElement", "ReverseElement", "NotReverseElement")),
    *((_one, 250) for _one in ("Subset", "Superset", "SubsetEqual", "SupersetEqual")),
    *((_one, 250) for _one in ("NotSubset", "NotSuperset", "NotSubsetEqual", "NotSupersetEqual")),
    *((_one, 290) for _one in ("Tilde", "TildeTilde", "TildeEqual", "TildeFullEqual", "Congruent")),
    *((_one, 290) for _one in ("NotTilde", "NotTildeTilde", "NotTildeEqual", "NotCongruent")),
    *((_one, 290) for _one in ("Precedes", "Succeeds", "PrecedesEqual", "SucceedsEqual")),
    *((_one, 290) for _one in ("LessLess", "GreaterGreater", "LessTilde", "GreaterTilde")),
    *((_one, 290) for _one in ("Proportional", "Proportion", "DotEqual", "CupCap", "HumpEqual")),
    *((_one, 280) for _one in ("VerticalBar", "NotVerticalBar", "DoubleVerticalBar")),
    *((_one, 270) for _one in ("RightArrow", "LeftArrow", "LeftRightArrow", "LongRightArrow")),
    *((_one, 270) for _one in ("DoubleRightArrow", "DoubleLeftArrow", "DoubleLeftRightArrow")),
    *((_one, 270) for _one in ("Equilibrium", "RightArrowLeftArrow", "UpArrow", "DownArrow")),
    *((_one, 190) for _one in ("RightTee", "LeftTee", "DoubleRightTee", "DoubleLeftTee")),
    *((_one, 190) for _one in ("UpTee", "DownTee")),
):
    INFIX[f"\\[{_name}]"] = Operator(_precedence, "chain", _name)


class Prefix(NamedTuple):
    """An operator that stands before its operand."""

    precedence: int
    head: str


PREFIX: dict[str, Prefix] = {
    "-": Prefix(480, "Minus"),
    "+": Prefix(480, "Plus"),
    "\\[PlusMinus]": Prefix(480, "PlusMinus"),
    "\\[MinusPlus]": Prefix(480, "MinusPlus"),
    "!": Prefix(230, "Not"),
    "!!": Prefix(230, "NotNot"),
    "\\[Not]": Prefix(230, "Not"),
    "++": Prefix(660, "PreIncrement"),
    "--": Prefix(660, "PreDecrement"),
    "\\[Sqrt]": Prefix(570, "Sqrt"),
    "\\[Del]": Prefix(550, "Del"),
    "\\[Square]": Prefix(540, "Square"),
    "\\[DifferentialD]": Prefix(560, "DifferentialD"),
    "\\[ForAll]": Prefix(240, "ForAll"),
    "\\[Exists]": Prefix(240, "Exists"),
}

PLAIN = sorted(
    {text for text in (*INFIX, *PREFIX) if not text.startswith("\\[")}
    | {"[[", "[", "]", "(", ")", "{", "}", "<|", "|>", ",", "<<"},
    key=len,
    reverse=True,
)
"""Operators and brackets made of plain characters, the longest first."""

NAMED_BRACKETS = {
    "\\[LeftDoubleBracket]": "[[",
    "\\[RightDoubleBracket]": "]]",
    "\\[LeftAssociation]": "<|",
    "\\[RightAssociation]": "|>",
}
