"""Trust levels: what reads metadata only, what loads definitions, and what is left alone."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from paddock import LoadError, get_server
from paddock.testing import connect
from tests.command_line.program import Program

WATCHED = """
import json, os, sys
site, log = sys.argv[1:3]
del sys.argv[1:3]
def hook(event, arguments):
    if event == "open" and str(arguments[0]).startswith(site):
        with os.fdopen(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND), "w") as file:
            file.write(str(arguments[0]) + "\\n")
sys.addaudithook(hook)
from paddock.cli import main
main()
"""
"""The program with a record of the files in a directory that it opens."""

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
READY = {"jsonrpc": "2.0", "method": "notifications/initialized"}
LIST = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}


def touched(site: Path) -> list[str]:
    """The files that have been run though no one should."""
    found = sorted(site.rglob("*.touched"))
    for file in found:
        file.unlink()
    return [file.relative_to(site).as_posix() for file in found]


@pytest.mark.parametrize(
    "words",
    [
        ["extensions"],
        ["extensions", "--json"],
        ["extensions", "mines"],
        ["servers"],
        ["servers", "--json"],
        ["tools"],
        ["prompts", "--json"],
        ["serve", "nothing/there"],
        ["show", "mines/Nothing"],
    ],
)
def test_discovery_runs_nothing_of_an_extension(
    all_installed: Path, good_site: Path, paddock: Program, words: list[str]
) -> None:
    environment = {"PYTHONPATH": os.environ["PYTHONPATH"]}
    said = paddock(*words, environment=environment)
    assert "must not be run" not in said.out + said.err
    assert touched(good_site) + touched(all_installed) == []


def test_a_list_describes_a_python_server_by_its_manifest(paddock: Program) -> None:
    listed = {one["name"]: one for one in paddock("servers", "--json").json}
    code = listed["acme/charts/Code"]
    assert (code["version"], code["description"], code["tools"], code["prompts"]) == (
        *("1.2.3", "In Python", ["Plot"]),
        None,
    )
    assert listed["mines/Boom"]["problem"] is None
    assert listed["acme/charts/Charts"]["tools"][:2] == ["Plot", "DemoDice"]


def test_completion_runs_nothing(good_site: Path, paddock: Program) -> None:
    said = paddock(
        environment={
            "_PADDOCK_COMPLETE": "bash_complete",
            "COMP_WORDS": "paddock serve mi",
            "COMP_CWORD": "2",
        }
    )
    assert "mines/Boom" in said.out
    assert touched(good_site) == []


def test_the_python_functions_of_discovery_run_nothing(installed: Path) -> None:
    program = (
        "import sys, paddock\n"
        "from paddock.extensions.discovery import discover\n"
        "found = [server.name for server in paddock.list_servers()]\n"
        "assert 'mines/Boom' in found\n"
        "server = paddock.get_server('mines/Boom')\n"
        "print(server.name, server.location, server.outline.description, len(discover().broken))\n"
        "assert not {'mines', 'acme_charts', 'plain_tools', 'acme_space'} & set(sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "mines/Boom mines Do not touch 0\n"
    assert touched(installed) == []


def test_inspection_loads_the_definition_and_says_what_fails(installed: Path) -> None:
    server = get_server("mines/Boom")
    with pytest.raises(LoadError):
        _ = server.definition
    assert touched(installed) == ["mines/agenttools/servers/Boom.touched"]


def test_a_server_is_initialised_when_it_starts_and_not_when_it_is_looked_at(
    installed: Path,
) -> None:
    assert installed.is_dir()
    server = get_server("acme/charts/Charts")
    assert server.tool_names
    started: list[str] = sys.modules["acme_charts.drawing"].__dict__["STARTED"]
    started.clear()
    loaded = server.load()
    assert started == []
    with connect(loaded) as peer:
        peer.call("plot", values=[1])
        assert started == ["charts"]


def opened(site: Path, tmp_path: Path, *words: str, text: str = "") -> set[str]:
    """The files in a directory that the program opens."""
    log = tmp_path / "opened.txt"
    log.unlink(missing_ok=True)
    done = subprocess.run(
        [sys.executable, "-c", WATCHED, site, log, *words],
        input=text,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
    return {Path(line).relative_to(site).as_posix() for line in lines}


def test_serving_reads_no_metadata_unless_a_name_is_qualified(
    installed: Path, tmp_path: Path, paddock: Program
) -> None:
    text = "".join(json.dumps(message) + "\n" for message in (HELLO, READY, LIST))
    assert opened(installed, tmp_path, "serve", "Demo", text=text) == set()
    environment = {"PADDOCK_DATA_DIR": os.environ["PADDOCK_DATA_DIR"]}
    assert paddock("create", "Mine", "--tool", "DemoDice", environment=environment).code == 0
    assert opened(installed, tmp_path, "serve", "--named", "Mine", text=text) == set()


def test_serving_a_server_of_an_extension_reads_no_manifest_but_those_it_names(
    installed: Path, tmp_path: Path
) -> None:
    text = "".join(json.dumps(message) + "\n" for message in (HELLO, READY, LIST))
    files = opened(installed, tmp_path, "serve", "acme/charts/Charts", text=text)
    assert {file for file in files if file.endswith("paddock.toml")} == {
        "acme_charts/paddock.toml",
        "plain_tools/paddock.toml",
    }
    assert not any(file.startswith("mines/") for file in files)
