r"""The codes of characters with names that are no letters: operators, brackets and spaces.

A source may hold the character itself or its long name, `\[Rule]`; both mean the same. Names that
stand for letters are in `letters`.
"""

from __future__ import annotations

from paddock.wolfram.operators import NAMED_SIGNS


def number_names(start: int, names: str) -> dict[str, int]:
    """Names of characters whose codes follow one another; `-` has none of interest."""
    return {name: start + place for place, name in enumerate(names.split()) if name != "-"}


OPERATOR_CODES = {
    "Not": 0xAC,
    "PlusMinus": 0xB1,
    "CenterDot": 0xB7,
    "Times": 0xD7,
    "Divide": 0xF7,
    **number_names(0x2018, "OpenCurlyQuote CloseCurlyQuote - - OpenCurlyDoubleQuote CloseCurlyDoubleQuote"),
    "InvisibleTimes": 0x2062,
    **number_names(0x2190, "LeftArrow UpArrow RightArrow DownArrow LeftRightArrow UpDownArrow"),
    **number_names(0x2196, "UpperLeftArrow UpperRightArrow LowerRightArrow LowerLeftArrow"),
    **number_names(0x21A4, "LeftTeeArrow UpTeeArrow RightTeeArrow DownTeeArrow"),
    **number_names(0x21BC, "LeftVector DownLeftVector RightUpVector LeftUpVector RightVector"),
    **number_names(0x21C1, "DownRightVector RightDownVector LeftDownVector RightArrowLeftArrow"),
    **number_names(0x21C5, "UpArrowDownArrow LeftArrowRightArrow"),
    **number_names(0x21CB, "ReverseEquilibrium Equilibrium"),
    **number_names(0x21D0, "DoubleLeftArrow DoubleUpArrow DoubleRightArrow DoubleDownArrow"),
    **number_names(0x21D4, "DoubleLeftRightArrow DoubleUpDownArrow"),
    **number_names(0x21E4, "LeftArrowBar RightArrowBar"),
    "DownArrowUpArrow": 0x21F5,
    **number_names(0x2200, "ForAll - - Exists NotExists - - Del Element NotElement - ReverseElement"),
    **number_names(0x220C, "NotReverseElement SuchThat - Product Coproduct Sum Minus MinusPlus"),
    **number_names(0x2215, "DivisionSlash Backslash - SmallCircle - Sqrt CubeRoot - Proportional"),
    **number_names(0x2223, "Divides - DoubleVerticalBar NotDoubleVerticalBar And Or - - Integral"),
    **number_names(0x222E, "ContourIntegral DoubleContourIntegral"),
    **number_names(0x2232, "ClockwiseContourIntegral CounterClockwiseContourIntegral"),
    **number_names(0x2234, "Therefore Because Colon Proportion"),
    "Tilde": 0x223C,
    **number_names(0x2240, "VerticalTilde NotTilde EqualTilde TildeEqual NotTildeEqual TildeFullEqual"),
    **number_names(0x2247, "NotTildeFullEqual TildeTilde NotTildeTilde"),
    **number_names(0x224D, "CupCap HumpDownHump HumpEqual DotEqual"),
    **number_names(0x2260, "NotEqual Congruent NotCongruent - LessEqual GreaterEqual LessFullEqual"),
    **number_names(0x2267, "GreaterFullEqual NotLessFullEqual NotGreaterFullEqual LessLess GreaterGreater"),
    **number_names(0x226D, "NotCupCap NotLess NotGreater NotLessEqual NotGreaterEqual LessTilde"),
    **number_names(0x2273, "GreaterTilde NotLessTilde NotGreaterTilde LessGreater GreaterLess"),
    **number_names(0x2278, "NotLessGreater NotGreaterLess Precedes Succeeds PrecedesSlantEqual"),
    **number_names(0x227D, "SucceedsSlantEqual PrecedesTilde SucceedsTilde NotPrecedes NotSucceeds"),
    **number_names(0x2282, "Subset Superset NotSubset NotSuperset SubsetEqual SupersetEqual"),
    **number_names(0x2288, "NotSubsetEqual NotSupersetEqual - - - - UnionPlus SquareSubset SquareSuperset"),
    **number_names(0x2291, "SquareSubsetEqual SquareSupersetEqual SquareIntersection SquareUnion"),
    **number_names(0x2295, "CirclePlus CircleMinus CircleTimes - CircleDot"),
    **number_names(0x22A2, "RightTee LeftTee DownTee UpTee - - DoubleRightTee"),
    **number_names(0x22B2, "LeftTriangle RightTriangle LeftTriangleEqual RightTriangleEqual"),
    **number_names(0x22BB, "Xor Nand Nor - - Wedge Vee Intersection Union Diamond - Star"),
    **number_names(0x22DA, "LessEqualGreater GreaterEqualLess"),
    **number_names(0x22E0, "NotPrecedesSlantEqual NotSucceedsSlantEqual NotSquareSubsetEqual"),
    **number_names(0x22E3, "NotSquareSupersetEqual - - - - NotPrecedesTilde NotSucceedsTilde"),
    **number_names(0x22EA, "NotLeftTriangle NotRightTriangle NotLeftTriangleEqual NotRightTriangleEqual"),
    **number_names(0x2308, "LeftCeiling RightCeiling LeftFloor RightFloor"),
    **number_names(0x2322, "Cap Cup - - - - - LeftAngleBracket RightAngleBracket"),
    "Perpendicular": 0x27C2,
    **number_names(0x27F5, "LongLeftArrow LongRightArrow LongLeftRightArrow DoubleLongLeftArrow"),
    **number_names(0x27F9, "DoubleLongRightArrow DoubleLongLeftRightArrow"),
    **number_names(0x2912, "UpArrowBar DownArrowBar"),
    **number_names(0x294E, "LeftRightVector RightUpDownVector DownLeftRightVector LeftUpDownVector"),
    **number_names(0x2952, "LeftVectorBar RightVectorBar RightUpVectorBar RightDownVectorBar"),
    **number_names(0x2956, "DownLeftVectorBar DownRightVectorBar LeftUpVectorBar LeftDownVectorBar"),
    **number_names(0x295A, "LeftTeeVector RightTeeVector RightUpTeeVector RightDownTeeVector"),
    **number_names(0x295E, "DownLeftTeeVector DownRightTeeVector LeftUpTeeVector LeftDownTeeVector"),
    **number_names(0x296E, "UpEquilibrium ReverseUpEquilibrium RoundImplies"),
    **number_names(0x29CF, "LeftTriangleBar RightTriangleBar"),
    "Equivalent": 0x29E6,
    **number_names(0x2A7D, "LessSlantEqual GreaterSlantEqual"),
    **number_names(0x2AA1, "NestedLessLess NestedGreaterGreater"),
    **number_names(0x2AAF, "PrecedesEqual SucceedsEqual"),
    "DoubleLeftTee": 0x2AE4,
    **number_names(0x301A, "LeftDoubleBracket RightDoubleBracket"),
    **number_names(0xF113, "LeftAssociation RightAssociation"),
    "TwoWayRule": 0xF120,
    "Piecewise": 0xF361,
    "ImplicitPlus": 0xF39E,
    **number_names(0xF3C7, "Transpose Conjugate ConjugateTranspose - - - - HermitianConjugate"),
    **number_names(0xF3D0, "VerticalBar NotVerticalBar Distributed Conditioned UndirectedEdge"),
    **number_names(0xF3D5, "DirectedEdge - - - ContinuedFractionK TensorProduct TensorWedge"),
    **number_names(0xF3DC, "ProbabilityPr ExpectationE PermutationProduct"),
    **number_names(0xF400, "NotEqualTilde NotHumpEqual NotHumpDownHump"),
    **number_names(0xF412, "NotLeftTriangleBar NotRightTriangleBar"),
    **number_names(0xF422, "NotLessLess NotNestedLessLess NotLessSlantEqual - - NotGreaterGreater"),
    **number_names(0xF428, "NotNestedGreaterGreater NotGreaterSlantEqual - NotPrecedesEqual -"),
    **number_names(0xF42D, "NotSucceedsEqual NotSquareSubset NotSquareSuperset - Equal VerticalSeparator"),
    **number_names(0xF434, "VectorGreater VectorGreaterEqual VectorLess VectorLessEqual"),
    **number_names(0xF4A0, "Cross Function Xnor"),
    **number_names(0xF51F, "RuleDelayed Square - Rule Implies - ShortRightArrow ShortLeftArrow"),
    **number_names(0xF52A, "ShortUpArrow ShortDownArrow - - - - Application"),
    **number_names(0xF603, "LeftBracketingBar RightBracketingBar"),
    **number_names(0xF605, "LeftDoubleBracketingBar RightDoubleBracketingBar"),
    **number_names(0xF74B, "CapitalDifferentialD DifferentialD"),
    "InvisibleComma": 0xF765,
    "InvisibleApplication": 0xF76D,
    "LongEqual": 0xF7D9,
}
"""The codes of the characters that are operators or brackets."""

SPACE_CODES = {
    "RawTab": 0x09,
    "NewLine": 0x0A,
    "RawReturn": 0x0D,
    "RawSpace": 0x20,
    "NonBreakingSpace": 0xA0,
    "ThickSpace": 0x2005,
    "ThinSpace": 0x2009,
    "VeryThinSpace": 0x200A,
    **number_names(0x2028, "LineSeparator ParagraphSeparator"),
    **number_names(0x205F, "MediumSpace NoBreak"),
    "SpaceIndicator": 0x2423,
    "InvisibleSpace": 0xF360,
    **number_names(0xF380, "NegativeVeryThinSpace - NegativeThinSpace NegativeMediumSpace"),
    "NegativeThickSpace": 0xF384,
    "IndentingNewLine": 0xF3A3,
    "AutoSpace": 0xF3AD,
    **number_names(0xF3B1, "Continuation RoundSpaceIndicator"),
    **number_names(0xF3BD, "PageBreakAbove PageBreakBelow DiscretionaryPageBreakAbove"),
    "DiscretionaryPageBreakBelow": 0xF3C6,
    "AlignmentMarker": 0xF760,
    **number_names(0xF76E, "DiscretionaryLineSeparator DiscretionaryParagraphSeparator"),
}
"""The codes of the characters that only separate."""

NAMES_BY_CHARACTER = {
    chr(code): f"\\[{name}]" for name, code in OPERATOR_CODES.items() if name in NAMED_SIGNS
}
"""The long name of a character that is an operator or bracket."""

SPACE_CHARACTERS = "".join(map(chr, SPACE_CODES.values())) + "\u200b\ufeff"
"""The characters that only separate, and two that have no name."""
