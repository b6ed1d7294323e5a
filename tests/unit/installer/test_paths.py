"""Where clients keep their files, on all three systems."""

from pathlib import Path, PurePosixPath, PureWindowsPath

import pytest

from paddock.installer.apps import find_client
from paddock.installer.locations import (
    HostMachine,
    UnknownLocationError,
    UnsupportedProjectError,
    list_candidate_paths,
    locate_config_files,
)

LINUX = HostMachine("linux", {}, "/home/ada")
MACOS = HostMachine("macos", {}, "/Users/ada")
WINDOWS = HostMachine(
    "windows",
    {"APPDATA": r"C:\Users\ada\AppData\Roaming", "LOCALAPPDATA": r"C:\Users\ada\AppData\Local"},
    r"C:\Users\ada",
)


def first(client: str, machine: HostMachine) -> PurePosixPath | PureWindowsPath:
    path = list_candidate_paths(find_client(client), machine)[0]
    assert isinstance(path, PurePosixPath | PureWindowsPath)
    return path


@pytest.mark.parametrize(
    ("client", "linux", "macos", "windows"),
    [
        (
            "claude-desktop",
            "/home/ada/.config/Claude/claude_desktop_config.json",
            "/Users/ada/Library/Application Support/Claude/claude_desktop_config.json",
            r"C:\Users\ada\AppData\Roaming\Claude\claude_desktop_config.json",
        ),
        (
            "vscode",
            "/home/ada/.config/Code/User/mcp.json",
            "/Users/ada/Library/Application Support/Code/User/mcp.json",
            r"C:\Users\ada\AppData\Roaming\Code\User\mcp.json",
        ),
        (
            "goose",
            "/home/ada/.config/goose/config.yaml",
            "/Users/ada/.config/goose/config.yaml",
            r"C:\Users\ada\AppData\Roaming\Block\goose\config\config.yaml",
        ),
        (
            "zed",
            "/home/ada/.config/zed/settings.json",
            "/Users/ada/.config/zed/settings.json",
            r"C:\Users\ada\AppData\Roaming\Zed\settings.json",
        ),
        (
            "codex",
            "/home/ada/.codex/config.toml",
            "/Users/ada/.codex/config.toml",
            r"C:\Users\ada\.codex\config.toml",
        ),
        (
            "crush",
            "/home/ada/.config/crush/crush.json",
            "/Users/ada/.config/crush/crush.json",
            r"C:\Users\ada\AppData\Local\crush\crush.json",
        ),
    ],
)
def test_files_is_where_each_system_has_them(
    client: str, linux: str, macos: str, windows: str
) -> None:
    assert first(client, LINUX) == PurePosixPath(linux)
    assert first(client, MACOS) == PurePosixPath(macos)
    assert first(client, WINDOWS) == PureWindowsPath(windows)


@pytest.mark.parametrize(
    ("client", "variable", "value", "expected"),
    [
        ("claude-code", "CLAUDE_CONFIG_DIR", "/c", "/c/.claude.json"),
        ("codex", "CODEX_HOME", "/c", "/c/config.toml"),
        ("copilot-cli", "COPILOT_HOME", "/c", "/c/mcp-config.json"),
        ("kimi-code", "KIMI_CODE_HOME", "/c", "/c/mcp.json"),
        ("grok-build", "GROK_HOME", "/c", "/c/config.toml"),
        ("hermes", "HERMES_HOME", "/c", "/c/config.yaml"),
        ("opencode", "XDG_CONFIG_HOME", "/c", "/c/opencode/opencode.jsonc"),
        ("vscode", "XDG_CONFIG_HOME", "/c", "/c/Code/User/mcp.json"),
        ("crush", "XDG_CONFIG_HOME", "/c", "/c/crush/crush.json"),
        ("crush", "CRUSH_GLOBAL_CONFIG", "/c", "/c/crush.json"),
        ("mcporter", "XDG_CONFIG_HOME", "/c", "/c/mcporter/mcporter.json"),
        ("cline-cli", "CLINE_DIR", "/c", "/c/data/settings/cline_mcp_settings.json"),
        ("amp", "XDG_CONFIG_HOME", "/c", "/home/ada/.config/amp/settings.json"),
        ("opencode", "XDG_CONFIG_HOME", "relative", "/home/ada/.config/opencode/opencode.jsonc"),
        ("codex", "CODEX_HOME", "", "/home/ada/.codex/config.toml"),
    ],
)
def test_variables_that_a_client_heeds_move_its_file(
    client: str, variable: str, value: str, expected: str
) -> None:
    machine = HostMachine("linux", {variable: value}, "/home/ada")
    assert first(client, machine) == PurePosixPath(expected)


def test_a_location_without_its_variable_is_skipped() -> None:
    found = list_candidate_paths(find_client("mcporter"), LINUX)
    assert found[0] == PurePosixPath("/home/ada/.mcporter/mcporter.json")


@pytest.fixture
def machine(tmp_path: Path) -> HostMachine:
    """A Linux machine with an empty home directory."""
    return HostMachine("linux", {}, str(tmp_path))


def touched(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    return path


def test_the_one_existing_file_of_several_is_used(machine: HostMachine, tmp_path: Path) -> None:
    opencode = find_client("opencode")
    folder = tmp_path / ".config" / "opencode"
    assert locate_config_files(opencode, machine=machine) == [folder / "opencode.jsonc"]
    plain = touched(folder / "opencode.json")
    assert locate_config_files(opencode, machine=machine) == [plain]
    commented = touched(folder / "opencode.jsonc")
    assert locate_config_files(opencode, machine=machine) == [commented]


def test_antigravity_moves_when_it_has_migrated(machine: HostMachine, tmp_path: Path) -> None:
    antigravity = find_client("antigravity")
    old = touched(tmp_path / ".gemini/antigravity/mcp_config.json")
    assert locate_config_files(antigravity, machine=machine) == [old]
    touched(tmp_path / ".gemini/config/.migrated")
    assert locate_config_files(antigravity, machine=machine) == [
        tmp_path / ".gemini/config/mcp_config.json"
    ]


def test_the_old_file_of_kimi_counts_only_without_the_new_kimi(
    machine: HostMachine, tmp_path: Path
) -> None:
    kimi = find_client("kimi-code")
    old = touched(tmp_path / ".kimi/mcp.json")
    assert locate_config_files(kimi, machine=machine) == [old]
    (tmp_path / ".kimi-code").mkdir()
    assert locate_config_files(kimi, machine=machine) == [tmp_path / ".kimi-code/mcp.json"]


def test_claude_desktop_from_the_windows_store_is_written_as_well(tmp_path: Path) -> None:
    local = tmp_path / "AppData" / "Local"
    roaming = tmp_path / "AppData" / "Roaming"
    environment = {"APPDATA": str(roaming), "LOCALAPPDATA": str(local)}
    machine = HostMachine("windows", environment, str(tmp_path))
    claude = find_client("claude-desktop")
    plain = roaming / "Claude" / "claude_desktop_config.json"
    assert locate_config_files(claude, machine=machine) == [plain]
    package = local / "Packages" / "Claude_pzs8sxrjxfjjc"
    package.mkdir(parents=True)
    packaged = package / "LocalCache/Roaming/Claude/claude_desktop_config.json"
    assert locate_config_files(claude, machine=machine) == [packaged]
    touched(plain)
    assert locate_config_files(claude, machine=machine) == [plain, packaged]


def test_a_project_has_a_file_of_its_own(tmp_path: Path) -> None:
    assert locate_config_files(find_client("claude-code"), project=tmp_path) == [
        tmp_path / ".mcp.json"
    ]
    assert locate_config_files(find_client("vscode"), project=tmp_path) == [
        tmp_path / ".vscode/mcp.json"
    ]


def test_a_file_that_the_project_has_is_not_hidden_by_another(tmp_path: Path) -> None:
    given = touched(tmp_path / ".github/mcp.json")
    assert locate_config_files(find_client("copilot-cli"), project=tmp_path) == [given]


def test_a_client_without_project_files_says_so(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedProjectError) as caught:
        locate_config_files(find_client("claude-desktop"), project=tmp_path)
    assert caught.value.code == "unsupported-project"


@pytest.mark.parametrize(
    ("client", "way"),
    [
        ("visual-studio", "--project"),
        ("cherry-studio", "`paddock install cherry-studio` prints the entry to paste"),
        ("code-server", "--project"),
    ],
)
def test_a_client_without_a_file_says_what_to_do_instead(client: str, way: str) -> None:
    with pytest.raises(UnknownLocationError) as caught:
        locate_config_files(
            find_client(client), machine=WINDOWS if client == "code-server" else LINUX
        )
    assert caught.value.code == "unknown-install-location"
    assert way in str(caught.value)
