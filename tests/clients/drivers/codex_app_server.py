"""Asks Codex's server for editors whether it has connected to an MCP server, and calls its tool.

`python codex_app_server.py CODEX NAME` prints a line `NAME: STATUS` and, where the server is
ready, what the tool `ready` gave. Codex's other commands list servers without connecting to them.
"""

import itertools
import json
import subprocess
import sys
from collections.abc import Iterator
from typing import IO, Any

Json = dict[str, Any]

STARTUP = "mcpServer/startupStatus/updated"
OVER = ("ready", "failed", "cancelled")


class AppServer:
    """A conversation in JSON-RPC, one message to a line."""

    def __init__(self, reading: IO[str], writing: IO[str]) -> None:
        self._reading, self._writing = reading, writing
        self._numbers = itertools.count(1)
        self.notices: list[Json] = []

    def ask(self, method: str, params: Json) -> Json:
        """Send a request; its whole answer. What comes before it is kept."""
        number = next(self._numbers)
        self.tell(method, params, id=number)
        for message in self._messages():
            if message.get("id") == number and "method" not in message:
                return message
            self.notices.append(message)
        raise SystemExit(f"Codex has ended without an answer to {method}")

    def tell(self, method: str, params: Json, **more: object) -> None:
        """Send a message that is not answered, or one that is somewhere else."""
        self._writing.write(json.dumps({**more, "method": method, "params": params}) + "\n")
        self._writing.flush()

    def startup(self, name: str) -> Json:
        """The news of a server that has started, or has not been able to."""
        for notice in itertools.chain(self.notices, self._messages()):
            news: Json = notice.get("params", {})
            if notice.get("method") == STARTUP and news["name"] == name and news["status"] in OVER:
                return news
        raise SystemExit(f"Codex has said nothing of {name}")

    def _messages(self) -> Iterator[Json]:
        return (json.loads(line) for line in self._reading)


def main(program: str, name: str) -> None:
    """Start Codex, look at the server, and end it again."""
    codex = subprocess.Popen(
        [program, "app-server"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert codex.stdin
    assert codex.stdout
    server = AppServer(codex.stdout, codex.stdin)
    server.ask("initialize", {"clientInfo": {"name": "paddock", "title": "x", "version": "1"}})
    server.tell("initialized", {})
    thread = server.ask("thread/start", {})["result"]["thread"]["id"]
    news = server.startup(name)
    print(f"{name}: {news['status']} {news.get('error') or ''}")
    if news["status"] == "ready":
        asked = {"threadId": thread, "server": name, "tool": "ready", "arguments": {}}
        print(json.dumps(server.ask("mcpServer/tool/call", asked)))
    codex.terminate()
    codex.wait()


if __name__ == "__main__":
    main(*sys.argv[1:])
