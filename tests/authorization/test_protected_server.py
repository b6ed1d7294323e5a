"""A whole server behind authorization, with the tokens of a real authorization server."""

import json
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import urllib3
import uvicorn

from paddock import Authorization, Context, JwksValidator, Server, http_app
from tests.authorization.issuer import Issuer, free_port

Json = dict[str, Any]

ACCEPT = "application/json, text/event-stream"
META = "io.modelcontextprotocol/"


def notes() -> Server:
    server = Server("notes", version="1.0")

    @server.tool
    def whoami(ctx: Context) -> str:
        """Who calls."""
        return "nobody" if ctx.principal is None else ctx.principal.subject

    @server.tool(scopes=["notes:write", "notes:read"])
    def write(text: str) -> str:
        """Write a note."""
        return f"wrote {text}"

    return server


class Client:
    """Sends single requests of either era."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.http = urllib3.PoolManager(retries=False, timeout=30, maxsize=16)

    def post(self, message: Json, token: str | None, **more: str) -> urllib3.BaseHTTPResponse:
        headers = {"Accept": ACCEPT, "Content-Type": "application/json"}
        headers |= {name.replace("_", "-"): value for name, value in more.items()}
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        return self.http.request("POST", self.url, body=json.dumps(message), headers=headers)

    def call(self, tool: str, token: str | None, **arguments: str) -> urllib3.BaseHTTPResponse:
        """A call of the stateless era."""
        meta = {
            f"{META}protocolVersion": "2026-07-28",
            f"{META}clientInfo": {"name": "test", "version": "1"},
            f"{META}clientCapabilities": {},
        }
        params = {"name": tool, "arguments": arguments, "_meta": meta}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        version = {"MCP_Protocol_Version": "2026-07-28"}
        return self.post(message, token, Mcp_Method="tools/call", Mcp_Name=tool, **version)

    def initialize(self, token: str) -> str:
        """The id of a session of the other era."""
        params = {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        }
        message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
        answer = self.post(message, token)
        assert answer.status == 200, answer.data
        return answer.headers["Mcp-Session-Id"]

    def ping(self, session: str, token: str) -> int:
        message = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
        version = {"MCP_Protocol_Version": "2025-11-25"}
        return self.post(message, token, Mcp_Session_Id=session, **version).status


def text(answer: urllib3.BaseHTTPResponse) -> str:
    """What a tool said."""
    assert answer.status == 200, answer.data
    found: str = answer.json()["result"]["content"][0]["text"]
    return found


@pytest.fixture(scope="module")
def client(issuer: Issuer) -> Iterator[Client]:
    """A client of a server that the issuer's tokens open."""
    port = free_port()
    url = f"http://127.0.0.1:{port}/mcp"
    authorization = Authorization(
        JwksValidator(issuer.url),
        resource=url,
        required_scopes=["notes:read"],
        scopes_supported=["notes:read", "notes:write"],
        resource_name="Notes",
    )
    app: Any = http_app(notes(), authorization=authorization)
    server = uvicorn.Server(uvicorn.Config(app, port=port, log_level="warning"))
    running = threading.Thread(target=server.run)
    running.start()
    wait_for(port)
    yield Client(url)
    server.should_exit = True
    running.join()


def wait_for(port: int) -> None:
    retries = urllib3.Retry(connect=40, backoff_factor=0.05, backoff_max=0.5)
    urllib3.request("GET", f"http://127.0.0.1:{port}/health", retries=retries)


def test_a_client_finds_its_way_from_the_challenge_to_the_tool(
    client: Client, issuer: Issuer
) -> None:
    refused = client.call("whoami", None)
    assert refused.status == 401
    metadata_url = client.url.replace("/mcp", "/.well-known/oauth-protected-resource/mcp")
    assert refused.headers["WWW-Authenticate"] == (
        f'Bearer resource_metadata="{metadata_url}", scope="notes:read"'
    )
    assert refused.headers["Content-Type"] == "application/json"
    assert refused.json()["error"] == "unauthorized"
    document = client.http.request("GET", metadata_url).json()
    assert document == {
        "resource": client.url,
        "authorization_servers": [issuer.url],
        "scopes_supported": ["notes:read", "notes:write"],
        "bearer_methods_supported": ["header"],
        "resource_name": "Notes",
    }
    token = issuer.authorization_code(document["resource"], "notes:read")
    assert text(client.call("whoami", token)) == "1"


def test_metadata_is_also_at_the_root(client: Client) -> None:
    root = client.url.replace("/mcp", "/.well-known/oauth-protected-resource")
    assert client.http.request("GET", root).json()["resource"] == client.url


def test_a_tool_that_needs_more_scopes_is_forbidden_and_names_them_all(
    client: Client, issuer: Issuer
) -> None:
    refused = client.call("write", issuer.client_credentials(client.url), text="x")
    assert refused.status == 403
    challenge = refused.headers["WWW-Authenticate"]
    assert 'error="insufficient_scope"' in challenge
    assert 'scope="notes:read notes:write"' in challenge
    sufficient = issuer.client_credentials(client.url, "notes:read notes:write")
    assert text(client.call("write", sufficient, text="x")) == "wrote x"


@pytest.mark.parametrize(
    ("token", "status"), [("bad", 401), ("a b", 400), ("", 400), ("eyJhbGciOiJub25lIn0.e30.", 401)]
)
def test_a_bad_token_is_refused(client: Client, token: str, status: int) -> None:
    refused = client.call("whoami", token)
    assert refused.status == status
    assert refused.headers["WWW-Authenticate"].startswith("Bearer resource_metadata=")


def test_a_token_for_another_server_is_refused(client: Client, issuer: Issuer) -> None:
    elsewhere = issuer.client_credentials("http://127.0.0.1:1/mcp")
    assert client.call("whoami", elsewhere).status == 401


def test_a_token_in_the_query_counts_for_nothing(client: Client, issuer: Issuer) -> None:
    token = issuer.client_credentials(client.url)
    sneaky = Client(f"{client.url}?access_token={token}")
    assert sneaky.call("whoami", None).status == 401


def test_requests_at_the_same_time_do_not_mix_up_who_sends_them(
    client: Client, issuer: Issuer
) -> None:
    tokens = {
        "1": issuer.authorization_code(client.url),
        "machine": issuer.client_credentials(client.url),
    }
    expected = list(tokens) * 100
    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(lambda name: client.call("whoami", tokens[name]), expected))
    assert [text(answer) for answer in answers] == expected


def test_a_session_belongs_to_whoever_opened_it(client: Client, issuer: Issuer) -> None:
    ada, machine = issuer.authorization_code(client.url), issuer.client_credentials(client.url)
    session = client.initialize(ada)
    assert client.ping(session, machine) == 404
    assert client.ping(session, issuer.authorization_code(client.url)) == 200


PROGRAM = """
from paddock import Authorization, Context, Server, StaticTokens

server = Server("notes", version="1.0")

@server.tool
def whoami(ctx: Context) -> str:
    return "nobody" if ctx.principal is None else ctx.principal.subject

server.run(http="127.0.0.1:0", authorization=Authorization(StaticTokens({"t0ken": "ada"})))
"""


def test_a_server_that_runs_itself_is_the_resource_at_its_own_address(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(textwrap.dedent(PROGRAM), encoding="utf-8")
    with subprocess.Popen(
        [sys.executable, str(program)], stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stderr is not None
            client = Client(process.stderr.readline().split()[-1])
            refused = client.call("whoami", None)
            metadata_url = client.url.replace("/mcp", "/.well-known/oauth-protected-resource/mcp")
            assert f'resource_metadata="{metadata_url}"' in refused.headers["WWW-Authenticate"]
            assert client.http.request("GET", metadata_url).json()["resource"] == client.url
            assert text(client.call("whoami", "t0ken")) == "ada"
        finally:
            process.terminate()
