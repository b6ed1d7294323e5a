"""Headers that repeat what the body says: they must be there, once, and say the same."""

from typing import Any

import pytest

from paddock import Server, Tool
from tests.behaviour.wire import META_KEY, SESSION, STATELESS
from tests.http.endpoint import ACCEPT, Endpoint, call, mirrored, sentinel, stateless
from tests.http.hosting import Host
from tests.http.raw import Json

HEADER_MISMATCH = -32020

PLACE: Json = {
    "type": "object",
    "properties": {
        "region": {"type": "string", "x-mcp-header": "Region"},
        "count": {"type": "integer", "x-mcp-header": "Count"},
        "dry": {"type": "boolean", "x-mcp-header": "dry-run"},
        "where": {
            "type": "object",
            "properties": {"city": {"type": "string", "x-mcp-header": "City"}},
        },
    },
}


def office() -> Server:
    server = Server("office")
    server.register(Tool("place", lambda arguments: "placed", input_schema=PLACE))

    @server.prompt(name="grüß ☃")
    def greet() -> str:
        """Greet."""
        return "gegrüßt"

    @server.resource("office://{name}")
    def paper(name: str) -> str:
        """A paper."""
        return name

    @server.prompt
    def ask() -> str:
        """Ask."""
        return "please"

    return server


@pytest.fixture
def endpoint(host: Host) -> Endpoint:
    return host(office())


def outcome(endpoint: Endpoint, message: Json, headers: Any) -> tuple[int, int | None]:
    answer = endpoint.post(message, headers)
    found = answer.json
    return answer.status, found["error"]["code"] if "error" in found else None


def speaking(version: str) -> Json:
    meta: Json = {f"{META_KEY}protocolVersion": version}
    return stateless("tools/list", **meta)


REFUSED = (400, HEADER_MISMATCH)
TAKEN = (200, None)


def test_a_request_without_one_of_them_is_refused(host: Host, on: str) -> None:
    endpoint = host(office(), on)
    for header in ("MCP-Protocol-Version", "Mcp-Method", "Mcp-Name"):
        assert outcome(endpoint, call("place"), {header: None}) == REFUSED


@pytest.mark.parametrize(
    ("header", "value"),
    [
        ("MCP-Protocol-Version", SESSION),
        ("MCP-Protocol-Version", "v999.0.0"),
        ("MCP-Protocol-Version", ""),
        ("Mcp-Method", "tools/list"),
        ("Mcp-Method", "TOOLS/CALL"),
        ("Mcp-Method", ""),
        ("Mcp-Name", "Place"),
        ("Mcp-Name", "place "[:-1] + "s"),
        ("Mcp-Name", ""),
    ],
)
def test_a_header_that_differs_from_the_body_is_refused(
    endpoint: Endpoint, header: str, value: str
) -> None:
    assert outcome(endpoint, call("place"), {header: value}) == REFUSED


def test_a_header_that_is_there_twice_is_refused(host: Host, on: str) -> None:
    endpoint, message = host(office(), on), call("place")
    pairs = [(name, str(value)) for name, value in mirrored(message).items()]
    for name, value in pairs:
        usual = [("Accept", ACCEPT), ("Content-Type", "application/json")]
        repeated = [*usual, *pairs, (name.upper(), value)]
        assert outcome(endpoint, message, repeated) == REFUSED


def test_names_of_headers_have_no_case_and_blanks_around_values_do_not_count(
    host: Host, on: str
) -> None:
    headers = {
        "MCP-Protocol-Version": None,
        "Mcp-Method": None,
        "Mcp-Name": None,
        "MCP-PROTOCOL-VERSION": f"  {STATELESS}\t",
        "mcp-method": "\ttools/call  ",
        "mCp-NaMe": " place ",
    }
    assert outcome(host(office(), on), call("place"), headers) == TAKEN


@pytest.mark.parametrize(
    ("message", "name"),
    [
        (stateless("resources/read", {"uri": "office://memo"}), "office://memo"),
        (stateless("prompts/get", {"name": "ask"}), "ask"),
        (call("place"), "place"),
    ],
)
def test_each_named_thing_is_mirrored(endpoint: Endpoint, message: Json, name: str) -> None:
    assert outcome(endpoint, message, {"Mcp-Name": name}) == TAKEN
    assert outcome(endpoint, message, {"Mcp-Name": name + "x"}) == REFUSED
    assert outcome(endpoint, message, {"Mcp-Name": None}) == REFUSED


def test_other_methods_need_no_name(endpoint: Endpoint) -> None:
    assert outcome(endpoint, stateless("tools/list"), {"Mcp-Name": None}) == TAKEN


def test_a_name_beyond_ascii_is_given_in_base64(host: Host, on: str) -> None:
    message = stateless("prompts/get", {"name": "grüß ☃"})
    assert outcome(host(office(), on), message, {"Mcp-Name": sentinel("grüß ☃")}) == TAKEN


def test_a_plain_name_may_be_given_in_base64_as_well(endpoint: Endpoint) -> None:
    assert outcome(endpoint, call("place"), {"Mcp-Name": sentinel("place")}) == TAKEN


@pytest.mark.parametrize(
    "value",
    [
        "=?base64?cGxhY2U?=",  # no padding
        "=?base64?cGxhY2X=?=",  # bits that belong to nothing
        "=?base64?cGxh Y2U=?=",
        "=?base64?cGxh_2U=?=",
        "=?base64?//8=?=",  # no UTF-8
        "=?BASE64?cGxhY2U=?=",
        "=?base64?cGxhY2U=",
        "cGxhY2U=?=",
        "cGxhY2U=",
        "=?base64??=",
    ],
)
def test_what_is_not_quite_base64_does_not_count_as_the_name(
    endpoint: Endpoint, value: str
) -> None:
    assert outcome(endpoint, call("place"), {"Mcp-Name": value}) == REFUSED


def test_a_header_with_bytes_beyond_ascii_is_refused(endpoint: Endpoint) -> None:
    assert outcome(endpoint, call("grüß"), {"Mcp-Name": "grüß"}) == REFUSED


@pytest.mark.parametrize(
    ("arguments", "headers"),
    [
        ({}, {}),
        ({"region": "eu-1"}, {"Mcp-Param-Region": "eu-1"}),
        ({"region": "eu-1"}, {"mcp-param-REGION": " eu-1 "}),
        ({"region": "Köln"}, {"Mcp-Param-Region": sentinel("Köln")}),
        ({"region": " padded "}, {"Mcp-Param-Region": sentinel(" padded ")}),
        ({"region": ""}, {"Mcp-Param-Region": ""}),
        ({"region": sentinel("x")}, {"Mcp-Param-Region": sentinel(sentinel("x"))}),
        ({"region": "=?base64?x"}, {"Mcp-Param-Region": "=?base64?x"}),
        ({"count": 42}, {"Mcp-Param-Count": "42"}),
        ({"count": 42}, {"Mcp-Param-Count": "42.0"}),
        ({"count": 42.0}, {"Mcp-Param-Count": "42"}),
        ({"count": -7}, {"Mcp-Param-Count": "-7"}),
        ({"count": 9007199254740993}, {"Mcp-Param-Count": "9007199254740993"}),
        ({"dry": True}, {"Mcp-Param-Dry-Run": "true"}),
        ({"dry": False}, {"Mcp-Param-Dry-Run": "false"}),
        ({"where": {"city": "Kiel"}}, {"Mcp-Param-City": "Kiel"}),
        ({"region": None}, {}),
        ({"where": {"city": None}}, {}),
        ({"region": "eu"}, {"Mcp-Param-Region": "eu", "Mcp-Param-Unknown": "whatever"}),
    ],
)
def test_an_argument_that_its_header_repeats_is_taken(
    endpoint: Endpoint, arguments: Json, headers: Json
) -> None:
    assert outcome(endpoint, call("place", arguments), headers) == TAKEN


@pytest.mark.parametrize(
    ("arguments", "headers"),
    [
        ({"region": "eu-1"}, {}),
        ({"region": "eu-1"}, {"Mcp-Param-Region": "EU-1"}),
        ({"region": "eu-1"}, {"Mcp-Param-Region": "=?base64?!?="}),
        ({"region": "Köln"}, {"Mcp-Param-Region": "Köln"}),
        ({}, {"Mcp-Param-Region": "eu-1"}),
        ({"region": None}, {"Mcp-Param-Region": "null"}),
        ({"count": 42}, {"Mcp-Param-Count": "43"}),
        ({"count": 42}, {"Mcp-Param-Count": "0x2A"}),
        ({"count": 42}, {"Mcp-Param-Count": "042"}),
        ({"count": 42}, {"Mcp-Param-Count": "4_2"}),
        ({"count": 9007199254740993}, {"Mcp-Param-Count": "9007199254740992"}),
        ({"count": 42}, {"Mcp-Param-Count": "1e999999999"}),
        ({"dry": True}, {"Mcp-Param-Dry-Run": "True"}),
        ({"dry": True}, {"Mcp-Param-Dry-Run": "1"}),
        ({"where": {"city": "Kiel"}}, {"Mcp-Param-City": "Bonn"}),
        ({"where": {"city": "Kiel"}}, {}),
    ],
)
def test_an_argument_that_its_header_contradicts_is_refused(
    endpoint: Endpoint, arguments: Json, headers: Json
) -> None:
    assert outcome(endpoint, call("place", arguments), headers) == REFUSED


def test_a_mirrored_argument_may_be_there_once_only(host: Host, on: str) -> None:
    message = call("place", {"region": "eu"})
    pairs = [(name, str(value)) for name, value in mirrored(message).items()]
    pairs += [("Accept", ACCEPT), ("Content-Type", "application/json")]
    pairs += [("Mcp-Param-Region", "eu"), ("mcp-param-region", "eu")]
    assert outcome(host(office(), on), message, pairs) == REFUSED


def test_sessions_need_no_mirrors(endpoint: Endpoint) -> None:
    assert endpoint.initialize().text("place", {"region": "eu-1"}) == "placed"


@pytest.mark.parametrize(
    ("headers", "meta_version", "status", "code"),
    [
        ({"MCP-Protocol-Version": "v999.0.0"}, "v999.0.0", 400, -32022),
        ({"MCP-Protocol-Version": SESSION}, SESSION, 400, -32022),
        ({"MCP-Protocol-Version": STATELESS}, "v999.0.0", 400, -32020),
        ({"MCP-Protocol-Version": "v999.0.0"}, STATELESS, 400, -32020),
    ],
)
def test_a_version_that_is_not_spoken_is_refused_after_the_headers_agree(
    endpoint: Endpoint, headers: Json, meta_version: str, status: int, code: int
) -> None:
    message = speaking(meta_version)
    assert outcome(endpoint, message, headers) == (status, code)


def test_the_versions_that_are_spoken_are_named(endpoint: Endpoint) -> None:
    message = speaking("v999.0.0")
    data = endpoint.post(message).json["error"]["data"]
    assert data == {"supported": [STATELESS], "requested": "v999.0.0"}


def test_headers_are_checked_before_the_method_is_looked_up(endpoint: Endpoint) -> None:
    assert outcome(endpoint, stateless("no/such"), {"Mcp-Method": "other"}) == REFUSED


def test_headers_are_checked_before_the_parameters(endpoint: Endpoint) -> None:
    message = call("place")
    message["params"]["arguments"] = 5
    assert outcome(endpoint, message, {"Mcp-Name": "other"}) == REFUSED
