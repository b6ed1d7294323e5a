"""The fixture of the official suite keeps to what the suite's scenarios demand.

Everything that is sent is checked against the schema of its era when a connection ends.
"""

from typing import Any

import pytest

from tests.behaviour.line import Json, error_text
from tests.behaviour.wire import META_KEY, SESSION, STATELESS
from tests.conformance.fixture import server
from tests.conftest import Connect

ALL: Json = {"elicitation": {}, "sampling": {}, "roots": {}}
NAMED = {"action": "accept", "content": {"name": "Ada"}}
SAID = {"role": "assistant", "model": "m", "content": {"type": "text", "text": "Paris"}}
ROOTS = {"roots": [{"uri": "file:///garden"}]}


class Rounds:
    """Calls one tool of the stateless era, round by round."""

    def __init__(self, connect: Connect, tool: str, capabilities: Json | None = None) -> None:
        self._line = connect(server, STATELESS, capabilities=capabilities or ALL)
        self._name = f"test_input_required_result_{tool}"

    def answer(self, **more: Any) -> Json:
        return self._line.ask("tools/call", {"name": self._name, "arguments": {}, **more})

    def result(self, **more: Any) -> Json:
        answer = self.answer(**more)
        assert "result" in answer, answer
        result: Json = answer["result"]
        return result

    def final(self, first: Json, responses: Json) -> str:
        result = self.result(inputResponses=responses, requestState=first["requestState"])
        assert result["resultType"] == "complete"
        text: str = result["content"][0]["text"]
        return text


@pytest.mark.parametrize(
    ("tool", "kinds"),
    [
        ("test_simple_text", ["text"]),
        ("test_image_content", ["image"]),
        ("test_audio_content", ["audio"]),
        ("test_embedded_resource", ["resource"]),
        ("test_multiple_content_types", ["text", "image", "resource"]),
    ],
)
def test_each_kind_of_content_is_returned(
    connect: Connect, era: str, tool: str, kinds: list[str]
) -> None:
    content = connect(server, era).call(tool)["content"]
    assert [part["type"] for part in content] == kinds


def test_a_tool_without_arguments_is_listed_first_and_callable_without(connect: Connect) -> None:
    line = connect(server, STATELESS)
    assert line.result("tools/list")["tools"][0]["name"] == "test_simple_text"
    answer = line.ask("tools/call", {"name": "test_simple_text"})
    assert answer["result"]["content"][0]["text"].startswith("This is a simple text")


def test_every_tool_and_prompt_has_a_description(connect: Connect, era: str) -> None:
    line = connect(server, era)
    assert all(tool["description"] for tool in line.result("tools/list")["tools"])
    assert all(prompt["description"] for prompt in line.result("prompts/list")["prompts"])


def test_a_failure_is_a_result(connect: Connect, era: str) -> None:
    assert error_text(connect(server, era).call("test_error_handling"))


def test_every_keyword_of_a_raw_schema_is_kept(connect: Connect, era: str) -> None:
    tools = connect(server, era).result("tools/list")["tools"]
    (tool,) = [tool for tool in tools if tool["name"] == "json_schema_2020_12_tool"]
    schema = tool["inputSchema"]
    assert {"$schema", "$defs", "allOf", "if", "then", "else"} <= set(schema)
    assert schema["$defs"]["address"]["$anchor"] == "addressDef"
    assert schema["additionalProperties"] is False


def test_a_mirrored_parameter_says_so_in_its_schema(connect: Connect) -> None:
    tools = connect(server, STATELESS).result("tools/list")["tools"]
    (tool,) = [tool for tool in tools if tool["name"] == "test_x_mcp_header"]
    assert tool["inputSchema"]["properties"]["region"]["x-mcp-header"] == "Region"


def test_a_tool_that_needs_sampling_refuses_a_client_without(connect: Connect) -> None:
    line = connect(server, STATELESS)
    error = line.ask("tools/call", {"name": "test_missing_capability"})["error"]
    assert error["code"] == -32021
    assert error["data"]["requiredCapabilities"] == {"sampling": {}}


@pytest.mark.parametrize(
    ("tool", "method"),
    [
        ("test_elicitation_sep1034_defaults", "elicitation/create"),
        ("test_elicitation_sep1330_enums", "elicitation/create"),
    ],
)
def test_forms_are_asked_for_in_a_session(connect: Connect, tool: str, method: str) -> None:
    line = connect(server, SESSION, capabilities=ALL)
    call = line.begin_call(tool)
    question = line.take(lambda message: message.get("method") == method)
    line.reply(question, {"action": "decline"})
    assert line.answer(call)["result"]["content"][0]["text"] == "decline"


@pytest.mark.parametrize(
    ("tool", "key", "response", "said"),
    [
        ("elicitation", "user_name", NAMED, "Ada"),
        ("sampling", "capital_question", SAID, "Paris"),
        ("list_roots", "client_roots", ROOTS, "1 roots"),
        ("request_state", "confirm", NAMED, "state-ok"),
    ],
)
def test_a_question_is_answered_in_the_second_round(
    connect: Connect, tool: str, key: str, response: Json, said: str
) -> None:
    rounds = Rounds(connect, tool)
    first = rounds.result()
    assert (first["resultType"], list(first["inputRequests"])) == ("input_required", [key])
    assert said in rounds.final(first, {key: response, "unknown": {}})


@pytest.mark.parametrize("responses", [{}, {"wrong": NAMED}, {"user_name": "Ada"}])
def test_a_missing_answer_is_asked_for_again(connect: Connect, responses: Json) -> None:
    rounds = Rounds(connect, "elicitation")
    state = rounds.result()["requestState"]
    again = rounds.result(inputResponses=responses, requestState=state)
    assert list(again["inputRequests"]) == ["user_name"]


@pytest.mark.parametrize("responses", [None, "Ada", [NAMED]])
def test_answers_that_are_not_an_object_are_invalid_params(
    connect: Connect, responses: object
) -> None:
    answer = Rounds(connect, "elicitation").answer(inputResponses=responses)
    assert answer["error"]["code"] == -32602


def test_three_questions_are_asked_at_once(connect: Connect) -> None:
    rounds = Rounds(connect, "multiple_inputs")
    first = rounds.result()
    assert set(first["inputRequests"]) == {"user_name", "greeting", "client_roots"}
    answers = {"user_name": NAMED, "greeting": SAID, "client_roots": ROOTS}
    assert rounds.final(first, answers) == "client_roots, greeting, user_name"


def test_two_questions_take_three_rounds_with_a_state_of_their_own(connect: Connect) -> None:
    rounds = Rounds(connect, "multi_round")
    first = rounds.result()
    second = rounds.result(inputResponses={"step1": NAMED}, requestState=first["requestState"])
    assert list(second["inputRequests"]) == ["step2"]
    assert second["requestState"] != first["requestState"]
    assert rounds.final(second, {"step2": NAMED}) == "accept, accept"


def test_a_state_that_was_tampered_with_is_refused(connect: Connect) -> None:
    rounds = Rounds(connect, "tampered_state")
    state = rounds.result()["requestState"] + "-TAMPERED"
    answer = rounds.answer(inputResponses={"confirm": NAMED}, requestState=state)
    assert answer["error"]["code"] == -32602


def test_only_what_the_client_can_answer_is_asked(connect: Connect) -> None:
    rounds = Rounds(connect, "capabilities", {"sampling": {}})
    asked = rounds.result()["inputRequests"]
    assert [question["method"] for question in asked.values()] == ["sampling/createMessage"]


def test_a_prompt_asks_too(connect: Connect) -> None:
    line = connect(server, STATELESS, capabilities=ALL)
    name = {"name": "test_input_required_result_prompt"}
    first = line.result("prompts/get", name)
    assert list(first["inputRequests"]) == ["user_context"]
    state = first["requestState"]
    again = {**name, "inputResponses": {"user_context": NAMED}, "requestState": state}
    assert "Ada" in line.result("prompts/get", again)["messages"][0]["content"]["text"]


def test_resources_and_templates_are_read(connect: Connect, era: str) -> None:
    line = connect(server, era)
    for uri in ("test://static-text", "test://watched-resource", "test://template/42/data"):
        assert line.result("resources/read", {"uri": uri})["contents"][0]["text"]
    (binary,) = line.result("resources/read", {"uri": "test://static-binary"})["contents"]
    assert (binary["mimeType"], bool(binary["blob"])) == ("image/png", True)


def test_a_listener_hears_only_of_what_it_asked_for(connect: Connect) -> None:
    line = connect(server, STATELESS)
    line.request("subscriptions/listen", {"notifications": {"promptsListChanged": True}})
    line.notification("notifications/subscriptions/acknowledged")
    line.call("test_trigger_tool_change")
    line.call("test_trigger_prompt_change")
    heard = [message["method"] for message in line.heard()]
    assert heard == ["notifications/prompts/list_changed"]


def test_the_skill_is_declared_listed_and_got(connect: Connect) -> None:
    line = connect(server, STATELESS)
    capabilities = line.result("server/discover")["capabilities"]
    assert capabilities["extensions"][f"{META_KEY}skills"] == {"directoryRead": True}
    (skill,) = line.ask("skills/list")["result"]["skills"]
    assert skill["uri"] == "skill://pdf-tools/SKILL.md"
    assert {file["uri"] for file in skill["resources"]} == {
        "skill://pdf-tools/SKILL.md",
        "skill://pdf-tools/scripts/count_pages.py",
    }
    got = line.ask("skills/get", {"uri": skill["uri"]})["result"]
    assert (got["skill"], got["ttlMs"], got["cacheScope"]) == (skill, 0, "private")
    assert line.error("skills/get", {"uri": "skill://none/SKILL.md"})["code"] == -32602


def test_the_skill_file_is_a_resource_by_its_own_name_and_description(
    connect: Connect, era: str
) -> None:
    line = connect(server, era)
    (skill,) = line.result("skills/list")["skills"]
    resources = line.result("resources/list")["resources"]
    (listed,) = [one for one in resources if one["uri"] == skill["uri"]]
    assert listed == {
        "uri": skill["uri"],
        "name": skill["frontmatter"]["name"],
        "description": skill["frontmatter"]["description"],
        "mimeType": "text/markdown",
    }
    assert resources[0]["uri"] == "test://static-text"


def test_the_directory_of_the_skill_has_a_directory_in_it(connect: Connect, era: str) -> None:
    line = connect(server, era)
    entries = line.result("resources/directory/read", {"uri": "skill://pdf-tools"})["resources"]
    assert [(entry["uri"], entry["mimeType"]) for entry in entries] == [
        ("skill://pdf-tools/SKILL.md", "text/markdown"),
        ("skill://pdf-tools/scripts", "inode/directory"),
    ]
    file = {"uri": "skill://pdf-tools/SKILL.md"}
    assert line.error("resources/directory/read", file)["code"] == -32602
