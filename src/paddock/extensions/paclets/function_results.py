"""What a Wolfram function gives, as what a tool or a prompt answers."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from paddock.authoring.handler_errors import ToolError
from paddock.kernels.svg_renderer import render_images
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


def make_tool_result(outcome: EvaluationResult, what: str) -> CallToolResult:
    """The answer of a tool.

    Raises:
        ToolError: when the function failed.
    """
    value = _parse_value(outcome, what)
    text = outcome.result or ""
    table = value if isinstance(value, Mapping) else {}
    meta = table.get("_meta")
    if isinstance(table.get("Content"), list):
        content = [_make_content_item(one) for one in table["Content"]]
    elif isinstance(table.get("String"), str):
        content = [TextContent(escape_private_characters(table["String"]))]
    else:
        shown = value if isinstance(value, str) else text
        content = [TextContent(escape_private_characters(shown)), *_render_images(outcome)]
    return CallToolResult(
        [*content], meta=_to_json_data(meta) if isinstance(meta, Mapping) else None
    )


def make_prompt_text(outcome: EvaluationResult, what: str) -> str:
    """The text of a prompt, also when the function failed."""
    try:
        answer = make_tool_result(outcome, what)
    except ToolError as error:
        return str(error)
    return "".join(item.text for item in answer.content if isinstance(item, TextContent))


def _parse_value(outcome: EvaluationResult, what: str) -> object:
    """The result as data.

    Raises:
        ToolError: when it is a failure, or there is none.
    """
    if outcome.status in _STATUS_TEXTS or outcome.result is None:
        said = _STATUS_TEXTS.get(outcome.status, "could not be evaluated")
        raise ToolError(f"[Error] {what} {said}{_format_messages(outcome)}")
    source = parse(outcome.result)
    if source.problems or len(source.expressions) != 1:
        return UnevaluatedExpression(Atom("symbol", outcome.result))
    expression = source.expressions[0]
    if isinstance(expression, Atom) and expression.text in FAILURE_SYMBOLS:
        raise ToolError(f"[Error] {what} gave {expression.text}{_format_messages(outcome)}")
    if isinstance(expression, Node) and has_head(expression, "Failure"):
        raise ToolError(f"[Error] {format_failure(expression)}")
    try:
        return evaluate(expression)
    except DataError:
        return UnevaluatedExpression(expression)


def _format_messages(outcome: EvaluationResult) -> str:
    """What the engine said meanwhile, for whoever looks for the reason."""
    found = [output.text for output in outcome.outputs if output.kind == "message"][:3]
    return "".join(f"\n{text}" for text in found)


def format_failure(failure: Node) -> str:
    """The message of a `Failure`, its template filled in."""
    tag, *rest = [evaluate(arg) for arg in failure.args] or [""]
    table = rest[0] if rest and isinstance(rest[0], Mapping) else {}
    for key in ("Message", "MessageTemplate"):
        template = table.get(key)
        if isinstance(template, str):
            return _fill_template(template, table.get("MessageParameters"))
    return str(tag.text if isinstance(tag, UnevaluatedExpression) else tag) or "The function failed"


def _fill_template(template: str, parameters: object) -> str:
    named = (
        {str(key): one for key, one in parameters.items()}
        if isinstance(parameters, Mapping)
        else {}
    )
    listed = parameters if isinstance(parameters, list) else list(named.values())
    place = 0

    def fill(found: re.Match[str]) -> str:
        nonlocal place
        name = found[1]
        if name and not name.isdigit():
            return _to_text(named.get(name, found[0]))
        place = int(name) if name else place + 1
        return _to_text(listed[place - 1]) if 0 < place <= len(listed) else found[0]

    return _SLOT_PATTERN.sub(fill, template)


def _to_text(value: object) -> str:
    return value.text if isinstance(value, UnevaluatedExpression) else str(value)


def _make_content_item(given: object) -> Content:
    """An item of content as a function writes it: text, or a table with a type."""
    if not isinstance(given, Mapping):
        return TextContent(escape_private_characters(_to_text(given)))
    table = {str(key).lower(): one for key, one in given.items()}
    data = table.get("data")
    if table.get("type") == "image" and isinstance(data, str):
        mime = table.get("mimetype")
        try:
            return ImageContent(
                base64.b64decode(data), mime if isinstance(mime, str) else PNG_MEDIA_TYPE
            )
        except binascii.Error:
            return TextContent("(a picture that is no base64)")
    return TextContent(escape_private_characters(_to_text(table.get("text", given))))


def _render_images(outcome: EvaluationResult) -> Sequence[Content]:
    pictures = [output for output in outcome.outputs if output.kind == "picture"]
    drawn = (
        render_images([(picture.data, picture.mime) for picture in pictures]) if pictures else []
    )
    return [ImageContent(png, PNG_MEDIA_TYPE) for png in drawn if png is not None]


def _to_json_data(value: Any) -> Any:
    """A value without what JSON does not have."""
    if isinstance(value, Mapping):
        return {_to_text(key): _to_json_data(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_to_json_data(one) for one in value]
    return value if isinstance(value, str | int | float | bool | None) else _to_text(value)
