"""What may be in memory, and when: a server has to answer before its client loses patience."""

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import pytest

import paddock
from paddock import create_server
from paddock.directories import DATA_DIRECTORY_VARIABLE

SOURCES = Path(paddock.__file__).parents[1]

NOT_FOR_IMPORT = {
    *("asyncio", "click", "dataclasses", "email", "httpx", "importlib.metadata", "inspect"),
    *("json", "jsonschema_rs", "logging", "msgspec", "pydantic", "re", "ruamel", "sqlalchemy"),
    *("opentelemetry", "ssl", "starlette", "subprocess", "uvicorn"),
}
"""Not loaded by a program that has only imported paddock and looked at `Server`."""

NOT_FOR_SERVING = {
    *("asyncio", "click", "hashlib", "httpx", "jsonschema_rs", "pydantic", "ruamel", "starlette"),
    *("logging", "opentelemetry", "uvicorn"),
}
"""Not loaded by a stdio server that was initialised, listed its tools and called a sync one."""

NOT_FOR_A_NAME = {
    *("asyncio", "click", "importlib.util", "json", "msgspec", "pathlib", "re", "tomllib"),
    *("typing", "urllib"),
}
"""Not loaded when a named server has been found and answers the handshake."""

SERVER = '''
import sys

from paddock import Server

server = Server("budget", version="1.0.0")


@server.tool
def loaded_modules() -> str:
    """Names of the modules in memory."""
    return " ".join(sys.modules)


server.run()
'''


def modules_after(statements: str) -> set[str]:
    """What a fresh interpreter has loaded, less what it loads for itself and its environment."""

    def run(program: str) -> set[str]:
        command = [sys.executable, "-I", "-c", program]
        result = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        return set(result.stdout.split())

    report = "import sys; print(*sys.modules)"
    return run(f"{statements}; {report}") - run(report)


def among(denied: Iterable[str], loaded: set[str]) -> set[str]:
    return {name for name in denied if any(f"{m}.".startswith(f"{name}.") for m in loaded)}


class Pipe:
    """One raw JSON-RPC conversation, so that no code of Paddock decides what is measured."""

    def __init__(self, stdin: IO[str], stdout: IO[str]) -> None:
        self.stdin = stdin
        self.stdout = stdout
        self.last_id = 0

    def notify(self, method: str) -> None:
        self.write({"jsonrpc": "2.0", "method": method})

    def request(self, method: str, params: Mapping[str, object]) -> Any:
        self.last_id += 1
        self.write({"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params})
        for line in self.stdout:
            message = json.loads(line)
            if message.get("id") == self.last_id:
                return message["result"]
        raise EOFError(method)

    def write(self, message: Mapping[str, object]) -> None:
        self.stdin.write(json.dumps(message) + "\n")
        self.stdin.flush()


@contextmanager
def started(program: Path) -> Iterator[Pipe]:
    with subprocess.Popen(
        [sys.executable, "-I", str(program)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield Pipe(process.stdin, process.stdout)
            process.stdin.close()
            assert process.wait(timeout=10) == 0
        finally:
            process.kill()


def test_importing_paddock_loads_nothing_heavy() -> None:
    loaded = modules_after("import paddock; paddock.Server")
    assert "paddock" in loaded
    assert among(NOT_FOR_IMPORT, loaded) == set()


GREETED = """
import io, os, sys
from paddock.named_servers.server_ref import find_target
from paddock.serving import stdio
reader, writer = os.pipe()
os.write(writer, b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":'
    b'"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}' + bytes([10]))
os.dup2(reader, 0)
from paddock.protocol.connection import ServerConnection
from paddock.transports.stdio import claim_stdio
target = find_target(NAME)
assert target.has_certain_metadata
channel = claim_stdio()
stdio.answer_handshake(channel, ServerConnection(channel.write), target.metadata)
os.write(2, " ".join(sys.modules).encode())
"""


@pytest.mark.parametrize("name", ["Demo", "WolframLanguage", "two words"])
def test_a_named_server_answers_the_handshake_before_anything_heavy_is_loaded(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(DATA_DIRECTORY_VARIABLE, str(tmp_path))
    create_server("two words", tools=["DemoGreet"], instructions="One.\nTwo.", title="Words")
    ended = subprocess.run(
        [sys.executable, "-S", "-P", "-c", GREETED.replace("NAME", repr(name))],
        env={**os.environ, "PYTHONPATH": str(SOURCES)},
        capture_output=True,
        check=False,
    )
    assert json.loads(ended.stdout)["result"]["serverInfo"]["name"] == name, ended.stderr
    loaded = set(ended.stderr.decode().split())
    assert "paddock.named_servers.server_ref" in loaded
    assert among(NOT_FOR_A_NAME, loaded) == set()


MAX_PADDOCK_MODULES_FOR_A_NAME = 30


def test_the_server_of_an_extension_answers_the_handshake_before_it_is_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(DATA_DIRECTORY_VARIABLE, str(tmp_path / "data"))
    site = tmp_path / "site"
    files = {
        "acme_writing-2.0.dist-info/entry_points.txt": "[paddock.extensions]\nwriting = acme\n",
        "acme/paddock.toml": 'publisher = "acme"\nservers = ["Writing"]\n',
        "acme/agenttools/servers/Writing.toml": 'title = "Writing aid"\ntools = ["DemoGreet"]\n',
    }
    for name, text in files.items():
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).write_text(text, encoding="utf-8")
    ended = subprocess.run(
        [sys.executable, "-S", "-P", "-c", GREETED.replace("NAME", repr("acme/writing/Writing"))],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(site), str(SOURCES)])},
        capture_output=True,
        check=False,
    )
    assert ended.stdout, ended.stderr
    info = json.loads(ended.stdout)["result"]["serverInfo"]
    assert (info["name"], info["title"]) == ("acme/writing/Writing", "Writing aid")
    assert info["version"] == "2.0"
    loaded = set(ended.stderr.decode().split())
    assert among(NOT_FOR_A_NAME, loaded) == set()
    own = {name for name in loaded if name.partition(".")[0] == "paddock"}
    assert len(own) <= MAX_PADDOCK_MODULES_FOR_A_NAME, sorted(own)


@pytest.mark.parametrize("arguments", [["Demo"], ["--named", "Demo"]])
def test_the_command_that_serves_a_name_loads_nothing_it_does_not_use(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The modules imported before the first answer, as the interpreter reports them."""
    monkeypatch.setenv(DATA_DIRECTORY_VARIABLE, str(tmp_path))
    command = [sys.executable, "-X", "importtime", "-m", "paddock", "serve", *arguments]
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "budget", "version": "1.0.0"},
        },
    }
    ended = subprocess.run(
        command, input=json.dumps(hello) + "\n", capture_output=True, text=True, check=True
    )
    assert json.loads(ended.stdout)["result"]["serverInfo"]["name"] == "Demo"
    loaded = {line.rpartition("|")[2].strip() for line in ended.stderr.splitlines()}
    assert "paddock.named_servers.server_builder" in loaded
    assert among({*NOT_FOR_SERVING, "filelock", "packaging", "tomlkit"}, loaded) == set()


@pytest.mark.parametrize("name", ["Wolfram", "WolframAlpha", "WolframPacletDevelopment"])
def test_listing_the_wolfram_tools_loads_neither_kernels_nor_the_parser_nor_the_network(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(DATA_DIRECTORY_VARIABLE, str(tmp_path))
    loaded = modules_after(
        f"import sys; sys.path.insert(0, {str(SOURCES)!r}); "
        "from paddock import connect, get_server; "
        f"connect(get_server('{name}').load()).__enter__().tools()"
    )
    assert "paddock.toolkits.tool_options" in loaded
    unused = {
        *("paddock.kernels", "paddock.wolfram", "paddock.docsearch", "woxi", "mathics", "asyncio"),
        *("http", "ssl", "urllib.request", "urllib3", "pint", "numpy", "sqlite3"),
    }
    assert among(unused, loaded) == set()


def test_a_stdio_server_of_sync_tools_loads_nothing_it_does_not_use(tmp_path: Path) -> None:
    program = tmp_path / "budget_server.py"
    program.write_text(SERVER, encoding="utf-8")
    with started(program) as server:
        client = {"name": "budget", "version": "1.0.0"}
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client}
        assert server.request("initialize", hello)["serverInfo"]["name"] == "budget"
        server.notify("notifications/initialized")
        assert [t["name"] for t in server.request("tools/list", {})["tools"]] == ["loaded_modules"]
        result = server.request("tools/call", {"name": "loaded_modules", "arguments": {}})
    loaded = set(result["content"][0]["text"].split())
    assert "paddock" in loaded
    assert among(NOT_FOR_SERVING, loaded) == set()
