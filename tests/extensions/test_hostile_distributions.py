"""Whatever is in the files of a distribution, it is that distribution which is broken."""

import json
from pathlib import Path

import pytest

from paddock import list_servers
from paddock.cli.server_details import summarize_server
from paddock.errors import PaddockError
from paddock.extensions.discovery import discover
from paddock.extensions.registry import InstalledItemRegistry
from tests.extensions import samples
from tests.extensions.conftest import put_on_path

LONG_NUMBER = f"n = {'9' * 5_000}\n"
DEEP_TOML = f"n = {'[' * 3_000}{']' * 3_000}\n"
DEEP_JSON = "[" * 100_000
GOOD = {"paddock.toml": 'tools = ["T"]\nservers = ["S"]', "agenttools/servers/S.toml": ""}


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with a distribution that is fine, and room for one that is not."""
    place = tmp_path / "site"
    samples.put(place, "zz_fine", GOOD)
    put_on_path(monkeypatch, place)
    return place


@pytest.mark.parametrize(
    "files",
    [
        {"paddock.toml": LONG_NUMBER},
        {"paddock.toml": DEEP_TOML},
        {"@RECORD": "x" * 200_000},
        {"@RECORD": "a\0.pth,,\n"},
        {"@direct_url.json": '{"url": "file://[x/y", "dir_info": {"editable": true}}'},
        {"@direct_url.json": '{"url": 5}'},
        {"@direct_url.json": DEEP_JSON},
        {"@RECORD": "finder.py,,\n", "../finder.py": "-" * 100_000},
        {"@RECORD": "finder.py,,\n", "../finder.py": "MAPPING = {[]: ''}"},
    ],
    ids=lambda files: f"{next(iter(files))}-{len(str(files))}",
)
def test_metadata_and_manifests_that_cannot_be_read_hide_no_other(
    site: Path, files: dict[str, str]
) -> None:
    samples.put(site, "broken", files)
    found = discover()
    assert "zz_fine" in [one.name for one in found.extensions]
    assert [one.name for one in found.broken] == ["broken"]
    assert found.broken[0].problem.code in ("invalid-manifest", "extension-not-found")


@pytest.mark.parametrize(
    "files",
    [
        {"agenttools/servers/S.toml": LONG_NUMBER},
        {"agenttools/servers/S.toml": DEEP_TOML},
        {"agenttools/servers/S.toml": f"tools = {'[' * 400}{']' * 400}\n"},
        {"agenttools/servers/S.json": DEEP_JSON},
        {"agenttools/servers/S.json": "\ud800".encode("utf-8", "surrogatepass")},
    ],
    ids=lambda files: f"{next(iter(files))}-{len(str(files))}",
)
def test_a_server_that_cannot_be_read_hides_no_other(
    site: Path, files: dict[str, str | bytes]
) -> None:
    samples.put(site, "broken", {"paddock.toml": 'servers = ["S"]', **files})
    found = {one.name: summarize_server(one)["problem"] for one in list_servers("*/S")}
    assert set(found) == {"broken/S", "zz_fine/S"}
    assert found["zz_fine/S"] is None


@pytest.mark.parametrize(
    "files",
    [
        {"agenttools/tools/T.toml": LONG_NUMBER},
        {"agenttools/tools/T.toml": DEEP_TOML},
        {"agenttools/tools/T.json": DEEP_JSON},
        {"agenttools/tools/T.json": json.dumps("\x00")},
    ],
    ids=lambda files: f"{next(iter(files))}-{len(str(files))}",
)
def test_a_tool_that_cannot_be_read_is_reported(site: Path, files: dict[str, str]) -> None:
    samples.put(site, "broken", {"paddock.toml": 'tools = ["T"]', **files})
    with pytest.raises(PaddockError):
        InstalledItemRegistry().resolve_item("tools", "broken/T", where="here")
