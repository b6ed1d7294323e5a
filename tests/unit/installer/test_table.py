"""The table holds together, and a client is found by any of its names."""

import re
import tomllib
from dataclasses import fields

import pytest

from paddock.installer.apps import (
    CLIENTS_FILE,
    UnsupportedClientError,
    find_client,
    supported_clients,
)
from paddock.installer.client_app import OPERATING_SYSTEMS, Client
from paddock.installer.locations import HostMachine, list_candidate_paths

CLIENTS = list(supported_clients().values())
IDS = [client.id for client in CLIENTS]
OF_AGENT_TOOLS = {
    *("AmazonQ", "Antigravity", "AugmentCode", "AugmentCodeIDE", "ClaudeCode", "ClaudeDesktop"),
    *("Cline", "Codex", "Continue", "CopilotCLI", "Cursor", "GeminiCLI", "Goose", "Junie"),
    *("KimiCode", "Kiro", "LMStudio", "OpenCode", "QwenCode", "VisualStudioCode", "Windsurf"),
    "Zed",
}


def names(client_id: str) -> set[str]:
    client = supported_clients()[client_id]
    given = {client.id, client.name, client.canonical, *client.aliases} - {""}
    return {re.sub(r"[^a-z0-9]", "", name.casefold()) for name in given}


def test_the_table_has_the_clients_of_agent_tools_by_their_names() -> None:
    assert {client.canonical for client in CLIENTS} - {""} == OF_AGENT_TOOLS
    assert all(find_client(name).canonical == name for name in OF_AGENT_TOOLS)


def test_ids_are_written_as_on_a_command_line() -> None:
    assert [name for name in IDS if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name)] == []


def test_every_key_of_the_table_is_a_field_of_a_client() -> None:
    tables = tomllib.loads(CLIENTS_FILE.read_text(encoding="utf-8")).values()
    keys = {key for table in tables for key in table}
    assert keys - {field.name for field in fields(Client)} == set()


def test_no_two_clients_share_a_name() -> None:
    shared = [
        (one, other) for one in IDS for other in IDS if one < other and names(one) & names(other)
    ]
    assert shared == []


def test_no_two_clients_share_a_file_of_the_user() -> None:
    for system in OPERATING_SYSTEMS:
        machine = HostMachine(system, {}, "/home/ada")
        files = [file for client in CLIENTS for file in list_candidate_paths(client, machine)]
        assert len(files) == len(set(files))


@pytest.mark.parametrize("client", CLIENTS, ids=IDS)
def test_a_row_says_what_is_needed_to_install(client: Client) -> None:
    assert client.url.startswith("https://")
    assert client.shape.stdio
    told = (*client.steps, *client.project_steps, *client.quirks)
    assert all(sentence.endswith(".") for sentence in told)
    assert client.has_file or client.quirks
    assert client.project or not client.project_steps
    assert re.compile(client.key_pattern).fullmatch("Demo_1-a")


def test_only_what_is_known_to_be_refused_is_refused() -> None:
    narrow = {client.id: client.dialect for client in CLIENTS if client.dialect != "jsonc"}
    assert narrow == {
        "antigravity": "strict",
        "claude-code": "strict",
        "claude-desktop": "strict",
        "gemini-cli": "comments",
        "mcp-cli": "strict",
        "qwen-code": "comments",
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("claude-code", "claude-code"),
        ("Claude Code", "claude-code"),
        ("CLAUDE_CODE", "claude-code"),
        ("Claude", "claude-desktop"),
        ("visualstudiocode", "vscode"),
        ("VS Code", "vscode"),
        ("Visual Studio", "visual-studio"),
        ("droid", "factory"),
        ("JetBrains Junie", "junie"),
        ("q", "amazon-q"),
    ],
)
def test_case_blanks_and_hyphens_of_a_name_do_not_matter(text: str, expected: str) -> None:
    assert find_client(text).id == expected


def test_an_unknown_name_is_answered_with_near_ones() -> None:
    with pytest.raises(UnsupportedClientError) as caught:
        find_client("claude-cod")
    assert caught.value.code == "unsupported-client"
    assert "claude-code" in str(caught.value)


def test_a_name_like_no_other_is_answered_with_the_list() -> None:
    with pytest.raises(UnsupportedClientError) as caught:
        find_client("zzzz")
    assert "paddock clients" in str(caught.value)
