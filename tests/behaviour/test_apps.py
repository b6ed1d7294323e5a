"""Views for the results of tools: declared, listed, read, and shown where the client can."""

from pathlib import Path
from typing import Any

import pytest

from paddock import AppView, Context, DefinitionError, Resource, ResourceTemplate, Server, Tool
from tests.behaviour.line import Json, Line
from tests.behaviour.wire import META_KEY, STATELESS
from tests.conftest import Connect

EXTENSION = f"{META_KEY}ui"
HTML = "text/html;profile=mcp-app"
VIEW = "ui://weather/view"


def declared(line: Line) -> Json | None:
    result = line.result("server/discover") if line.era == STATELESS else line.open()["result"]
    extensions: Json = result["capabilities"].get("extensions", {})
    return extensions.get(EXTENSION)


def tool(**options: Any) -> Tool:
    return Tool("weather", lambda: "sunny", **options)


def listed_meta(line: Line) -> object:
    (listed,) = line.result("tools/list")["tools"]
    return listed.get("_meta")


@pytest.mark.parametrize(
    "item",
    [
        tool(ui=VIEW),
        tool(visibility=["app"]),
        AppView(VIEW, ""),
        Resource(VIEW, str),
        ResourceTemplate(f"{VIEW}/{{name}}", str),
    ],
)
def test_a_server_declares_the_extension_once_it_has_views(
    connect: Connect, era: str, item: Tool | Resource | ResourceTemplate
) -> None:
    server = Server("s", tools=Tool("plain", lambda: ""))
    assert declared(connect.silent(server, era)) is None
    server.register(item)
    assert declared(connect.silent(server, era)) == {}


@pytest.mark.parametrize(
    ("options", "meta"),
    [
        ({"ui": VIEW}, {"ui": {"resourceUri": VIEW}}),
        ({"ui": AppView(VIEW, "")}, {"ui": {"resourceUri": VIEW}}),
        ({"visibility": ("app",)}, {"ui": {"visibility": ["app"]}}),
        (
            {"ui": VIEW, "visibility": ["model", "app"], "meta": {"a": 1, "ui": {"b": 2}}},
            {"a": 1, "ui": {"b": 2, "resourceUri": VIEW, "visibility": ["model", "app"]}},
        ),
        ({"meta": {"a": 1}}, {"a": 1}),
        ({}, None),
    ],
)
def test_a_tool_names_its_view_and_who_may_call_it(
    connect: Connect, era: str, options: Json, meta: object
) -> None:
    assert listed_meta(connect(Server("s", tools=tool(**options)), era)) == meta


@pytest.mark.parametrize(
    ("items", "warnings"),
    [
        ([], [f"Tool('weather') refers to the UI resource {VIEW}, which does not exist"]),
        ([AppView(VIEW, "", listed=False)], []),
        ([ResourceTemplate("ui://weather/{name}", lambda name: name)], []),
        ([Resource(VIEW, lambda wrong: wrong)], []),
        ([tool(ui=AppView(VIEW, ""))], []),
    ],
)
def test_a_view_that_nothing_serves_is_reported_and_the_tool_is_listed(
    connect: Connect,
    era: str,
    items: list[Any],
    warnings: list[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    line = connect(Server("s", tools=tool(ui=VIEW)).register(items), era)
    for _ in range(2):
        assert listed_meta(line) == {"ui": {"resourceUri": VIEW}}
    assert [record.getMessage() for record in caplog.records] == warnings


def test_a_view_of_a_mounted_server_is_served(
    connect: Connect, era: str, caplog: pytest.LogCaptureFixture
) -> None:
    pages = Server("pages", resources=AppView(VIEW, ""))
    server = Server("s", tools=tool(ui=VIEW))
    server.mount(pages)
    assert listed_meta(connect(server, era)) == {"ui": {"resourceUri": VIEW}}
    assert caplog.records == []


def test_a_decorated_tool_brings_its_view_along(connect: Connect, era: str) -> None:
    server = Server("s")

    @server.tool(ui=AppView(VIEW, "<p>Sunny</p>", title="Weather"), visibility=["model"])
    def weather() -> str:
        return "sunny"

    line = connect(server, era)
    assert listed_meta(line) == {"ui": {"resourceUri": VIEW, "visibility": ["model"]}}
    assert line.result("resources/list")["resources"] == [
        {"uri": VIEW, "name": VIEW, "title": "Weather", "mimeType": HTML}
    ]
    assert line.result("resources/read", {"uri": VIEW})["contents"] == [
        {"uri": VIEW, "mimeType": HTML, "text": "<p>Sunny</p>"}
    ]


def test_what_a_view_needs_is_reported_in_the_list_and_with_the_content(
    connect: Connect, era: str
) -> None:
    view = AppView(
        VIEW,
        "<p></p>",
        connect_domains=["https://api.example.org"],
        resource_domains=["https://*.example.org"],
        frame_domains=["https://video.example.org"],
        base_uri_domains=["https://cdn.example.org"],
        permissions=["camera", "microphone", "geolocation", "clipboard_write"],
        domain="abc.example.org",
        prefers_border=False,
        meta={"own": 1},
    )
    settings = {
        "csp": {
            "connectDomains": ["https://api.example.org"],
            "resourceDomains": ["https://*.example.org"],
            "frameDomains": ["https://video.example.org"],
            "baseUriDomains": ["https://cdn.example.org"],
        },
        "permissions": {"camera": {}, "microphone": {}, "geolocation": {}, "clipboardWrite": {}},
        "domain": "abc.example.org",
        "prefersBorder": False,
    }
    line = connect(Server("s", resources=view), era)
    (listed,) = line.result("resources/list")["resources"]
    assert listed["_meta"] == {"own": 1, "ui": settings}
    (contents,) = line.result("resources/read", {"uri": VIEW})["contents"]
    assert contents["_meta"] == {"ui": settings}


def test_a_view_may_be_a_file_that_is_read_when_it_is_asked_for(
    connect: Connect, era: str, tmp_path: Path
) -> None:
    file = tmp_path / "view.html"
    file.write_text("<p>one</p>\r\n", encoding="utf-8", newline="")
    line = connect(Server("s", resources=AppView(VIEW, file=file)), era)

    def read() -> str:
        text: str = line.result("resources/read", {"uri": VIEW})["contents"][0]["text"]
        return text

    assert read() == "<p>one</p>\r\n"
    file.write_text("<p>two</p>", encoding="utf-8")
    assert read() == "<p>two</p>"


def test_a_file_counts_from_the_file_that_makes_the_view() -> None:
    assert AppView(VIEW, file="line.py").handler().startswith('"""A raw connection')


def test_a_view_may_be_what_a_handler_returns(connect: Connect, era: str) -> None:
    async def page(ctx: Context) -> str:
        """The weather, drawn."""
        return f"<p>{ctx.server.name}</p>"

    view = AppView(VIEW, handler=page, prefers_border=True)
    line = connect(Server("s", resources=view), era)
    (listed,) = line.result("resources/list")["resources"]
    assert listed["description"] == "The weather, drawn."
    assert line.result("resources/read", {"uri": VIEW})["contents"] == [
        {
            "uri": VIEW,
            "mimeType": HTML,
            "text": "<p>s</p>",
            "_meta": {"ui": {"prefersBorder": True}},
        }
    ]


def test_what_is_not_listed_can_still_be_read(connect: Connect, era: str) -> None:
    server = Server("s", resources=[AppView(VIEW, "view", listed=False)])
    server.register(Resource("test://unlisted", lambda: "text", listed=False))
    server.register(Resource("test://listed", lambda: ""))
    line = connect(server, era)
    resources = line.result("resources/list")["resources"]
    assert [resource["uri"] for resource in resources] == ["test://listed"]
    for uri, text in ((VIEW, "view"), ("test://unlisted", "text")):
        assert line.result("resources/read", {"uri": uri})["contents"][0]["text"] == text


@pytest.mark.parametrize(
    ("capabilities", "settings", "shown"),
    [
        ({}, None, False),
        ({"extensions": {}}, None, False),
        ({"extensions": {EXTENSION: {}}}, {}, False),
        ({"extensions": {EXTENSION: {"mimeTypes": [HTML]}}}, {"mimeTypes": [HTML]}, True),
        (
            {"extensions": {EXTENSION: {"mimeTypes": ["text/HTML; profile=mcp-app"]}}},
            {"mimeTypes": ["text/HTML; profile=mcp-app"]},
            True,
        ),
        (
            {"extensions": {EXTENSION: {"mimeTypes": ["text/html"]}}},
            {"mimeTypes": ["text/html"]},
            False,
        ),
        ({"extensions": {EXTENSION: {"mimeTypes": HTML}}}, {"mimeTypes": HTML}, False),
        ({"extensions": {EXTENSION: 5}}, None, False),
        ({"extensions": []}, None, False),
    ],
)
def test_a_handler_can_ask_what_the_client_can_show(
    connect: Connect, era: str, capabilities: Json, settings: object, shown: bool
) -> None:
    seen: list[object] = []
    server = Server("s")

    @server.tool(ui=VIEW)
    def weather(ctx: Context) -> str:
        seen.extend([ctx.client_extension(EXTENSION), ctx.can_show(), ctx.can_show("image/png")])
        return "shown" if ctx.can_show() else "18 degrees"

    line = connect(server, era, capabilities=capabilities)
    assert line.text("weather") == ("shown" if shown else "18 degrees")
    assert seen == [settings, shown, False]


@pytest.mark.parametrize(
    "make",
    [
        lambda: tool(ui="https://example.org/view"),
        lambda: tool(ui=5),
        lambda: tool(visibility=[]),
        lambda: tool(visibility=["everyone"]),
        lambda: tool(visibility="app"),
        lambda: AppView("https://example.org/view", ""),
        lambda: AppView(VIEW),
        lambda: AppView(VIEW, "", file="line.py"),
        lambda: AppView(VIEW, file="nowhere.html"),
        lambda: AppView(VIEW, "", permissions=["sound"]),
        lambda: AppView(VIEW, "", connect_domains="https://example.org"),
    ],
)
def test_a_view_declared_wrongly_is_refused_at_once(make: Any) -> None:
    with pytest.raises(DefinitionError):
        make()
