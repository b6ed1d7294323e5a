"""Client libraries against our server on stdio and HTTP, each in every era that it speaks.

Every client does the same things (`drivers/scenario.py`); the tests look at what it reports.
"""

import base64
from collections.abc import Callable

import pytest

from tests.clients.fixture_server import PIXEL
from tests.clients.programs import SDK_CLIENTS, Json, SdkClient

Play = Callable[[SdkClient, str], Json]

TOOLS = [
    "echo",
    "measure",
    "fail",
    "picture",
    "count",
    "go_on",
    "chatter",
    "order",
    "haggle",
    "summarise",
    "places",
    "wait",
    "block",
    "has_stopped",
    "grow",
    "touch",
]


@pytest.fixture(params=SDK_CLIENTS, ids=lambda client: client.name)
def client(request: pytest.FixtureRequest) -> SdkClient:
    found: SdkClient = request.param
    return found


@pytest.fixture(params=["served", "direct", "http"])
def report(client: SdkClient, request: pytest.FixtureRequest, play: Play) -> Json:
    return play(client, request.param)


def text(result: Json) -> str:
    [block] = result["content"]
    return str(block["text"])


def names(listed: list[Json]) -> list[str]:
    return [item["name"] for item in listed]


def test_the_client_gets_the_version_that_it_wants(client: SdkClient, report: Json) -> None:
    assert report["identity"]["protocolVersion"] == client.version


def test_the_client_learns_who_the_server_is(report: Json) -> None:
    assert report["identity"]["serverInfo"] == {
        "name": "fixture",
        "version": "3.2.1",
        "title": "The fixture",
    }
    assert report["identity"]["instructions"] == "Try everything."


def test_tools_are_listed_in_the_order_of_the_author(report: Json) -> None:
    assert names(report["tools"]["tools"]) == TOOLS


def test_a_tool_is_listed_with_its_schemas(report: Json) -> None:
    measure = report["tools"]["tools"][TOOLS.index("measure")]
    assert measure["inputSchema"]["required"] == ["width", "height"]
    assert measure["inputSchema"]["properties"]["unit"] == {"type": "string", "default": "m²"}
    assert measure["outputSchema"]["required"] == ["size", "unit"]
    assert measure["annotations"] == {"readOnlyHint": True}


def test_text_passes_and_what_a_handler_prints_does_not(report: Json) -> None:
    assert text(report["echo"]) == "two\nlines ☃"


def test_a_structured_result_is_accepted_by_the_validation_of_the_client(report: Json) -> None:
    assert report["measure"]["structuredContent"] == {"size": 7, "unit": "m²"}


def test_a_wrong_argument_is_a_result_that_names_it(report: Json) -> None:
    assert report["refused"]["isError"] is True
    assert "width" in text(report["refused"])


def test_a_failing_tool_is_a_result_with_its_reason(report: Json) -> None:
    assert report["failed"]["isError"] is True
    assert text(report["failed"]) == "no luck"


def test_an_unknown_tool_is_a_protocol_error(report: Json) -> None:
    assert report["unknown_tool"]["code"] == -32602


def test_a_picture_arrives_as_it_was_sent(report: Json) -> None:
    [image] = report["picture"]["content"]
    assert image["mimeType"] == "image/png"
    assert base64.b64decode(image["data"]) == PIXEL


def test_progress_is_heard_while_the_tool_runs(report: Json) -> None:
    assert report["progress"]["steps"] == [[1, 3, "at 1"], [2, 3, "at 2"], [3, 3, "at 3"]]
    assert report["progress"]["result"]["structuredContent"] == {"result": 3}


def test_log_messages_are_heard_from_the_level_that_was_asked_for(
    client: SdkClient, report: Json
) -> None:
    logged = [
        {"level": "info", "data": {"words": 1}},
        {"level": "warning", "data": "loud"},
    ]
    if client.name == "fastmcp-modern":  # always asks for all
        logged.insert(0, {"level": "debug", "data": "quiet"})
    heard = [{key: log[key] for key in ("level", "data")} for log in report["logs"]["heard"]]
    assert heard == logged


def test_a_form_is_filled_in(report: Json) -> None:
    assert text(report["order"]) == "2 large soup"


def test_two_forms_are_asked_for_one_after_the_other(report: Json) -> None:
    assert text(report["haggle"]) == "accept, decline"


def test_no_question_is_asked_twice(report: Json) -> None:
    asked = [question.get("message") for question in report["questions"]]
    assert asked == ["What would you like?", "What would you like?", "Anything else?", None]


def test_a_form_shows_its_fields_as_the_author_wrote_them(report: Json) -> None:
    form = report["questions"][0]["requestedSchema"]
    assert form["required"] == ["dish", "count"]
    assert list(form["properties"]) == ["dish", "count", "size"]
    assert form["properties"]["count"] == {"type": "integer"}
    assert form["properties"]["size"]["default"] == "small"


def test_a_form_offers_choices_in_the_order_of_the_author(play: Play) -> None:
    [client] = [client for client in SDK_CLIENTS if client.name == "official-sdk-modern"]
    form = play(client, "served")["questions"][0]["requestedSchema"]
    assert form["properties"]["size"]["enum"] == ["small", "large"]


def test_the_model_of_the_client_is_asked(report: Json) -> None:
    assert text(report["summarise"]).endswith("says it was long")


def test_the_roots_of_the_client_are_known(report: Json) -> None:
    [root] = report["places"]["structuredContent"]["result"]
    assert root.startswith("file:///somewhere")


def test_prompts_are_listed_with_their_arguments(report: Json) -> None:
    review, translate = report["prompts"]["prompts"]
    assert names(review["arguments"]) == ["language", "code"]
    assert [argument["required"] for argument in translate["arguments"]] == [True, False]


def test_a_prompt_is_filled_with_its_arguments(report: Json) -> None:
    spoken = [
        (message["role"], message["content"]["text"]) for message in report["review"]["messages"]
    ]
    assert spoken == [("user", "Review this Python:\n1/0"), ("assistant", "Gladly.")]


def test_a_prompt_does_without_an_optional_argument(report: Json) -> None:
    [message] = report["translate"]["messages"]
    assert message["content"]["text"] == "Translate to Latin."


def test_a_prompt_without_its_required_argument_is_a_protocol_error(report: Json) -> None:
    assert report["no_language"]["code"] == -32602
    assert "language" in report["no_language"]["message"]


def test_resources_and_templates_are_listed(report: Json) -> None:
    assert names(report["resources"]["resources"]) == ["note", "pixel"]
    [template] = report["resource_templates"]["resourceTemplates"]
    assert template["uriTemplate"] == "fixture://people/{name}"


def test_a_text_resource_is_read(report: Json) -> None:
    [contents] = report["note"]["contents"]
    assert contents["mimeType"] == "text/plain"
    assert contents["text"] == "Grüße ☃"


def test_a_binary_resource_is_read(report: Json) -> None:
    [contents] = report["pixel"]["contents"]
    assert base64.b64decode(contents["blob"]) == PIXEL


def test_a_resource_of_a_template_is_read(report: Json) -> None:
    [contents] = report["person"]["contents"]
    assert contents["text"] == '{"name":"ada","title":"Countess"}'


def test_a_missing_resource_is_the_error_of_the_era(client: SdkClient, report: Json) -> None:
    # The TypeScript SDK shows the new era's code for both.
    is_new = client.is_modern or client.library == "typescript-sdk"
    assert report["no_resource"]["code"] == (-32602 if is_new else -32002)


def test_arguments_are_completed(report: Json) -> None:
    values = {name: found["completion"]["values"] for name, found in report["completions"].items()}
    assert values == {
        "language": ["Pascal", "Perl", "Python"],
        "settled": ["Python", "Perl", "Pascal"],
        "name": ["ada", "alan"],
    }


def test_changes_of_tools_and_resources_are_heard(report: Json) -> None:
    assert sorted(report["changes"]["heard"]) == ["resources/updated", "tools/list_changed"]
    assert names(report["changes"]["tools"]["tools"]) == [*TOOLS, "grown"]


@pytest.mark.parametrize("tool", ["wait", "block"])
def test_giving_up_on_a_call_stops_its_handler(tool: str, report: Json) -> None:
    assert report["stopped"][tool]["structuredContent"] == {"result": True}
