"""Who may use the endpoint at all, and what else there is at the address."""

import pytest

from paddock import DefinitionError, Limits, Server, http_app
from tests.http.endpoint import Endpoint, call
from tests.http.hosting import Host

PREFLIGHT = {
    "Access-Control-Request-Method": "POST",
    "Access-Control-Request-Headers": "content-type, mcp-method, mcp-param-region",
}


def shop() -> Server:
    server = Server("shop")

    @server.tool
    def greet() -> str:
        """Greet."""
        return "hello"

    return server


@pytest.fixture
def endpoint(host: Host) -> Endpoint:
    return host(shop())


@pytest.mark.parametrize(
    "value",
    ["localhost", "LOCALHOST:80", "127.0.0.1:1", "[::1]:8642", "127.8.9.10", "localhost."],
)
def test_this_machine_may_be_named_in_any_way(endpoint: Endpoint, value: str) -> None:
    assert endpoint.text(call("greet"), {"Host": value}) == "hello"


@pytest.mark.parametrize(
    "value",
    [
        "evil.example.com",
        "localhost.evil.example.com",
        "127.0.0.1.evil.example.com",
        "10.0.0.1",
        "localhost@evil.example.com",
        "evil.example.com#localhost",
        "",
        "localhost:port",
        "[::1",
    ],
)
def test_another_host_is_refused(endpoint: Endpoint, value: str) -> None:
    answer = endpoint.post(call("greet"), {"Host": value})
    assert (answer.status, answer.error_code) == (403, -32600)


def test_a_host_that_is_evil_is_refused_by_every_carrier(host: Host, on: str) -> None:
    endpoint = host(shop(), on)
    assert endpoint.post(call("greet"), {"Host": "evil.example.com"}).status == 403
    assert endpoint.post(call("greet"), {"Origin": "http://evil.example.com"}).status == 403


def test_two_hosts_are_refused(endpoint: Endpoint) -> None:
    connection = endpoint.connect()
    connection.send(b"GET /mcp HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n")
    assert connection.answer().status in (400, 403)


@pytest.mark.parametrize(
    "origin",
    ["http://localhost:5173", "https://127.0.0.1", "http://[::1]:80", "http://LOCALHOST"],
)
def test_pages_of_this_machine_may_use_it(endpoint: Endpoint, origin: str) -> None:
    answer = endpoint.post(call("greet"), {"Origin": origin})
    assert answer.status == 200
    assert answer.header("access-control-allow-origin") == origin
    assert answer.header("vary") == "Origin"
    answer.messages()


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example.com",
        "null",
        "localhost",
        "http://localhost.evil.example.com",
        "http://localhost@evil.example.com",
        "http://127.0.0.1:x",
    ],
)
def test_pages_of_others_may_not(endpoint: Endpoint, origin: str) -> None:
    answer = endpoint.post(call("greet"), {"Origin": origin})
    assert (answer.status, answer.error_code) == (403, -32600)
    assert answer.header("access-control-allow-origin") is None


@pytest.mark.parametrize("method", ["GET", "DELETE", "OPTIONS"])
def test_the_guard_is_before_every_method(endpoint: Endpoint, method: str) -> None:
    session = endpoint.initialize()
    headers = {**session.headers, "Origin": "http://evil.example.com", **PREFLIGHT}
    assert endpoint.ask(method, headers).status == 403
    assert session.ask("ping").status == 200


def test_hosts_and_origins_can_be_allowed(host: Host, on: str) -> None:
    endpoint = host(
        shop(),
        on,
        allowed_hosts=["shop.example.org"],
        allowed_origins=["https://app.example.org"],
    )
    ours = {"Host": "Shop.example.org:443", "Origin": "https://app.example.org:443"}
    assert endpoint.text(call("greet"), ours) == "hello"
    for origin in ("http://app.example.org", "https://app.example.org:8443"):
        assert endpoint.post(call("greet"), {**ours, "Origin": origin}).status == 403


def test_everything_can_be_allowed(host: Host) -> None:
    endpoint = host(shop(), allowed_hosts=["*"], allowed_origins=["*"])
    headers = {"Host": "any.example.org", "Origin": "null"}
    assert endpoint.text(call("greet"), headers) == "hello"


def test_a_browser_learns_what_it_may_send(host: Host, on: str) -> None:
    endpoint = host(shop(), on)
    answer = endpoint.ask("OPTIONS", {"Origin": "http://localhost:5173", **PREFLIGHT})
    assert (answer.status, answer.body) == (204, b"")
    assert answer.header("access-control-allow-origin") == "http://localhost:5173"
    methods = str(answer.header("access-control-allow-methods")).split(", ")
    assert {"POST", "GET", "DELETE"} <= set(methods)
    headers = str(answer.header("access-control-allow-headers")).lower().split(", ")
    assert {
        "accept",
        "authorization",
        "content-type",
        "last-event-id",
        "mcp-method",
        "mcp-name",
        "mcp-param-region",
        "mcp-protocol-version",
        "mcp-session-id",
    } <= set(headers)


def test_a_page_may_read_the_id_of_its_session(endpoint: Endpoint) -> None:
    answer = endpoint.post(call("greet"), {"Origin": "http://localhost"})
    exposed = str(answer.header("access-control-expose-headers")).lower().split(", ")
    assert {"mcp-session-id", "www-authenticate"} <= set(exposed)
    answer.messages()


def test_a_refusal_can_be_read_by_a_page(endpoint: Endpoint) -> None:
    answer = endpoint.post(call("greet"), {"Origin": "http://localhost", "Mcp-Name": "other"})
    assert answer.status == 400
    assert answer.header("access-control-allow-origin") == "http://localhost"
    answer.messages()


def test_everyone_can_read_the_health_status(host: Host, on: str) -> None:
    endpoint = host(shop(), on)
    answer = endpoint.ask("GET", {"Host": "balancer.internal"}, path="/health")
    assert (answer.status, answer.json) == (200, {"status": "ok"})


@pytest.mark.parametrize("path", ["/", "/mcp2", "/mcp/more", "/MCP", "/health/x"])
def test_there_is_nothing_elsewhere(endpoint: Endpoint, path: str) -> None:
    answer = endpoint.ask("GET", {}, path=path)
    assert (answer.status, answer.error_code) == (404, -32600)


def test_the_endpoint_is_found_with_a_slash_or_a_query(host: Host, on: str) -> None:
    endpoint = host(shop(), on)
    for path in ("/mcp", "/mcp/", "/mcp?a=b"):
        endpoint.path = path
        assert endpoint.text(call("greet")) == "hello"


@pytest.mark.parametrize("path", ["/", "/deep/er/mcp", "tools"])
def test_the_endpoint_can_be_anywhere(host: Host, path: str) -> None:
    endpoint = host(shop(), path=path)
    endpoint.path = "/" + path.strip("/")
    assert endpoint.text(call("greet")) == "hello"


@pytest.mark.parametrize(
    "options",
    [
        {"allowed_hosts": "example.org"},
        {"allowed_hosts": ["http://example.org"]},
        {"allowed_origins": ["example.org"]},
        {"allowed_origins": "https://example.org"},
    ],
)
def test_a_wrong_list_is_refused_at_once(options: dict[str, object]) -> None:
    with pytest.raises(DefinitionError):
        http_app(shop(), **options)  # type: ignore[arg-type]  # wrong on purpose


@pytest.mark.parametrize("address", ["0.0.0.0:0", "[::]:0"])
def test_an_open_address_needs_the_names_of_its_hosts(address: str) -> None:
    with pytest.raises(DefinitionError, match="allowed_hosts"):
        shop().run(http=address)


@pytest.mark.parametrize("address", ["localhost", "127.0.0.1:http", "127.0.0.1:70000", ""])
def test_what_is_not_an_address_is_refused(address: str) -> None:
    with pytest.raises(DefinitionError, match="is not an address"):
        shop().run(http=address)


@pytest.mark.parametrize("limit", ["body_bytes", "sessions", "call_seconds"])
def test_a_limit_of_nothing_is_refused(limit: str) -> None:
    with pytest.raises(DefinitionError, match=limit):
        Limits(**{limit: 0})
