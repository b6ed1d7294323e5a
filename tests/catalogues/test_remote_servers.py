"""Servers that are not installed are described by catalogues; what needs their files says how."""

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from paddock import create_server, get_server, install, list_servers
from paddock.extensions.catalogues.store import CATALOGUES_VARIABLE
from paddock.extensions.errors import (
    CatalogueError,
    ExtensionNotInstalledError,
    ItemNotDeclaredError,
)
from paddock.named_servers.missing_extensions import find_missing_extensions
from paddock.named_servers.names import BuiltInServerError
from tests.catalogues.conftest import CATALOGUE
from tests.catalogues.web import Web
from tests.extensions import samples
from tests.extensions.conftest import put_on_path

if TYPE_CHECKING:
    from paddock.errors import PaddockError

COMMAND = "paddock extensions install acme/charts"


def test_a_server_that_is_not_installed_is_described_by_its_manifest(known: Path) -> None:
    server = get_server("acme/charts/Code")
    assert server.is_remote
    assert (server.name, server.location) == ("acme/charts/Code", "acme/charts")
    assert (server.version, server.description, server.title) == ("1.2.3", "In Python", None)
    assert server.outline.tools == ["acme/charts/Plot"]
    everything = [f"acme/charts/{name}" for name in ("Plot", "Table", "Export", "Search")]
    assert get_server("acme/charts/Charts").outline.tools == everything
    assert server.outline.prompts == ["acme/charts/Explain", "acme/charts/Greet"]


@pytest.mark.parametrize(
    "name", ["tools", "tool_names", "prompts", "resources", "instructions", "key", "configuration"]
)
def test_a_property_that_needs_files_says_how_to_install_them(known: Path, name: str) -> None:
    server = get_server("acme/charts/Charts")
    with pytest.raises(ExtensionNotInstalledError) as caught:
        server[name]
    assert caught.value.hint == f"install it: {COMMAND}"
    assert caught.value.extension == "acme/charts"
    assert COMMAND in str(server.problem)


def test_servers_of_catalogues_are_listed_when_asked_for(known: Path) -> None:
    assert [one.name for one in list_servers("*/*")] == []
    found = list_servers("*/*", include_remote=True)
    assert [(one.name, one.is_remote) for one in found] == [
        ("acme/charts/Charts", True),
        ("acme/charts/Code", True),
        ("mines/Boom", True),
        ("SamplePublisher/Sampler/Bench", True),
    ]


def test_what_is_installed_is_not_remote(
    known: Path, shelf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PADDOCK_PACLET_PATH", str(shelf / "Sampler-1.2.0.paclet"))
    assert not get_server("SamplePublisher/Sampler/Bench").is_remote
    listed = list_servers("SamplePublisher/*", include_remote=True)
    assert [one.is_remote for one in listed] == [False]


def test_a_tool_of_something_not_installed_says_how_to_install_it(known: Path) -> None:
    with pytest.raises(ExtensionNotInstalledError) as caught:
        create_server("Mine", tools=["acme/charts/Plot"])
    assert caught.value.hint == f"install it: {COMMAND}"
    with pytest.raises(ItemNotDeclaredError, match="acme/charts/Nothing"):
        create_server("Mine", tools=["acme/charts/Nothing"])


def test_what_is_not_installed_is_neither_installed_into_a_client_nor_edited(
    known: Path, tmp_path: Path
) -> None:
    file = tmp_path / "settings.json"
    with pytest.raises(ExtensionNotInstalledError):
        install("cursor", "acme/charts/Charts", file=file)
    assert not file.exists()
    with pytest.raises((BuiltInServerError, ExtensionNotInstalledError)):
        get_server("acme/charts/Charts").load()


def test_a_user_definition_names_the_extensions_it_needs(known: Path, tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('tools = ["acme/charts/Plot", "DemoDice", "nowhere/Thing"]\n')
    assert find_missing_extensions(str(file)) == ["acme/charts"]
    assert find_missing_extensions("acme/charts/Charts") == ["acme/charts"]
    assert find_missing_extensions("acme/charts/Nothing") == []
    assert find_missing_extensions("Demo") == []
    assert find_missing_extensions("NoServer") == []


def test_a_catalogue_is_fetched_when_something_is_missing_and_only_then(
    web: Web, shelf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    web.put_directory(shelf)
    monkeypatch.setenv(CATALOGUES_VARIABLE, f"{web.url}/{CATALOGUE} {web.url}/away.json")
    assert find_missing_extensions("Demo") == []
    assert web.asked == []
    problems: list[PaddockError] = []
    assert find_missing_extensions("acme/charts/Charts", problems.append) == ["acme/charts"]
    assert [one.where for one in problems] == [f"{web.url}/away.json"]


def test_what_a_definition_in_python_names_is_found_out(
    known: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {
        "paddock.toml": 'servers = ["S"]',
        "agenttools/servers/S.py": 'server = {"tools": ["acme/charts/" + "Plot"]}',
    }
    samples.put(tmp_path / "site", "python_ext", files)
    put_on_path(monkeypatch, tmp_path / "site")
    assert find_missing_extensions("python_ext/S") == ["acme/charts"]


def test_settings_that_cannot_be_read_are_reported_when_something_is_to_be_installed(
    data: Path,
) -> None:
    data.mkdir()
    (data / "catalogues.toml").write_text("= broken")
    with pytest.raises(CatalogueError):
        find_missing_extensions("acme/charts/Charts")


def test_settings_that_cannot_be_read_do_not_hide_what_is_wrong_with_a_name(data: Path) -> None:
    data.mkdir()
    (data / "catalogues.toml").write_text("= broken")
    with pytest.raises(ExtensionNotInstalledError):
        get_server("acme/charts/Charts")


def test_looking_for_a_server_that_is_there_loads_nothing_of_catalogues() -> None:
    program = (
        "import sys, paddock; paddock.get_server('Demo').version; paddock.list_servers();"
        "print([name for name in sys.modules if 'catalogue.' in name and 'errors' not in name])"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert ran.stdout == "[]\n"


def test_catalogues_are_fetched_again_when_that_is_asked_for(
    web: Web, shelf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    web.put_directory(shelf)
    monkeypatch.setenv(CATALOGUES_VARIABLE, f"{web.url}/{CATALOGUE}")
    times = []
    for refresh in (False, False, True):
        assert list_servers("acme/charts/Code", include_remote=True, refresh=refresh)
        times.append(len(web.asked))
    assert times == [1, 1, 2]
    list_servers(refresh=True)  # none of their servers is listed
    assert len(web.asked) == 2
