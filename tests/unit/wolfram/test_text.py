"""What strings, numbers and names of symbols evaluates to."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paddock.wolfram import (
    escape_private_characters,
    input_form,
    is_symbol,
    parse_number,
    parse_strict,
    parse_string,
    parse_symbol_name,
    read_wxf,
    string,
    write_wxf,
)

STRINGS = [
    (r'"plain"', "plain"),
    (r'"a\"b\\c"', 'a"b\\c'),
    (r'"\n\t\r\b\f"', "\n\t\r\b\f"),
    ('"a\\\nb\\\r\nc\nd"', "abc\nd"),
    (r'"\[Alpha]\[CapitalGamma]\[Epsilon]\[CurlyEpsilon]"', "\u03b1\u0393\u03f5\u03b5"),
    (r'"\[EAcute]\[CapitalARing]\[NTilde]\[CHacek]\[ODoubleAcute]\[SZ]"', "éÅñčőß"),
    (r'"\[ScriptA]\[ScriptCapitalL]\[GothicCapitalZ]"', "\uf6b2\u2112\u2128"),
    (r'"\[DoubleStruckCapitalR]\[FormalX]\[FormalCapitalPi]"', "\uf7b5\uf817\uf843"),
    (r'"\[RightArrow]\[Rule]\[LessEqual]\[Element]"', "→\uf522≤\u2208"),
    (r'"\[FilledCircle]\[HeartSuit]\[Checkmark]\[LongDash]"', "●♡✓—"),
    (r'"\[RawDoubleQuote]\[RawBackslash]\[NonBreakingSpace]"', '"\\\u00a0'),
    (r'"\[NoSuchCharacter]"', r"\[NoSuchCharacter]"),
    (r'"\:03b1\.41\|01f600\101"', "\u03b1A\U0001f600A"),
    (r'"\|ffffff"', r"\|ffffff"),
    (r'"\!\(\*SuperscriptBox[\(x\), \(2\)]\)"', r"\!\(\*SuperscriptBox[\(x\), \(2\)]\)"),
    (r'"\<a\>"', "a"),
]
NUMBERS: list[tuple[str, float | None]] = [
    ("12", 12),
    ("-12", -12),
    ("1.5", 1.5),
    ("2.", 2.0),
    ("-.5", -0.5),
    ("1.5`20", 1.5),
    ("3``5", 3.0),
    ("1*^3", 1000),
    ("1.*^-3", 0.001),
    ("1*^-3", 0.001),
    ("16^^ff", 255),
    ("-16^^fF", -255),
    ("2^^1.01", 1.25),
    ("2^^1*^4", 16),
    ("123456789012345678901234567890123", 123456789012345678901234567890123),
    ("1.*^999", None),
    ("1*^999999999", None),
    ("1" * 5000, None),
    ("9" * 3000 + "*^3999", None),
    ("36^^" + "z" * 3500, None),
    ("16^^fg", None),
    ("x", None),
]


@pytest.mark.parametrize(("text", "value"), STRINGS)
def test_escapes_in_strings(text: str, value: str) -> None:
    assert parse_string(text) == value


@pytest.mark.parametrize(("text", "value"), NUMBERS)
def test_numbers(text: str, value: float | None) -> None:
    found = parse_number(text)
    assert found == value
    assert type(found) is type(value)


@given(st.text())
def test_any_string_can_be_written_and_read(value: str) -> None:
    assert parse_string(string(value).text) == value


@pytest.mark.parametrize("accent", ["Grave", "Acute", "Hat", "DoubleDot"])
def test_accented_letters_are_worked_out(accent: str) -> None:
    for letter in "AEIOU":
        small, capital = (
            parse_symbol_name(f"\\[{letter}{accent}]"),
            parse_symbol_name(f"\\[Capital{letter}{accent}]"),
        )
        assert capital == small.upper()
        assert unicodedata.normalize("NFD", capital)[0] == letter


def test_the_name_of_a_symbol_has_its_characters() -> None:
    assert parse_symbol_name(r"ctx`\[Alpha]\:00e9") == "ctx`\u03b1é"
    assert parse_symbol_name("plain") == "plain"


def test_private_use_characters_can_be_spelled_out() -> None:
    assert escape_private_characters("\uf351 \ue0ff é") == r"\[FreeformPrompt] \:e0ff é"


@pytest.mark.parametrize(
    ("letters", "name"),
    [
        ((r"\[Pi]", "\u03c0"), "Pi"),
        ((r"\[Infinity]", "\u221e"), "Infinity"),
        ((r"\[Degree]", "\u00b0"), "Degree"),
        ((r"\[ExponentialE]", "\uf74d"), "E"),
        ((r"\[ImaginaryI]", r"\[ImaginaryJ]"), "I"),
    ],
)
def test_a_letter_may_be_a_constant(letters: tuple[str, str], name: str) -> None:
    for letter in letters:
        (expression,) = parse_strict(letter)
        assert parse_symbol_name(letter) == name
        assert is_symbol(expression, name)
        assert input_form(expression) == letter
        assert read_wxf(write_wxf(expression)).text == name  # type: ignore[union-attr]  # an atom
        assert parse_symbol_name(f"x{letter}") != f"x{name}"
