"""Whose file it is."""

from pathlib import Path

import pytest

from paddock.installer.apps import supported_clients
from paddock.installer.client_app import OPERATING_SYSTEMS
from paddock.installer.locations import (
    HostMachine,
    guess_client,
    list_candidate_paths,
    locate_config_files,
)

SHARED = {".mcp.json", ".vscode/mcp.json", ".trae/mcp.json"}
"""Files of a project that several clients read."""
PLAIN = {"x": {"command": "c"}}


def guess(path: str, data: object = None) -> str | None:
    machine = HostMachine("linux", {}, "/home/ada")
    client = guess_client(Path(path), {} if data is None else data, machine=machine)
    return None if client is None else client.id


@pytest.mark.parametrize("client", supported_clients())
def test_every_file_that_is_written_for_a_client_is_known_as_its_own(
    client: str, tmp_path: Path
) -> None:
    row = supported_clients()[client]
    for system in OPERATING_SYSTEMS:
        machine = HostMachine(system, {}, "/home/ada")
        for file in list_candidate_paths(row, machine):
            if "*" not in str(file):
                assert guess_client(Path(file.as_posix()), {}, machine=machine) is row
    if row.project and row.project[0] not in SHARED:
        (file,) = locate_config_files(row, project=tmp_path)
        assert guess_client(file, {}) is row


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/src/.mcp.json", "claude-code"),
        ("/src/.vscode/mcp.json", "vscode"),
        ("/src/.vscode/settings.json", "vscode"),
        ("/src/.VSCode/MCP.json", "vscode"),
        ("/src/opencode.json", "opencode"),
        ("/src/.agents/mcp_config.json", "antigravity"),
        ("/src/.codex/config.toml", "codex"),
        ("/src/.grok/config.toml", "grok-build"),
        ("/src/.continue/mcpServers/mine.yaml", "continue"),
        ("/elsewhere/.gemini/settings.json", "gemini-cli"),
        ("/home/ada/.kimi/mcp.json", "kimi-code"),
        ("/mnt/c/Users/ada/AppData/Roaming/Claude/claude_desktop_config.json", "claude-desktop"),
        ("/x/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json", "cline"),
        ("/src/mcp.json", None),
        ("/src/settings.json", None),
        ("/src/config.toml", None),
        ("/src/config.yaml", None),
    ],
)
def test_the_end_of_the_path_tells_the_client(path: str, expected: str | None) -> None:
    assert guess(path) == expected


@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        ("a.json", {"context_servers": PLAIN}, "zed"),
        ("a.json", {"servers": PLAIN}, "vscode"),
        ("settings.json", {"mcp": {"servers": PLAIN}}, "vscode"),
        ("a.json", {"amp.mcpServers": PLAIN}, "amp"),
        ("a.json", {"mcp": {"x": {"type": "local", "command": ["c"]}}}, "opencode"),
        ("a.json", {"mcp": {"x": {"type": "stdio", "command": "c"}}}, "crush"),
        ("a.json", {"mcpServers": {"x": {"command": "c", "tools": ["*"]}}}, "copilot-cli"),
        (
            "a.json",
            {"mcpServers": {"x": {"command": "c", "disabled": False, "autoApprove": []}}},
            "cline",
        ),
        ("a.json", {"mcpServers": {"x": {"command": "c", "alwaysAllow": []}}}, "roo-code"),
        ("a.json", {"mcpServers": {"x": {"transport": {"command": "c"}}}}, "cline-cli"),
        ("a.json", {"mcpServers": {"x": {"serverUrl": "http://h"}}}, "windsurf"),
        ("a.json", [{"name": "x", "command": "c"}], "augment-code-ide"),
        ("a.toml", {"mcp_servers": PLAIN}, "codex"),
        ("a.toml", {"mcp": {"servers": [{"name": "x", "command": "c"}]}}, "gptme"),
        ("a.yaml", {"extensions": {"x": {"type": "stdio", "cmd": "c"}}}, "goose"),
        ("a.yml", {"mcp_servers": PLAIN}, "hermes"),
        ("a.yaml", {"mcpServers": [{"name": "x", "command": "c"}]}, "continue"),
        ("a.json", {"mcpServers": PLAIN}, None),
        ("a.yaml", {"extensions": ["a", "b"]}, None),
        ("a.json", {"mcp": "off"}, None),
        ("a.json", "text", None),
    ],
)
def test_the_content_tells_where_the_path_does_not(
    name: str, data: object, expected: str | None
) -> None:
    assert guess(f"/src/{name}", data) == expected


def test_the_content_decides_between_clients_that_share_a_file() -> None:
    assert guess("/src/.mcp.json", {"servers": PLAIN}) == "visual-studio"
    assert guess("/src/.mcp.json", {"mcpServers": PLAIN}) == "claude-code"
