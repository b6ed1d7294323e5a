"""What `paddock install` writes for every client, and where.

The files of users, which keep their comments and their style, are in `tests/golden/clients`; here
are entries with all options, the files' places, links and bundles.
"""

import json
import shutil
import sys
import zipfile
from pathlib import Path

import pytest

from paddock import supported_clients
from tests.golden_outputs.golden_files import (
    GoldenFiles,
    MachineNames,
    dump_json,
    format_texts,
    split_files,
)
from tests.golden_outputs.program import Program, Result

URL = "https://example.org/mcp"
SHAPES = {
    "stdio": ("--env", "PLAIN=1"),
    "passed-on": ("--env", "PASSED_ON"),
    "http": ("--http", URL, "--header", "X-Team:red"),
}


def describe(result: Result) -> list[str]:
    """List notes and what is to be pasted, or the error."""
    if result.code or not result.out:
        return result.err.splitlines()
    (outcome,) = result.json
    return [*outcome["notes"], *filter(None, [outcome["paste"]])]


def test_entries_of_every_client(
    golden: GoldenFiles, paddock: Program, names: MachineNames, user: Path
) -> None:
    files, codes, notes = {}, {}, {}
    for name, client in supported_clients().items():
        for shape, options in SHAPES.items():
            file = Path(f"{name}.{shape}.{client.format}")
            words = ("--no-check", "--json", "--file", str(file), *options)
            result = paddock("install", name, "Demo", *words)
            codes[f"{name} {shape}"] = result.code
            notes[f"{name} {shape}"] = describe(result)
            if file.exists():
                files[file.name] = names.hide(file.read_text(encoding="utf-8"))
            # A long record of installations makes every command slower.
            shutil.rmtree(user / "data", ignore_errors=True)
    files["exit_codes.json"] = dump_json(codes)
    golden.check("clients/entries", {**files, "notes.wording.json": dump_json(notes)})


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have other directories")
def test_files_of_every_client(golden: GoldenFiles, paddock: Program) -> None:
    places, notes = {}, {}
    for name in supported_clients():
        for scope, options in {"user": (), "project": ("--project", ".")}.items():
            words = ("--no-check", "--json", "--dry-run", *options)
            result = paddock("install", name, "Demo", *words)
            notes[f"{name} {scope}"] = describe(result)
            changes = [] if result.code else result.json[0]["changes"]
            places[f"{name} {scope}"] = [change["file"] for change in changes]
    golden.check(
        "clients/files",
        {"places.linux.json": dump_json(places), "notes.wording.json": dump_json(notes)},
    )


def test_properties_of_every_client(golden: GoldenFiles, paddock: Program) -> None:
    clients = paddock("clients", "--all", "--json").json
    for client in clients:
        client.pop("file", None)
        client.pop("files", None)
    clients.sort(key=lambda client: str(client["id"]))
    golden.check("clients/properties", {"clients.json": dump_json(clients)})


def test_links_of_every_client(golden: GoldenFiles, paddock: Program) -> None:
    links, errors = {}, {}
    for name in supported_clients():
        for kind, options in {"app": (), "web": ("--web",)}.items():
            result = paddock("link", name, "Demo", "--http", URL, *options)
            links[f"{name} {kind}"] = result.out.strip()
            errors[f"{name} {kind}"] = result.err.strip()
    golden.check(
        "clients/links",
        {"links.json": dump_json(links), "errors.wording.txt": format_texts(errors)},
    )


def test_bundle_of_a_server(golden: GoldenFiles, paddock: Program, names: MachineNames) -> None:
    files = {}
    for kind, options in {"here": (), "portable": ("--portable",)}.items():
        Path("server.py").write_text(SERVER, encoding="utf-8")
        target = "Demo" if kind == "here" else "server.py"
        result = paddock("bundle", target, "--file", f"{kind}.mcpb", *options)
        files[f"{kind}.output.wording.txt"] = result.text
        with zipfile.ZipFile(f"{kind}.mcpb") as archive:
            manifest = json.loads(archive.read("manifest.json"))
            others = {
                name: names.hide(archive.read(name).decode("utf-8"))
                for name in archive.namelist()
                if name != "manifest.json"
            }
        # In one file, or programs that look for Python files would find them.
        files[f"{kind}.files.txt"] = format_texts(dict(sorted(others.items())))
        if kind == "here":
            manifest["compatibility"].pop("platforms")  # this one
        files |= split_files(f"{kind}.manifest", names.hide_in(manifest))
    golden.check("clients/bundles", files)


SERVER = """
from paddock import Server

server = Server("Small")


@server.tool
def add(a: int, b: int) -> int:
    '''Add two numbers.'''
    return a + b
"""
