"""What scalars without quotes mean in YAML 1.2, and what not."""

from math import inf, isnan

import pytest

from paddock.authoring.yaml_scalars import parse_number, parse_scalar


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("~", None),
        ("Null", None),
        ("true", True),
        ("FALSE", False),
        ("012", 12),
        ("-7", -7),
        ("0o17", 15),
        ("0xff", 255),
        ("1.5e3", 1500.0),
        (".5", 0.5),
        ("-.inf", -inf),
        ("+.INF", inf),
        ("9" * 101, inf),
        ("yes", "yes"),
        ("2026-11-16", "2026-11-16"),
        ("1_000", "1_000"),
        ("0b1", "0b1"),
        ("nUll", "nUll"),
    ],
)
def test_a_scalar_means_what_the_core_schema_says(text: str, value: object) -> None:
    found = parse_scalar(text)
    assert (type(found), found) == (type(value), value)


def test_not_a_number_is_a_number_to_yaml() -> None:
    number = parse_number(".NaN")
    assert number is not None
    assert isnan(number)
