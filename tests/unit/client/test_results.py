import base64

import pytest

from paddock.client.connect_options import Json
from paddock.client.errors import AnswerError
from paddock.client.results import (
    Completion,
    parse_completion,
    parse_content,
    parse_prompt_result,
    parse_resource_contents,
    parse_resource_result,
    parse_tool_result,
)
from paddock.protocol.content import (
    Annotations,
    AudioContent,
    BlobResourceContents,
    Content,
    EmbeddedResource,
    Icon,
    ImageContent,
    PromptMessage,
    ResourceLink,
    TextContent,
    TextResourceContents,
)

DATA = base64.b64encode(b"\x00\xff").decode()


@pytest.mark.parametrize(
    ("sent", "content"),
    [
        (
            {"type": "text", "text": "x", "annotations": {"priority": 1}, "_meta": {"a": 1}},
            TextContent("x", annotations=Annotations(priority=1), meta={"a": 1}),
        ),
        (
            {"type": "image", "data": DATA, "mimeType": "image/png"},
            ImageContent(b"\x00\xff", "image/png"),
        ),
        (
            {"type": "audio", "data": DATA, "mimeType": "audio/wav"},
            AudioContent(b"\x00\xff", "audio/wav"),
        ),
        (
            {"type": "resource_link", "uri": "a://b", "name": "b", "icons": [{"src": "i"}]},
            ResourceLink("a://b", "b", icons=[Icon("i")]),
        ),
        (
            {"type": "resource", "resource": {"uri": "a://b", "text": "t", "mimeType": "m/n"}},
            EmbeddedResource(TextResourceContents("a://b", "t", "m/n")),
        ),
        (
            {"type": "resource", "resource": {"uri": "a://b", "blob": DATA}},
            EmbeddedResource(BlobResourceContents("a://b", b"\x00\xff")),
        ),
    ],
)
def test_every_kind_of_content_is_decoded(sent: Json, content: Content) -> None:
    assert parse_content(sent) == content


def test_content_of_an_unknown_kind_is_kept_as_it_is() -> None:
    sent = {"type": "hologram", "depth": 3}
    assert parse_content(sent) == sent


@pytest.mark.parametrize(
    "sent",
    [
        "text",
        {"type": "text"},
        {"type": "text", "text": 3},
        {"type": "image", "data": "not base64!", "mimeType": "image/png"},
        {"type": "resource", "resource": {"text": "no uri"}},
    ],
)
def test_malformed_content_is_an_error(sent: object) -> None:
    with pytest.raises(AnswerError):
        parse_content(sent)


def test_contents_that_are_not_an_object_are_an_error() -> None:
    with pytest.raises(AnswerError):
        parse_resource_contents(None)


def test_the_result_of_a_tool_has_its_text_and_its_structure() -> None:
    result = parse_tool_result(
        {
            "content": [
                {"type": "text", "text": "a"},
                {"type": "image", "data": DATA, "mimeType": "image/png"},
                {"type": "text", "text": "b"},
            ],
            "structuredContent": {"n": 1},
            "isError": True,
            "_meta": {"k": "v"},
        }
    )
    assert result.text == "a\nb"
    assert (result.structured, result.is_error, result.meta) == ({"n": 1}, True, {"k": "v"})


def test_the_result_of_a_prompt_has_messages() -> None:
    message = {"role": "assistant", "content": {"type": "text", "text": "Hi"}}
    result = parse_prompt_result({"messages": [message], "description": "Greets"})
    assert result.messages == [PromptMessage(TextContent("Hi"), "assistant")]
    assert result.description == "Greets"


def test_a_message_of_unknown_content_is_an_error() -> None:
    with pytest.raises(AnswerError, match="hologram"):
        parse_prompt_result({"messages": [{"role": "user", "content": {"type": "hologram"}}]})


def test_a_resource_has_text_and_bytes() -> None:
    result = parse_resource_result(
        {"contents": [{"uri": "a://b", "text": "t"}, {"uri": "a://c", "blob": DATA}]}
    )
    assert (result.text, result.data) == ("t", b"\x00\xff")


def test_a_completion_has_its_values() -> None:
    answer: Json = {"completion": {"values": ["a"], "total": 5, "hasMore": True}}
    assert parse_completion(answer) == Completion(["a"], 5, has_more=True)
