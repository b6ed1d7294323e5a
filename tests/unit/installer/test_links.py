"""Links hold what the client would have in its file, encoded as it wants to have it."""

import base64
import json
from collections.abc import Callable
from urllib.parse import parse_qsl, unquote, urlsplit

import pytest

import paddock
from paddock.installer.apps import find_client
from paddock.installer.entry_format import ConfigEntry
from paddock.installer.links import LinkError, format_link
from paddock.version import __version__

PROGRAM = ConfigEntry("C:\\Program Files\\p.exe", ("serve", "--named", "Größe & Co."))
ADDRESS = ConfigEntry(url="https://h/mcp?a=b&c=d")
COMMAND = {"command": PROGRAM.command, "args": list(PROGRAM.args)}


def query(text: str) -> dict[str, str]:
    return dict(parse_qsl(urlsplit(text).query))


def from_base64(text: str) -> object:
    return json.loads(base64.b64decode(text, validate=True))


def from_percent(text: str) -> object:
    return json.loads(text)


@pytest.mark.parametrize(
    ("client", "start", "decode", "expected"),
    [
        (
            "cursor",
            "cursor://anysphere.cursor-deeplink/mcp/install?",
            from_base64,
            {"type": "stdio", **COMMAND},
        ),
        ("lm-studio", "lmstudio://add_mcp?", from_base64, COMMAND),
        (
            "kiro",
            "kiro://kiro.mcp/add?",
            from_percent,
            {**COMMAND, "disabled": False, "autoApprove": []},
        ),
        ("trae", "trae://trae.ai-ide/mcp-import?type=stdio&", from_base64, COMMAND),
        (
            "qoder",
            "qoder://aicoding.aicoding-deeplink/mcp/add?",
            lambda text: json.loads(unquote(base64.b64decode(text).decode())),
            COMMAND,
        ),
    ],
)
def test_a_link_names_the_server_and_holds_its_entry(
    client: str, start: str, decode: Callable[[str], object], expected: object
) -> None:
    text = format_link(find_client(client), PROGRAM, "N")
    assert text.startswith(start)
    assert query(text)["name"] == "N"
    assert decode(query(text)["config"]) == expected


@pytest.mark.parametrize(
    ("client", "start", "kind"),
    [
        ("vscode", "vscode:mcp/install?", {"type": "stdio"}),
        ("vscode-insiders", "vscode-insiders:mcp/install?", {"type": "stdio"}),
        ("visual-studio", "vsweb+mcp:/install?", {"type": "stdio"}),
        ("windsurf", "windsurf:mcp/install?", {}),
        ("antigravity", "antigravity:mcp/install?", {}),
    ],
)
def test_some_links_are_one_object_with_the_name_in_it(
    client: str, start: str, kind: dict[str, str]
) -> None:
    text = format_link(find_client(client), PROGRAM, "N")
    assert text.startswith(start)
    assert json.loads(unquote(text.removeprefix(start))) == {"name": "N", **kind, **COMMAND}


@pytest.mark.parametrize(
    ("client", "start", "field"),
    [
        ("cherry-studio", "cherrystudio://mcp/install?", "servers"),
        ("deepchat", "deepchat://mcp/install?", "code"),
    ],
)
def test_some_links_hold_a_whole_configuration(client: str, start: str, field: str) -> None:
    text = format_link(find_client(client), PROGRAM, "N")
    assert text.startswith(start)
    assert from_base64(query(text)[field]) == {"mcpServers": {"N": COMMAND}}


def test_the_base64_of_a_link_is_plain_and_percent_encoded() -> None:
    entry = ConfigEntry("/bin/p", ("???>>>",))
    text = format_link(find_client("cursor"), entry, "N")
    config = text.partition("config=")[2]
    assert not {"+", "/", "=", "-", "_"} & set(config)
    assert set(unquote(config)) & {"+", "/"}


def test_a_link_for_goose_starts_uvx_since_it_starts_no_program_by_its_path() -> None:
    text = format_link(find_client("goose"), PROGRAM, "N")
    assert parse_qsl(urlsplit(text).query) == [
        ("cmd", "uvx"),
        ("arg", "--from"),
        ("arg", f"paddock=={__version__}"),
        ("arg", "paddock"),
        *(("arg", arg) for arg in PROGRAM.args),
        ("id", "N"),
        ("name", "N"),
        ("description", "N"),
    ]


def test_a_link_for_goose_with_variables_is_refused() -> None:
    entry = ConfigEntry("/bin/p", ("serve", "x"), {"TOKEN": "secret"})
    with pytest.raises(LinkError) as caught:
        format_link(find_client("goose"), entry, "N")
    assert caught.value.code == "no-link"


def test_a_link_can_hold_a_url() -> None:
    goose = format_link(find_client("goose"), ADDRESS, "N")
    assert query(goose)["url"] == ADDRESS.url
    assert query(goose)["type"] == "streamable_http"
    trae = format_link(find_client("trae"), ADDRESS, "N")
    assert query(trae)["type"] == "http"
    assert from_base64(query(trae)["config"]) == {"url": ADDRESS.url}


@pytest.mark.parametrize(
    ("client", "start"),
    [
        ("cursor", "https://cursor.com/"),
        ("vscode", "https://vscode.dev/"),
        ("lm-studio", "https://lmstudio.ai/"),
        ("kiro", "https://kiro.dev/"),
    ],
)
def test_a_link_for_web_pages_is_one_that_browsers_know(client: str, start: str) -> None:
    text = format_link(find_client(client), PROGRAM, "N", web=True)
    assert text.startswith(start)
    assert query(text)["name"] == "N"


def test_a_client_without_links_is_reported_with_those_that_have_them() -> None:
    with pytest.raises(LinkError) as caught:
        format_link(find_client("codex"), PROGRAM, "N")
    assert "cursor" in str(caught.value)
    with pytest.raises(LinkError):
        format_link(find_client("goose"), PROGRAM, "N", web=True)


def test_a_link_for_a_named_server_starts_that_server() -> None:
    text = paddock.link("lm-studio", "Demo")
    config = from_base64(query(text)["config"])
    assert isinstance(config, dict)
    assert config["args"][-3:] == ["serve", "--named", "Demo"]
    assert query(paddock.link("lm-studio", "Demo", name="other"))["name"] == "other"
