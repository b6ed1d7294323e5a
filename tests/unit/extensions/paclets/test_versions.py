"""The order of versions."""

import pytest

from paddock.extensions.paclets.discovery import make_version_key

RISING = ["", "0.9", "1.0.0-beta", "1.0.0", "1.0.1", "1.2", "1.10", "1.10.0.1", "2.0", "14.1"]


def test_numbers_between_dots_are_compared_as_numbers() -> None:
    shuffled = RISING[::2] + RISING[1::2]
    assert sorted(shuffled, key=make_version_key) == RISING


@pytest.mark.parametrize(("one", "other"), [("1.0", "1.0.0"), ("1", "1.0"), ("01.2", "1.2")])
def test_zeros_at_the_end_make_no_difference(one: str, other: str) -> None:
    assert make_version_key(one) == make_version_key(other)


def test_a_number_of_any_length_is_one() -> None:
    assert make_version_key("9" * 10_000) > make_version_key("1")
