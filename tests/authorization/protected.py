"""A server behind authorization, and a client that says just what a test wants."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import urllib3
import uvicorn

from paddock import Authorization, Context, JwksValidator, Server, http_app
from tests.authorization.issuer import Issuer
from tests.ports import free_port

Json = dict[str, Any]

ACCEPT = "application/json, text/event-stream"
META = "io.modelcontextprotocol/"


def notes() -> Server:
    server = Server("notes", version="1.0")

    @server.tool
    def whoami(ctx: Context) -> str:
        """Who calls."""
        return "anonymous" if ctx.principal is None else ctx.principal.subject

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

    def ask(
        self, session: str, token: str, method: str, params: Json | None = None
    ) -> urllib3.BaseHTTPResponse:
        """A request in a session."""
        message = {"jsonrpc": "2.0", "id": 2, "method": method, "params": params or {}}
        version = {"MCP_Protocol_Version": "2025-11-25"}
        return self.post(message, token, Mcp_Session_Id=session, **version)


def text(answer: urllib3.BaseHTTPResponse) -> str:
    """What a tool said."""
    assert answer.status == 200, answer.data
    found: str = answer.json()["result"]["content"][0]["text"]
    return found


@contextmanager
def protected_server(issuer: Issuer) -> Iterator[Client]:
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
