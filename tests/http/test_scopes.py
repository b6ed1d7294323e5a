"""Tools that ask for scopes: without someone who checks them, no one has any."""

import pytest

from paddock import Authorization, Server, StaticTokens
from tests.behaviour.wire import SESSION, STATELESS
from tests.conftest import Connect
from tests.http.endpoint import call, stateless
from tests.http.hosting import Host


def vault() -> Server:
    server = Server("vault")

    @server.tool
    def look() -> str:
        """Open to all."""
        return "seen"

    @server.tool(scopes=["vault:open", "vault:see"])
    def unlock() -> str:
        """For some."""
        return "unlocked"

    return server


def test_a_tool_with_scopes_is_refused_where_no_one_checks_them(host: Host, on: str) -> None:
    endpoint = host(vault(), on)
    assert endpoint.text(call("look")) == "seen"
    answer = endpoint.post(call("unlock"))
    assert answer.status == 403
    assert "vault:open" in answer.json["error"]["message"]
    assert endpoint.text(call("look")) == "seen"


def test_a_session_is_refused_as_well(host: Host) -> None:
    session = host(vault()).initialize()
    answer = session.call("unlock")
    assert "vault:open" in answer.json["error"]["message"]
    assert session.text("look") == "seen"


def test_a_tool_with_scopes_is_listed(host: Host) -> None:
    tools = host(vault()).result(stateless("tools/list"))["tools"]
    assert [tool["name"] for tool in tools] == ["look", "unlock"]


@pytest.mark.parametrize("era", [SESSION, STATELESS])
def test_a_client_that_starts_the_server_needs_no_scopes(connect: Connect, era: str) -> None:
    assert connect(vault(), era).text("unlock") == "unlocked"


def staff() -> Authorization:
    both = {"subject": "ada", "scopes": ["vault:open", "vault:see", "more"]}
    one = {"subject": "bob", "scopes": ["vault:see"]}
    tokens = StaticTokens({"both": both, "one": one})
    return Authorization(tokens, resource="http://localhost/mcp")


def test_scopes_decide_where_they_are_checked(host: Host, on: str) -> None:
    endpoint = host(vault(), on, authorization=staff())
    both = {"Authorization": "Bearer both"}
    assert endpoint.text(call("unlock"), both) == "unlocked"
    one = {"Authorization": "Bearer one"}
    assert endpoint.text(call("look"), one) == "seen"
    answer = endpoint.post(call("unlock"), one)
    assert answer.status == 403
    challenge = str(answer.header("www-authenticate"))
    assert 'error="insufficient_scope"' in challenge
    assert 'scope="vault:open vault:see"' in challenge
    answer.messages()
    assert endpoint.post(call("look")).status == 401


def test_a_session_learns_which_scope_it_lacks_in_the_same_way(host: Host) -> None:
    endpoint = host(vault(), authorization=staff())
    session = endpoint.initialize(headers={"Authorization": "Bearer one"})
    answer = session.call("unlock")
    assert answer.status == 403
    assert answer.header("www-authenticate") is not None
    answer.messages()
