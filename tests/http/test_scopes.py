"""Tools that ask for scopes: without somebody who checks them, nobody has any."""

import pytest

from paddock import Server
from paddock.protocol.principal import Principal
from tests.behaviour.wire import SESSION, STATELESS
from tests.conftest import Connect
from tests.http.endpoint import call, stateless
from tests.http.hosting import Host
from tests.http.raw import Json


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


def test_a_tool_with_scopes_is_refused_where_nobody_checks_them(host: Host, on: str) -> None:
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
def test_whoever_starts_the_server_itself_needs_no_scopes(connect: Connect, era: str) -> None:
    assert connect(vault(), era).text("unlock") == "unlocked"


class Lacking(Exception):
    """Says what a caller must bring."""

    def __init__(self, scopes: object) -> None:
        super().__init__(scopes)
        self.status = 403
        challenge = f'Bearer error="insufficient_scope", scope="{" ".join(sorted(scopes))}"'  # type: ignore[call-overload]
        self.headers = [("WWW-Authenticate", challenge)]
        self.body = b"{}"


class Missing(Lacking):
    """Nobody knows who this is."""

    def __init__(self) -> None:
        super().__init__(())
        self.status = 401


class Scopes:
    """Everybody has the scopes that their token names: a stand-in for real tokens."""

    def bind(self, resource: str) -> None:
        """Where it is does not matter."""

    async def authenticate(self, values: list[str], /) -> Principal:
        if not values:
            raise Missing
        return Principal("ada", scopes=values[0].removeprefix("Bearer ").split(","))

    def insufficient(self, scopes: object, principal: Principal) -> Exception:
        return Lacking(scopes)

    def metadata(self) -> Json:
        return {"resource": "here"}


def test_scopes_decide_where_they_are_checked(host: Host, on: str) -> None:
    endpoint = host(vault(), on, authorization=Scopes())
    both = {"Authorization": "Bearer vault:open,vault:see,more"}
    assert endpoint.text(call("unlock"), both) == "unlocked"
    one = {"Authorization": "Bearer vault:see"}
    assert endpoint.text(call("look"), one) == "seen"
    answer = endpoint.post(call("unlock"), one)
    assert answer.status == 403
    challenge = 'Bearer error="insufficient_scope", scope="vault:open vault:see"'
    assert answer.header("www-authenticate") == challenge
    answer.messages()
    assert endpoint.post(call("look")).status == 401


def test_a_session_is_told_what_it_lacks_in_the_same_way(host: Host) -> None:
    endpoint = host(vault(), authorization=Scopes())
    session = endpoint.initialize(headers={"Authorization": "Bearer vault:see"})
    answer = session.call("unlock")
    assert answer.status == 403
    assert answer.header("www-authenticate") is not None
    answer.messages()
