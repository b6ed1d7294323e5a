"""What a server definition may say, in our words and in those of the Wolfram documents."""

from typing import Any

import pytest

from paddock import DefinitionError, ServerDefinitionError
from paddock.named_servers.definition import make_safe_key, parse_definition


def test_both_spellings_mean_the_same() -> None:
    ours = parse_definition(
        {
            "name": "n",
            "title": "T",
            "version": "2.0",
            "key": "k",
            "instructions": "Be brief.",
            "tools": ["A"],
            "prompts": ["P"],
            "initialization": "m:f",
            "transport": "stdio",
            "temperature": 0.5,
        }
    )
    theirs = parse_definition(
        {
            "Name": "n",
            "DisplayName": "T",
            "ServerVersion": "2.0",
            "MCPServerName": "k",
            "ObjectVersion": 1,
            "Initialization": "m:f",
            "Transport": "StandardInputOutput",
            "LLMEvaluator": {"Tools": ["A"], "MCPPrompts": ["P"], "Prompts": ["Be brief."]},
            "temperature": 0.5,
        }
    )
    assert ours == theirs
    assert ours.extra == {"temperature": 0.5}


def test_what_is_left_out_has_defaults() -> None:
    definition = parse_definition({}, name="a/b c")
    assert (definition.version, definition.transport) == ("1.0.0", "stdio")
    assert (definition.tools, definition.options, definition.instructions) == ([], {}, None)
    assert definition.config_key == "b-c"


def test_lists_are_flat_and_several_instructions_one_text() -> None:
    definition = parse_definition(
        {"tools": ["A", ["B", ["C"]]], "prompts": "P", "instructions": ["one", "two"]}, name="n"
    )
    assert definition.tools == ["A", "B", "C"]
    assert definition.prompts == ["P"]
    assert definition.instructions == "one\n\ntwo"


@pytest.mark.parametrize(
    ("table", "code", "where"),
    [
        ({"title": 3}, "invalid-server-definition", "title"),
        ({"instructions": [3]}, "invalid-server-definition", "instructions"),
        ({"options": {"tool": 3}}, "invalid-server-definition", "options"),
        ({"initialization": 3}, "invalid-server-definition", "initialization"),
        ({"transport": "HTTP"}, "invalid-server-definition", "transport"),
        ({"views": "yes"}, "invalid-server-definition", "views"),
        ({"schema": 2}, "invalid-server-definition", "schema"),
        ({"LLMEvaluator": 3}, "invalid-server-definition", "LLMEvaluator"),
        ({"tools": [], "Tools": []}, "invalid-server-definition", "Tools"),
        ({"tool": ["A"]}, "invalid-server-definition", "tool"),
        ({"tools": 3}, "invalid-tools-specification", "tools"),
        ({"prompts": True}, "invalid-mcp-prompts-specification", "prompts"),
        ({"PromptData": []}, "deprecated-prompt-data", "PromptData"),
        ({"LLMEvaluator": {"PromptData": []}}, "deprecated-prompt-data", "PromptData"),
    ],
)
def test_what_cannot_be_is_refused_with_its_place(
    table: dict[str, Any], code: str, where: str
) -> None:
    with pytest.raises(DefinitionError) as refusal:
        parse_definition(table, name="n")
    assert (refusal.value.code, refusal.value.where) == (code, where)


def test_a_misspelled_key_is_reported_with_a_suggestion() -> None:
    with pytest.raises(ServerDefinitionError) as refusal:
        parse_definition({"intructions": "x"}, name="n")
    assert refusal.value.hint == "did you mean instructions?"


def test_a_server_needs_a_name() -> None:
    with pytest.raises(ServerDefinitionError, match="is not a valid server name"):
        parse_definition({})


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("Search", "Search"),
        ("acme/charts/Plot", "Plot"),
        ("my server!", "my-server"),
        ("größe", "gr--e"),
        ("日本", "server"),
    ],
)
def test_a_key_has_nothing_that_a_client_would_not_take(name: str, key: str) -> None:
    assert make_safe_key(name) == key
