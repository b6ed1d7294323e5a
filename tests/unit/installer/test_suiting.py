"""Entries as one client can use them: variables by reference, and paths without spaces."""

import sys

import pytest

from paddock.installer.apps import find_client, supported_clients
from paddock.installer.client_app import Client
from paddock.installer.entry_builder import (
    EntryError,
    adapt_entry,
    get_short_path,
    merge_entry_data,
    resolve_variables,
)
from paddock.installer.entry_format import CODEX, ConfigEntry

CLIENTS = [
    client
    for client in supported_clients().values()
    if client.variable or client.shape.has_variable_list
]
WITH_BLANKS = r"C:\Program Files\venv\python.exe"


@pytest.mark.parametrize(
    ("client", "written"),
    [
        ("claude-code", {"env": {"A": "1", "TOKEN": "${TOKEN}"}}),
        ("gemini-cli", {"env": {"A": "1", "TOKEN": "$TOKEN"}}),
        ("vscode", {"env": {"A": "1", "TOKEN": "${env:TOKEN}"}}),
        ("opencode", {"environment": {"A": "1", "TOKEN": "{env:TOKEN}"}}),
        ("codex", {"env": {"A": "1"}, "env_vars": ["TOKEN"]}),
    ],
)
def test_a_variable_without_a_value_is_written_in_the_way_of_the_client(
    client: str, written: dict[str, object]
) -> None:
    row = find_client(client)
    entry = adapt_entry(
        row, ConfigEntry(command="/x", env={"A": "1"}, forwarded_variables=("TOKEN",))
    )
    assert written.items() <= row.shape.render_entry(entry, "key").items()


@pytest.mark.parametrize(
    ("client", "way"),
    [
        ("goose", "leave out --env TOKEN: servers inherit all variables of Goose"),
        ("zed", "give the value, which is then written to the file: --env TOKEN=VALUE"),
    ],
)
def test_a_client_that_cannot_refer_to_variables_is_refused_with_the_way_out(
    client: str, way: str
) -> None:
    with pytest.raises(EntryError) as caught:
        adapt_entry(find_client(client), ConfigEntry(command="/x", forwarded_variables=("TOKEN",)))
    assert caught.value.hint == way


@pytest.mark.parametrize("client", CLIENTS, ids=[client.id for client in CLIENTS])
def test_a_server_is_checked_with_the_value_that_the_client_would_put_in(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOKEN", "abc")
    monkeypatch.delenv("UNSET", raising=False)
    entry = adapt_entry(
        client, ConfigEntry(command="/x", env={"A": "b"}, forwarded_variables=("TOKEN", "UNSET"))
    )
    data = client.shape.render_entry(entry, "key")
    read = client.shape.parse_entry(data)
    assert read is not None
    given = resolve_variables(client, read)
    assert (given["A"], given["TOKEN"], given.get("UNSET", "")) == ("b", "abc", "")


def test_values_stay_as_they_are_where_the_client_knows_no_references() -> None:
    entry = ConfigEntry(command="/x", env={"A": "$HOME", "B": "${HOME}"})
    assert resolve_variables(find_client("zed"), entry) == entry.env


def test_a_value_gives_way_to_a_reference_and_a_reference_to_a_value() -> None:
    valued = {"command": "/x", "args": [], "env": {"TOKEN": "abc", "MINE": "1"}}
    named = merge_entry_data(
        CODEX, valued, ConfigEntry(command="/x", forwarded_variables=("TOKEN",)), "key"
    )
    assert (named["env"], named["env_vars"]) == ({"MINE": "1"}, ["TOKEN"])
    again = merge_entry_data(CODEX, named, ConfigEntry(command="/x"), "key")
    assert again == named
    back = merge_entry_data(CODEX, named, ConfigEntry(command="/x", env={"TOKEN": "abc"}), "key")
    assert back == {"command": "/x", "args": [], "env": {"MINE": "1", "TOKEN": "abc"}}


def test_a_program_with_blanks_in_its_path_gets_the_short_one_where_the_client_splits_it() -> None:
    entry = ConfigEntry(command=WITH_BLANKS, args=("-m", "paddock"))

    def shorten(path: str) -> str:
        return {WITH_BLANKS: r"C:\PROGRA~1\venv\python.exe"}.get(path, path)

    augment, cursor = find_client("augment-code"), find_client("cursor")
    assert adapt_entry(augment, entry, shorten=shorten).command == r"C:\PROGRA~1\venv\python.exe"
    assert adapt_entry(cursor, entry, shorten=shorten) == entry
    assert adapt_entry(augment, entry, shorten=None) == entry
    plain = ConfigEntry(command=r"C:\venv\python.exe")
    assert adapt_entry(augment, plain, shorten=shorten) == plain


def test_a_program_that_has_no_path_without_blanks_is_refused() -> None:
    with pytest.raises(EntryError, match="directory without spaces"):
        adapt_entry(
            find_client("augment-code"), ConfigEntry(command=WITH_BLANKS), shorten=lambda path: path
        )


@pytest.mark.skipif(sys.platform == "win32", reason="there they are")
def test_elsewhere_than_on_windows_there_are_no_short_paths() -> None:
    assert get_short_path("/home/ada/my venv/python") == "/home/ada/my venv/python"
