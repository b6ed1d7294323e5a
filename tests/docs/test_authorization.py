"""The programs of the page about authorization do what the page says."""

import asyncio
import json
import runpy
import subprocess
import sys
from typing import Any

import pytest
import urllib3

from paddock import Authorization
from paddock.auth.errors import RefusalError
from tests.docs.pages import ROOT

SERVE = """
from docs_src.how_to.authorization import server
server.run(http="127.0.0.1:0")
"""


def call(url: str, token: str | None, tool: str, **arguments: str) -> urllib3.BaseHTTPResponse:
    meta = "io.modelcontextprotocol/"
    version = "2026-07-28"
    params = {
        "name": tool,
        "arguments": arguments,
        "_meta": {
            f"{meta}protocolVersion": version,
            f"{meta}clientInfo": {"name": "test", "version": "1"},
            f"{meta}clientCapabilities": {},
        },
    }
    headers = {
        "Accept": "application/json, text/event-stream",
        "Content-Type": "application/json",
        "MCP-Protocol-Version": version,
        "Mcp-Method": "tools/call",
        "Mcp-Name": tool,
    }
    if token is not None:
        headers["Authorization"] = f"Bearer {token}"
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    return urllib3.request("POST", url, body=json.dumps(message), headers=headers)


def said(answer: urllib3.BaseHTTPResponse) -> str:
    text: str = answer.json()["result"]["content"][0]["text"]
    return text


def test_the_server_knows_its_users_and_what_they_may_do() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", SERVE], cwd=ROOT, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stderr is not None
            url = process.stderr.readline().split()[-1]
            assert [call(url, token, "read").status for token in (None, "bad")] == [401, 401]
            assert said(call(url, "ada-s-token", "write", text="Hello")) == "Written."
            assert said(call(url, "bob-s-token", "read")) == "For bob: Hello"
            refused = call(url, "bob-s-token", "write", text="Hello")
            assert refused.status == 403
            assert 'scope="notes:read notes:write"' in refused.headers["WWW-Authenticate"]
        finally:
            process.terminate()


@pytest.fixture
def programs(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    for name in ("NOTES_SECRET", "GITHUB_CLIENT_ID", "GITHUB_CLIENT_SECRET"):
        monkeypatch.setenv(name, "value")
    return runpy.run_path(str(ROOT / "docs_src" / "how_to" / "validators.py"))


def status(authorization: Authorization, token: str) -> int:
    try:
        asyncio.run(authorization.authenticate([f"Bearer {token}"]))
    except RefusalError as error:
        return error.status
    return 200


def test_clients_learn_where_to_get_tokens(programs: dict[str, Any]) -> None:
    servers = [
        programs[name].metadata()["authorization_servers"]
        for name in ("signed", "opaque", "github")
    ]
    issuer = ["https://login.example.org"]
    assert servers == [issuer, issuer, ["https://github.com/login/oauth"]]


@pytest.mark.parametrize("name", ["own", "levels"])
def test_a_check_of_ones_own_decides(programs: dict[str, Any], name: str) -> None:
    tokens = ("key-3f2a", "key-none", "3f2a")
    assert [status(programs[name], token) for token in tokens] == [200, 401, 401]
