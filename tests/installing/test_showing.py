"""What is shown of a change: the entry, and nothing that is secret."""

import json
from pathlib import Path
from typing import Any

import pytest

import paddock
from paddock.installer.entry_change import ForeignEntryError

KEY = "sk-ant-0123456789"


def shown(client: str, file: Path, **wishes: Any) -> str:
    return paddock.install(client, "Demo", file=file, dry_run=True, **wishes).diff()


@pytest.mark.parametrize(
    ("client", "text"),
    [
        ("claude-code", f'{{\n  "primaryApiKey": "{KEY}"\n}}\n'),
        ("claude-code", f'{{"oauth": {{"accessToken": "{KEY}"}}, "mcpServers": {{}}}}'),
        ("claude-code", '{"mcpServers": {"a": {"env": {"T": "\\u0073k-ant-0123456789"}}}}'),
        ("claude-code", f'{{"mcpServers": {{"a": {{"command": "a", "args": ["{KEY}"]}}}}}}'),
        ("goose", f"extensions:\n  a:\n    envs:\n      T: >-\n        {KEY}\n        more\n"),
        ("codex", f'[mcp_servers.a]\nurl = "http://x"\nbearer_token = "{KEY}"\n'),
        ("codex", f'# {KEY}\n[mcp_servers.a]\nurl = "http://x?key={KEY}"\n'),
    ],
)
def test_nothing_is_shown_of_the_rest_of_a_file(home: Path, client: str, text: str) -> None:
    file = home / "file"
    file.write_text(text)
    diff = shown(client, file)
    assert "--named" in diff
    assert KEY not in diff
    assert "0073k-ant" not in diff
    paddock.install(client, "Demo", file=file, check=False)
    (outcome,) = paddock.uninstall(client, file=file, dry_run=True)
    assert outcome.plan is not None
    assert KEY not in outcome.plan.diff()


@pytest.mark.parametrize(
    "entry",
    [
        {"command": "node", "args": ["mine.js", "--api-key", KEY]},
        {"command": "node", "args": [f"--api-key={KEY}"]},
        {"command": f"node mine.js --api-key {KEY}"},
        {"type": "http", "url": f"https://me:{KEY}@host/mcp"},
        {"type": "http", "url": f"https://host/mcp?token={KEY}"},
        {"type": "http", "url": f"https://host/{KEY}/mcp"},
        {"command": "node", "env": {"A": KEY}, "token": KEY, "nested": {"auth": [KEY]}},
    ],
)
def test_no_secret_of_an_entry_that_would_be_replaced_is_shown(
    home: Path, entry: dict[str, Any]
) -> None:
    file = home / "file"
    file.write_text(json.dumps({"mcpServers": {"Demo": entry}}))
    diff = shown("claude-code", file, replace=True)
    assert KEY not in diff
    assert ("node" in diff) == ("command" in entry)
    with pytest.raises(ForeignEntryError) as caught:
        paddock.install("claude-code", "Demo", file=file, check=False)
    assert KEY not in str(caught.value)


def test_a_value_that_changes_is_seen_to_change_and_not_what_it_is(home: Path) -> None:
    file = home / "file"
    paddock.install("cursor", "Demo", file=file, env={"T": f"{KEY}1"}, check=False)
    lines = shown("cursor", file, env={"T": f"{KEY}2"}).splitlines()
    assert [line.rstrip(",") for line in lines if "•••" in line] == [
        '-        "T": "•••"',
        '+        "T": "•••"',
    ]


def test_values_are_shown_to_those_who_ask(home: Path) -> None:
    file = home / "file"
    file.write_text(f'{{\n  "primaryApiKey": "{KEY}"\n}}\n')
    plan = paddock.install("cursor", "Demo", file=file, env={"T": "mine-1"}, dry_run=True)
    assert KEY in plan.diff(show_values=True)
    assert "mine-1" in plan.diff(show_values=True)


def test_no_secret_of_a_url_is_reported_when_it_does_not_answer(home: Path) -> None:
    url = f"http://me:{KEY}@127.0.0.1:9/mcp?token={KEY}"
    with pytest.raises(paddock.PaddockError) as caught:
        paddock.install("claude-code", "Demo", http=url)
    assert caught.value.code == "check-failed"
    assert KEY not in str(caught.value)
