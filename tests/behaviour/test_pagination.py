"""Lists in pages."""

import base64
from collections.abc import Iterator
from typing import Any

import pytest

from paddock import Prompt, Resource, ResourceTemplate, Server, Tool
from tests.behaviour.line import Line
from tests.behaviour.wire import STATELESS
from tests.conftest import Connect

LISTS = [
    ("tools/list", "tools", "name"),
    ("prompts/list", "prompts", "name"),
    ("resources/list", "resources", "uri"),
    ("resources/templates/list", "resourceTemplates", "uriTemplate"),
]


def server_with(count: int, page_size: int | None) -> Server:
    server = Server("s", page_size=page_size)
    for number in range(count):
        server.register(Tool(f"i{number}", lambda: ""))
        server.register(Prompt(f"i{number}", ""))
        server.register(Resource(f"i{number}", lambda: ""))
        server.register(ResourceTemplate(f"i{number}"))
    return server


def pages(line: Line, method: str, key: str) -> Iterator[list[dict[str, Any]]]:
    result = line.result(method)
    yield result[key]
    while "nextCursor" in result:
        result = line.result(method, {"cursor": result["nextCursor"]})
        yield result[key]


@pytest.mark.parametrize(("method", "key", "name"), LISTS)
@pytest.mark.parametrize(
    ("count", "sizes"),
    [(0, [0]), (1, [1]), (3, [3]), (4, [3, 1]), (6, [3, 3]), (7, [3, 3, 1])],
)
def test_walking_the_pages_gives_every_entry_once_and_in_order(
    connect: Connect, era: str, method: str, key: str, name: str, count: int, sizes: list[int]
) -> None:
    line = connect(server_with(count, 3), era)
    walked = list(pages(line, method, key))
    assert [len(page) for page in walked] == sizes
    entries = [entry[name] for page in walked for entry in page]
    assert entries == [f"i{number}" for number in range(count)]


@pytest.mark.parametrize("method", [row[0] for row in LISTS])
@pytest.mark.parametrize("page_size", [None, 2, 100])
@pytest.mark.parametrize(
    "cursor",
    ["", "nonsense", "é", "AAAA", base64.b64encode(b"tools:-1").decode(), "x" * 10_000],
)
def test_a_cursor_that_was_not_issued_is_invalid_params(
    connect: Connect, method: str, page_size: int | None, cursor: str
) -> None:
    line = connect(server_with(5, page_size))
    assert line.error(method, {"cursor": cursor})["code"] == -32602


@pytest.mark.parametrize("cursor", [5, [], {}, True])
def test_a_cursor_that_is_not_a_string_is_invalid_params(
    connect: Connect, era: str, cursor: object
) -> None:
    line = connect(server_with(5, 2), era)
    assert line.error("tools/list", {"cursor": cursor})["code"] == -32602


def test_a_cursor_of_another_list_is_invalid_params(connect: Connect, era: str) -> None:
    line = connect(server_with(5, 2), era)
    cursor = line.result("tools/list")["nextCursor"]
    for method, _, _ in LISTS[1:]:
        assert line.error(method, {"cursor": cursor})["code"] == -32602


def test_a_null_cursor_is_not_a_cursor(connect: Connect, era: str) -> None:
    line = connect(server_with(3, 2), era)
    assert len(line.result("tools/list", {"cursor": None})["tools"]) == 2


def test_a_cursor_is_good_on_another_connection_and_in_the_other_era(connect: Connect) -> None:
    server = server_with(5, 2)
    cursor = connect(server).result("tools/list")["nextCursor"]
    rest = connect(server, STATELESS).result("tools/list", {"cursor": cursor})
    assert [tool["name"] for tool in rest["tools"]] == ["i2", "i3"]


def test_every_page_has_the_same_cache_scope(connect: Connect) -> None:
    server = server_with(3, 2)
    server.metadata.cache_scope = "public"
    line = connect(server, STATELESS)
    first = line.ask("tools/list")["result"]
    second = line.ask("tools/list", {"cursor": first["nextCursor"]})["result"]
    assert first["cacheScope"] == second["cacheScope"] == "public"
