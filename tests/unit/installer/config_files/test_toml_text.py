"""Changing TOML: where entries go, what goes with them, and what is refused."""

import pytest

from paddock.installer.config_files.document import (
    MISSING,
    ConfigurationError,
    DocumentPath,
    NamedElementStep,
    UneditableError,
)
from paddock.installer.config_files.toml_document import read

PATH: DocumentPath = ("mcp_servers", "x")
ELEMENT: DocumentPath = ("mcp", "servers", NamedElementStep("x"))


def after_put(text: str, value: object, path: DocumentPath = PATH) -> str:
    return read(text, where="f").put(path, value).text


def after_removal(text: str, path: DocumentPath = PATH, prune: int = 0) -> str:
    return read(text, where="f").remove(path, prune=prune).text


def test_what_a_text_says_is_found_by_path() -> None:
    document = read('[[mcp.servers]]\nname = "x"\nargs = ["a"]\n', where="f")
    assert document.get((*ELEMENT, "args")) == ["a"]
    assert document.get((*ELEMENT, "env")) is MISSING
    assert document.to_data() == {"mcp": {"servers": [{"name": "x", "args": ["a"]}]}}


def test_a_value_that_exists_already_changes_nothing() -> None:
    text = "[mcp_servers.x]  # c\ncommand   =   'a'\n"
    assert after_put(text, {"command": "a"}) == text


def test_a_comment_above_the_next_table_stays_above_it() -> None:
    text = "[mcp_servers.a]\ncommand = 'a'\n# of a\n\n# of b\n[b]\n"
    assert after_put(text, {"command": "x"}) == (
        "[mcp_servers.a]\ncommand = 'a'\n# of a\n\n"
        '[mcp_servers.x]\ncommand = "x"\n\n'
        "# of b\n[b]\n"
    )


def test_an_element_goes_into_the_right_table_of_an_array() -> None:
    text = '[[p]]\nname = "a"\n\n[[p]]\nname = "b"\n'
    assert after_put(text, {"c": 1}, ("p", NamedElementStep("a"), "s", "x")) == (
        '[[p]]\nname = "a"\n\n[p.s.x]\nc = 1\n\n[[p]]\nname = "b"\n'
    )


def test_dotted_keys_are_replaced_by_dotted_keys() -> None:
    text = "[mcp_servers]\nx.a = 5\nx.b.c = 3 # c\ny = 1\n"
    assert after_put(text, {"a": 1, "b": {"c": 2}}) == "[mcp_servers]\nx.a = 1\nx.b.c = 2\ny = 1\n"


def test_a_value_of_another_form_takes_the_place_of_a_table() -> None:
    assert after_put("[mcp_servers]\n\n[mcp_servers.x]\na = 1\n", 5) == "[mcp_servers]\nx = 5\n"


def test_keys_of_an_inline_table_that_are_spread_are_replaced_together() -> None:
    text = "mcp_servers = {x.a = 1, y = {}, x.b = 2}\n"
    assert after_put(text, {"c": 3}) == "mcp_servers = {y = {}, x = { c = 3 }}\n"


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("C:\\Program Files\\x", "'C:\\Program Files\\x'"),
        ("it's C:\\x", '"it\'s C:\\\\x"'),
        ("é \x7f\n", '"é \\u007f\\n"'),
        (1e16, "1e+16"),
        ([True, {}], "[true, {}]"),
        ({"a b": {"": 1}}, '{ "a b" = { "" = 1 } }'),
    ],
)
def test_values_are_written_as_a_person_would(value: object, written: str) -> None:
    assert after_put("a = 0\n", value, ("a",)) == f"a = {written}\n"


def test_all_tables_of_an_entry_are_removed_wherever_they_stand() -> None:
    text = "[mcp_servers.x.env]\nA = 1\n\n[t]\nb = 1\n\n[mcp_servers.x]\nc = 1\n# end\n"
    assert after_removal(text) == "[t]\nb = 1\n# end\n"


def test_all_elements_of_a_name_are_removed() -> None:
    text = '[[mcp.servers]]\nname = "x"\n\n[[mcp.servers]]\nname = "x"\n[mcp.servers.env]\n[t]\n'
    assert after_removal(text, ELEMENT) == "[t]\n"


def test_removing_what_is_not_there_changes_nothing() -> None:
    assert after_removal("# nothing\n") == "# nothing\n"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("[mcp_servers]\n\n[mcp_servers.x]\n", ""),
        ("[mcp_servers] # c\n[mcp_servers.x]\n", "[mcp_servers] # c\n"),
        ("[mcp_servers]\n# c\n\n[mcp_servers.x]\n", "[mcp_servers]\n# c\n"),
        ("mcp_servers = {x = 1}\na = 1\n", "a = 1\n"),
        ("mcp_servers = {x = 1, y = 2}\n", "mcp_servers = {y = 2}\n"),
    ],
)
def test_a_container_goes_with_its_last_entry_unless_it_has_comments(text: str, left: str) -> None:
    assert after_removal(text, prune=1) == left


def test_a_container_stays_when_no_one_asked_to_take_it_away() -> None:
    assert after_removal("[mcp_servers]\n\n[mcp_servers.x]\n") == "[mcp_servers]\n"
    assert after_removal("mcp_servers = { x = 1 }\n") == "mcp_servers = {  }\n"


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("a = 1\nmcp_servers = 3\n", "f:2:1"),
        ("[[mcp_servers]]\na = 1\n", "f:1:1"),
        ("a = 1\n\n[mcp_servers\n", "f:3:13"),
        ('a = "\n', "f:1:6"),
        ("a = 1\r\na = 2\r\n", "f:2:6"),
        ("a = [", "f:1:6"),
        (f"a = {'[' * 5000}", "f"),
        (f"a = {'1' * 5000}", "f"),
    ],
)
def test_what_cannot_be_read_or_is_of_the_wrong_kind_is_refused_with_its_place(
    text: str, place: str
) -> None:
    with pytest.raises(ConfigurationError) as error:
        after_put(text, {"a": 1})
    assert error.value.where == place


def test_a_refusal_says_what_was_found_and_expected() -> None:
    with pytest.raises(ConfigurationError) as error:
        after_put('mcp_servers = "none"\n', {"a": 1})
    assert error.value.message == "mcp_servers is a string, expected a mapping"


@pytest.mark.parametrize("value", [{"a": None}, {"a": "\ud800"}, {"a": object()}])
def test_what_toml_cannot_say_is_refused(value: object) -> None:
    with pytest.raises(UneditableError) as error:
        after_put("", value)
    assert error.value.where == "f"
