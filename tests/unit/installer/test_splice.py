"""One change of bytes, and reverting it ."""

from hypothesis import given
from hypothesis import strategies as st

from paddock.installer.entry_location import compute_splice, is_untouched, iterate_reverted_contents

PIECES = [b"a", b"b", b"\n", b"ab\n", b"}", b"\xc3"]
TEXTS = st.lists(st.sampled_from(PIECES)).map(b"".join)


@given(TEXTS, TEXTS)
def test_a_change_can_be_reverted_exactly(before: bytes, after: bytes) -> None:
    splice = compute_splice(before, after)
    assert is_untouched(splice, after)
    assert list(iterate_reverted_contents(splice, after)) == [before]


@given(TEXTS, TEXTS, TEXTS)
def test_a_change_can_be_reverted_after_changes_elsewhere(
    left: bytes, right: bytes, other: bytes
) -> None:
    added = b"[something that stands nowhere else]\n"
    splice = compute_splice(left + b"\n" + right, left + b"\n" + added + right)
    now = other + b"\n" + left + b"\n" + added + right + b"\n" + other
    wanted = other + b"\n" + left + b"\n" + right + b"\n" + other
    assert next(iterate_reverted_contents(splice, now)) == wanted


def test_what_was_replaced_comes_back() -> None:
    splice = compute_splice(b"a = 1\nb = 2\nc = 3\n", b"a = 1\nb = 44\nc = 3\n")
    now = b"# top\na = 1\nb = 44\nc = 3\n"
    assert next(iterate_reverted_contents(splice, now)) == b"# top\na = 1\nb = 2\nc = 3\n"


def test_an_insertion_between_lines_begins_with_its_own_first_line() -> None:
    splice = compute_splice(b"[a]\n[c]\n", b"[a]\n[b]\n[c]\n")
    assert (splice.start, splice.added) == (4, b"[b]\n")


def test_text_that_stands_twice_is_distinguished_by_what_is_around_it() -> None:
    splice = compute_splice(b"one\ntwo\n", b"one\nx\ntwo\n")
    assert (
        next(iterate_reverted_contents(splice, b"x\none\nx\ntwo\nthree\n"))
        == b"x\none\ntwo\nthree\n"
    )


def test_text_that_is_gone_is_not_guessed_at() -> None:
    splice = compute_splice(b"one\ntwo\n", b"one\nnew\ntwo\n")
    assert list(iterate_reverted_contents(splice, b"one\nother\ntwo\n")) == []
