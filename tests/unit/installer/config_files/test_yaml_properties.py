"""What holds for every YAML text: only the entry changes, and it can be taken away again."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from paddock.installer.config_files.data_changes import is_same_data, put_value, remove_value
from paddock.installer.config_files.document import MISSING, DocumentPath, NamedElementStep
from paddock.installer.config_files.yaml_document import read
from tests.unit.installer.config_files.entries import ENTRIES, TEXTS, missing_containers
from tests.unit.installer.config_files.yaml_documents import yaml_texts

PAIR: DocumentPath = ("extensions", "x")
ELEMENT: DocumentPath = ("mcpServers", NamedElementStep("x"))


@given(yaml_texts(), ENTRIES)
def test_a_pair_that_is_put_and_removed_leaves_the_text_as_it_was(
    text: str, entry: dict[str, Any]
) -> None:
    before = read(text, where="f")
    after = before.put(PAIR, entry)
    assert is_same_data(after.to_data(), put_value(before.to_data(), PAIR, entry))
    assert after.remove(PAIR, prune=missing_containers(before, PAIR)).text == text


@given(yaml_texts(elements=True), ENTRIES)
def test_an_element_that_is_put_and_removed_leaves_the_text_as_it_was(
    text: str, entry: dict[str, Any]
) -> None:
    before = read(text, where="f")
    after = before.put(ELEMENT, {"name": "x", **entry})
    assert after.remove(ELEMENT, prune=missing_containers(before, ELEMENT)).text == text


@given(yaml_texts(), ENTRIES, ENTRIES)
def test_a_replaced_pair_is_removed_like_the_first_one(
    text: str, entry: dict[str, Any], other: dict[str, Any]
) -> None:
    before = read(text, where="f")
    after = before.put(PAIR, entry).put(PAIR, other)
    assert after.get(PAIR) == other
    assert after.remove(PAIR, prune=missing_containers(before, PAIR)).text == text


@given(yaml_texts(), st.data())
def test_any_entry_can_be_replaced_and_removed_and_nothing_else_changes(
    text: str, data: st.DataObject
) -> None:
    document = read(text, where="f")
    servers = document.get(("extensions",))
    if not isinstance(servers, dict) or not servers or "&other" in text:
        return
    path = ("extensions", data.draw(st.sampled_from(sorted(servers))))
    entry = data.draw(ENTRIES)
    replaced = document.put(path, entry)
    assert is_same_data(replaced.to_data(), put_value(document.to_data(), path, entry))
    removed = document.remove(path)
    assert removed.get(path) is MISSING
    assert is_same_data(removed.to_data(), remove_value(document.to_data(), path))


@given(yaml_texts(), ENTRIES, ENTRIES)
def test_two_entries_can_be_removed_in_either_order(
    text: str, entry: dict[str, Any], other: dict[str, Any]
) -> None:
    before = read(text, where="f")
    prune = missing_containers(before, PAIR)
    second: DocumentPath = ("extensions", "y")
    both = before.put(PAIR, entry).put(second, other)
    assert both.remove(PAIR, prune=prune).remove(second, prune=prune).text == text
    assert both.remove(second, prune=prune).remove(PAIR, prune=prune).text == text


@given(yaml_texts(), st.sampled_from([1, "text", True, ["a"], [], {}]))
def test_a_value_at_the_top_that_is_put_and_removed_leaves_the_text_as_it_was(
    text: str, value: object
) -> None:
    after = read(text, where="f").put(("new key",), value)
    assert after.remove(("new key",)).text == text


@given(st.lists(TEXTS, min_size=1, max_size=4), st.sampled_from(["", "e: {}\n", "e: {a: 1}\n"]))
def test_readers_of_both_versions_of_yaml_get_the_texts_that_were_put(
    texts: list[str], text: str
) -> None:
    entry = {"list": texts, **{f"k{item}": item for item in texts}}
    written = read(text, where="f").put(("e", "x"), entry).text
    for version in ("1.1", "1.2"):
        assert (
            YAML(typ="safe", pure=True).load(f"%YAML {version}\n---\n{written}")["e"]["x"] == entry
        )
