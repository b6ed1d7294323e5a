"""What holds for every TOML text: only the entry changes, and it can be taken away again."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from paddock.installer.config_files.data_changes import is_same_data, put_value, remove_value
from paddock.installer.config_files.document import MISSING, DocumentPath, NamedElementStep
from paddock.installer.config_files.toml_document import read
from tests.unit.installer.config_files.entries import ENTRIES, is_in, missing_containers
from tests.unit.installer.config_files.toml_documents import toml_texts

TABLE: DocumentPath = ("mcp_servers", "x")
ELEMENT: DocumentPath = ("mcp", "servers", NamedElementStep("x"))


@given(toml_texts(), ENTRIES)
def test_a_table_that_is_put_and_removed_leaves_the_text_as_it_was(
    text: str, entry: dict[str, Any]
) -> None:
    before = read(text, where="f")
    after = before.put(TABLE, entry)
    assert is_in(text, after.text)
    assert is_same_data(after.to_data(), put_value(before.to_data(), TABLE, entry))
    assert after.remove(TABLE, prune=missing_containers(before, TABLE)).text == text


@given(toml_texts(elements=True), ENTRIES)
def test_an_element_that_is_put_and_removed_leaves_the_text_as_it_was(
    text: str, entry: dict[str, Any]
) -> None:
    before = read(text, where="f")
    after = before.put(ELEMENT, {"name": "x", **entry})
    assert is_in(text, after.text)
    assert after.remove(ELEMENT, prune=missing_containers(before, ELEMENT)).text == text


@given(toml_texts(), ENTRIES, ENTRIES)
def test_a_replaced_table_is_removed_like_the_first_one(
    text: str, entry: dict[str, Any], other: dict[str, Any]
) -> None:
    before = read(text, where="f")
    after = before.put(TABLE, entry).put(TABLE, other)
    assert after.get(TABLE) == other
    assert after.remove(TABLE, prune=missing_containers(before, TABLE)).text == text


@given(toml_texts(), st.data())
def test_any_entry_can_be_replaced_and_removed_and_nothing_else_changes(
    text: str, data: st.DataObject
) -> None:
    document = read(text, where="f")
    servers = document.get(("mcp_servers",))
    if not isinstance(servers, dict) or not servers:
        return
    path = ("mcp_servers", data.draw(st.sampled_from(sorted(servers))))
    entry = data.draw(ENTRIES)
    replaced = document.put(path, entry)
    assert is_same_data(replaced.to_data(), put_value(document.to_data(), path, entry))
    removed = document.remove(path)
    assert removed.get(path) is MISSING
    assert is_in(removed.text, text)
    left = remove_value(document.to_data(), path), remove_value(document.to_data(), path, prune=1)
    assert any(is_same_data(removed.to_data(), expected) for expected in left)


@given(toml_texts(), ENTRIES, ENTRIES)
def test_two_entries_can_be_removed_in_either_order(
    text: str, entry: dict[str, Any], other: dict[str, Any]
) -> None:
    before = read(text, where="f")
    prune = missing_containers(before, TABLE)
    second: DocumentPath = ("mcp_servers", "y")
    both = before.put(TABLE, entry).put(second, other)
    assert both.remove(TABLE, prune=prune).remove(second, prune=prune).text == text
    assert both.remove(second, prune=prune).remove(TABLE, prune=prune).text == text


@given(toml_texts(), st.sampled_from([1, "text", True, ["a"], []]))
def test_a_value_at_the_top_that_is_put_and_removed_leaves_the_text_as_it_was(
    text: str, value: object
) -> None:
    after = read(text, where="f").put(("new key",), value)
    assert is_in(text, after.text)
    assert after.remove(("new key",)).text == text
