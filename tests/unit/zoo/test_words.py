"""Slugs, words and moments."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paddock.zoo import timestamps
from paddock.zoo.search_terms import extract_words, make_index_text, make_snippet
from paddock.zoo.slugs import find_free_slug, slugify


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Code Wizard", "code-wizard"),
        ("  C++ / C#  ", "c-c"),
        ("Ärger_Müller", "arger-muller"),
        ("日本", "agent"),
        ("", "agent"),
        ("-" * 10, "agent"),
        ("x" * 100, "x" * 64),
    ],
)
def test_slugs_are_lower_case_ascii(text: str, expected: str) -> None:
    assert slugify(text, "agent") == expected


def test_a_slug_that_is_taken_gets_the_next_number_within_its_length() -> None:
    taken = {"sage", "sage-2", "x" * 64}
    assert find_free_slug("sage", taken.__contains__) == "sage-3"
    assert find_free_slug("x" * 64, taken.__contains__) == "x" * 62 + "-2"
    assert find_free_slug("new", taken.__contains__) == "new"


@given(st.text())
def test_what_is_indexed_is_plain_words(text: str) -> None:
    words = make_index_text([text]).split(" ") if make_index_text([text]) else []
    assert all(word.isascii() and word.replace("_", "").isalnum() for word in words)
    assert len(words) == len(extract_words(text))


def test_words_have_neither_case_nor_accents_and_come_once() -> None:
    assert extract_words("Déjà vu, DEJA_VU! straße 東京 x2") == [
        *("deja", "vu", "strasse", "東", "京", "x2"),
    ]


def test_a_snippet_is_one_line_around_the_first_word() -> None:
    long = "before " * 100 + "the needle is here " + "after " * 100
    assert make_snippet("short\n\ntext", ["x"]) == "short text"
    found = make_snippet(long, ["needle"])
    assert found.startswith("… before")
    assert found.endswith("after …")
    assert "needle" in found
    assert len(found) <= 164


@pytest.mark.parametrize(
    ("text", "first", "after"),
    [
        ("2026-01-31", "2026-01-31T00:00:00.000Z", "2026-02-01T00:00:00.000Z"),
        ("2026-01-31T10:00:00Z", "2026-01-31T10:00:00.000Z", "2026-01-31T10:00:00.001Z"),
        ("2026-01-31T10:00:00+02:00", "2026-01-31T08:00:00.000Z", "2026-01-31T08:00:00.001Z"),
    ],
)
def test_days_count_whole_and_moments_to_the_millisecond(text: str, first: str, after: str) -> None:
    assert timestamps.parse_period_start(text) == first
    assert timestamps.parse_period_end(text) == after
