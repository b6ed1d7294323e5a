"""Prompts from definitions: their types, their arguments, and what clients see of them."""

from pathlib import Path
from typing import Any

import pytest

from paddock import (
    Context,
    LoadError,
    PeerError,
    Prompt,
    PromptArgument,
    Server,
    Template,
    TextContent,
    default_prompts,
    testing,
)
from paddock.extensions.errors import (
    PromptDataError,
    PromptNotFoundError,
    PromptSpecificationError,
    PromptsSpecificationError,
)
from paddock.extensions.prompt_definition import make_prompt
from paddock.extensions.properties import read_item_list, reject_prompt_data
from paddock.extensions.registry import InstalledItemRegistry
from tests.conftest import Connect

Json = dict[str, Any]

NAME = {"Name": "name", "Description": "Name to greet", "Required": True}


def served(*definitions: object) -> Server:
    return Server("s", prompts=[make_prompt(one, where="here") for one in definitions])


def text_of(server: Server, name: str, /, **arguments: str) -> str:
    """The text of a prompt's one message, as a client gets it."""
    with testing.connect(server) as peer:
        (message,) = peer.prompt(name, arguments).messages
    assert message.role == "user"
    assert isinstance(message.content, TextContent)
    return message.content.text


def user(text: str) -> Json:
    return {"role": "user", "content": {"type": "text", "text": text}}


def test_a_text_prompt_with_a_template_on_the_wire(connect: Connect, era: str) -> None:
    line = connect(
        served(
            {
                "Name": "Greet",
                "Description": "Generates a greeting message",
                "Arguments": [NAME],
                "Type": "Text",
                "Content": Template("Hello, {name}! Welcome to the Wolfram Language."),
            }
        ),
        era,
    )
    assert line.result("prompts/list") == {
        "prompts": [
            {
                "name": "Greet",
                "description": "Generates a greeting message",
                "arguments": [{"name": "name", "description": "Name to greet", "required": True}],
            }
        ]
    }
    result = line.result("prompts/get", {"name": "Greet", "arguments": {"name": "Ada"}})
    assert result["messages"] == [user("Hello, Ada! Welcome to the Wolfram Language.")]


def test_a_function_prompt_on_the_wire(connect: Connect, era: str) -> None:
    def generate_custom_prompt(arguments: dict[str, str]) -> str:
        return "Custom content for " + arguments["name"]

    line = connect(
        served(
            {
                "Name": "Custom",
                "Description": "A custom prompt",
                "Arguments": [{"Name": "name", "Required": True}],
                "Type": "Function",
                "Content": generate_custom_prompt,
            }
        ),
        era,
    )
    assert line.result("prompts/list") == {
        "prompts": [
            {
                "name": "Custom",
                "description": "A custom prompt",
                "arguments": [{"name": "name", "required": True}],
            }
        ]
    }
    result = line.result("prompts/get", {"name": "Custom", "arguments": {"name": "Ada"}})
    assert result["messages"] == [user("Custom content for Ada")]


def test_a_prompt_without_description_and_arguments_on_the_wire(connect: Connect, era: str) -> None:
    line = connect(served({"name": "Static", "content": "This is static content."}), era)
    assert line.result("prompts/list") == {"prompts": [{"name": "Static", "description": ""}]}
    assert line.result("prompts/get", {"name": "Static"}) == {
        "messages": [user("This is static content.")]
    }


def test_lower_case_keys_make_the_same_prompt(connect: Connect, era: str) -> None:
    capitals = {
        "Name": "Search",
        "DisplayName": "Search it",
        "Description": "Searches",
        "Arguments": [{"Name": "query", "Description": "What", "Required": True}],
        "Type": "Template",
        "Content": "Find {query}",
    }
    lower = {
        "name": "Search",
        "title": "Search it",
        "description": "Searches",
        "arguments": [{"name": "query", "description": "What", "required": True}],
        "type": "template",
        "content": "Find {query}",
    }
    asked = ("prompts/get", {"name": "Search", "arguments": {"query": "it"}})
    first, second = (connect(served(one), era) for one in (capitals, lower))
    assert first.result("prompts/list") == second.result("prompts/list")
    assert first.result(*asked) == second.result(*asked)


@pytest.mark.parametrize("kind", [{}, {"type": None}, {"Type": "Automatic"}, {"type": "automatic"}])
def test_a_type_that_is_not_stated_is_inferred_from_the_content(kind: Json) -> None:
    arguments = {"arguments": [{"name": "x"}]}
    server = served(
        {"name": "text", "content": "{x}", **arguments, **kind},
        {"name": "template", "content": Template("{x}"), **arguments, **kind},
        {"name": "function", "content": lambda given: given["x"] * 2, **arguments, **kind},
    )
    found = [text_of(server, name, x="a") for name in ("text", "template", "function")]
    assert found == ["{x}", "a", "aa"]


def test_a_text_is_sent_as_it_is_braces_and_all() -> None:
    server = served({"name": "p", "type": "Text", "content": "f({x}) {?x?y}", "arguments": [NAME]})
    assert text_of(server, "p", name="Ada", x="1") == "f({x}) {?x?y}"


def test_a_template_without_listed_arguments_has_those_in_its_text(connect: Connect) -> None:
    server = served({"name": "p", "type": "Template", "content": "{a}{?b? and {b}}"})
    (prompt,) = connect(server).result("prompts/list")["prompts"]
    assert [argument["name"] for argument in prompt["arguments"]] == ["a", "b"]
    assert text_of(server, "p", a="1", b="2") == "1 and 2"


def test_a_function_without_listed_arguments_has_its_own_parameters(connect: Connect) -> None:
    def explain(topic: str, depth: int = 1) -> str:
        """Explains a topic."""
        return f"{topic} {depth + 1}"

    server = served({"name": "explain", "function": explain})
    (prompt,) = connect(server).result("prompts/list")["prompts"]
    assert prompt == {
        "name": "explain",
        "description": "Explains a topic.",
        "arguments": [
            {"name": "topic", "required": True},
            {"name": "depth", "required": False},
        ],
    }
    assert text_of(server, "explain", topic="Tides", depth="2") == "Tides 3"


def test_a_function_that_takes_a_dictionary_may_take_the_context_and_be_async() -> None:
    async def explain(arguments: dict[str, str], ctx: Context) -> str:
        return f"{ctx.server.name}: {sorted(arguments)}"

    table = {"name": "p", "content": explain, "arguments": [{"name": "a"}, {"name": "b"}]}
    assert text_of(served(table), "p", b="1") == "s: ['b']"


def test_a_function_may_be_a_reference(tmp_path: Path) -> None:
    (tmp_path / "explaining.py").write_text("def explain(given):\n    return given['topic']")
    for key, kind in (("content", {"type": "Function"}), ("function", {})):
        table = {
            "name": "p",
            key: "explaining.py:explain",
            "arguments": [{"name": "topic"}],
            **kind,
        }
        prompt = make_prompt(table, relative_to=tmp_path, where="here")
        assert text_of(Server("s", prompts=prompt), "p", topic="Tides") == "Tides"


@pytest.mark.parametrize("kind", ["Text", "Template", "Function"])
def test_a_required_argument_is_required_of_every_type(kind: str) -> None:
    content = (lambda given: given["name"]) if kind == "Function" else "x"
    server = served({"name": "p", "type": kind, "content": content, "arguments": [NAME]})
    with testing.connect(server) as peer, pytest.raises(PeerError) as raised:
        peer.prompt("p")
    assert raised.value.rpc_code == -32602
    assert raised.value.data == {"missing": ["name"]}


def test_objects_of_our_own_are_taken_as_they_are() -> None:
    prompt = Prompt("p", "text")
    assert make_prompt(prompt, where="here") is prompt
    argument = PromptArgument("a", required=True)
    made = make_prompt({"name": "p", "content": "x", "arguments": [argument]}, where="here")
    assert made.arguments == [argument]


def test_a_function_may_be_a_definition() -> None:
    def explain(topic: str) -> str:
        return f"Explain {topic}"

    assert text_of(served(explain), "explain", topic="Tides") == "Explain Tides"


@pytest.mark.parametrize(
    ("definition", "found"),
    [
        (5, "5"),
        ({"content": "x"}, "there is no name"),
        ({"name": "p"}, "there is no content"),
        ({"name": "p", "content": "x", "function": print}, "content and function are both present"),
        ({"name": "p", "content": 5}, "content is 5"),
        ({"name": "p", "content": print, "type": "Text"}, f"content is {print!r}"),
        (
            {"name": "p", "content": Template("x"), "type": "Function"},
            "content is Template('x'), which cannot be called",
        ),
        ({"name": "p", "content": "x", "type": "Function"}, "content is 'x'"),
        ({"name": "p", "content": "x", "type": "Image"}, "type is 'Image'"),
        (
            {"name": "p", "function": print, "type": "Text"},
            "type is 'text', but there is a function",
        ),
        ({"name": "p", "content": "x", "arguments": {"a": {}}}, "arguments is {'a': {}}"),
        ({"name": "p", "content": "x", "arguments": ["a"]}, "'a'"),
        ({"name": "p", "content": "x", "arguments": [{}]}, "an argument has no name"),
        (
            {"name": "p", "content": "x", "arguments": [NAME, NAME]},
            "several arguments have the same name: name, name",
        ),
        ({"name": "p", "contnt": "x"}, "the key 'contnt' is unknown"),
    ],
)
def test_an_invalid_prompt_is_reported(definition: object, found: str) -> None:
    with pytest.raises(PromptSpecificationError) as raised:
        make_prompt(definition, where="here")
    assert raised.value.code == "invalid-mcp-prompt-specification"
    assert raised.value.message == f"Invalid MCP prompt specification: {found}"
    assert (raised.value.where or "").startswith("here")
    assert raised.value.hint


def test_an_invalid_list_of_prompts_is_reported() -> None:
    with pytest.raises(PromptsSpecificationError) as raised:
        read_item_list("prompts", {"Name": "Search"}, "here")
    assert raised.value.code == "invalid-mcp-prompts-specification"
    assert raised.value.message == "Invalid MCP prompts specification: {'Name': 'Search'}"


def test_an_unknown_prompt_is_reported_with_names_like_it() -> None:
    known = next(iter(default_prompts()))
    with pytest.raises(PromptNotFoundError) as raised:
        InstalledItemRegistry().resolve_item("prompts", f"{known}s", where="here")
    assert raised.value.code == "prompt-name-not-found"
    assert raised.value.message == f'No prompt named "{known}s" found in default_prompts()'
    assert raised.value.hint == f"did you mean {known}?"


def test_prompt_data_is_refused() -> None:
    with pytest.raises(PromptDataError) as raised:
        reject_prompt_data({"PromptData": [{"Name": "Search"}]}, "here")
    assert raised.value.code == "deprecated-prompt-data"


def test_a_reference_that_leads_nowhere_is_reported(tmp_path: Path) -> None:
    with pytest.raises(LoadError):
        make_prompt({"name": "p", "function": "x.py:f"}, relative_to=tmp_path, where="here")


def test_several_registry_prompts_can_share_an_exposed_name(connect: Connect, era: str) -> None:
    registered = {
        key: {"Name": "Search", "Content": f"Search {key}"} for key in ("Documents", "Answers")
    }
    for key, definition in registered.items():
        line = connect(served(definition), era)
        assert [one["name"] for one in line.result("prompts/list")["prompts"]] == ["Search"]
        got = line.result("prompts/get", {"name": "Search"})
        assert got["messages"] == [user(f"Search {key}")]
