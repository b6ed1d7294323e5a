"""How a connection opens, in each era and in both at once."""

import pytest

from paddock import Context, Server
from tests.behaviour.line import CLIENT
from tests.behaviour.wire import META_KEY, SESSION, STATELESS
from tests.conftest import Connect

CAPABILITIES = {
    "tools": {"listChanged": True},
    "prompts": {"listChanged": True},
    "resources": {"subscribe": True, "listChanged": True},
    "completions": {},
    "logging": {},
}
SESSION_TASKS: dict[str, object] = {"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}}


@pytest.mark.parametrize("version", ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"])
def test_initialize_agrees_to_every_session_version(connect: Connect, version: str) -> None:
    line = connect.silent(Server("s", version="1.2.3"))
    tasks = {"tasks": SESSION_TASKS} if version == SESSION else {}
    assert line.open(version)["result"] == {
        "protocolVersion": version,
        "capabilities": {**CAPABILITIES, **tasks},
        "serverInfo": {"name": "s", "version": "1.2.3"},
    }


@pytest.mark.parametrize("version", ["2026-07-28", "2023-01-01", "nonsense", ""])
def test_initialize_offers_the_newest_session_version_instead_of_one_it_does_not_know(
    connect: Connect, version: str
) -> None:
    line = connect.silent(Server("s"))
    assert line.open(version)["result"]["protocolVersion"] == SESSION


def test_initialize_shows_all_metadata_of_the_server(connect: Connect) -> None:
    icon: dict[str, object] = {
        "src": "https://example.org/i.png",
        "mimeType": "image/png",
        "sizes": ["48x48"],
    }
    server = Server(
        "s",
        version="1.2.3",
        title="Öffentlich",
        description="What it is",
        instructions="How to use it",
        website_url="https://example.org",
        icons=[icon],
        capabilities={"tools": {}},
    )
    assert connect.silent(server).open()["result"] == {
        "protocolVersion": SESSION,
        "capabilities": {"tools": {}},
        "instructions": "How to use it",
        "serverInfo": {
            "name": "s",
            "version": "1.2.3",
            "title": "Öffentlich",
            "description": "What it is",
            "websiteUrl": "https://example.org",
            "icons": [icon],
        },
    }


def test_discover_shows_the_stateless_versions_and_the_server(connect: Connect) -> None:
    line = connect(Server("s", version="1.2.3", instructions="Use it"), STATELESS)
    assert line.ask("server/discover")["result"] == {
        "resultType": "complete",
        "supportedVersions": [STATELESS],
        "capabilities": {**CAPABILITIES, "extensions": {"io.modelcontextprotocol/tasks": {}}},
        "instructions": "Use it",
        "ttlMs": 0,
        "cacheScope": "private",
        "_meta": {f"{META_KEY}serverInfo": {"name": "s", "version": "1.2.3"}},
    }


@pytest.mark.parametrize(
    "params",
    [
        {"capabilities": {}, "clientInfo": CLIENT},
        {"protocolVersion": 5, "capabilities": {}, "clientInfo": CLIENT},
        {"protocolVersion": SESSION, "capabilities": [], "clientInfo": CLIENT},
        {"protocolVersion": SESSION, "capabilities": {}, "clientInfo": "me"},
    ],
)
def test_initialize_with_wrong_parameters_is_invalid_params(
    connect: Connect, params: dict[str, object]
) -> None:
    line = connect.silent(Server("s"))
    assert line.error("initialize", params)["code"] == -32602
    assert line.open()["result"]["protocolVersion"] == SESSION


def test_ping_is_answered_with_exactly_an_empty_object(connect: Connect) -> None:
    assert connect(Server("s")).ask("ping")["result"] == {}


def test_ping_is_answered_before_initialize(connect: Connect) -> None:
    assert connect.silent(Server("s")).ask("ping")["result"] == {}


@pytest.mark.parametrize("method", ["tools/list", "prompts/list", "logging/setLevel", "no/such"])
def test_a_bare_request_before_initialize_is_invalid_and_does_not_close_the_way(
    connect: Connect, method: str
) -> None:
    line = connect.silent(Server("s"))
    params = {"level": "info"} if method == "logging/setLevel" else {}
    assert line.error(method, params)["code"] == -32600
    assert line.open()["result"]["protocolVersion"] == SESSION
    assert line.result("tools/list") == {"tools": []}


@pytest.mark.parametrize("method", ["server/discover", "subscriptions/listen"])
def test_a_stateless_method_without_its_envelope_names_the_missing_keys(
    connect: Connect, method: str
) -> None:
    line = connect.silent(Server("s"))
    before = line.error(method, {"notifications": {}})
    line.open()
    after = line.error(method, {"notifications": {}})
    for error in (before, after):
        assert error["code"] == -32602
        assert f"{META_KEY}protocolVersion" in error["message"]
        assert f"{META_KEY}clientCapabilities" in error["message"]


@pytest.mark.parametrize("params", [{}, {"_meta": {}}, None])
def test_discover_without_an_envelope_is_invalid_params_in_every_form(
    connect: Connect, params: dict[str, object] | None
) -> None:
    line = connect.silent(Server("s"))
    line.send({"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": params})
    assert line.answer(1)["error"]["code"] == -32602


@pytest.mark.parametrize("method", ["server/discover", "tools/list", "tools/call", "no/such"])
def test_an_envelope_without_capabilities_is_invalid_params(connect: Connect, method: str) -> None:
    line = connect.silent(Server("s"))
    error = line.error(method, {"name": "x", "_meta": {f"{META_KEY}protocolVersion": STATELESS}})
    assert error["code"] == -32602
    assert f"{META_KEY}clientCapabilities" in error["message"]


@pytest.mark.parametrize(
    "wrong",
    [
        {f"{META_KEY}protocolVersion": 5},
        {f"{META_KEY}protocolVersion": None},
        {f"{META_KEY}clientCapabilities": []},
        {f"{META_KEY}clientCapabilities": None},
        {f"{META_KEY}clientInfo": "me"},
        {f"{META_KEY}logLevel": "loud"},
        {"progressToken": []},
    ],
)
@pytest.mark.parametrize("method", ["server/discover", "tools/list", "no/such"])
def test_an_envelope_with_a_value_of_the_wrong_type_is_invalid_params(
    connect: Connect, method: str, wrong: dict[str, object]
) -> None:
    line = connect(Server("s"), STATELESS)
    assert line.error(method, {}, **wrong)["code"] == -32602


@pytest.mark.parametrize("version", ["2025-11-25", "2099-01-01", ""])
@pytest.mark.parametrize("method", ["server/discover", "tools/list", "no/such"])
def test_a_version_that_is_not_stateless_is_refused_with_those_that_are(
    connect: Connect, method: str, version: str
) -> None:
    line = connect(Server("s"), STATELESS)
    error = line.error(method, {}, **{f"{META_KEY}protocolVersion": version})
    assert error["code"] == -32022
    assert error["data"] == {"supported": [STATELESS], "requested": version}


@pytest.mark.parametrize(
    "method",
    ["initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"],
)
def test_methods_of_sessions_do_not_exist_without_one(connect: Connect, method: str) -> None:
    line = connect(Server("s"), STATELESS)
    params = {"protocolVersion": STATELESS, "level": "info", "uri": "a://b"}
    assert line.error(method, params)["code"] == -32601


def test_an_unknown_method_is_not_found(connect: Connect, era: str) -> None:
    assert connect(Server("s"), era).error("no/such")["code"] == -32601


def test_a_method_of_an_undeclared_capability_is_not_found(connect: Connect, era: str) -> None:
    line = connect(Server("s", capabilities={"prompts": {}}), era)
    assert line.result("prompts/list") == {"prompts": []}
    assert line.error("tools/list")["code"] == -32601
    assert line.error("completion/complete")["code"] == -32601


def test_both_eras_are_served_interleaved_on_one_connection(connect: Connect) -> None:
    server = Server("s")

    @server.tool
    def add(a: int, b: int) -> int:
        return a + b

    line = connect.silent(server, STATELESS)
    call = {"name": "add", "arguments": {"a": 1, "b": 2}}
    assert line.ask("tools/call", call)["result"]["resultType"] == "complete"
    line.era = SESSION
    line.open()
    assert "resultType" not in line.ask("tools/call", call)["result"]
    line.era = STATELESS
    assert line.ask("server/discover")["result"]["supportedVersions"] == [STATELESS]
    assert line.ask("tools/call", call)["result"]["resultType"] == "complete"
    line.era = SESSION
    assert line.ask("ping")["result"] == {}


def test_nothing_of_a_session_holds_for_a_stateless_request(connect: Connect) -> None:
    """Its capabilities and its log level are its own."""
    server = Server("s")

    @server.tool
    def known(ctx: Context) -> dict[str, object]:
        ctx.error("never heard")
        return {"capabilities": ctx.client_capabilities, "version": ctx.protocol_version}

    line = connect.silent(server, SESSION, capabilities={"roots": {}})
    line.open()
    line.era, line.capabilities = STATELESS, {"sampling": {}}
    found = line.call("known")["structuredContent"]
    assert found == {"capabilities": {"sampling": {}}, "version": STATELESS}
    assert line.heard() == []


def test_a_session_can_be_opened_again(connect: Connect) -> None:
    line = connect(Server("s"))
    assert line.open("2025-06-18")["result"]["protocolVersion"] == "2025-06-18"
    assert line.ask("ping")["result"] == {}


@pytest.mark.parametrize("era", [SESSION, STATELESS])
def test_a_server_that_is_loaded_again_says_what_it_is_now(connect: Connect, era: str) -> None:
    server = Server("s", version="1", instructions="Old")
    line = connect(server, era)
    server.update_from(Server("s", version="2", instructions="New"))
    if era == SESSION:
        result = line.open(SESSION)["result"]
        assert (result["serverInfo"]["version"], result["instructions"]) == ("2", "New")
    else:
        result = line.ask("server/discover")["result"]
        info = result["_meta"][f"{META_KEY}serverInfo"]
        assert (info["version"], result["instructions"]) == ("2", "New")
        listed = line.ask("tools/list")["result"]["_meta"]
        assert listed[f"{META_KEY}serverInfo"]["version"] == "2"
