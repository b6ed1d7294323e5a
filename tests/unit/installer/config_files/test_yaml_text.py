"""Changing YAML: where entries go, what goes with them, and what is refused."""

from itertools import pairwise

import pytest

from paddock.installer.config_files.document import (
    MISSING,
    ConfigurationError,
    DocumentPath,
    NamedElementStep,
    UneditableError,
)
from paddock.installer.config_files.yaml_document import read

PATH: DocumentPath = ("extensions", "x")
ELEMENT: DocumentPath = ("mcpServers", NamedElementStep("x"))


def after_put(text: str, value: object, path: DocumentPath = PATH) -> str:
    return read(text, where="f").put(path, value).text


def after_removal(text: str, path: DocumentPath = PATH, prune: int = 0) -> str:
    return read(text, where="f").remove(path, prune=prune).text


def test_plain_scalars_mean_what_the_core_schema_says() -> None:
    text = "a: [no, 0o17, 0x1F, 1.5, .inf, ~, true, 2001-01-01, !!str 5, '5', +1, .nan, -.INF]\n"
    numbers = [15, 31, 1.5, float("inf"), None, True, "2001-01-01", "5", "5", 1]
    *found, nan, infinity = read(text, where="f").to_data()["a"]
    assert found == ["no", *numbers]
    assert (nan != nan, infinity) == (True, float("-inf"))


def test_aliases_say_what_their_anchors_say() -> None:
    document = read("a: &a {b: 1}\nc: *a\n? *a\n: 1\n? [d]\n: 2\n", where="f")
    assert document.to_data() == {"a": {"b": 1}, "c": {"b": 1}, "*a": 1, "[d]": 2}
    assert document.get(("c", "b")) == 1
    assert document.get(("c", "d")) is MISSING


def test_a_value_that_exists_already_changes_nothing() -> None:
    text = "extensions:\n  x: {cmd:   'a'}  # c\n"
    assert after_put(text, {"cmd": "a"}) == text


@pytest.mark.parametrize(
    "value",
    [
        *["no", "Yes", "on", "y", "~", "null", "True", "1", "1.0", "1e3", "0x1", "012", "1_0"],
        *["1:30", "2001-01-01", ".5", "-", "- a", "? a", "a: b", "a:", "a #b", "#a", "@a", "`a"],
        *["%a", "&a", "*a", "!a", "|", ">", "{a", "[a", "a]", "a,b", '"a', "'a", "=", "<<", ""],
        *[" a", "a ", "a\nb", "\t", "\x00", "\x7f", "\x85", "\u2028", "\ufeff", "é", "☃", "😀"],
        *["---", "...", ".inf", "NaN", "C:\\x", "it's \\", "a\u3000b", "http://x:1/y", "y\r\n"],
    ],
)
def test_texts_that_could_be_taken_for_something_else_are_quoted(value: str) -> None:
    written = after_put("a: 0\n", value, ("a",)).removeprefix("a: ").removesuffix("\n")
    assert written[0] in "\"'"
    assert written[-1] == written[0]


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("C:\\Program Files\\x", "'C:\\Program Files\\x'"),
        ("it's C:\\x", '"it\'s C:\\\\x"'),
        ("two words (really)", "two words (really)"),
        ("/usr/bin/python3.11", "/usr/bin/python3.11"),
        ("a\x85", '"a\\u0085"'),
        (1e16, "1.0e+16"),
        (float("-inf"), "-.inf"),
        (None, "null"),
        ([True, {}], "[true, {}]"),
    ],
)
def test_values_are_written_as_a_person_would(value: object, written: str) -> None:
    assert after_put("a: [0]\n", value, ("a",)) == f"a: {written}\n"


@pytest.mark.parametrize(
    ("text", "value", "changed"),
    [
        ("extensions:\n  x: *a # c\n", {"b": 1}, "extensions:\n  x: # c\n    b: 1\n"),
        ("extensions:\n  x: !t {c: 1} # c\n", {"b": 1}, "extensions:\n  x: {b: 1} # c\n"),
        ("extensions:\n  x: &b !t\n    c: 1\n", {"b": 1}, "extensions:\n  x:\n    b: 1\n"),
        ("extensions:\n  x: |\n    c\n\n  y: 1\n", 5, "extensions:\n  x: 5\n\n  y: 1\n"),
        ("extensions:\n  x:\n    c: 1 # d\n", "t", "extensions:\n  x: t # d\n"),
        (
            "extensions:\n  x:\n    c: 1\n",
            [1, {"b": 2}],
            "extensions:\n  x:\n    - 1\n    - b: 2\n",
        ),
        ("extensions:\n  x: # c\n  y: 1\n", [[1]], "extensions:\n  x: # c\n    - - 1\n  y: 1\n"),
        ("extensions: {x: , y: 1}\n", {"b": 1}, "extensions: {x: {b: 1} , y: 1}\n"),
        ("? extensions\n:\n  y: 1\n", {"b": 1}, "? extensions\n:\n  y: 1\n  x:\n    b: 1\n"),
    ],
)
def test_an_entry_takes_the_place_of_whatever_is_there(
    text: str, value: object, changed: str
) -> None:
    head = "a: &a text\n"
    assert after_put(head + text, value) == head + changed


def test_containers_that_are_missing_are_made_for_an_element_of_a_list() -> None:
    assert after_put("", "1", (*ELEMENT, "env", "A")) == (
        'mcpServers:\n  - name: x\n    env:\n      A: "1"\n'
    )


def test_all_elements_of_a_name_are_removed() -> None:
    text = "mcpServers:\n- name: x\n  a: 1\n\n- name: y\n- name: x\n"
    assert after_removal(text, ELEMENT) == "mcpServers:\n- name: y\n"


def test_removing_what_is_not_there_changes_nothing() -> None:
    assert after_removal("# nothing\n") == "# nothing\n"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("extensions:\n  x: 1\n", ""),
        ("extensions: # c\n  x: 1\n", "extensions: {} # c\n"),
        ("extensions:\n  # c\n  x: 1\n", "extensions: {}\n  # c\n"),
        ("extensions:\n  x: 1\n  # c\nb: 1\n", "extensions: {}\n  # c\nb: 1\n"),
        ("extensions: {x: 1}\nb: 1\n", "b: 1\n"),
        ("extensions: {x: 1, y: 2}\n", "extensions: {y: 2}\n"),
        ("{extensions: {x: 1}, b: 1}\n", "{b: 1}\n"),
    ],
)
def test_a_container_goes_with_its_last_entry_unless_it_has_comments(text: str, left: str) -> None:
    assert after_removal(text, prune=1) == left


def test_a_container_stays_when_no_one_asked_to_take_it_away() -> None:
    assert after_removal("extensions: &a !!map\n  x: 1\n") == "extensions: &a !!map {}\n"
    assert after_removal("mcpServers:\n- name: x\n", ELEMENT) == "mcpServers: []\n"


@pytest.mark.parametrize("nothing", ["", " null", " ~", " {}", " {}  ", " {} # none"])
def test_nothing_null_and_an_empty_mapping_take_an_entry_as_lines(nothing: str) -> None:
    put = after_put(f"extensions:{nothing}\nb: 1\n", {"a": 1})
    assert [line.rstrip() for line in put.replace(" # none", "").splitlines()] == [
        *("extensions:", "  x:", "    a: 1"),
        "b: 1",
    ]


def test_line_ends_that_a_text_keeps_stay_its_own() -> None:
    text = "a: |+\n  b\nx: 1\n\nc: 1\n"
    assert read(text, where="f").remove(("x",)).to_data() == {"a": "b\n", "c": 1}


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("a: 1\nextensions: none\n", "f:2:13"),
        ("extensions:\n  - a\n", "f:2:3"),
        ("extensions: []\n", "f:1:13"),
        ("a:\n\tb: 1\n", "f:2:1"),
        ("a: 1\r\n---\r\nb: 2\r\n", "f:2:1"),
        ("a: 1\nb: 2\na: 3\n", "f:3:1"),
        ("a: \x07\n", "f:1:4"),
        ("a: @b\n", "f:1:4"),
        ("a: *b\n", "f:1:4"),
        ("a: &a [*a]\n", "f:1:8"),
        ("null\n", "f:1:1"),
        ("a: 1\rb: 2\r", "f:1:5"),
        ("a: 1\r\nb:\r\n- 2\r", "f:3:4"),
        ("- a\n", "f:1:1"),
        (f"a: {'[' * 3000}{']' * 3000}\n", "f"),
    ],
)
def test_what_cannot_be_read_or_is_of_the_wrong_kind_is_refused_with_its_place(
    text: str, place: str
) -> None:
    with pytest.raises(ConfigurationError) as error:
        after_put(text, {"a": 1})
    assert error.value.where == place


def test_aliases_that_means_too_much_are_refused() -> None:
    names = "abcdefgh"
    lines = [f"{b}: &{b} [{', '.join([f'*{a}'] * 10)}]" for a, b in pairwise(names)]
    with pytest.raises(ConfigurationError):
        read("\n".join(["a: &a [1, 2, 3, 4, 5, 6, 7, 8]", *lines]), where="f")


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("a: &a {b: 1}\nextensions: *a\n", "f:2:13"),
        ("extensions: &a\n  b: 1\nc: *a\n", "f"),
        ("extensions:\n  x: &a {b: 1}\nc: *a\n", "f"),
        ("extensions:\n  y: |\n    open", "f:2:6"),
        ("{extensions, b: 1}\n", "f"),
    ],
)
def test_a_change_that_would_change_more_is_refused(text: str, place: str) -> None:
    with pytest.raises(UneditableError) as error:
        after_put(text, {"z": 1})
    assert error.value.where == place


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("a: &a {b: 1}\nextensions: *a\n", ("extensions", "b")),
        ("? extensions\n: x: 1\n", PATH),
        ("mcpServers:\n- x: 1\n  name: x\n", (*ELEMENT, "x")),
        ("a: [extensions: 1]\nb: &b 1\nextensions:\n  x: &b 2\nc: *b\n", PATH),
    ],
)
def test_a_removal_that_cannot_be_made_is_refused(text: str, path: DocumentPath) -> None:
    with pytest.raises(UneditableError):
        after_removal(text, path)


@pytest.mark.parametrize("value", [{"a": "\ud800"}, {"a": object()}])
def test_what_is_not_a_plain_data_is_refused(value: object) -> None:
    with pytest.raises(UneditableError) as error:
        after_put("", value)
    assert error.value.where == "f"


def test_a_text_is_parsed_once() -> None:
    text = "a: 1\nb: [2, 3]\n"
    assert read(text, where="f").tree is read(text, where="f").tree
