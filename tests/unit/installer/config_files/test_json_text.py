"""Reading and changing JSON files: what is read, what is refused and where, what is written."""

import json

import pytest

from paddock.installer.config_files.document import (
    MISSING,
    ConfigurationError,
    JsonDialect,
    NamedElementStep,
    UneditableError,
)
from paddock.installer.config_files.json_document import JsonDocument, read

STRICT: JsonDialect = "strict"
COMMENTS: JsonDialect = "comments"
JSONC: JsonDialect = "jsonc"
X = NamedElementStep("x")


def document(text: str, dialect: JsonDialect = JSONC) -> JsonDocument:
    return read(text, where="file.json", dialect=dialect)


def fault(text: str, dialect: JsonDialect = JSONC) -> str:
    with pytest.raises(ConfigurationError) as caught:
        document(text, dialect)
    return f"{caught.value.where} {caught.value.message}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{", "file.json:1:2 the file ends, expected a key in double quotes or '}'"),
        ("[", "file.json:1:2 the file ends, expected a value or ']'"),
        ('{"a"', "file.json:1:5 the file ends, expected ':' after the key"),
        ('{"a" 1}', "file.json:1:6 found '1', expected ':' after the key"),
        ('{"a":}', "file.json:1:6 found '}', expected a value"),
        ('{\n  "a": 1\n  "b": 2\n}', "file.json:3:3 found '\"', expected ',' or a closing bracket"),
        (
            '{\r\n "a": 1\r\n  b: 2\r\n}',
            "file.json:3:3 found 'b', expected ',' or a closing bracket",
        ),
        ('{"ä": "😀", b: 2}', "file.json:1:12 found 'b', expected a key in double quotes or '}'"),
        ("{'a': 1}", "file.json:1:2 found \"'\", expected a key in double quotes or '}'"),
        ("[1 2]", "file.json:1:4 found '2', expected ',' or a closing bracket"),
        ("[1}", "file.json:1:3 found '}', expected ',' or a closing bracket"),
        ("[,]", "file.json:1:2 found ',', expected a value or ']'"),
        ("[1,,]", "file.json:1:4 found ',', expected a value or ']'"),
        ("{,}", "file.json:1:2 found ',', expected a key in double quotes or '}'"),
        ("{} {}", "file.json:1:4 found '{', expected the end of the file"),
        ("{}}", "file.json:1:3 found '}', expected the end of the file"),
        ("[NaN]", "file.json:1:2 found 'NaN', expected a value or ']'"),
        ("[-Infinity]", "file.json:1:2 found '-Infinity', expected a value or ']'"),
        ("[01]", "file.json:1:3 found '1', expected ',' or a closing bracket"),
        ("[1.]", "file.json:1:3 found '.', expected ',' or a closing bracket"),
        ("[True]", "file.json:1:2 found 'True', expected a value or ']'"),
        ("[\u00a01]", "file.json:1:2 found '\\xa0', expected a value or ']'"),
        ('["a', "file.json:1:2 a string that is not closed, expected '\"' on the same line"),
        ('["a\nb"]', "file.json:1:4 a string that is not closed, expected '\"' on the same line"),
        ('["a\\x"]', "file.json:1:4 \\x in a string, expected a valid escape sequence"),
        ('["\\u12"]', "file.json:1:3 \\u in a string, expected a valid escape sequence"),
        ('["a\tb"]', "file.json:1:4 a control character in a string, expected \\u0009"),
        ("{ /* a\n*", "file.json:1:3 a comment that is not closed, expected '*/'"),
        ("{ # a\n}", "file.json:1:3 found '#', expected a key in double quotes or '}'"),
        ('"text"', "file.json:1:1 the whole file is a string, expected a mapping"),
        ("// c\n 12", "file.json:2:2 the whole file is a number, expected a mapping"),
        ("null", "file.json:1:1 the whole file is null, expected a mapping"),
    ],
)
def test_a_fault_is_reported_with_line_and_column(text: str, expected: str) -> None:
    assert fault(text) == expected


@pytest.mark.parametrize(
    ("text", "dialect", "expected"),
    [
        (
            '{\n  "a": 1 // c\n}',
            STRICT,
            "file.json:2:10 a comment, which this client does not read",
        ),
        ("/* c */{}", STRICT, "file.json:1:1 a comment, which this client does not read"),
        (
            '{"a": [1, ]}',
            STRICT,
            "file.json:1:9 a comma before ']', which this client does not read",
        ),
        (
            '{\n  "a": 1, // c\n}',
            COMMENTS,
            "file.json:2:9 a comma before '}', which this client does not read",
        ),
        ("[,]", STRICT, "file.json:1:2 found ',', expected a value or ']'"),
        ("[1,,]", STRICT, "file.json:1:4 found ',', expected a value"),
    ],
)
def test_what_a_client_would_not_read_is_refused(
    text: str, dialect: JsonDialect, expected: str
) -> None:
    assert fault(text, dialect) == expected


@pytest.mark.parametrize(
    ("text", "dialect", "data"),
    [
        ("", STRICT, {}),
        (" \r\n\t", STRICT, {}),
        ("// nothing yet\n", COMMENTS, {}),
        ('{"a": 1}', STRICT, {"a": 1}),
        ('{"a": 1 /* c */ // d\n}', COMMENTS, {"a": 1}),
        ('{"a": [1, /* c */],}', JSONC, {"a": [1]}),
        ('{"a": "// no /* comment", "b": ",}"}', STRICT, {"a": "// no /* comment", "b": ",}"}),
        ('{"a": 1, "\\u0061": 2}', STRICT, {"a": 2}),
        ('["\\ud800", "\\ud83d\\ude00"]', STRICT, ["\ud800", "😀"]),
        ("[1e999, -0, 12345678901234567890]", STRICT, [float("inf"), 0, 12345678901234567890]),
        ("/*/ // */[]", JSONC, []),
    ],
)
def test_each_dialect_reads_what_its_client_reads(
    text: str, dialect: JsonDialect, data: object
) -> None:
    assert document(text, dialect).to_data() == data


def test_a_number_with_more_digits_than_python_reads_is_kept_as_it_is() -> None:
    digits = "9" * 10_000
    changed = document(f'{{"a": {digits}}}').put(("b",), 1)
    assert changed.text == f'{{"a": {digits}, "b": 1}}'


def test_nesting_below_the_limit_of_the_parser_is_read_and_changed() -> None:
    inner = "[" * 200 + "1" + "]" * 200
    text = f'{{"deep": {inner}, "mcpServers": {{}}}}'
    changed = document(text).put(("mcpServers", "x"), 1)
    assert changed.text == f'{{"deep": {inner}, "mcpServers": {{"x": 1}}}}'
    assert changed.remove(("mcpServers", "x")).text == text


@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_too_deep_nesting_is_reported(opening: str) -> None:
    assert fault(opening * 200_000).endswith("the values are nested too deeply")


def test_a_large_file_is_changed_in_one_place() -> None:
    history = [{"display": f"see https://example.org/{n}", "pasted": {}} for n in range(20_000)]
    data = {"projects": {"/home/me": {"history": history}}, "mcpServers": {}}
    text = json.dumps(data, indent=2)
    changed = document(text, STRICT).put(("mcpServers", "x"), {"command": "y"})
    assert changed.text.startswith(text[:-4])
    assert changed.remove(("mcpServers", "x")).text == text


@pytest.mark.parametrize(
    ("text", "path", "expected"),
    [
        (
            '{\n  "mcpServers": []\n}',
            ("mcpServers", "x"),
            "file.json:2:17 mcpServers is a list, expected a mapping",
        ),
        (
            '{"mcp": {"servers": ""}}',
            ("mcp", "servers", "x"),
            "file.json:1:21 mcp.servers is a string, expected a mapping",
        ),
        (
            '{"mcp": 1.5}',
            ("mcp", "servers", "x"),
            "file.json:1:9 mcp is a number, expected a mapping",
        ),
        ("\n[]", ("mcpServers", "x"), "file.json:2:1 the whole file is a list, expected a mapping"),
        ("{}", (X,), "file.json:1:1 the whole file is a mapping, expected a list"),
    ],
)
def test_a_value_of_the_wrong_kind_is_never_overwritten(
    text: str, path: tuple[str | NamedElementStep, ...], expected: str
) -> None:
    value = {"name": "x"}
    with pytest.raises(ConfigurationError) as caught:
        document(text).put(path, value)
    assert f"{caught.value.where} {caught.value.message}" == expected
    assert document(text).get(path) is MISSING
    assert document(text).remove(path).text == text


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {"a": [float("nan")]}, b"x", {1: 2}])
def test_what_json_cannot_say_is_not_written(value: object) -> None:
    with pytest.raises(UneditableError):
        document("{}").put(("a",), value)


@pytest.mark.parametrize(
    ("text", "path", "value", "expected"),
    [
        ('{"a":1}', ("b",), [1, {}], '{"a":1,"b":[1,{}]}'),
        ("[]", (X,), {"name": "x"}, '[\n  {\n    "name": "x"\n  }\n]'),
        ('[{"name": "y"}]', (X, "a"), 1, '[{"name": "y"}, {"name": "x", "a": 1}]'),
        ('[{"name": "x", "a": 0}]', (X, "a"), 1, '[{"name": "x", "a": 1}]'),
        (
            '[{"": "x"}, {"": "x"}]',
            (NamedElementStep("x", ""), "a"),
            1,
            '[{"": "x"}, {"": "x", "a": 1}]',
        ),
        ("", (X,), {"name": "x"}, '[\n  {\n    "name": "x"\n  }\n]\n'),
        ("// c", ("a",), 1, '// c\n{\n  "a": 1\n}\n'),
        ("\r\n", ("a",), 1, '{\r\n  "a": 1\r\n}\r\n'),
        ('{"a": 1, "a": 2}', ("a",), 3, '{"a": 1, "a": 3}'),
        ('{"a": {"x": 1}}', ("a",), {"x": 1}, '{"a": {"x": 1}}'),
        ('{"a": 1}', ("a",), True, '{"a": true}'),
        ("{}", ("é\n\ud800",), "\u2028", '{\n  "é\\n\\ud800": "\u2028"\n}'),
        ('{\n  "a": 1 /* c */ // d\n}', ("b",), 2, '{\n  "a": 1, /* c */ // d\n  "b": 2\n}'),
        ('{\n  "a": 1, // one\n}', ("b",), 2, '{\n  "a": 1, // one\n  "b": 2,\n}'),
        ("[\n 1, 2 // c\n]", (X,), {"name": "x"}, '[\n 1, 2, // c\n {\n  "name": "x"\n }\n]'),
        ('[{\n "name": "y"\n}]', (X,), {"name": "x"}, '[{\n "name": "y"\n}, {\n "name": "x"\n}]'),
    ],
)  # fmt: skip
def test_a_value_is_put_in_the_style_of_the_file(
    text: str, path: tuple[str | NamedElementStep, ...], value: object, expected: str
) -> None:
    changed = document(text).put(path, value)
    assert changed.text == expected
    assert changed.get(path) == value


@pytest.mark.parametrize(
    ("text", "path", "prune", "expected"),
    [
        ('{"a": 1, "b": 2}', ("a",), 0, '{"b": 2}'),
        ('{"a": 1, "b": 2}', ("b",), 0, '{"a": 1}'),
        ('{ "a": 1 }', ("a",), 0, "{ }"),
        ('{\n  "a": 1\n}', ("a",), 0, "{}"),
        ('{\n  "a": 1, // one\n  "b": 2 // two\n}', ("a",), 0, '{\n  "b": 2 // two\n}'),
        ('{\n  "a": 1, // one\n  "b": 2 // two\n}', ("b",), 0, '{\n  "a": 1 // one\n}'),
        ('{\n  // about a\n  "a": 1,\n  "b": 2\n}', ("a",), 0, '{\n  // about a\n  "b": 2\n}'),
        ('{\n  "a": 1\n  , "b": 2\n}', ("b",), 0, '{\n  "a": 1\n}'),
        ('{ // c\n "a": 1 }', ("a",), 0, "{ // c\n }"),
        ('{"a": 1, /* of b */ "b": 2}', ("a",), 0, '{/* of b */ "b": 2}'),
        ('{"a": 1\n // other\n , "b": 2}', ("a",), 0, '{\n // other\n  "b": 2}'),
        ('{"a": 1, "a": 2, "b": 3}', ("a",), 0, '{"b": 3}'),
        ('{"m": {"x": 1}}', ("m", "x"), 0, '{"m": {}}'),
        ('{"m": {"x": 1}}', ("m", "x"), 1, "{}"),
        ('{"m": {"x": 1}}\n', ("m", "x"), 2, ""),
        ('{"m": {"x": 1, "y": 2}}', ("m", "x"), 2, '{"m": {"y": 2}}'),
        ('{"m": {"y": 2}, "m": {"x": 1}}', ("m", "x"), 1, '{"m": {"y": 2}, "m": {}}'),
        ('{"m": {/* mine */ "x": 1}}', ("m", "x"), 2, '{"m": {/* mine */}}'),
        ('// mine\n{"m": {"x": 1}}', ("m", "x"), 2, "// mine\n{}"),
        ('[1, {"name": "x"}, {"name": "y"}]', (X,), 0, '[1, {"name": "y"}]'),
        ('{"a": 1}', ("b",), 1, '{"a": 1}'),
        ('{"a": 1}', ("a", "b"), 1, '{"a": 1}'),
        ("", ("a",), 1, ""),
    ],
)
def test_a_value_is_removed_with_what_belongs_to_it(
    text: str, path: tuple[str | NamedElementStep, ...], prune: int, expected: str
) -> None:
    assert document(text).remove(path, prune=prune).text == expected


def test_a_list_element_has_to_bear_the_name_it_is_put_under() -> None:
    with pytest.raises(ValueError, match="must have the name in the path"):
        document("[]").put((X,), {"name": "y"})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"mcp": null}', '{"mcp": {"servers": {"x": {"a": 1}}}}'),
        ('{"mcp": {"servers": null}, "b": 1}', '{"mcp": {"servers": {"x": {"a": 1}}}, "b": 1}'),
        (
            '{\n "mcp": {\n  "servers": null // none\n }\n}',
            '{\n "mcp": {\n  "servers": {\n   "x": {\n    "a": 1\n   }\n  } // none\n }\n}',
        ),
    ],
)
def test_null_instead_of_a_container_is_an_empty_one(text: str, expected: str) -> None:
    assert document(text).put(("mcp", "servers", "x"), {"a": 1}).text == expected


def test_null_instead_of_a_list_is_an_empty_one() -> None:
    put = document('{"servers": null}').put(("servers", X), {"name": "x"})
    assert put.to_data() == {"servers": [{"name": "x"}]}
