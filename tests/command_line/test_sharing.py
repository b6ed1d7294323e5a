"""Servers for people who click: links and bundles."""

import base64
import json
import zipfile
from urllib.parse import parse_qs, urlsplit

from tests.command_line.program import Program


def test_a_link_holds_what_would_is_in_the_file(paddock: Program) -> None:
    said = paddock("link", "cursor", "Demo", "--name", "mine", "--env", "A=1")
    assert (said.code, said.err) == (0, "")
    fields = parse_qs(urlsplit(said.out.strip()).query)
    entry = json.loads(base64.b64decode(fields["config"][0]))
    assert fields["name"] == ["mine"]
    assert entry["args"][-2:] == ["--named", "Demo"]
    assert entry["env"]["A"] == "1"


def test_a_link_for_web_pages_to_an_address_works_everywhere(paddock: Program) -> None:
    said = paddock("link", "vscode", "--web", "--http", "https://example.org/mcp")
    assert said.out.startswith("https://")
    assert "python" not in said.out


def test_a_client_without_links_is_answered_with_those_that_have_them(paddock: Program) -> None:
    said = paddock("link", "gemini-cli", "Demo")
    assert (said.code, said.out) == (2, "")
    assert said.err.splitlines()[-1].startswith("Hint: clients with links: ")


def test_a_bundle_is_written_where_it_was_asked_for(paddock: Program) -> None:
    said = paddock("bundle", "Demo")
    file = paddock.work / "Demo.mcpb"
    assert (said.code, said.out) == (0, f"{file}\n")
    assert "--portable" in said.err
    with zipfile.ZipFile(file) as archive:
        assert json.loads(archive.read("manifest.json"))["name"] == "Demo"
    elsewhere = paddock("bundle", "Demo", "--portable", "--file", "other.mcpb")
    assert elsewhere.out == f"{paddock.work / 'other.mcpb'}\n"
    assert elsewhere.err == "It contains main.py, manifest.json, pyproject.toml, server.toml\n"
    assert paddock("bundle", "Dmo").code == 2
