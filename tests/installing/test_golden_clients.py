"""Every client's file before and after an installation, byte for byte.

The files before are a user's: comments where the client reads them, odd indentation, a server of
someone else. `python -m tests.installing.test_golden_clients` writes those after again; look at
the difference.
"""

import codecs
import json
import os
import sys
import tempfile
from pathlib import Path

import pytest

import paddock
from paddock.directories import DATA_DIRECTORY_VARIABLE
from paddock.installer.client_app import Client
from paddock.installer.config_files.document import ConfigurationError
from paddock.installer.locations import UnknownLocationError

GOLDEN = Path(__file__).parents[1] / "golden" / "clients"
CLIENTS = [client for client in paddock.supported_clients().values() if client.has_file]
WAYS = {"program": None, "url": "http://127.0.0.1:8642/mcp"}
BROKEN = {"json": '{\n  "a": 1,\n  "b": ]\n}\n', "toml": "a = 1\nb = ]\n", "yaml": "a: 1\nb: [\n"}


@pytest.fixture(autouse=True)
def no_import_path(monkeypatch: pytest.MonkeyPatch) -> None:
    """A path without which Paddock could not be imported would is in the entries too."""
    monkeypatch.delenv("PYTHONPATH", raising=False)


def named(value: object) -> str:
    return value.id if isinstance(value, Client) else str(value)


def golden(client: Client, stage: str) -> Path:
    return GOLDEN / f"{client.id}.{stage}.{client.format}"


def file_of(client: Client, home: Path) -> Path:
    """The file that an installation writes; in a project where the user has none on this system."""
    try:
        plan = paddock.install(client.id, "Demo", check=False, dry_run=True)
    except UnknownLocationError:
        plan = paddock.install(client.id, "Demo", project=home, check=False, dry_run=True)
    return plan.changes[0].file


def installed(client: Client, file: Path, way: str, home: Path) -> bytes:
    """The content of a file, with names for what differs between machines."""
    paddock.install(client.id, "Demo", file=file, http=WAYS[way], check=False)
    data = file.read_bytes()
    names = {sys.executable: "PYTHON", str(home): "HOME"}
    for text, name in names.items():
        data = data.replace(json.dumps(text)[1:-1].encode(), name.encode())
    return data


def written(client: Client, home: Path, content: bytes) -> Path:
    file = file_of(client, home)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)
    return file


def as_on_windows(content: bytes) -> bytes:
    return codecs.BOM_UTF8 + content.replace(b"\n", b"\r\n")


def ways(client: Client) -> list[str]:
    return [way for way, url in WAYS.items() if client.supports_http or url is None]


CASES = [(client, way) for client in CLIENTS for way in ways(client) if client.starts_programs]


@pytest.mark.parametrize(("client", "way"), CASES, ids=named)
def test_an_entry_is_where_the_golden_file_has_it(client: Client, way: str, home: Path) -> None:
    before = golden(client, "before").read_bytes()
    file = written(client, home, before)
    assert installed(client, file, way, home) == golden(client, way).read_bytes()
    paddock.uninstall(client.id, "Demo", file=file)
    assert file.read_bytes() == before


@pytest.mark.parametrize(("client", "way"), CASES, ids=named)
def test_line_ends_and_byte_order_marks_of_windows_stay(
    client: Client, way: str, home: Path
) -> None:
    before = as_on_windows(golden(client, "before").read_bytes())
    file = written(client, home, before)
    expected = as_on_windows(golden(client, way).read_bytes())
    assert installed(client, file, way, home) == expected
    paddock.uninstall(client.id, "Demo", file=file)
    assert file.read_bytes() == before


@pytest.mark.parametrize("client", CLIENTS, ids=named)
def test_a_broken_file_is_left_as_it_is_and_its_fault_shown(client: Client, home: Path) -> None:
    before = BROKEN[client.format].encode()
    file = written(client, home, before)
    with pytest.raises(ConfigurationError) as caught:
        paddock.install(client.id, "Demo", file=file, check=False)
    assert str(caught.value.where).startswith(f"{file}:")
    assert str(caught.value.where).split(":")[-2] in ("2", "3")
    assert file.read_bytes() == before


@pytest.mark.parametrize("client", CLIENTS, ids=named)
def test_an_empty_file_is_one_without_servers(client: Client, home: Path) -> None:
    file = written(client, home, b"")
    installed(client, file, "program", home)
    assert b"Demo" in file.read_bytes()
    paddock.uninstall(client.id, "Demo", file=file)
    assert file.read_bytes() == b""


def test_every_client_has_its_files() -> None:
    expected = {golden(client, way).name for client, way in CASES}
    expected |= {golden(client, "before").name for client, _ in CASES}
    assert {file.name for file in GOLDEN.iterdir()} == expected


def _write_anew() -> None:
    os.environ.pop("PYTHONPATH", None)
    for client, way in CASES:
        with tempfile.TemporaryDirectory() as scratch:
            os.environ.update(HOME=scratch, **{DATA_DIRECTORY_VARIABLE: f"{scratch}/.paddock"})
            file = written(client, Path(scratch), golden(client, "before").read_bytes())
            after = installed(client, file, way, Path(scratch))
            golden(client, way).write_bytes(after)


if __name__ == "__main__":
    _write_anew()
