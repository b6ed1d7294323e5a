"""What literal expressions evaluates to without running anything."""

import pytest

from paddock.wolfram import RuleValue, StringTemplate, UnevaluatedExpression, evaluate, parse_strict
from tests.unit.wolfram.samples import SAMPLES, sample


def value(text: str) -> object:
    (expression,) = parse_strict(text)
    return evaluate(expression)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('"a\\[EAcute]"', "aé"),
        ("-5", -5),
        ("2.5", 2.5),
        ("True", True),
        ("None", None),
        ('{1, {"a"}, {}}', [1, ["a"], []]),
        ('<|"a" -> 1, "b" -> <|"c" -> {}|>|>', {"a": 1, "b": {"c": []}}),
        ('Association[{"a" -> 1}, "b" -> 2]', {"a": 1, "b": 2}),
        ('<|"a" -> 1, "a" -> 2|>', {"a": 2}),
        ('<|"a" -> 1, Nothing, <|"b" -> 2|>|>', {"a": 1, "b": 2}),
        ("{1, Nothing}", [1]),
        ('"a" -> 1', RuleValue("a", 1)),
        ('"a" <> "b" <> {"c", "d"}', "abcd"),
        ('FileNameJoin[{"a", "b"}]', "a/b"),
        ('StringTemplate["`1` of ``"]', StringTemplate("`1` of ``")),
        ("2*3 + 4", 10),
        ("6/3", 2),
        ("1/4", 0.25),
        ("24*60*60", 86400),
        ("Times[]", 1),
        ("Plus[]", 0),
    ],
)
def test_data_has_a_value(text: str, expected: object) -> None:
    found = value(text)
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize(
    "text",
    ["x", "f[1]", "#1 + 1 &", "2*x", "1/0", '"a" <> b', "True + 1", "<|a|>", "Infinity"],
)
def test_what_is_not_data_is_held(text: str) -> None:
    found = value(text)
    assert isinstance(found, UnevaluatedExpression)
    assert found.text == text
    assert repr(found) == f"Held({text!r})"


def test_delayed_values_are_held() -> None:
    assert value('<|"f" :> g[1]|>') == {"f": value("g[1]")}
    assert value('"f" :> 1 + 1') == RuleValue("f", UnevaluatedExpression(parse_strict("1 + 1")[0]))


@pytest.mark.parametrize(
    "text",
    [
        *("1.*^300 * 1*^500", "1.*^300 * 1.*^300", "1*^3000 * 1*^3000"),
        "+".join(["9" * 3999] * 20),
        # Worked out to its end, it would take longer than the limit for a test.
        "*".join("9" * 200_000),
    ],
    ids=lambda text: text[:20],
)
def test_too_great_a_number_is_held(text: str) -> None:
    assert isinstance(value(text), UnevaluatedExpression)


def test_a_paclet_describes_itself() -> None:
    (path,) = (path for path in SAMPLES if path.name == "PacletInfo.wl")
    (paclet,) = parse_strict(sample(path))
    found = evaluate(paclet)
    assert isinstance(found, UnevaluatedExpression)
    facts = evaluate(found.expression.args[0])  # type: ignore[union-attr]  # PacletObject[facts]
    assert isinstance(facts, dict)
    assert facts["Creator"] == "Renée Köhler"
    name, *options = facts["Extensions"][2]
    assert name == "AgentTools"
    assert options[0] == RuleValue("Root", "AgentTools")
    assert options[1].value[2] == {
        "Name": "Wind",
        "Description": "Wind at a place, in m/s",
        "Limit": 100,
    }
