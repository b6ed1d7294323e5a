"""Converts evaluation results of Wolfram functions to tool results and prompt texts."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from paddock.authoring.handler_errors import ToolError
from paddock.kernels.svg_renderer import convert_images_to_png
from paddock.protocol.content import CallToolResult, ImageContent, TextContent
from paddock.wolfram import (
    Atom,
    DataError,
    Node,
    UnevaluatedExpression,
    escape_private_characters,
    evaluate,
    has_head,
    parse,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paddock.kernels.kernel import EvaluationResult
    from paddock.protocol.content import Content

FAILURE_SYMBOLS = ("$Failed", "$Aborted")
PNG_MEDIA_TYPE = "image/png"
_SLOT_PATTERN = re.compile(r"`([\w.]*)`")
_STATUS_TEXTS = {
    "timed-out": "took too long and was stopped",
    "out-of-memory": "needed too much memory and was stopped",
    "crashed": "ended the kernel",
    "quit": "ended the kernel",
    "cancelled": "was cancelled",
}


def make_tool_result(result: EvaluationResult, label: str) -> CallToolResult:
    """Convert the value of a Wolfram function to an MCP tool result.

    The function can return `<|"Content" -> {…}|>` with a list of texts and images, or
    `<|"String" -> "…"|>`. Any other value becomes a text, followed by any images that the engine
    rendered.

    Args:
        result: The evaluation result.
        label: The name of the function in errors, such as `The tool acme/Charts/Plot`.

    Raises:
        ToolError: The function failed.
    """
    value = _parse_result(result, label)
    text = result.result or ""
    # Wolfram's AgentTools uses the same keys, so functions written for it work unchanged.
    table = value if isinstance(value, Mapping) else {}
    meta = table.get("_meta")
    if isinstance(table.get("Content"), list):
        content = [_make_content_item(item) for item in table["Content"]]
    elif isinstance(table.get("String"), str):
        content = [TextContent(escape_private_characters(table["String"]))]
    else:
        displayed = value if isinstance(value, str) else text
        content = [TextContent(escape_private_characters(displayed)), *_render_images(result)]
    return CallToolResult(
        [*content], meta=_to_json_data(meta) if isinstance(meta, Mapping) else None
    )


def make_prompt_text(result: EvaluationResult, label: str) -> str:
    """Convert an evaluation result to a prompt text. If the function failed, it is the error."""
    try:
        tool_result = make_tool_result(result, label)
    except ToolError as error:
        return str(error)
    return "".join(item.text for item in tool_result.content if isinstance(item, TextContent))


def _parse_result(result: EvaluationResult, label: str) -> object:
    """Convert the result of a function call from Wolfram Language code to Python data.

    A result that is not data, such as a graphic, becomes an `UnevaluatedExpression`.

    Args:
        result: The evaluation result.
        label: The name of the function in errors, such as `The tool acme/Charts/Plot`.

    Raises:
        ToolError: The result is a failure, or there is no result.
    """
    if result.status in _STATUS_TEXTS or result.result is None:
        description = _STATUS_TEXTS.get(result.status, "could not be evaluated")
        raise ToolError(f"[Error] {label} {description}{_format_messages(result)}")
    source = parse(result.result)
    if source.problems or len(source.expressions) != 1:
        return UnevaluatedExpression(Atom("symbol", result.result))
    expression = source.expressions[0]
    if isinstance(expression, Atom) and expression.text in FAILURE_SYMBOLS:
        raise ToolError(f"[Error] {label} gave {expression.text}{_format_messages(result)}")
    if isinstance(expression, Node) and has_head(expression, "Failure"):
        raise ToolError(f"[Error] {format_failure(expression)}")
    try:
        return evaluate(expression)
    except DataError:
        return UnevaluatedExpression(expression)


def _format_messages(result: EvaluationResult) -> str:
    """Format the engine's first messages, which often contain the reason for a failure."""
    messages = [output.text for output in result.outputs if output.kind == "message"][:3]
    return "".join(f"\n{text}" for text in messages)


def format_failure(failure: Node) -> str:
    """Return the message of a Wolfram `Failure`, the object that functions return to report errors.

    For example, `Failure["NoData", <|"MessageTemplate" -> "No data for `1`.", "MessageParameters"
    -> {"Rome"}|>]` gives `No data for Rome.` A failure without a message gives its tag, `NoData`.
    """
    tag, *properties = [evaluate(arg) for arg in failure.args] or [""]
    table = properties[0] if properties and isinstance(properties[0], Mapping) else {}
    for key in ("Message", "MessageTemplate"):
        template = table.get(key)
        if isinstance(template, str):
            return _fill_template(template, table.get("MessageParameters"))
    return str(tag.text if isinstance(tag, UnevaluatedExpression) else tag) or "The function failed"


def _fill_template(template: str, parameters: object) -> str:
    """Fill the slots in the message template of a Wolfram `Failure` with its parameters.

    A slot is a name or a position between backticks, `` `name` `` or `` `2` ``. Two backticks
    without anything between them mean the next position. A slot without a parameter is left
    unchanged.

    Args:
        template: The message with slots.
        parameters: A list of values, or a dictionary of values by name.
    """
    values_by_name = (
        {str(key): value for key, value in parameters.items()}
        if isinstance(parameters, Mapping)
        else {}
    )
    values = parameters if isinstance(parameters, list) else list(values_by_name.values())
    position = 0

    def fill_slot(match: re.Match[str]) -> str:
        nonlocal position
        slot, name = match[0], match[1]
        if name and not name.isdigit():
            return _to_text(values_by_name.get(name, slot))
        position = int(name) if name else position + 1
        return _to_text(values[position - 1]) if 0 < position <= len(values) else slot

    return _SLOT_PATTERN.sub(fill_slot, template)


def _to_text(value: object) -> str:
    return value.text if isinstance(value, UnevaluatedExpression) else str(value)


def _make_content_item(item: object) -> Content:
    """Convert an element of the `Content` list returned by a Wolfram function.

    The element is a text, or a dictionary such as `{"type": "image", "data": "iVBOR…"}` or
    `{"type": "text", "text": "…"}`.
    """
    if not isinstance(item, Mapping):
        return TextContent(escape_private_characters(_to_text(item)))
    table = {str(key).lower(): value for key, value in item.items()}
    data = table.get("data")
    if table.get("type") == "image" and isinstance(data, str):
        media_type = table.get("mimetype")
        try:
            return ImageContent(
                base64.b64decode(data),
                media_type if isinstance(media_type, str) else PNG_MEDIA_TYPE,
            )
        except binascii.Error:
            return TextContent("(an image with invalid base64 data)")
    return TextContent(escape_private_characters(_to_text(table.get("text", item))))


def _render_images(result: EvaluationResult) -> Sequence[Content]:
    images = [output for output in result.outputs if output.kind == "picture"]
    rendered = (
        convert_images_to_png([(image.data, image.mime) for image in images]) if images else []
    )
    return [ImageContent(png, PNG_MEDIA_TYPE) for png in rendered if png is not None]


def _to_json_data(value: Any) -> Any:
    """Convert a value to JSON data. Values without an equivalent become text."""
    if isinstance(value, Mapping):
        return {_to_text(key): _to_json_data(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_to_json_data(item) for item in value]
    return value if isinstance(value, str | int | float | bool | None) else _to_text(value)
