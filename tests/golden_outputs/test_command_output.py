"""What commands print with `--json`, and the files that they write."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.golden_outputs.golden_files import (
    GoldenFiles,
    dump_json,
    format_texts,
    split_files,
)
from tests.golden_outputs.program import Program

MODULE_REFERENCE = re.compile(r"^paddock\.[\w.]+:\w+$")
"""Names an object of a built-in server, whose modules may be renamed."""

OF_SERVERS = {
    "servers": ("servers",),
    "servers Demo": ("servers", "De*"),
    "show Demo": ("show", "Demo"),
    "show AgentZoo": ("show", "AgentZoo"),
    "tools": ("tools",),
    "prompts": ("prompts",),
    "extensions": ("extensions",),
    "extensions paddock": ("extensions", "paddock"),
    "catalogue list": ("catalogue", "list"),
    "users": ("users",),
    "docs status": ("docs", "status"),
    "zoo list": ("zoo", "list"),
    "zoo starters": ("zoo", "starters"),
    "zoo library": ("zoo", "library", "--add-starters"),
    "unknown server": ("show", "Dem"),
}
OF_CLIENTS = {
    "doctor of nothing": ("doctor",),
    "install dry run": ("install", "cursor", "Demo", "--no-check", "--dry-run"),
    "install": ("install", "cursor", "Demo", "--no-check"),
    "install again": ("install", "cursor", "Demo", "--no-check"),
    "servers Demo": ("servers", "Demo"),
    "clients": ("clients",),
    "uninstall": ("uninstall", "cursor", "Demo"),
    "uninstall again": ("uninstall", "cursor", "Demo"),
}
OF_CALLS = {
    "inspect 2026-07-28": ("inspect", "--era", "2026-07-28", "server.py"),
    "inspect 2025-11-25": ("inspect", "--era", "2025-11-25", "server.py"),
    "call": ("call", "server.py", "add", "a=1", "b=2"),
    "call error": ("call", "server.py", "add", "a=x"),
    "call unknown": ("call", "server.py", "ad"),
}
SERVER = """
from paddock import Server

server = Server("Small")


@server.tool
def add(a: int, b: int) -> int:
    '''Add two numbers.'''
    return a + b


@server.prompt
def sum_up(topic: str) -> str:
    '''Ask for a summary.'''
    return f"Sum up {topic}."


@server.resource("notes://all")
def notes() -> str:
    '''All notes.'''
    return "none"
"""


def run_all(paddock: Program, commands: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    """Run commands one after the other; the files with what they print."""
    files: dict[str, str] = {}
    codes = {}
    for name, words in commands.items():
        result = paddock(*words, "--json")
        codes[name] = result.code
        stem = name.replace(" ", ".")
        if result.out:
            files |= split_files(stem, hide_details(result.json))
        if result.err:
            files[f"{stem}.stderr.wording.txt"] = result.err
    return {**files, "exit_codes.json": dump_json(codes)}


def hide_details(value: Any) -> Any:
    """Replace times, module names and what else differs from run to run."""
    if isinstance(value, dict):
        return {key: hide_details(one) for key, one in value.items()}
    if isinstance(value, list):
        return [hide_details(one) for one in value]
    if isinstance(value, str):
        value = re.sub(r"\d{4}-\d\d-\d\dT[\d:.-]+(?:Z|\+00:00)", "TIME", value)
        value = re.sub(r"(?<=mcp\.json-)[0-9a-f]{12}", "DIGEST", value)
        return MODULE_REFERENCE.sub("MODULE:NAME", value)
    return value


def test_json_of_commands_that_list(golden: GoldenFiles, paddock: Program) -> None:
    golden.check("commands/listing", run_all(paddock, OF_SERVERS))


def test_json_of_commands_for_clients(golden: GoldenFiles, paddock: Program, user: Path) -> None:
    (user / "home" / ".cursor").mkdir()
    golden.check("commands/clients", run_all(paddock, OF_CLIENTS))


def test_json_of_commands_that_call(golden: GoldenFiles, paddock: Program) -> None:
    Path("server.py").write_text(SERVER, encoding="utf-8")
    golden.check("commands/calling", run_all(paddock, OF_CALLS))


def test_json_of_engines(golden: GoldenFiles, paddock: Program) -> None:
    # Which are here, and in which versions, differs from machine to machine.
    unknown = dict.fromkeys(("version", "found", "reason", "confinement", "is_chosen"))
    engines = [{**engine, **unknown} for engine in paddock("engines", "--json").json]
    golden.check("commands/engines", split_files("engines", engines))


def test_files_of_named_servers(golden: GoldenFiles, paddock: Program, user: Path) -> None:
    Path("tools.py").write_text(SERVER, encoding="utf-8")
    steps = {
        "create": (
            *("create", "Mine", "--tool", "tools.py:add", "--tool", "DemoDice"),
            # So many that the line is wrapped, even if the path of the first is long.
            *("--tool", "DemoGreet", "--tool", "PythonEvaluator", "--tool", "PythonContext"),
            *("--tool", "ReadNotebook", "--tool", "WriteNotebook"),
            *("--prompt", "DemoTour", "--instructions", "Add.", "--title", "Mine"),
        ),
        "edit": ("edit", "Mine", "--remove-tool", "DemoDice", "--version", "2.0"),
    }
    files = {}
    for name, words in steps.items():
        files[f"{name}.wording.txt"] = paddock(*words).text
        for file in (user / "data" / "servers").iterdir():
            files[f"{name}.{file.name}"] = paddock.names.hide(file.read_text(encoding="utf-8"))
    files |= split_files("show", paddock("show", "Mine", "--json").json)
    golden.check("commands/named_servers", files)


def test_files_of_a_new_extension(golden: GoldenFiles, paddock: Program) -> None:
    assert paddock("new", "extension", "acme-charts", "--publisher", "acme").code == 0
    files = {
        file.as_posix(): paddock.names.hide(file.read_text(encoding="utf-8"))
        for file in sorted(Path("acme-charts").rglob("*"))
        if file.is_file()
    }
    # In one file, or programs that look for Python files would find them.
    golden.check("commands/new_extension", {"files.txt": format_texts(files)})


def test_completion_scripts(golden: GoldenFiles, paddock: Program) -> None:
    shells = ("bash", "zsh", "fish")
    scripts = {f"{shell}.txt": paddock("completion", shell).out for shell in shells}
    golden.check("commands/completion", scripts)
