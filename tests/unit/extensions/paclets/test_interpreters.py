"""What a model may send for parameters that Wolfram interprets."""

import jsonschema_rs
import pytest

from paddock import connect
from paddock.extensions.paclets.interpreter_schema import InterpreterSchemaBuilder, to_json_pattern
from paddock.extensions.registry import ItemRegistry
from paddock.server import Server
from paddock.wolfram.literals import evaluate
from paddock.wolfram.parser import parse_strict
from tests.unit.extensions.paclets.making import sample


def value(text: str) -> object:
    return evaluate(parse_strict(text)[0])


def schema(text: str) -> dict[str, object]:
    return InterpreterSchemaBuilder().build_schema(value(text))


TEXT = {"type": "string"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('"String"', TEXT),
        ("String", TEXT),
        ("Automatic", TEXT),
        ('"Integer"', {"type": "integer"}),
        ('"Real"', {"type": "number"}),
        ('"Boolean"', {"type": "boolean"}),
        ('{ "a", "b", "a" }', {"type": "string", "enum": ["a", "b"]}),
        ('<| "a" -> 1, "b" -> 2 |>', {"type": "string", "enum": ["a", "b"]}),
        ("{ 1, 2 }", {"type": "integer", "enum": [1, 2]}),
        ("{ 1, 2.5 }", {"type": "number", "enum": [1, 2.5]}),
        ('Restricted[ "Integer", { 1, 10 } ]', {"type": "integer", "minimum": 1, "maximum": 10}),
        ('Restricted[ "Integer", { -Infinity, 3 } ]', {"type": "integer", "maximum": 3}),
        ('Restricted[ "Integer", { 0, 10, 5 } ]', {"type": "integer", "enum": [0, 5, 10]}),
        (
            'Restricted[ "Integer", { 0, 10^6, 5 } ]',
            {"type": "integer", "minimum": 0},
        ),
        ('Restricted[ "Integer", { { 2, 4 } } ]', {"type": "integer", "enum": [2, 4]}),
        ('Restricted[ "Number", 5 ]', {"type": "number", "maximum": 5}),
        ('Restricted[ "String", __, 5 ]', {**TEXT, "pattern": "^(?:[\\s\\S]+)$", "maxLength": 5}),
        ('Restricted[ "String", ___ ]', TEXT),
        ('RegularExpression[ "[a-z]+" ]', {**TEXT, "pattern": "^(?:[a-z]+)$"}),
        ('RepeatingElement[ "Integer" ]', {"type": "array", "items": {"type": "integer"}}),
        ('RepeatingElement[ "String", 3 ]', {"type": "array", "items": TEXT, "maxItems": 3}),
        (
            'RepeatingElement[ "String", { 2, { 1, 3 } } ]',
            {"type": "array", "items": TEXT, "minItems": 1, "maxItems": 3},
        ),
        ('Restricted[ "Integer", { 0, 1*^400, 1 } ]', {"type": "integer", "minimum": 0}),
        ('Restricted[ "Number", { 0, 1.*^400 } ]', {"type": "number", "minimum": 0}),
        ('"Integer" | "String"', {"anyOf": [{"type": "integer"}, TEXT]}),
    ],
)
def test_an_interpreter_has_a_schema(text: str, expected: dict[str, object]) -> None:
    assert schema(text) == expected


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('"City"', "City"),
        ("ToExpression", "ToExpression"),
        ('Restricted[ "Date", { 1, 2 } ]', 'Date, Restricted["Date", {1, 2}]'),
        ('Restricted[ "String", StringLength[ # ] > 2 & ]', None),
        ('DelimitedSequence[ "Integer" ]', 'DelimitedSequence["Integer"]'),
        ("{ x, y }", "{x, y}"),
        ("{ }", "{}"),
        ("{ 1, 1*^400 }", "{1, 1000"),
        ("RepeatingElement[ ]", "RepeatingElement[]"),
    ],
)
def test_what_json_has_no_type_for_is_text_and_is_named(text: str, name: str | None) -> None:
    interpreting = InterpreterSchemaBuilder()
    assert interpreting.build_schema(value(text)) == TEXT
    note = interpreting.format_note()
    assert note.startswith("(Given as text, for the Wolfram interpreter ")
    assert name is None or name in note


@pytest.mark.parametrize(
    ("pattern", "good", "bad"),
    [
        ("DigitCharacter ..", "123", "12a"),
        ('LetterCharacter ~~ ("-" | "_") ~~ DigitCharacter', "a-1", "a+1"),
        ('"a" ~~ Repeated[ "b", { 2, 3 } ]', "abb", "ab"),
        ('Repeated[ "b", { 2 } ]', "bb", "b"),
        ('Repeated[ "b", 2 ]', "bb", "bbb"),
        ('Repeated[ "b", { 2, Infinity } ]', "bbbbb", "b"),
        ('"x" ...', "", "y"),
        ('"a*"', "abc", "bc"),
        ('"1.5"', "1.5", "1x5"),
        ('CharacterRange[ "a", "f" ] ..', "face", "gas"),
        ('Except[ "a" ]', "b", "a"),
        ("NumberString", "-1.5", "1,5"),
        ('{ "yes", "no" }', "no", "maybe"),
        ("year : Repeated[ DigitCharacter, { 4 } ]", "2026", "26"),
        ('RegularExpression[ "(?s)a.b" ]', "a\nb", "ab"),
        ('RegularExpression[ "\\\\Aa\\\\z" ]', "a", "aa"),
        ('RegularExpression[ "[[:upper:]]+" ]', "ABC", "abc"),
        ('RegularExpression[ "\\\\x{41}" ]', "A", "B"),
        ('RegularExpression[ "\\\\x{263A}" ]', "☺", "A"),
    ],
)
def test_string_patterns_become_regular_expressions(pattern: str, good: str, bad: str) -> None:
    found = to_json_pattern(value(pattern))
    assert found is not None
    validator = jsonschema_rs.validator_for({"pattern": found})
    assert (validator.is_valid(good), validator.is_valid(bad)) == (True, False)


@pytest.mark.parametrize(
    "pattern",
    [
        'RegularExpression[ "(?i)a" ]',
        'RegularExpression[ "(" ]',
        'RegularExpression[ "[[a" ]',
        "RegularExpression[ x ]",
        "f[ ]",
        "Unknown",
        '"a" ~~ Unknown',
        "x_ /; True",
        'CharacterRange[ "z", "a" ]',
        'Repeated[ "a", n ]',
    ],
)
def test_what_cannot_be_translated_gives_none(pattern: str) -> None:
    assert to_json_pattern(value(pattern)) is None


def test_a_call_is_checked_against_all_of_them() -> None:
    tool = ItemRegistry([sample("Interpreters")]).resolve_item(
        "tools", "Interpreters/Everything", where=""
    )
    good = {
        "plain": 1.5,
        "colour": "red",
        "size": "large",
        "limited": 10,
        "odd": 3,
        "positive": 0,
        "below": 2,
        "one": "a",
        "code": "ab12",
        "digits": "123",
        "words": ["a"],
        "several": [1, 2],
        "subset": ["x"],
        "pair": ["a", 1],
        "point": {"x": 1, "y": 2},
        "either": True,
        "wrapped": 1,
        "city": "Rome",
        "cities": ["Rome"],
        "custom": "x",
    }
    bad = {"colour": "blue", "limited": 11, "odd": 4, "code": "12", "digits": "1", "words": []}
    server = Server("test")
    server.register([tool])
    with connect(server) as peer:
        assert 'does not define Interpreter["City"]' in peer.call("everything", good).text
        for name, wrong in bad.items():
            assert "Invalid arguments" in peer.call("everything", {**good, name: wrong}).text
