r"""What characters with names are: `\[EAcute]` is é, `\[CapitalARing]` is Å.

Most names follow rules, and are worked out by them: a letter and its accent, a letter of an
alphabet in some style. The rest are runs of codes. A name that is not known gives nothing.
"""

from __future__ import annotations

import re
import string
import unicodedata
from functools import cache

from paddock.wolfram.characters import OPERATOR_CODES, SPACE_CODES, run

_GREEK = (
    "Alpha Beta Gamma Delta CurlyEpsilon Zeta Eta Theta Iota Kappa Lambda Mu Nu Xi Omicron Pi Rho "
    "FinalSigma Sigma Tau Upsilon CurlyPhi Chi Psi Omega"
)
_CAPITAL_GREEK = " ".join(
    "-" if name == "FinalSigma" else f"Capital{name.removeprefix('Curly')}"
    for name in _GREEK.split()
)
_MORE_GREEK = (
    "CurlyTheta CurlyCapitalUpsilon - - Phi CurlyPi - - - CapitalStigma Stigma "
    "CapitalDigamma Digamma CapitalKoppa Koppa CapitalSampi Sampi"
)
_LAST_GREEK = "CurlyKappa CurlyRho - - - Epsilon"
_SMALL = string.ascii_uppercase
"""The names of small letters are written with capitals: `\\[ScriptA]` is a small one."""


def _styled(style: str, small: int, capital: int, elsewhere: str = "") -> dict[str, int]:
    """An alphabet in a style; letters that Unicode has elsewhere are given as `name=code`."""
    names = {f"{style}{letter}": small + place for place, letter in enumerate(_SMALL)}
    names |= {f"{style}Capital{letter}": capital + place for place, letter in enumerate(_SMALL)}
    for one in elsewhere.split():
        name, _, code = one.partition("=")
        names[f"{style}{name}"] = int(code, 16)
    return names


def _digits(style: str, start: int) -> dict[str, int]:
    names = ["Zero", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine"]
    return {f"{style}{name}": start + place for place, name in enumerate(names)}


def _formal(start: int, names: str) -> dict[str, int]:
    return {f"Formal{name}": code for name, code in run(start, names).items()}


def _raw(start: int, names: str) -> dict[str, int]:
    return {f"Raw{name}": code for name, code in run(start, names).items()}


_CODES = {
    **OPERATOR_CODES,
    **SPACE_CODES,
    **run(0x391, _CAPITAL_GREEK),
    **run(0x3B1, _GREEK),
    **run(0x3D1, _MORE_GREEK),
    **run(0x3F0, _LAST_GREEK),
    **_styled(
        "Script",
        0xF6B2,
        0xF770,
        "E=212F G=210A L=2113 O=2134 CapitalB=212C CapitalE=2130 CapitalF=2131 CapitalH=210B "
        "CapitalI=2110 CapitalL=2112 CapitalM=2133 CapitalR=211B",
    ),
    **_styled(
        "Gothic",
        0xF6CC,
        0xF78A,
        "CapitalC=212D CapitalH=210C CapitalI=2111 CapitalR=211C CapitalZ=2128",
    ),
    **_styled("DoubleStruck", 0xF6E6, 0xF7A4),
    **_styled("Formal", 0xF800, 0xF81A),
    **_digits("DoubleStruck", 0xF7DB),
    **_digits("Gothic", 0xF7E5),
    "GothicNine": 0xF7EF,
    **_digits("Script", 0xF7F0),
    **_formal(0xF834, _CAPITAL_GREEK),
    **_formal(0xF854, _GREEK),
    **_formal(0xF874, _MORE_GREEK),
    **_formal(0xF885, _LAST_GREEK),
    "RawEscape": 0x1B,
    **_raw(0x21, "Exclamation DoubleQuote NumberSign Dollar Percent Ampersand Quote"),
    **_raw(0x28, "LeftParenthesis RightParenthesis Star Plus Comma Dash Dot Slash"),
    **_raw(0x3A, "Colon Semicolon Less Equal Greater Question At"),
    **_raw(0x5B, "LeftBracket Backslash RightBracket Wedge Underscore Backquote"),
    **_raw(0x7B, "LeftBrace VerticalBar RightBrace Tilde"),
    **run(0xA1, "DownExclamation Cent Sterling Currency Yen - Section DoubleDot Copyright -"),
    **run(0xAB, "LeftGuillemet - DiscretionaryHyphen RegisteredTrademark - Degree"),
    **run(0xB5, "Micro Paragraph - Cedilla - - RightGuillemet - - - DownQuestion"),
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
    **run(0x2013, "Dash LongDash"),
    **run(0x2020, "Dagger DoubleDagger Bullet - - - Ellipsis"),
    **run(0x2032, "Prime DoublePrime - ReversePrime ReverseDoublePrime"),
    "SkeletonIndicator": 0x2043,
    "Euro": 0x20AC,
    "Rupee": 0x20B9,
    "HBar": 0x210F,
    "WeierstrassP": 0x2118,
    "Trademark": 0x2122,
    "Mho": 0x2127,
    "Angstrom": 0x212B,
    **run(0x2135, "Aleph Bet Gimel Dalet"),
    "ReturnIndicator": 0x21B5,
    "PartialD": 0x2202,
    "EmptySet": 0x2205,
    "Laplacian": 0x2206,
    **run(0x221E, "Infinity RightAngle Angle MeasuredAngle SphericalAngle"),
    **run(0x22EE, "VerticalEllipsis CenterEllipsis AscendingEllipsis DescendingEllipsis"),
    "Diameter": 0x2300,
    "CloverLeaf": 0x2318,
    "WatchIcon": 0x231A,
    **run(0x23B4, "OverBracket UnderBracket"),
    **run(0x2500, "HorizontalLine - VerticalLine"),
    **run(0x25A0, "FilledSquare EmptySquare"),
    **run(0x25AA, "FilledVerySmallSquare EmptyVerySmallSquare - - FilledRectangle EmptyRectangle"),
    **run(0x25B2, "FilledUpTriangle EmptyUpTriangle UpPointer - FilledRightTriangle -"),
    **run(0x25B8, "RightPointer - - - FilledDownTriangle EmptyDownTriangle DownPointer -"),
    **run(0x25C0, "FilledLeftTriangle - LeftPointer - - - FilledDiamond EmptyDiamond"),
    **run(0x25CB, "EmptyCircle - - - FilledCircle"),
    "EmptySmallCircle": 0x25E6,
    "EmptySmallSquare": 0x25FB,
    "FilledSmallSquare": 0x25FC,
    "FivePointedStar": 0x2605,
    "Sun": 0x2609,
    "CheckmarkedBox": 0x2611,
    "CheckedBox": 0x2612,
    **run(0x2639, "SadSmiley HappySmiley"),
    **run(0x263E, "Moon Mercury Venus - Mars Jupiter Saturn - Neptune Pluto"),
    **run(0x2648, "AriesSign TaurusSign GeminiSign CancerSign LeoSign VirgoSign LibraSign"),
    **run(0x264F, "ScorpioSign SagittariusSign CapricornSign AquariusSign PiscesSign"),
    **run(0x2654, "WhiteKing WhiteQueen WhiteRook WhiteBishop WhiteKnight WhitePawn"),
    **run(0x265A, "BlackKing BlackQueen BlackRook BlackBishop BlackKnight BlackPawn"),
    **run(0x2660, "SpadeSuit HeartSuit DiamondSuit ClubSuit"),
    **run(0x2669, "QuarterNote EighthNote BeamedEighthNote BeamedSixteenthNote"),
    **run(0x266D, "Flat Natural Sharp"),
    "Uranus": 0x26E2,
    "Checkmark": 0x2713,
    "SixPointedStar": 0x2736,
    **run(0xF11D, "Shah WolframLanguageLogo WolframLanguageLogoCircle"),
    **run(0xF351, "FreeformPrompt WolframAlphaPrompt"),
    "Null": 0xF3A0,
    "AutoPlaceholder": 0xF3A4,
    "AutoOperand": 0xF3AE,
    "Earth": 0xF3DF,
    "SystemsModelDelay": 0xF3AF,
    **run(0xF3B8, "EntityStart EntityEnd SpanFromLeft SpanFromAbove SpanFromBoth"),
    **run(0xF3D6, "Gradient Divergence Curl"),
    **run(0xF438, "Limit MaxLimit MinLimit"),
    **run(0xF4A3, "DiscreteShift DifferenceDelta DiscreteRatio"),
    **run(0xF527, "SelectionPlaceholder Placeholder"),
    "DotlessJ": 0xF700,
    "Wolf": 0xF720,
    "LightBulb": 0xF723,
    "WarningSign": 0xF725,
    **run(0xF721, "FreakedSmiley NeutralSmiley - NumberSign"),
    **run(0xF730, "ScriptDotlessI ScriptDotlessJ"),
    **run(0xF749, "DoubledPi DoubledGamma - - ExponentialE ImaginaryI ImaginaryJ"),
    **run(0xF750, "FilledSmallCircle DottedSquare GraySquare GrayCircle LetterSpace DownBreve"),
    **run(0xF756, "KernelIcon MathematicaIcon TripleDot - - - - - - SystemEnterKey"),
    **run(0xF761, "LeftSkeleton RightSkeleton ControlKey AliasDelimiter - ReturnKey"),
    **run(0xF767, "ErrorIndicator AliasIndicator EscapeKey CommandKey LeftModified RightModified"),
    **run(0xF7BE, "TabKey SpaceKey"),
    **run(0xF7D0, "DeleteKey AltKey OptionKey KeyBar EnterKey ShiftKey Mod1Key Mod2Key"),
    "ConstantC": 0xF7DA,
    "NumberComma": 0xF7FC,
    "UnknownGlyph": 0xFFFD,
    **run(0xF7FA, "FirstPage LastPage"),
    **run(0xFB01, "FiLigature FlLigature"),
    **run(0xFE35, "OverParenthesis UnderParenthesis OverBrace UnderBrace"),
}
_ACCENTS = {
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
_FOREIGN, _FIRST_PRIVATE = 0xA0, 0xE000
"""The first code that is not ASCII or a control, and the first that Unicode leaves to others."""
_UNNAMED = ("UnknownGlyph", "LineSeparator", "ParagraphSeparator")
_ACCENTED = re.compile(rf"(Capital)?([A-Z])({'|'.join(_ACCENTS)})")


@cache
def character(name: str) -> str | None:
    """The character that a name stands for."""
    code = _CODES.get(name)
    if code is not None:
        return chr(code)
    found = _ACCENTED.fullmatch(name)
    if found is None:
        return None
    letter = found[2] if found[1] else found[2].lower()
    accented = unicodedata.normalize("NFC", letter + _ACCENTS[found[3]])
    return accented if len(accented) == 1 else None


_PRIVATE = re.compile("[\ue000-\uf8ff]")
"""Characters that mean what the language says, and to everything else nothing."""


def spelled_out(text: str) -> str:
    r"""Text with private-use characters written by name, `\[Name]`, or else by code, `\:f351`."""
    return _PRIVATE.sub(_spelling, text) if _PRIVATE.search(text) else text


def _spelling(found: re.Match[str]) -> str:
    name = _names().get(found[0])
    return f"\\[{name}]" if name else f"\\:{ord(found[0]):04x}"


@cache
def _names() -> dict[str, str]:
    return {chr(code): name for name, code in _CODES.items()}


def name_of(letter: str) -> str | None:
    """The name under which a file can hold a character that is not ASCII.

    Letters of Unicode and operators have one; private letters are safer by their codes.
    """
    name = _names().get(letter)
    if name is None or ord(letter) < _FOREIGN or name in _UNNAMED:
        return None
    is_known = ord(letter) < _FIRST_PRIVATE or name in OPERATOR_CODES or name in SPACE_CODES
    return name if is_known else None
