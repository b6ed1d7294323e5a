"""Properties of edits that hold for every JSON file."""

import json
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from paddock.installer.config_files.data_changes import is_same_data, put_value, remove_value
from paddock.installer.config_files.document import (
    MISSING,
    ConfigurationError,
    DocumentPath,
    JsonDialect,
    NamedElementStep,
)
from paddock.installer.config_files.json_document import JsonDocument, read
from paddock.installer.config_files.json_reader import parse_json
from tests.unit.installer.config_files.json_documents import SERVERS, keys, scalars, texts, values

members = st.dictionaries(keys, values, max_size=4)
named = st.lists(st.one_of(scalars, st.fixed_dictionaries({"name": keys, "v": scalars})))
DIALECTS: list[JsonDialect] = ["strict", "comments", "jsonc"]

# Brackets on two lines with nothing between them cannot be reported from `{}` afterwards.
FOLDED = re.compile(r"([\[{])[ \t]*(?:\r\n|\r|\n)[ \t]*([\]}])")


def document(text: str) -> JsonDocument:
    return read(text, where="file.json")


def unfolded(text: str) -> str:
    return FOLDED.sub(r"\1\2", text)


def absent(base: JsonDocument, path: DocumentPath) -> bool:
    return base.get(path) is MISSING


@given(texts(members), keys, values)
@example('{"a": 1 // one\n}', "b", {})
@example("{ // c\n}", "b", [])
def test_removing_what_was_put_gives_the_text_that_was_there(
    text: str, key: str, value: object
) -> None:
    before = document(text)
    if absent(before, (key,)):
        after = before.put((key,), value).remove((key,))
        assert unfolded(after.text) == unfolded(text)


@given(texts(st.fixed_dictionaries({"z": scalars, SERVERS: members})), keys, values)
def test_removing_what_was_put_into_an_inner_object_gives_the_text_that_was_there(
    text: str, key: str, value: object
) -> None:
    path = (SERVERS, key)
    before = document(text)
    if absent(before, path):
        after = before.put(path, value).remove(path)
        assert unfolded(after.text) == unfolded(text)


@given(texts(members), keys, values)
def test_containers_that_were_made_are_pruned_again(text: str, key: str, value: object) -> None:
    path = ("one", "two", key)
    before = document(text)
    after = before.put(path, value).remove(path, prune=2)
    assert unfolded(after.text) == unfolded(text)


@given(texts(named), keys, values)
def test_removing_what_was_put_into_a_list_gives_the_text_that_was_there(
    text: str, name: str, value: object
) -> None:
    path = (NamedElementStep(name),)
    before = document(text)
    if absent(before, path):
        after = before.put(path, {"name": name, "value": value}).remove(path)
        assert unfolded(after.text) == unfolded(text)


@given(texts(members), keys, values)
def test_putting_changes_nothing_else_in_the_data(text: str, key: str, value: object) -> None:
    before = document(text)
    after = before.put((key,), value)
    assert is_same_data(after.to_data(), put_value(before.to_data(), (key,), value))
    assert is_same_data(after.to_data(), document(after.text).to_data())


@given(texts(members), keys, values)
def test_putting_keeps_all_text_around_what_is_new(text: str, key: str, value: object) -> None:
    """The new text is the old one with a comma and one piece more, both in their order."""
    before = document(text)
    if absent(before, (key,)):
        after = before.put((key,), value).text
        kept = 0
        for character in after:
            if kept < len(text) and character == text[kept]:
                kept += 1
        assert kept == len(text)


@given(texts(members), st.data())
def test_replacing_changes_just_the_value(text: str, data: st.DataObject) -> None:
    before = document(text)
    present = before.to_data()
    assert isinstance(present, dict)
    if present:
        key = data.draw(st.sampled_from(list(present)))
        marker = "a value that stands nowhere else"
        head, _, tail = before.put((key,), marker).text.partition(json.dumps(marker))
        assert text.startswith(head)
        assert text.endswith(tail)
        replaced = text[len(head) : len(text) - len(tail)]
        assert is_same_data(read(f"[{replaced}]", where="file.json").to_data(), [present[key]])


@given(texts(members), st.data())
def test_removing_changes_nothing_else_in_the_data(text: str, data: st.DataObject) -> None:
    before = document(text)
    present = before.to_data()
    assert isinstance(present, dict)
    if present:
        key = data.draw(st.sampled_from(list(present)))
        after = before.remove((key,))
        assert is_same_data(after.to_data(), remove_value(before.to_data(), (key,)))


@given(texts(members), keys, values)
def test_putting_twice_is_putting_once(text: str, key: str, value: object) -> None:
    once = document(text).put((key,), value)
    assert once.put((key,), value) is once


@pytest.mark.parametrize("dialect", DIALECTS)
@given(data=st.data())
def test_damaged_text_is_read_or_reported_with_its_position(
    dialect: JsonDialect, data: st.DataObject
) -> None:
    text = data.draw(texts(values, dialect))
    start, end = sorted(data.draw(st.tuples(*[st.integers(0, len(text))] * 2)))
    for damaged in (text[:start] + text[end:], text[:end] + text[start:]):
        try:
            parse_json(damaged, where="f", dialect=dialect)
        except ConfigurationError as error:
            assert re.fullmatch(r"f:\d+:\d+", error.where or "")
