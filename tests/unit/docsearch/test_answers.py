"""Answers: what a reader gets of the pages that were found."""

import pytest

from paddock.docsearch.model import PageHit
from paddock.docsearch.search import format_hits


def hit(title: str, text: str) -> PageHit:
    return PageHit(title, f"https://example.org/{title}", text, 0.5, "corpus")


def test_each_page_has_its_title_where_it_is_from_and_its_text() -> None:
    assert format_hits([hit("Map", "Applies."), hit("Apply", "Replaces.")]) == (
        "<result url='https://example.org/Map'>\n\n# Map\n\nApplies.\n\n</result>\n\n"
        "<result url='https://example.org/Apply'>\n\n# Apply\n\nReplaces.\n\n</result>"
    )


def test_nothing_found_is_an_empty_text() -> None:
    assert format_hits([]) == ""


@pytest.mark.parametrize("budget", [0, 10, 100, 200, 500, 1_000, 5_000])
def test_an_answer_is_never_longer_than_its_budget(budget: int) -> None:
    hits = [hit(f"page{number}", "some words of text\n" * 40) for number in range(6)]
    assert len(format_hits(hits, budget)) <= budget


def test_a_long_page_leaves_room_for_the_others() -> None:
    hits = [hit("long", "word " * 2_000), hit("short", "All of it."), hit("last", "This too.")]
    text = format_hits(hits, 2_000)
    assert "All of it." in text
    assert "This too." in text


def test_a_fence_that_was_cut_is_closed() -> None:
    text = format_hits([hit("code", "```\n" + "x = 1\n" * 500)], 400)
    assert text.count("```") == 2


def test_a_title_and_an_address_cannot_leave_their_places() -> None:
    found = PageHit("two\nlines", "it's\nhere", "text", 0.5, "corpus")
    assert format_hits([found]) == "<result url='it%27s here'>\n\n# two lines\n\ntext\n\n</result>"
