"""The tables of types hold, row by row."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Literal
from uuid import UUID

import pytest
from msgspec import Meta

from paddock import CallToolResult, Server, TextContent
from paddock.testing import connect
from tests.docs.pages import ROOT


@dataclass
class Point:
    x: int
    y: int


NAMES: dict[str, Any] = {
    kind.__name__: kind
    for kind in (
        *(CallToolResult, Decimal, Meta, Path, Point, TextContent, UUID),
        *(date, datetime, time, timedelta),
    )
} | {"Annotated": Annotated, "Any": Any, "Literal": Literal}


def rows(section: str, width: int) -> Iterator[list[str]]:
    """The cells of a section's table, without its heading."""
    text = (ROOT / "docs/reference/types.md").read_text(encoding="utf-8")
    table = text.partition(f"## {section}\n")[2].partition("\n## ")[0]
    for line in re.findall(r"^\| (.*) \|$", table, flags=re.M)[1:]:
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)]
        if len(cells) == width:
            yield [cell.replace("\\|", "|") for cell in cells]


def value_of(cell: str) -> Any:
    """What the first code span of a cell means."""
    return eval(cell.split("`")[1], NAMES)  # noqa: S307 - our own documentation


def json_of(cell: str) -> Any:
    return json.loads(cell.strip("`")) if cell else None


@pytest.mark.parametrize(("hint", "schema"), list(rows("Parameters", 2)))
def test_a_type_hint_has_the_schema_that_the_page_gives(hint: str, schema: str) -> None:
    def it(value):  # type: ignore[no-untyped-def]  # the hint is put in below
        pass

    it.__annotations__["value"] = value_of(hint)
    server = Server("types")
    server.tool(it)
    with connect(server) as peer:
        properties: Any = peer.tools()[0].input_schema["properties"]
    assert properties["value"] == json_of(schema)


@pytest.mark.parametrize(("returned", "hint", "content", "structured"), list(rows("Results", 4)))
def test_a_returned_value_becomes_what_the_page_says(
    returned: str, hint: str, content: str, structured: str
) -> None:
    def it():  # type: ignore[no-untyped-def]  # the hint is put in below
        return value_of(returned)

    if hint:
        it.__annotations__["return"] = value_of(hint)
    server = Server("types")
    server.tool(it)
    with connect(server, era="2025-11-25") as peer:
        result = peer.request("tools/call", {"name": "it", "arguments": {}})
    expected = [
        {"type": "text", "text": one} if isinstance(one, str) else one for one in json_of(content)
    ]
    assert result["content"] == expected
    assert result.get("structuredContent") == json_of(structured)
