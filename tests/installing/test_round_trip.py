"""Installing and then uninstalling is the identity on bytes, whatever the file and the client."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paddock
from paddock.installer.apps import supported_clients
from paddock.installer.client_app import Client
from paddock.installer.config_files.document import ConfigurationError, UneditableError
from paddock.named_servers.installations import read_installations
from tests.installing.texts import json_files, toml_files, yaml_files

CLIENTS = [client for client in supported_clients().values() if client.has_file]
CONTENTS = {client.id: client for client in CLIENTS}
SUFFIXES = {"json": ".json", "toml": ".toml", "yaml": ".yaml"}


@pytest.fixture(autouse=True, scope="module")
def unhurried_disk() -> Iterator[None]:
    """Wait for no disk: that alone would be more than a thousand times on each run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda handle: None)
        yield


def files_for(client: Client) -> st.SearchStrategy[bytes | None]:
    blank = st.sampled_from([None, b"", b"\n", b"  \n\n", b"\xef\xbb\xbf"])
    if client.format == "toml":
        return blank | toml_files()
    if client.format == "yaml":
        return blank | yaml_files()
    if client.listed:
        lists = [b"[]", b"[ ]\n", b'[\n  {"name": "x", "command": "/x"}\n]\n']
        return blank | (st.sampled_from(lists) if not client.path else blank)
    return blank | json_files(client.get_servers_path(), client.dialect)


@st.composite
def cases(draw: st.DrawFn) -> tuple[Client, bytes | None]:
    client = draw(st.sampled_from(CLIENTS))
    return client, draw(files_for(client))


def installed(client: Client, file: Path, key: str) -> bool:
    """Whether it could be installed; a refusal leaves everything as it was."""
    before = file.read_bytes() if file.exists() else None
    try:
        paddock.install(client.id, "Demo", file=file, name=key, env={"A": "b"}, check=False)
    except (ConfigurationError, UneditableError):
        assert (file.read_bytes() if file.exists() else None) == before
        return False
    return True


def content(file: Path) -> bytes | None:
    return file.read_bytes() if file.exists() else None


@given(cases())
@settings(max_examples=80)
def test_a_file_is_byte_for_byte_as_it_was(case: tuple[Client, bytes | None]) -> None:
    client, before = case
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / "made" / f"file{SUFFIXES[client.format]}"
        if before is not None:
            file.parent.mkdir()
            file.write_bytes(before)
        if installed(client, file, "Demo"):
            assert content(file) != before
            paddock.uninstall(client.id, file=file)
        assert content(file) == before
        assert file.parent.exists() == (before is not None)
        assert read_installations() == []


KEYS = ["One", "Two", "Three"]


@given(cases(), st.permutations(KEYS), st.lists(st.sampled_from(KEYS), max_size=3))
@settings(max_examples=40)
def test_several_servers_leave_nothing_behind_in_whichever_order_they_go(
    case: tuple[Client, bytes | None], order: list[str], updates: list[str]
) -> None:
    client, before = case
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / f"file{SUFFIXES[client.format]}"
        if before is not None:
            file.write_bytes(before)
        there = {key for key in KEYS if installed(client, file, key)}
        for count, key in enumerate(updates):
            if key in there:
                env = {"B": str(count)}
                paddock.install(client.id, "Demo", file=file, name=key, env=env, check=False)
        for key in order:
            if key in there:
                paddock.uninstall(client.id, file=file, name=key)
        assert content(file) == before
        assert read_installations() == []


@given(toml_files() | yaml_files(), st.booleans())
@settings(max_examples=25)
def test_lines_that_the_user_adds_at_either_end_in_the_meantime_stay(
    before: bytes, at_end: bool
) -> None:
    newline = b"\r\n" if b"\r\n" in before else b"\n"
    line = b"# added by the user" + newline
    if before.startswith((b"\xef\xbb\xbf", b"%")) or not before.endswith(newline):
        before = before.removeprefix(b"\xef\xbb\xbf").rstrip() + newline
    if before.startswith(b"%"):
        return
    with tempfile.TemporaryDirectory() as directory:
        is_toml = b"[" in before or b" = " in before
        file = Path(directory) / ("file.toml" if is_toml else "file.yaml")
        client = CONTENTS["codex" if is_toml else "goose"]
        file.write_bytes(before)
        if not installed(client, file, "Demo"):
            return
        now = file.read_bytes()
        file.write_bytes(now + line if at_end else line + now)
        paddock.uninstall(client.id, file=file)
        assert content(file) == (before + line if at_end else line + before)
