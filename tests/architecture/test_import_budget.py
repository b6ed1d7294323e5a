"""What may be in memory, and when: a server has to answer before its client loses patience."""

import json
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

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
    """One raw JSON-RPC conversation, so that no code of ours decides what is measured."""

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
