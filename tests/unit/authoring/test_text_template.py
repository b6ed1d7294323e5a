"""The little language of prompt texts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paddock.authoring.prompt_renderer import fill_template, list_placeholders


@pytest.mark.parametrize(
    ("template", "arguments", "text"),
    [
        ("", {}, ""),
        ("plain", {}, "plain"),
        ("{x}", {"x": "1"}, "1"),
        ("{x}{x} {y}", {"x": "1", "y": "2"}, "11 2"),
        ("{x}", {}, "{x}"),
        ("{x}", {"x": ""}, ""),
        ("{?x?yes}", {"x": ""}, "yes"),
        ("{?x?yes}", {}, ""),
        ("a{?x? b {x} c}d", {"x": "1"}, "a b 1 cd"),
        ("a{?x? b {x} c}d", {}, "ad"),
        ("{?x?{?y?both}}", {"x": "1", "y": "1"}, "both"),
        ("{?x?one{?y? both}!}", {"x": "1"}, "one!"),
        ("{?x?{?y?both}}", {"y": "1"}, ""),
        ("{?x?if (a) { b(); }}", {"x": "1"}, "if (a) { b(); }"),
        ('{"key": "{x}"}', {"x": "1"}, '{"key": "1"}'),
        ("{ x }", {"x": "1"}, "{ x }"),
        ("{}", {"": "1"}, "{}"),
        ("{{x}}", {"x": "1"}, "{1}"),
        ("{?x?open", {"x": "1"}, "{?x?open"),
        ("{größe} {日本}", {"größe": "ü", "日本": "é"}, "ü é"),
        ("line\n{x}\nline", {"x": "a\nb"}, "line\na\nb\nline"),
    ],
)
def test_placeholders_are_filled(template: str, arguments: dict[str, str], text: str) -> None:
    assert fill_template(template, arguments) == text


def test_a_value_is_never_looked_into() -> None:
    arguments = {"x": "{y} {?y?boo} {x}", "y": "secret"}
    assert fill_template("{x}", arguments) == "{y} {?y?boo} {x}"
    assert fill_template("{?x?a {x}}", arguments) == "a {y} {?y?boo} {x}"


@given(st.text(), st.text())
def test_any_value_comes_through_as_it_is(before: str, value: str) -> None:
    text = before.replace("{", "").replace("}", "")
    assert fill_template(text + "{x}" + text, {"x": value}) == text + value + text


@given(st.text(alphabet="{}?xy "), st.dictionaries(st.sampled_from("xy"), st.text(max_size=3)))
def test_any_template_can_be_filled(template: str, arguments: dict[str, str]) -> None:
    filled = fill_template(template, arguments)
    if not list_placeholders(template):
        assert filled == template


def test_placeholders_are_found_in_their_order() -> None:
    assert list_placeholders("{b} {?a?{c} {b}} {not this} {d}") == ["b", "a", "c", "d"]
