"""Servers that misbehave in ways that ours cannot: scripts that speak JSON-RPC by hand."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

PRELUDE = """
import json, sys, time

def read():
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)
    return json.loads(line)

def send(**message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)

def reply(request, **result):
    send(id=request["id"], result=result)

def fail(request, code=-32601, message="No such method", **more):
    send(id=request["id"], error={"code": code, "message": message, **more})

def say(request, text, **more):
    reply(request, content=[{"type": "text", "text": text}], **more)

def open_stateless():
    reply(read(), resultType="complete", supportedVersions=["2026-07-28"], capabilities={},
          ttlMs=0, cacheScope="private", instructions="Be kind.",
          _meta={"io.modelcontextprotocol/serverInfo": {"name": "odd", "version": "1"}})

def open_session(version="2025-11-25"):
    request = read()
    if request["method"] == "server/discover":
        fail(request)
        request = read()
    assert request["method"] == "initialize"
    reply(request, protocolVersion=version, capabilities={}, instructions="Be kind.",
          serverInfo={"name": "odd", "version": "1"})
    assert read()["method"] == "notifications/initialized"
"""


@pytest.fixture
def script(tmp_path: Path) -> Callable[[str], list[str]]:
    """The command of a server with this text, which finds the functions above."""

    def write(text: str) -> list[str]:
        file = tmp_path / "odd.py"
        file.write_text(PRELUDE + text, encoding="utf-8")
        return [sys.executable, str(file)]

    return write
