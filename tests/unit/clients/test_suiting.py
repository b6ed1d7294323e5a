"""Entries as one client can use them: variables by reference, and paths without blanks."""

import sys

import pytest

from paddock.clients.client import Client
from paddock.clients.entries import EntryError, refreshed
from paddock.clients.shapes import CODEX, Entry
from paddock.clients.suiting import short_path, suited, variables_given
from paddock.clients.table import find_client, supported_clients

CLIENTS = [
    client
    for client in supported_clients().values()
    if client.variable or client.shape.names_variables
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
    entry = suited(row, Entry(command="/x", env={"A": "1"}, passed=("TOKEN",)))
    assert written.items() <= row.shape.render(entry, "key").items()


@pytest.mark.parametrize(
    ("client", "way"),
    [
        ("goose", "leave out --env TOKEN: it gives servers all variables that it is started with"),
        ("zed", "give the value, which stands in the file then: --env TOKEN=VALUE"),
    ],
)
def test_a_client_that_cannot_refer_to_variables_is_refused_with_the_way_out(
    client: str, way: str
) -> None:
    with pytest.raises(EntryError) as caught:
        suited(find_client(client), Entry(command="/x", passed=("TOKEN",)))
    assert caught.value.hint == way


@pytest.mark.parametrize("client", CLIENTS, ids=[client.id for client in CLIENTS])
def test_a_server_is_checked_with_the_value_that_the_client_would_put_in(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOKEN", "abc")
    monkeypatch.delenv("UNSET", raising=False)
    entry = suited(client, Entry(command="/x", env={"A": "b"}, passed=("TOKEN", "UNSET")))
    data = client.shape.render(entry, "key")
    read = client.shape.read(data)
    assert read is not None
    given = variables_given(client, read)
    assert (given["A"], given["TOKEN"], given.get("UNSET", "")) == ("b", "abc", "")


def test_values_stay_as_they_are_where_the_client_knows_no_references() -> None:
    entry = Entry(command="/x", env={"A": "$HOME", "B": "${HOME}"})
    assert variables_given(find_client("zed"), entry) == entry.env


def test_a_value_gives_way_to_a_reference_and_a_reference_to_a_value() -> None:
    valued = {"command": "/x", "args": [], "env": {"TOKEN": "abc", "MINE": "1"}}
    named = refreshed(CODEX, valued, Entry(command="/x", passed=("TOKEN",)), "key")
    assert (named["env"], named["env_vars"]) == ({"MINE": "1"}, ["TOKEN"])
    again = refreshed(CODEX, named, Entry(command="/x"), "key")
    assert again == named
    back = refreshed(CODEX, named, Entry(command="/x", env={"TOKEN": "abc"}), "key")
    assert back == {"command": "/x", "args": [], "env": {"MINE": "1", "TOKEN": "abc"}}


def test_a_program_with_blanks_in_its_path_gets_the_short_one_where_the_client_splits_it() -> None:
    entry = Entry(command=WITH_BLANKS, args=("-m", "paddock"))

    def shorten(path: str) -> str:
        return {WITH_BLANKS: r"C:\PROGRA~1\venv\python.exe"}.get(path, path)

    augment, cursor = find_client("augment-code"), find_client("cursor")
    assert suited(augment, entry, shorten=shorten).command == r"C:\PROGRA~1\venv\python.exe"
    assert suited(cursor, entry, shorten=shorten) == entry
    assert suited(augment, entry, shorten=None) == entry
    plain = Entry(command=r"C:\venv\python.exe")
    assert suited(augment, plain, shorten=shorten) == plain


def test_a_program_that_has_no_path_without_blanks_is_refused() -> None:
    with pytest.raises(EntryError, match="directory without blanks"):
        suited(find_client("augment-code"), Entry(command=WITH_BLANKS), shorten=lambda path: path)


@pytest.mark.skipif(sys.platform == "win32", reason="there they are")
def test_elsewhere_than_on_windows_there_are_no_short_paths() -> None:
    assert short_path("/home/ada/my venv/python") == "/home/ada/my venv/python"
