"""Entries that start Paddock, and entries that do not."""

import os
from pathlib import Path

import pytest

import paddock
from paddock.installer.entry_builder import find_started_server, has_server_name, merge_entry_data
from paddock.installer.entry_format import CLINE_CLI, PLAIN, ConfigEntry

SOURCE = str(Path(paddock.__file__).parents[1])


@pytest.mark.parametrize(
    ("command", "arguments", "server"),
    [
        ("/v/bin/python", "-P -m paddock serve --named Demo", "Demo"),
        ("/v/bin/python", "-m paddock serve /srv/server.py", "/srv/server.py"),
        ("/v/bin/paddock", "serve Demo", "Demo"),
        ("C:/v/Scripts/paddock.exe", "serve Demo", "Demo"),
        ("/bin/uv", "tool run --from paddock paddock serve --named Demo", "Demo"),
        ("/bin/uv", "tool run --from paddock==1.2 paddock serve --named a/b", "a/b"),
        ("/v/bin/python", "-m paddock call Demo", None),
        ("/v/bin/python", "-m paddock", None),
        ("/usr/bin/npx", "-y paddock-of-horses serve", None),
        ("/usr/bin/other", "", None),
        ("C:\\v\\Scripts\\python.exe", "-X utf8 -m paddock serve Demo", None),
        ("C:\\v\\Scripts\\python.exe", "-Xutf8 -m paddock serve Demo", "Demo"),
        ("/usr/bin/docker", "run image paddock serve Demo", None),
        ("/usr/bin/python3", "-c pass -m paddock serve Demo", None),
        ("/usr/bin/python3", "mine.py -m paddock serve Demo", None),
        ("/usr/bin/env", "python -m paddock serve Demo", None),
        ("uvx", "paddock serve Demo", "Demo"),
    ],
)
def test_an_entry_of_paddock_is_known_by_its_command(
    command: str, arguments: str, server: str | None
) -> None:
    entry = ConfigEntry(command=command, args=tuple(arguments.split()))
    assert find_started_server(entry) == server
    assert has_server_name(entry) == ("--named" in arguments)


def test_an_entry_is_refreshed_around_what_the_user_did_to_it() -> None:
    old = {
        "command": "/old",
        "args": ["old"],
        "env": {"MINE": "1", "PADDOCK_TOOL_OPTIONS": "{}", "PYTHONPATH": SOURCE},
        "trust": True,
    }
    new = merge_entry_data(
        PLAIN, old, ConfigEntry(command="/new", args=("new",), env={"A": "b"}), "key"
    )
    assert new == {
        "command": "/new",
        "args": ["new"],
        "env": {"MINE": "1", "A": "b"},
        "trust": True,
    }


@pytest.mark.parametrize(
    ("env", "now"),
    [({}, "/mine"), ({"PYTHONPATH": SOURCE}, os.pathsep.join([SOURCE, "/mine"]))],
)
def test_where_the_user_has_python_look_stays(env: dict[str, str], now: str) -> None:
    both = os.pathsep.join([SOURCE, "/mine"])
    for before in ("/mine", both):
        old = {"command": "/old", "args": [], "env": {"PYTHONPATH": before, "A": "b"}}
        new = merge_entry_data(PLAIN, old, ConfigEntry(command="/new", env=env), "key")
        assert new["env"] == {"PYTHONPATH": now, "A": "b"}


def test_an_entry_in_another_form_of_the_client_takes_the_one_that_we_write() -> None:
    old = {"command": "/old", "args": [], "timeout": 120, "disabled": True}
    new = merge_entry_data(CLINE_CLI, old, ConfigEntry(command="/new"), "key")
    assert new["transport"] == {"type": "stdio", "command": "/new", "args": []}
    assert (new["timeout"], new["disabled"]) == (120, True)
    assert "command" not in new


def test_a_url_instead_of_a_command_takes_nothing_over() -> None:
    old = {"command": "/old", "args": [], "env": {"A": "b"}}
    new = merge_entry_data(PLAIN, old, ConfigEntry(url="http://x/mcp"), "key")
    assert new == {"url": "http://x/mcp"}
