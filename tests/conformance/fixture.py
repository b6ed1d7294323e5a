"""The server that the official conformance suite asks for, as much as it needs no HTTP.

The names, texts and shapes are the suite's (see its server scenarios); our own tests hold it to
them over a plain connection, in both eras.
"""

import asyncio
import base64
from typing import Annotated, Any

import msgspec

from paddock import (
    AudioContent,
    CallToolResult,
    Context,
    EmbeddedResource,
    ImageContent,
    Prompt,
    PromptMessage,
    Server,
    TextContent,
    TextResourceContents,
    Tool,
    ToolError,
    elicitation,
    roots,
    sampling,
)
from paddock.protocol.errors import ProtocolError

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
WAV = b"RIFF$\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0@\x1f\0\0\x80>\0\0\x02\0\x10\0data\0\0\0\0"
NAME_FORM: dict[str, Any] = {
    "type": "object",
    "properties": {"name": {"type": "string"}},
}

server = Server("conformance", version="1.0.0", skills="skills")


@server.tool
def test_simple_text() -> str:
    """A plain text."""
    return "This is a simple text response for testing."


@server.tool
def test_image_content() -> ImageContent:
    """An image."""
    return ImageContent(PNG, "image/png")


@server.tool
def test_audio_content() -> AudioContent:
    """A sound."""
    return AudioContent(WAV, "audio/wav")


@server.tool
def test_embedded_resource() -> EmbeddedResource:
    """A resource inside the result."""
    contents = TextResourceContents(
        "test://embedded-resource", "This is an embedded resource content.", "text/plain"
    )
    return EmbeddedResource(contents)


@server.tool
def test_multiple_content_types() -> list[TextContent | ImageContent | EmbeddedResource]:
    """Three kinds of content."""
    contents = TextResourceContents(
        "test://mixed-content-resource", '{"test":"data","value":123}', "application/json"
    )
    text = TextContent("Multiple content types test:")
    return [text, ImageContent(PNG, "image/png"), EmbeddedResource(contents)]


@server.tool
def test_error_handling() -> CallToolResult:
    """A failure that the model is reported."""
    return CallToolResult(["This tool intentionally returns an error"], is_error=True)


@server.tool
def test_tool_with_progress(ctx: Context) -> str:
    """Three steps."""
    for step in (0, 50, 100):
        ctx.progress(step, 100)
    return "done"


@server.tool
def test_tool_with_logging(ctx: Context) -> str:
    """Three log messages."""
    for text in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        ctx.info(text)
    return "logged"


@server.tool
def test_logging_tool(ctx: Context) -> str:
    """Log messages, where they are wanted."""
    ctx.info("logged on demand")
    return "logged"


server.register(
    Tool(
        "json_schema_2020_12_tool",
        lambda arguments: arguments,
        description="A schema with keywords of 2020-12",
        input_schema={
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "$defs": {
                "address": {
                    "$anchor": "addressDef",
                    "type": "object",
                    "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
                }
            },
            "properties": {
                "name": {"type": "string"},
                "address": {"$ref": "#/$defs/address"},
                "contactMethod": {"type": "string", "enum": ["phone", "email"]},
                "phone": {"type": "string"},
                "email": {"type": "string"},
            },
            "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
            "if": {
                "properties": {"contactMethod": {"const": "phone"}},
                "required": ["contactMethod"],
            },
            "then": {"required": ["phone"]},
            "else": {"required": ["email"]},
            "additionalProperties": False,
        },
    )
)


@server.tool
async def test_sampling(prompt: str, ctx: Context) -> str:
    """Have the client's model say something."""
    said = await ctx.sample(prompt, max_tokens=100)
    return f"LLM response: {said.text}"


@server.tool
async def test_elicitation(message: str, ctx: Context) -> str:
    """Have the person fill in a form."""
    form = {
        "type": "object",
        "properties": {"username": {"type": "string"}, "email": {"type": "string"}},
        "required": ["username", "email"],
    }
    filled = await ctx.elicit(message, form)
    return f"User response: {filled.action} {filled.data}"


@server.tool
async def test_elicitation_sep1034_defaults(ctx: Context) -> str:
    """A form with a default of every type."""
    form = {
        "type": "object",
        "properties": {
            "name": {"type": "string", "default": "John Doe"},
            "age": {"type": "integer", "default": 30},
            "score": {"type": "number", "default": 95.5},
            "status": {
                "type": "string",
                "enum": ["active", "inactive", "pending"],
                "default": "active",
            },
            "verified": {"type": "boolean", "default": True},
        },
    }
    return (await ctx.elicit("Defaults", form)).action


@server.tool
async def test_elicitation_sep1330_enums(ctx: Context) -> str:
    """A form with every kind of choice."""
    options = ["option1", "option2", "option3"]
    titled = [{"const": option, "title": option.title()} for option in options]
    form = {
        "type": "object",
        "properties": {
            "untitledSingle": {"type": "string", "enum": options},
            "titledSingle": {"type": "string", "oneOf": titled},
            "legacyEnum": {"type": "string", "enum": options, "enumNames": ["One", "Two", "Three"]},
            "untitledMulti": {"type": "array", "items": {"type": "string", "enum": options}},
            "titledMulti": {"type": "array", "items": {"anyOf": titled}},
        },
    }
    return (await ctx.elicit("Choices", form)).action


@server.tool
def test_x_mcp_header(
    region: Annotated[str, msgspec.Meta(extra_json_schema={"x-mcp-header": "Region"})] = "nowhere",
) -> str:
    """A parameter that is mirrored in a header."""
    return region


@server.tool
def test_missing_capability(ctx: Context) -> str:
    """Needs sampling, whether it uses it or not."""
    ctx.require(sampling={})
    return "sampling is there"


@server.tool
def test_streaming_elicitation(ctx: Context) -> str:
    """A question of the stateless era."""
    return ctx.elicit("Name?", NAME_FORM, key="user_name").wait().action


@server.tool
async def test_reconnection(ctx: Context) -> str:
    """Let the client go, and answer when it has come back."""
    ctx.close_stream(retry_ms=500)
    await asyncio.sleep(0.2)
    return "The client came back"


@server.tool
def test_trigger_tool_change(ctx: Context) -> str:
    """Announce a change of the tools."""
    return str(ctx.server.list_changed("tools"))


@server.tool
def test_trigger_prompt_change(ctx: Context) -> str:
    """Announce a change of the prompts."""
    return str(ctx.server.list_changed("prompts"))


@server.tool
def test_input_required_result_elicitation(ctx: Context) -> str:
    """Ask for a name."""
    filled = ctx.elicit("What is your name?", NAME_FORM, key="user_name").wait()
    return f"Hello, {filled.data}"


@server.tool
def test_input_required_result_sampling(ctx: Context) -> str:
    """Ask the model."""
    question = "What is the capital of France?"
    return ctx.sample(question, max_tokens=100, key="capital_question").wait().text


@server.tool
def test_input_required_result_list_roots(ctx: Context) -> str:
    """Ask for the roots."""
    return f"{len(ctx.roots(key='client_roots').wait())} roots"


@server.tool
def test_input_required_result_request_state(ctx: Context) -> str:
    """Ask once, and see that what was kept comes back."""
    ctx.remember("kept")
    ctx.elicit("Go on?", NAME_FORM, key="confirm").wait()
    return "state-ok" if ctx.remembered == "kept" else "state-lost"


@server.tool
def test_input_required_result_multiple_inputs(ctx: Context) -> str:
    """Ask three questions of three kinds at once."""
    answers = ctx.ask(
        user_name=elicitation("Name?", NAME_FORM),
        greeting=sampling("Greet me", max_tokens=100),
        client_roots=roots(),
    ).wait()
    return ", ".join(sorted(answers))


@server.tool
def test_input_required_result_multi_round(ctx: Context) -> str:
    """Ask two questions, one after the other."""
    first = ctx.elicit("Step 1", NAME_FORM, key="step1").wait()
    second = ctx.elicit("Step 2", NAME_FORM, key="step2").wait()
    return f"{first.action}, {second.action}"


@server.tool
def test_input_required_result_tampered_state(ctx: Context) -> str:
    """Ask once; the state that goes along is sealed."""
    return ctx.elicit("Go on?", NAME_FORM, key="confirm").wait().action


@server.tool
def test_input_required_result_capabilities(ctx: Context) -> str:
    """Ask only what the client can answer."""
    questions = {}
    if "elicitation" in ctx.client_capabilities:
        questions["user_name"] = elicitation("Name?", NAME_FORM)
    if "sampling" in ctx.client_capabilities:
        questions["greeting"] = sampling("Greet me", max_tokens=100)
    return ", ".join(ctx.ask(**questions).wait())


@server.tool
def greet(name: str) -> str:
    """Never a task."""
    return f"Hello, {name}!"


@server.tool(task="optional")
async def slow_compute(seconds: float, label: str = "") -> str:
    """A task where the client knows tasks."""
    await asyncio.sleep(seconds)
    return f"{label} took {seconds} s"


@server.tool(task="required")
async def failing_job() -> str:
    """A task whose tool fails."""
    await asyncio.sleep(1)
    raise ToolError("The job has failed")


@server.tool(task="required")
async def protocol_error_job() -> str:
    """A task that ends with a fault of the protocol."""
    await asyncio.sleep(0.1)
    raise ProtocolError("The job broke down")


@server.tool(task="required")
async def confirm_delete(filename: str, ctx: Context) -> str:
    """A task that asks."""
    answer = await ctx.elicit(f"Delete {filename}?", NAME_FORM, key="confirm")
    return f"{filename}: {answer.action}"


@server.tool(task="required")
async def multi_input(ctx: Context) -> str:
    """A task that asks two things at once."""
    answers = await ctx.ask(
        first=elicitation("First?", NAME_FORM), second=elicitation("Second?", NAME_FORM)
    )
    return ", ".join(sorted(answers))


@server.tool(task="required", task_from_handler=True)
async def test_tool_with_task(ctx: Context) -> str:
    """Ask first, and continue as a task."""
    filled = await ctx.elicit("What is your name?", NAME_FORM, key="user_name")
    ctx.detach()
    await asyncio.sleep(0.1)
    return f"Hello, {filled.data}"


@server.resource("test://static-text", mime_type="text/plain")
def static_text() -> str:
    """A text."""
    return "This is the content of the static text resource."


@server.resource("test://static-binary", mime_type="image/png")
def static_binary() -> bytes:
    """An image."""
    return PNG


@server.resource("test://watched-resource", mime_type="text/plain")
def watched() -> str:
    """Something to subscribe to."""
    return "Watched resource content"


@server.resource("test://template/{id}/data", mime_type="application/json")
def template(id: str) -> dict[str, object]:  # noqa: A002 - the suite's word
    """Data by its id."""
    return {"id": id, "templateTest": True, "data": f"Data for ID: {id}"}


@server.prompt
def test_simple_prompt() -> str:
    """A plain prompt."""
    return "This is a simple prompt for testing."


def _with_arguments(arg1: str, arg2: str) -> str:
    return f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"


server.register(
    Prompt(
        "test_prompt_with_arguments",
        handler=_with_arguments,
        description="A prompt with arguments",
        completions={"arg1": ["paris", "park", "party"]},
    )
)


@server.prompt
def test_prompt_with_embedded_resource(resourceUri: str) -> list[PromptMessage]:  # noqa: N803 - the suite's word
    """A prompt that carries a resource."""
    contents = TextResourceContents(resourceUri, "Embedded resource content for testing.")
    return [
        PromptMessage(EmbeddedResource(contents)),
        PromptMessage("Please process the embedded resource above."),
    ]


@server.prompt
def test_prompt_with_image() -> list[PromptMessage]:
    """A prompt that carries an image."""
    image = ImageContent(PNG, "image/png")
    return [PromptMessage(image), PromptMessage("Please analyze the image above.")]


@server.prompt
def test_input_required_result_prompt(ctx: Context) -> str:
    """A prompt that asks before it answers."""
    context = ctx.elicit("What for?", NAME_FORM, key="user_context").wait()
    return f"In the context of {context.data}"


if __name__ == "__main__":
    server.run()
