"""Listing and getting prompts."""

import pytest

from paddock import (
    Context,
    EmbeddedResource,
    ImageContent,
    Prompt,
    PromptArgument,
    PromptMessage,
    Server,
    TextContent,
    TextResourceContents,
)
from tests.conftest import Connect


def test_prompts_are_listed_with_every_field(connect: Connect, era: str) -> None:
    server = Server("s")
    server.register(
        Prompt(
            "review",
            "Review {code}",
            title="Review",
            description="Reviews code",
            arguments=[
                PromptArgument("code", "The code", required=True, title="Code"),
                PromptArgument("style"),
            ],
            icons=[{"src": "https://example.org/i.svg"}],
            meta={"a": 1},
        )
    )
    assert connect(server, era).result("prompts/list") == {
        "prompts": [
            {
                "name": "review",
                "title": "Review",
                "description": "Reviews code",
                "arguments": [
                    {"name": "code", "description": "The code", "required": True, "title": "Code"},
                    {"name": "style", "required": False},
                ],
                "icons": [{"src": "https://example.org/i.svg"}],
                "_meta": {"a": 1},
            }
        ]
    }


def test_a_template_is_filled_with_the_arguments(connect: Connect, era: str) -> None:
    server = Server("s", prompts=Prompt("p", "Hello {name}{?title?, {title}}!"))
    line = connect(server, era)
    plain = line.result("prompts/get", {"name": "p", "arguments": {"name": "Ada"}})
    assert plain == {"messages": [{"role": "user", "content": text("Hello Ada!")}]}
    titled = {"name": "p", "arguments": {"name": "Ada", "title": "Countess"}}
    (message,) = line.result("prompts/get", titled)["messages"]
    assert message["content"]["text"] == "Hello Ada, Countess!"


def test_the_placeholders_of_a_template_are_its_arguments(connect: Connect, era: str) -> None:
    server = Server("s", prompts=Prompt("p", ["{a} {?b?{c}}", PromptMessage("{d}", "assistant")]))
    (prompt,) = connect(server, era).result("prompts/list")["prompts"]
    assert prompt["arguments"] == [{"name": name, "required": False} for name in "abcd"]


def test_messages_have_roles_and_any_content(connect: Connect, era: str) -> None:
    server = Server("s")
    server.register(
        Prompt(
            "p",
            [
                "{x}",
                PromptMessage("Yes, {x}", "assistant"),
                PromptMessage(ImageContent(b"\x00\xff", "image/png")),
                EmbeddedResource(TextResourceContents("a://b", "{x}")),
                TextContent("last {x}"),
            ],
        )
    )
    result = connect(server, era).result("prompts/get", {"name": "p", "arguments": {"x": "1"}})
    assert result["messages"] == [
        {"role": "user", "content": text("1")},
        {"role": "assistant", "content": text("Yes, 1")},
        {"role": "user", "content": {"type": "image", "data": "AP8=", "mimeType": "image/png"}},
        {
            "role": "user",
            "content": {"type": "resource", "resource": {"uri": "a://b", "text": "{x}"}},
        },
        {"role": "user", "content": text("last 1")},
    ]


def test_a_function_makes_the_messages_of_a_prompt(connect: Connect, era: str) -> None:
    server = Server("s")

    @server.prompt(title="Ask")
    def ask(question: str, times: int = 1) -> list[PromptMessage | str]:
        """Asks a question.

        Args:
            question: What to ask
            times: How often
        """
        return [PromptMessage(question * times, "assistant"), "Continue with {question}"]

    line = connect(server, era)
    assert line.result("prompts/list")["prompts"] == [
        {
            "name": "ask",
            "title": "Ask",
            "description": "Asks a question.",
            "arguments": [
                {"name": "question", "description": "What to ask", "required": True},
                {"name": "times", "description": "How often", "required": False},
            ],
        }
    ]
    given = {"name": "ask", "arguments": {"question": "why?", "times": "2"}}
    assert line.result("prompts/get", given) == {
        "description": "Asks a question.",
        "messages": [
            {"role": "assistant", "content": text("why?why?")},
            {"role": "user", "content": text("Continue with {question}")},
        ],
    }


def test_an_async_function_makes_the_messages_of_a_prompt(connect: Connect, era: str) -> None:
    server = Server("s")

    @server.prompt
    async def ask(ctx: Context) -> str:
        return f"From {ctx.server.name}"

    (message,) = connect(server, era).result("prompts/get", {"name": "ask"})["messages"]
    assert message == {"role": "user", "content": text("From s")}


def test_messages_may_be_dictionaries_of_the_protocol(connect: Connect, era: str) -> None:
    server = Server("s")
    message = {"role": "assistant", "content": {"type": "text", "text": "hi"}}
    server.register(Prompt("p", handler=lambda: [message]))
    assert connect(server, era).result("prompts/get", {"name": "p"})["messages"] == [message]


def test_an_unknown_prompt_is_invalid_params(connect: Connect, era: str) -> None:
    assert connect(Server("s"), era).error("prompts/get", {"name": "no"})["code"] == -32602


@pytest.mark.parametrize("arguments", [{}, {"b": "x"}, None])
def test_a_missing_required_argument_is_invalid_params(
    connect: Connect, era: str, arguments: dict[str, str] | None
) -> None:
    server = Server("s")

    @server.prompt
    def p(a: str, b: str = "") -> str:
        return a + b

    error = connect(server, era).error("prompts/get", {"name": "p", "arguments": arguments})
    assert error["code"] == -32602
    assert error["data"] == {"missing": ["a"]}


@pytest.mark.parametrize("arguments", [{"times": "many"}, {"times": 5}, [], "x"])
def test_an_argument_of_the_wrong_type_is_invalid_params(
    connect: Connect, era: str, arguments: object
) -> None:
    server = Server("s")

    @server.prompt
    def p(times: int) -> str:
        return "x" * times

    error = connect(server, era).error("prompts/get", {"name": "p", "arguments": arguments})
    assert error["code"] == -32602


@pytest.mark.parametrize("value", [5, None, object(), [["nested"]]])
def test_a_prompt_that_returns_nonsense_is_an_internal_error(
    connect: Connect, era: str, value: object
) -> None:
    server = Server("s", prompts=Prompt("p", handler=lambda: value))
    error = connect(server, era).error("prompts/get", {"name": "p"})
    assert error["code"] == -32603


def test_a_prompt_that_raises_is_an_internal_error_that_says_why(
    connect: Connect, era: str
) -> None:
    def broken() -> str:
        raise LookupError("no such book")

    server = Server("s", prompts=Prompt("p", handler=broken))
    error = connect(server, era).error("prompts/get", {"name": "p"})
    assert error["code"] == -32603
    assert "no such book" in error["message"]


def text(value: str) -> dict[str, str]:
    return {"type": "text", "text": value}
