"""From what a handler returns to the result of a call."""

import base64
import datetime as dt
import enum
import io
import pathlib
from dataclasses import dataclass
from typing import Any

import attrs
import msgspec
import pydantic
import pytest
from PIL import Image

import paddock
from paddock import (
    AudioContent,
    BlobResourceContents,
    CallToolResult,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
    TextResourceContents,
    Tool,
)
from tests.behaviour.line import error_text
from tests.conftest import Connect
from tests.unit.authoring.served import Served

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


class Colour(enum.Enum):
    RED = "red"


class Point(msgspec.Struct):
    x: int


@dataclass
class Person:
    name: str


@attrs.define
class Box:
    width: int


class Model(pydantic.BaseModel):
    name: str = pydantic.Field(alias="theName")
    when: dt.date


def text(value: str) -> dict[str, Any]:
    return {"type": "text", "text": value}


CONTENT: list[tuple[str, Any, list[dict[str, Any]]]] = [
    ("text", "hi", [text("hi")]),
    ("empty text", "", [text("")]),
    ("nothing", None, []),
    ("content", TextContent("hi"), [text("hi")]),
    (
        "image",
        ImageContent(b"\xff", "image/png"),
        [{"type": "image", "data": "/w==", "mimeType": "image/png"}],
    ),
    (
        "audio",
        AudioContent(b"\xff", "audio/wav"),
        [{"type": "audio", "data": "/w==", "mimeType": "audio/wav"}],
    ),
    (
        "link",
        ResourceLink("a://b", "b", title="B", mime_type="text/plain", size=3),
        [
            {
                "type": "resource_link",
                "uri": "a://b",
                "name": "b",
                "title": "B",
                "mimeType": "text/plain",
                "size": 3,
            }
        ],
    ),
    (
        "embedded text",
        EmbeddedResource(TextResourceContents("a://b", "hi", "text/plain")),
        [
            {
                "type": "resource",
                "resource": {"uri": "a://b", "text": "hi", "mimeType": "text/plain"},
            }
        ],
    ),
    (
        "embedded bytes",
        EmbeddedResource(BlobResourceContents("a://b", b"\xff")),
        [{"type": "resource", "resource": {"uri": "a://b", "blob": "/w=="}}],
    ),
    ("list of contents", [TextContent("a"), TextContent("b")], [text("a"), text("b")]),
    ("tuple of contents", (TextContent("a"), "b"), [text("a"), text("b")]),
    (
        "mixed list",
        ["a", ImageContent(b"\xff", "image/png")],
        [text("a"), {"type": "image", "data": "/w==", "mimeType": "image/png"}],
    ),
    (
        "bytes and type",
        (b"\xff", "image/gif"),
        [{"type": "image", "data": "/w==", "mimeType": "image/gif"}],
    ),
    (
        "bytes and audio type",
        (bytearray(b"\xff"), "audio/ogg"),
        [{"type": "audio", "data": "/w==", "mimeType": "audio/ogg"}],
    ),
    (
        "bytes that speak for themselves",
        PNG,
        [{"type": "image", "data": base64.b64encode(PNG).decode(), "mimeType": "image/png"}],
    ),
]


@pytest.mark.parametrize(
    ("value", "content"), [row[1:] for row in CONTENT], ids=[row[0] for row in CONTENT]
)
def test_content_is_sent_as_it_is(
    connect: Connect, value: Any, content: list[dict[str, Any]]
) -> None:
    assert Served(connect, Tool("t", lambda: value)).call() == {"content": content}


def test_bytes_of_another_type_are_an_embedded_resource(connect: Connect) -> None:
    served = Served(connect, Tool("t", lambda: (b"%PDF", "application/pdf")))
    (content,) = served.call()["content"]
    assert content["type"] == "resource"
    assert content["resource"]["blob"] == "JVBERg=="
    assert content["resource"]["mimeType"] == "application/pdf"


def test_bytes_have_the_type_that_the_tool_declares(connect: Connect) -> None:
    served = Served(connect, Tool("t", lambda: b"\x00", mime_type="audio/wav"))
    assert served.call()["content"] == [{"type": "audio", "data": "AA==", "mimeType": "audio/wav"}]


def test_bytes_of_an_unknown_type_are_an_error_that_says_what_to_do(connect: Connect) -> None:
    said = error_text(Served(connect, Tool("t", lambda: b"\x00\x01")).call())
    assert "2 bytes" in said
    assert "mime_type" in said


def test_a_picture_is_an_image(connect: Connect) -> None:
    served = Served(connect, Tool("t", lambda: Image.new("RGB", (3, 2), "red")))
    (content,) = served.call()["content"]
    assert (content["type"], content["mimeType"]) == ("image", "image/png")
    assert Image.open(io.BytesIO(base64.b64decode(content["data"]))).size == (3, 2)


def test_a_picture_among_others_is_an_image(connect: Connect) -> None:
    served = Served(connect, Tool("t", lambda: ["see", Image.new("L", (1, 1))]))
    assert [part["type"] for part in served.call()["content"]] == ["text", "image"]


class Figure:
    """Imitates a matplotlib figure, which is recognized by its module and name."""

    __module__ = "matplotlib.figure"

    def savefig(self, file: io.BytesIO, **options: object) -> None:
        file.write(PNG)


def test_a_figure_is_an_image(connect: Connect) -> None:
    figure = Figure()
    (content,) = Served(connect, Tool("t", lambda: figure)).call()["content"]
    assert content == {
        "type": "image",
        "data": base64.b64encode(PNG).decode(),
        "mimeType": "image/png",
    }


DATA: list[tuple[str, Any, Any]] = [
    ("dictionary", {"a": [1, None, 2.5]}, {"a": [1, None, 2.5]}),
    ("empty dictionary", {}, {}),
    ("integer keys", {1: "a"}, {"1": "a"}),
    ("struct", Point(1), {"x": 1}),
    ("dataclass", Person("Ada"), {"name": "Ada"}),
    ("attrs", Box(2), {"width": 2}),
    (
        "pydantic",
        Model(theName="a", when=dt.date(2026, 1, 2)),
        {"theName": "a", "when": "2026-01-02"},
    ),
    ("list", [1, "a"], [1, "a"]),
    ("empty list", [], []),
    ("tuple", (1, 2), [1, 2]),
    ("set", {1}, [1]),
    ("number", 5, 5),
    ("real", 2.5, 2.5),
    ("truth", True, True),
    ("enum", Colour.RED, "red"),
    ("date", dt.date(2026, 1, 2), "2026-01-02"),
    ("path", pathlib.PurePosixPath("a/b"), "a/b"),
    ("nested", {"p": [Point(1), Person("Ada")]}, {"p": [{"x": 1}, {"name": "Ada"}]}),
    ("list of models", [Point(1)], [{"x": 1}]),
]


@pytest.mark.parametrize(("value", "data"), [r[1:] for r in DATA], ids=[r[0] for r in DATA])
def test_data_is_sent_as_json_and_objects_as_structured_content(
    connect: Connect, value: Any, data: Any
) -> None:
    result = Served(connect, Tool("t", lambda: value)).call()
    (content,) = result["content"]
    assert msgspec.json.decode(content["text"]) == data
    assert result.get("structuredContent") == (data if isinstance(data, dict) else None)
    assert "isError" not in result


def test_a_full_result_is_sent_as_it_is(connect: Connect) -> None:
    full = CallToolResult(
        [TextContent("a"), "b", {"type": "text", "text": "c"}],
        structured_content={"x": 1},
        is_error=True,
        meta={"m": 1},
    )
    assert Served(connect, Tool("t", lambda: full)).call() == {
        "content": [text("a"), text("b"), text("c")],
        "structuredContent": {"x": 1},
        "isError": True,
        "_meta": {"m": 1},
    }


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ([TextContent("a"), 5], "int"),
        ((b"x", 5), "5"),
        (object(), "object"),
        ({"a": object()}, "dict"),
        (CallToolResult([object()]), "object"),  # type: ignore[list-item]  # what the test is about
    ],
)
def test_what_cannot_be_sent_is_an_error_that_says_what_it_is(
    connect: Connect, value: Any, said: str
) -> None:
    assert said in error_text(Served(connect, Tool("t", lambda: value)).call())


RETURN_TYPES: list[tuple[Any, Any, bool]] = [
    (TextContent, "hi", True),
    (TextContent, TextContent("hi"), True),
    (TextContent, [TextContent("a"), TextContent("b")], True),
    (ImageContent, (b"x", "image/png"), True),
    (ImageContent, "hi", False),
    (TextContent, ImageContent(b"x", "image/png"), False),
    (list[TextContent], [TextContent("a")], True),
    (list[TextContent], [TextContent("a"), ImageContent(b"x", "image/png")], False),
    (TextContent | ImageContent, [TextContent("a"), ImageContent(b"x", "image/png")], True),
    (list[paddock.Content], [TextContent("a"), ImageContent(b"x", "image/png")], True),
]


@pytest.mark.parametrize(("declared", "value", "is_right"), RETURN_TYPES, ids=str)
def test_a_declared_return_type_is_checked(
    connect: Connect, declared: Any, value: Any, *, is_right: bool
) -> None:
    result = Served(connect, Tool("t", lambda: value, return_type=declared)).call()
    assert result.get("isError", False) is not is_right
    if not is_right:
        assert "Content" in error_text(result)


def test_data_where_content_was_declared_is_an_error(connect: Connect) -> None:
    result = Served(connect, Tool("t", lambda: {"a": 1}, return_type=ImageContent)).call()
    assert "ImageContent" in error_text(result)
