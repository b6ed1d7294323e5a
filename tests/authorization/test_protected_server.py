"""A whole server behind authorization, with the tokens of a real authorization server."""

import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.authorization.issuer import Issuer
from tests.authorization.protected import Client, text


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


def test_a_tool_that_needs_more_scopes_is_forbidden_in_a_session_too(
    client: Client, issuer: Issuer
) -> None:
    token = issuer.client_credentials(client.url)
    session = client.initialize(token)
    params = {"name": "write", "arguments": {"text": "x"}}
    refused = client.ask(session, token, "tools/call", params)
    assert refused.status == 403
    assert 'scope="notes:read notes:write"' in refused.headers["WWW-Authenticate"]


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


def test_a_session_belongs_to_the_principal_that_opened_it(client: Client, issuer: Issuer) -> None:
    ada, machine = issuer.authorization_code(client.url), issuer.client_credentials(client.url)
    session = client.initialize(ada)
    assert client.ask(session, machine, "ping").status == 404
    assert client.ask(session, issuer.authorization_code(client.url), "ping").status == 200


PROGRAM = """
from paddock import Authorization, Context, Server, StaticTokens

server = Server("notes", version="1.0")

@server.tool
def whoami(ctx: Context) -> str:
    return "anonymous" if ctx.principal is None else ctx.principal.subject

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
