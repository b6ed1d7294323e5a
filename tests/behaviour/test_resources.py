"""Listing and reading resources and resource templates."""

import pytest

from paddock import (
    Annotations,
    BlobResourceContents,
    Context,
    Resource,
    ResourceTemplate,
    Server,
    TextResourceContents,
)
from tests.behaviour.wire import SESSION, STATELESS
from tests.conftest import Connect


def test_resources_are_listed_with_every_field(connect: Connect, era: str) -> None:
    server = Server("s")
    server.register(
        Resource(
            "notes://today",
            lambda: "",
            name="today",
            title="Today",
            description="Notes",
            mime_type="text/markdown",
            size=0,
            annotations=Annotations(priority=1.0, last_modified="2026-01-01T00:00:00Z"),
            icons=[{"src": "https://example.org/i.svg"}],
            meta={"a": 1},
        )
    )
    assert connect(server, era).result("resources/list") == {
        "resources": [
            {
                "uri": "notes://today",
                "name": "today",
                "title": "Today",
                "description": "Notes",
                "mimeType": "text/markdown",
                "size": 0,
                "annotations": {"priority": 1.0, "lastModified": "2026-01-01T00:00:00Z"},
                "icons": [{"src": "https://example.org/i.svg"}],
                "_meta": {"a": 1},
            }
        ]
    }


def test_templates_are_listed_with_every_field(connect: Connect, era: str) -> None:
    server = Server("s")

    @server.resource("weather://{city}", mime_type="text/plain", title="Weather")
    def weather(city: str) -> str:
        """The weather of a city."""
        return city

    line = connect(server, era)
    assert line.result("resources/list") == {"resources": []}
    assert line.result("resources/templates/list") == {
        "resourceTemplates": [
            {
                "uriTemplate": "weather://{city}",
                "name": "weather",
                "title": "Weather",
                "description": "The weather of a city.",
                "mimeType": "text/plain",
            }
        ]
    }


@pytest.mark.parametrize(
    ("value", "contents"),
    [
        ("text", {"mimeType": "text/plain", "text": "text"}),
        ("", {"mimeType": "text/plain", "text": ""}),
        (b"\x00\xff", {"mimeType": "application/octet-stream", "blob": "AP8="}),
        ({"a": [1]}, {"mimeType": "application/json", "text": '{"a":[1]}'}),
        ([1, 2], {"mimeType": "application/json", "text": "[1,2]"}),
        ([], {"mimeType": "application/json", "text": "[]"}),
        (None, {"mimeType": "application/json", "text": "null"}),
    ],
)
def test_a_resource_is_read_as_what_its_function_returns(
    connect: Connect, era: str, value: object, contents: dict[str, str]
) -> None:
    server = Server("s", resources=Resource("a://b", lambda: value))
    result = connect(server, era).result("resources/read", {"uri": "a://b"})
    assert result == {"contents": [{"uri": "a://b", **contents}]}


def test_a_resource_has_the_type_that_it_declares(connect: Connect, era: str) -> None:
    server = Server("s", resources=Resource("a://b", lambda: b"\x89PNG", mime_type="image/png"))
    (contents,) = connect(server, era).result("resources/read", {"uri": "a://b"})["contents"]
    assert contents["mimeType"] == "image/png"


def test_a_resource_may_consist_of_several_contents(connect: Connect, era: str) -> None:
    server = Server("s")

    @server.resource("dir://all")
    def everything() -> list[TextResourceContents | BlobResourceContents]:
        return [
            TextResourceContents("dir://a", "A", "text/x"),
            BlobResourceContents("dir://b", b""),
        ]

    assert connect(server, era).result("resources/read", {"uri": "dir://all"}) == {
        "contents": [
            {"uri": "dir://a", "text": "A", "mimeType": "text/x"},
            {"uri": "dir://b", "blob": ""},
        ]
    }


def test_a_template_is_read_with_its_variables_converted(connect: Connect, era: str) -> None:
    server = Server("s")

    @server.resource("log://{host}/{+path}{?lines}")
    async def log(host: str, path: str, ctx: Context, lines: int = 10) -> dict[str, object]:
        return {"host": host, "path": path, "lines": lines, "server": ctx.server.name}

    line = connect(server, era)
    uri = "log://my%20host/var/log/x.txt"
    (contents,) = line.result("resources/read", {"uri": uri})["contents"]
    assert contents["text"] == '{"host":"my host","path":"var/log/x.txt","lines":10,"server":"s"}'
    (contents,) = line.result("resources/read", {"uri": f"{uri}?lines=3"})["contents"]
    assert '"lines":3' in contents["text"]
    assert contents["uri"] == f"{uri}?lines=3"


def test_an_exact_uri_wins_over_a_template(connect: Connect, era: str) -> None:
    server = Server("s")
    server.register(ResourceTemplate("a://{x}", lambda x: f"template {x}"))
    server.register(Resource("a://fixed", lambda: "exact"))
    line = connect(server, era)
    (exact,) = line.result("resources/read", {"uri": "a://fixed"})["contents"]
    (other,) = line.result("resources/read", {"uri": "a://other"})["contents"]
    assert (exact["text"], other["text"]) == ("exact", "template other")


@pytest.mark.parametrize(("version", "code"), [(SESSION, -32002), (STATELESS, -32602)])
@pytest.mark.parametrize("uri", ["a://nope", "", "ü", "listed://only"])
def test_a_resource_that_is_not_there_is_named_in_the_error(
    connect: Connect, version: str, code: int, uri: str
) -> None:
    server = Server("s", resources=ResourceTemplate("listed://{what}"))
    error = connect(server, version).error("resources/read", {"uri": uri})
    assert error["code"] == code
    assert error["data"] == {"uri": uri}


def test_a_variable_of_the_wrong_type_is_invalid_params(connect: Connect, era: str) -> None:
    server = Server("s")

    @server.resource("page://{number}")
    def page(number: int) -> str:
        return str(number)

    error = connect(server, era).error("resources/read", {"uri": "page://one"})
    assert error["code"] == -32602
    assert "number" in error["message"]


@pytest.mark.parametrize("params", [{}, {"uri": 5}, {"uri": None}])
def test_reading_without_a_uri_is_invalid_params(
    connect: Connect, era: str, params: dict[str, object]
) -> None:
    assert connect(Server("s"), era).error("resources/read", params)["code"] == -32602


def test_a_resource_that_raises_is_an_internal_error_that_says_why(
    connect: Connect, era: str
) -> None:
    def broken() -> str:
        raise OSError("disk on fire")

    server = Server("s", resources=Resource("a://b", broken))
    error = connect(server, era).error("resources/read", {"uri": "a://b"})
    assert error["code"] == -32603
    assert "disk on fire" in error["message"]


def test_a_resource_that_returns_nonsense_is_an_internal_error(connect: Connect, era: str) -> None:
    server = Server("s", resources=Resource("a://b", object))
    assert connect(server, era).error("resources/read", {"uri": "a://b"})["code"] == -32603


def test_a_template_declared_wrongly_does_not_stop_the_others(connect: Connect, era: str) -> None:
    server = Server("s")
    server.register(ResourceTemplate("bad://{not a name}", lambda: ""))
    server.register(ResourceTemplate("good://{x}", lambda x: x))
    line = connect(server, era)
    listed = line.result("resources/templates/list")["resourceTemplates"]
    assert [template["uriTemplate"] for template in listed] == ["good://{x}"]
    (contents,) = line.result("resources/read", {"uri": "good://1"})["contents"]
    assert contents["text"] == "1"


def test_reads_carry_the_cache_hints_of_the_server(connect: Connect) -> None:
    server = Server("s", cache_ttl_ms=5000, cache_scope="public")
    server.register(Resource("a://b", lambda: "text"))
    line = connect(server, STATELESS)
    result = line.ask("resources/read", {"uri": "a://b"})["result"]
    assert (result["ttlMs"], result["cacheScope"]) == (5000, "public")
