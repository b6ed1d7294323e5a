"""Ages as people write them."""

import pytest

from paddock.toolkits.session_evaluation import parse_duration


@pytest.mark.parametrize(
    ("age", "expected"),
    [
        ("1 month", 30 * 86_400.0),
        ("2 Weeks", 14 * 86_400.0),
        ("1.5 hours", 5400.0),
        ('Quantity[1, "Days"]', 86_400.0),
        (90, 90.0),
        (None, None),
        ("Infinity", None),
        (float("inf"), None),
        ("soon", None),
        ("3 moons", None),
    ],
)
def test_an_age_is_so_many_seconds_or_none(age: object, expected: float | None) -> None:
    assert parse_duration(age) == expected
