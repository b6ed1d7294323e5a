r"""Named characters: operators, brackets, spaces and letters by name and code.

A source may contain a character or its name: `\[Rule]`, `\[EAcute]`. Most names are derived from
rules: a letter with an accent, or a letter of a styled alphabet. The others are listed as runs of
consecutive codes.
"""

from __future__ import annotations

import re
import string
import unicodedata
from functools import cache

from paddock.wolfram.operators import NAMED_SIGNS


def number_names(start: int, names: str) -> dict[str, int]:
    """Assign consecutive codes to names, from `start` on. The name `-` skips a code."""
    return {name: start + offset for offset, name in enumerate(names.split()) if name != "-"}


OPERATOR_CODES = {
    "Not": 0xAC,
    "PlusMinus": 0xB1,
    "CenterDot": 0xB7,
    "Times": 0xD7,
    "Divide": 0xF7,
    **number_names(
        0x2018, "OpenCurlyQuote CloseCurlyQuote - - OpenCurlyDoubleQuote CloseCurlyDoubleQuote"
    ),
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
    **number_names(
        0x2200, "ForAll - - Exists NotExists - - Del Element NotElement - ReverseElement"
    ),
    **number_names(0x220C, "NotReverseElement SuchThat - Product Coproduct Sum Minus MinusPlus"),
    **number_names(0x2215, "DivisionSlash Backslash - SmallCircle - Sqrt CubeRoot - Proportional"),
    **number_names(0x2223, "Divides - DoubleVerticalBar NotDoubleVerticalBar And Or - - Integral"),
    **number_names(0x222E, "ContourIntegral DoubleContourIntegral"),
    **number_names(0x2232, "ClockwiseContourIntegral CounterClockwiseContourIntegral"),
    **number_names(0x2234, "Therefore Because Colon Proportion"),
    "Tilde": 0x223C,
    **number_names(
        0x2240, "VerticalTilde NotTilde EqualTilde TildeEqual NotTildeEqual TildeFullEqual"
    ),
    **number_names(0x2247, "NotTildeFullEqual TildeTilde NotTildeTilde"),
    **number_names(0x224D, "CupCap HumpDownHump HumpEqual DotEqual"),
    **number_names(
        0x2260, "NotEqual Congruent NotCongruent - LessEqual GreaterEqual LessFullEqual"
    ),
    **number_names(
        0x2267, "GreaterFullEqual NotLessFullEqual NotGreaterFullEqual LessLess GreaterGreater"
    ),
    **number_names(0x226D, "NotCupCap NotLess NotGreater NotLessEqual NotGreaterEqual LessTilde"),
    **number_names(0x2273, "GreaterTilde NotLessTilde NotGreaterTilde LessGreater GreaterLess"),
    **number_names(0x2278, "NotLessGreater NotGreaterLess Precedes Succeeds PrecedesSlantEqual"),
    **number_names(
        0x227D, "SucceedsSlantEqual PrecedesTilde SucceedsTilde NotPrecedes NotSucceeds"
    ),
    **number_names(0x2282, "Subset Superset NotSubset NotSuperset SubsetEqual SupersetEqual"),
    **number_names(
        0x2288, "NotSubsetEqual NotSupersetEqual - - - - UnionPlus SquareSubset SquareSuperset"
    ),
    **number_names(0x2291, "SquareSubsetEqual SquareSupersetEqual SquareIntersection SquareUnion"),
    **number_names(0x2295, "CirclePlus CircleMinus CircleTimes - CircleDot"),
    **number_names(0x22A2, "RightTee LeftTee DownTee UpTee - - DoubleRightTee"),
    **number_names(0x22B2, "LeftTriangle RightTriangle LeftTriangleEqual RightTriangleEqual"),
    **number_names(0x22BB, "Xor Nand Nor - - Wedge Vee Intersection Union Diamond - Star"),
    **number_names(0x22DA, "LessEqualGreater GreaterEqualLess"),
    **number_names(0x22E0, "NotPrecedesSlantEqual NotSucceedsSlantEqual NotSquareSubsetEqual"),
    **number_names(0x22E3, "NotSquareSupersetEqual - - - - NotPrecedesTilde NotSucceedsTilde"),
    **number_names(
        0x22EA, "NotLeftTriangle NotRightTriangle NotLeftTriangleEqual NotRightTriangleEqual"
    ),
    **number_names(0x2308, "LeftCeiling RightCeiling LeftFloor RightFloor"),
    **number_names(0x2322, "Cap Cup - - - - - LeftAngleBracket RightAngleBracket"),
    "Perpendicular": 0x27C2,
    **number_names(0x27F5, "LongLeftArrow LongRightArrow LongLeftRightArrow DoubleLongLeftArrow"),
    **number_names(0x27F9, "DoubleLongRightArrow DoubleLongLeftRightArrow"),
    **number_names(0x2912, "UpArrowBar DownArrowBar"),
    **number_names(
        0x294E, "LeftRightVector RightUpDownVector DownLeftRightVector LeftUpDownVector"
    ),
    **number_names(0x2952, "LeftVectorBar RightVectorBar RightUpVectorBar RightDownVectorBar"),
    **number_names(
        0x2956, "DownLeftVectorBar DownRightVectorBar LeftUpVectorBar LeftDownVectorBar"
    ),
    **number_names(0x295A, "LeftTeeVector RightTeeVector RightUpTeeVector RightDownTeeVector"),
    **number_names(
        0x295E, "DownLeftTeeVector DownRightTeeVector LeftUpTeeVector LeftDownTeeVector"
    ),
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
    **number_names(
        0xF42D, "NotSucceedsEqual NotSquareSubset NotSquareSuperset - Equal VerticalSeparator"
    ),
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
"""Codes of the characters that are operators or brackets."""

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
"""Codes of the whitespace characters."""

NAMES_BY_CHARACTER = {
    chr(code): f"\\[{name}]" for name, code in OPERATOR_CODES.items() if name in NAMED_SIGNS
}
r"""Names of the operator and bracket characters, written as `\[Name]`."""

SPACE_CHARACTERS = "".join(map(chr, SPACE_CODES.values())) + "\u200b\ufeff"
"""The whitespace characters, and two without names."""


_GREEK_NAMES = (
    "Alpha Beta Gamma Delta CurlyEpsilon Zeta Eta Theta Iota Kappa Lambda Mu Nu Xi Omicron Pi Rho "
    "FinalSigma Sigma Tau Upsilon CurlyPhi Chi Psi Omega"
)
_CAPITAL_GREEK_NAMES = " ".join(
    "-" if name == "FinalSigma" else f"Capital{name.removeprefix('Curly')}"
    for name in _GREEK_NAMES.split()
)
_MORE_GREEK_NAMES = (
    "CurlyTheta CurlyCapitalUpsilon - - Phi CurlyPi - - - CapitalStigma Stigma "
    "CapitalDigamma Digamma CapitalKoppa Koppa CapitalSampi Sampi"
)
_LAST_GREEK_NAMES = "CurlyKappa CurlyRho - - - Epsilon"
_ALPHABET = string.ascii_uppercase
r"""Names of small letters are capitalized too: `\\[ScriptA]` is a small letter."""


def _build_styled_alphabet(
    style: str, small: int, capital: int, elsewhere: str = ""
) -> dict[str, int]:
    """Return the codes of an alphabet in a style.

    `elsewhere` lists letters that have their own code in Unicode, as `name=code`.
    """
    names = {f"{style}{letter}": small + index for index, letter in enumerate(_ALPHABET)}
    names |= {f"{style}Capital{letter}": capital + index for index, letter in enumerate(_ALPHABET)}
    for entry in elsewhere.split():
        name, _, code = entry.partition("=")
        names[f"{style}{name}"] = int(code, 16)
    return names


def _build_digits(style: str, start: int) -> dict[str, int]:
    names = ["Zero", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine"]
    return {f"{style}{name}": start + digit for digit, name in enumerate(names)}


def _build_formal(start: int, names: str) -> dict[str, int]:
    return {f"Formal{name}": code for name, code in number_names(start, names).items()}


def _build_raw(start: int, names: str) -> dict[str, int]:
    return {f"Raw{name}": code for name, code in number_names(start, names).items()}


_CODES_BY_NAME = {
    **OPERATOR_CODES,
    **SPACE_CODES,
    **number_names(0x391, _CAPITAL_GREEK_NAMES),
    **number_names(0x3B1, _GREEK_NAMES),
    **number_names(0x3D1, _MORE_GREEK_NAMES),
    **number_names(0x3F0, _LAST_GREEK_NAMES),
    **_build_styled_alphabet(
        "Script",
        0xF6B2,
        0xF770,
        "E=212F G=210A L=2113 O=2134 CapitalB=212C CapitalE=2130 CapitalF=2131 CapitalH=210B "
        "CapitalI=2110 CapitalL=2112 CapitalM=2133 CapitalR=211B",
    ),
    **_build_styled_alphabet(
        "Gothic",
        0xF6CC,
        0xF78A,
        "CapitalC=212D CapitalH=210C CapitalI=2111 CapitalR=211C CapitalZ=2128",
    ),
    **_build_styled_alphabet("DoubleStruck", 0xF6E6, 0xF7A4),
    **_build_styled_alphabet("Formal", 0xF800, 0xF81A),
    **_build_digits("DoubleStruck", 0xF7DB),
    **_build_digits("Gothic", 0xF7E5),
    "GothicNine": 0xF7EF,
    **_build_digits("Script", 0xF7F0),
    **_build_formal(0xF834, _CAPITAL_GREEK_NAMES),
    **_build_formal(0xF854, _GREEK_NAMES),
    **_build_formal(0xF874, _MORE_GREEK_NAMES),
    **_build_formal(0xF885, _LAST_GREEK_NAMES),
    "RawEscape": 0x1B,
    **_build_raw(0x21, "Exclamation DoubleQuote NumberSign Dollar Percent Ampersand Quote"),
    **_build_raw(0x28, "LeftParenthesis RightParenthesis Star Plus Comma Dash Dot Slash"),
    **_build_raw(0x3A, "Colon Semicolon Less Equal Greater Question At"),
    **_build_raw(0x5B, "LeftBracket Backslash RightBracket Wedge Underscore Backquote"),
    **_build_raw(0x7B, "LeftBrace VerticalBar RightBrace Tilde"),
    **number_names(
        0xA1, "DownExclamation Cent Sterling Currency Yen - Section DoubleDot Copyright -"
    ),
    **number_names(0xAB, "LeftGuillemet - DiscretionaryHyphen RegisteredTrademark - Degree"),
    **number_names(0xB5, "Micro Paragraph - Cedilla - - RightGuillemet - - - DownQuestion"),
    "CapitalAE": 0xC6,
    "CapitalEth": 0xD0,
    "CapitalOSlash": 0xD8,
    "CapitalThorn": 0xDE,
    "SZ": 0xDF,
    "AE": 0xE6,
    "Eth": 0xF0,
    "OSlash": 0xF8,
    "Thorn": 0xFE,
    "DotlessI": 0x131,
    "CapitalLSlash": 0x141,
    "LSlash": 0x142,
    "CapitalOE": 0x152,
    "OE": 0x153,
    "Florin": 0x192,
    "Hacek": 0x2C7,
    "Breve": 0x2D8,
    "Hyphen": 0x2010,
    **number_names(0x2013, "Dash LongDash"),
    **number_names(0x2020, "Dagger DoubleDagger Bullet - - - Ellipsis"),
    **number_names(0x2032, "Prime DoublePrime - ReversePrime ReverseDoublePrime"),
    "SkeletonIndicator": 0x2043,
    "Euro": 0x20AC,
    "Rupee": 0x20B9,
    "HBar": 0x210F,
    "WeierstrassP": 0x2118,
    "Trademark": 0x2122,
    "Mho": 0x2127,
    "Angstrom": 0x212B,
    **number_names(0x2135, "Aleph Bet Gimel Dalet"),
    "ReturnIndicator": 0x21B5,
    "PartialD": 0x2202,
    "EmptySet": 0x2205,
    "Laplacian": 0x2206,
    **number_names(0x221E, "Infinity RightAngle Angle MeasuredAngle SphericalAngle"),
    **number_names(0x22EE, "VerticalEllipsis CenterEllipsis AscendingEllipsis DescendingEllipsis"),
    "Diameter": 0x2300,
    "CloverLeaf": 0x2318,
    "WatchIcon": 0x231A,
    **number_names(0x23B4, "OverBracket UnderBracket"),
    **number_names(0x2500, "HorizontalLine - VerticalLine"),
    **number_names(0x25A0, "FilledSquare EmptySquare"),
    **number_names(
        0x25AA, "FilledVerySmallSquare EmptyVerySmallSquare - - FilledRectangle EmptyRectangle"
    ),
    **number_names(0x25B2, "FilledUpTriangle EmptyUpTriangle UpPointer - FilledRightTriangle -"),
    **number_names(0x25B8, "RightPointer - - - FilledDownTriangle EmptyDownTriangle DownPointer -"),
    **number_names(0x25C0, "FilledLeftTriangle - LeftPointer - - - FilledDiamond EmptyDiamond"),
    **number_names(0x25CB, "EmptyCircle - - - FilledCircle"),
    "EmptySmallCircle": 0x25E6,
    "EmptySmallSquare": 0x25FB,
    "FilledSmallSquare": 0x25FC,
    "FivePointedStar": 0x2605,
    "Sun": 0x2609,
    "CheckmarkedBox": 0x2611,
    "CheckedBox": 0x2612,
    **number_names(0x2639, "SadSmiley HappySmiley"),
    **number_names(0x263E, "Moon Mercury Venus - Mars Jupiter Saturn - Neptune Pluto"),
    **number_names(
        0x2648, "AriesSign TaurusSign GeminiSign CancerSign LeoSign VirgoSign LibraSign"
    ),
    **number_names(0x264F, "ScorpioSign SagittariusSign CapricornSign AquariusSign PiscesSign"),
    **number_names(0x2654, "WhiteKing WhiteQueen WhiteRook WhiteBishop WhiteKnight WhitePawn"),
    **number_names(0x265A, "BlackKing BlackQueen BlackRook BlackBishop BlackKnight BlackPawn"),
    **number_names(0x2660, "SpadeSuit HeartSuit DiamondSuit ClubSuit"),
    **number_names(0x2669, "QuarterNote EighthNote BeamedEighthNote BeamedSixteenthNote"),
    **number_names(0x266D, "Flat Natural Sharp"),
    "Uranus": 0x26E2,
    "Checkmark": 0x2713,
    "SixPointedStar": 0x2736,
    **number_names(0xF11D, "Shah WolframLanguageLogo WolframLanguageLogoCircle"),
    **number_names(0xF351, "FreeformPrompt WolframAlphaPrompt"),
    "Null": 0xF3A0,
    "AutoPlaceholder": 0xF3A4,
    "AutoOperand": 0xF3AE,
    "Earth": 0xF3DF,
    "SystemsModelDelay": 0xF3AF,
    **number_names(0xF3B8, "EntityStart EntityEnd SpanFromLeft SpanFromAbove SpanFromBoth"),
    **number_names(0xF3D6, "Gradient Divergence Curl"),
    **number_names(0xF438, "Limit MaxLimit MinLimit"),
    **number_names(0xF4A3, "DiscreteShift DifferenceDelta DiscreteRatio"),
    **number_names(0xF527, "SelectionPlaceholder Placeholder"),
    "DotlessJ": 0xF700,
    "Wolf": 0xF720,
    "LightBulb": 0xF723,
    "WarningSign": 0xF725,
    **number_names(0xF721, "FreakedSmiley NeutralSmiley - NumberSign"),
    **number_names(0xF730, "ScriptDotlessI ScriptDotlessJ"),
    **number_names(0xF749, "DoubledPi DoubledGamma - - ExponentialE ImaginaryI ImaginaryJ"),
    **number_names(
        0xF750, "FilledSmallCircle DottedSquare GraySquare GrayCircle LetterSpace DownBreve"
    ),
    **number_names(0xF756, "KernelIcon MathematicaIcon TripleDot - - - - - - SystemEnterKey"),
    **number_names(0xF761, "LeftSkeleton RightSkeleton ControlKey AliasDelimiter - ReturnKey"),
    **number_names(
        0xF767, "ErrorIndicator AliasIndicator EscapeKey CommandKey LeftModified RightModified"
    ),
    **number_names(0xF7BE, "TabKey SpaceKey"),
    **number_names(0xF7D0, "DeleteKey AltKey OptionKey KeyBar EnterKey ShiftKey Mod1Key Mod2Key"),
    "ConstantC": 0xF7DA,
    "NumberComma": 0xF7FC,
    "UnknownGlyph": 0xFFFD,
    **number_names(0xF7FA, "FirstPage LastPage"),
    **number_names(0xFB01, "FiLigature FlLigature"),
    **number_names(0xFE35, "OverParenthesis UnderParenthesis OverBrace UnderBrace"),
}
_COMBINING_ACCENTS = {
    "Grave": "\u0300",
    "Acute": "\u0301",
    "Hat": "\u0302",
    "Tilde": "\u0303",
    "Bar": "\u0304",
    "Cup": "\u0306",
    "DoubleDot": "\u0308",
    "Ring": "\u030a",
    "DoubleAcute": "\u030b",
    "Hacek": "\u030c",
    "Cedilla": "\u0327",
}
_FIRST_FOREIGN_CODE, _FIRST_PRIVATE_CODE = 0xA0, 0xE000
"""The first non-ASCII printable code, and the start of the Unicode private use area."""
_UNUSED_NAMES = ("UnknownGlyph", "LineSeparator", "ParagraphSeparator")
_ACCENTED_LETTER = re.compile(rf"(Capital)?([A-Z])({'|'.join(_COMBINING_ACCENTS)})")


@cache
def get_character(name: str) -> str | None:
    """Return the character with the given name, or None if the name is unknown.

    Names of accented letters are composed from the letter and the accent: `CapitalEAcute` is `É`.
    """
    code = _CODES_BY_NAME.get(name)
    if code is not None:
        return chr(code)
    match = _ACCENTED_LETTER.fullmatch(name)
    if match is None:
        return None
    letter = match[2] if match[1] else match[2].lower()
    # A letter without a composed form stays a pair of characters, which is not a letter name.
    accented = unicodedata.normalize("NFC", letter + _COMBINING_ACCENTS[match[3]])
    return accented if len(accented) == 1 else None


_PRIVATE_CHARACTER = re.compile("[\ue000-\uf8ff]")
"""Characters of the private use area: other programs cannot display them."""


def escape_private_characters(text: str) -> str:
    r"""Return the text with private-use characters as `\[Name]`, or as `\:f351` if unnamed."""
    return _PRIVATE_CHARACTER.sub(_escape_character, text)


def _escape_character(match: re.Match[str]) -> str:
    name = _get_names_by_character().get(match[0])
    return f"\\[{name}]" if name else f"\\:{ord(match[0]):04x}"


@cache
def _get_names_by_character() -> dict[str, str]:
    return {chr(code): name for name, code in _CODES_BY_NAME.items()}


def get_character_name(letter: str) -> str | None:
    """Return the name by which a character is written in a file, or None to write its code.

    Letters of Unicode, operators and spaces are written by name. Letters of the private use area
    are safer by code.
    """
    name = _get_names_by_character().get(letter)
    if name is None or ord(letter) < _FIRST_FOREIGN_CODE or name in _UNUSED_NAMES:
        return None
    is_known = ord(letter) < _FIRST_PRIVATE_CODE or name in OPERATOR_CODES or name in SPACE_CODES
    return name if is_known else None
