"""What a Wolfram function gives, as what a tool or a prompt answers."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from paddock.authoring.failures import ToolError
from paddock.kernels.drawing import draw
from paddock.protocol.model.content import CallToolResult, ImageContent, TextContent
from paddock.wolfram import Atom, DataError, Held, Node, evaluate, has_head, parse, spelled_out

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paddock.kernels.outcome import Outcome
    from paddock.protocol.model.content import Content

FAILURES = ("$Failed", "$Aborted")
PNG = "image/png"
_SLOT = re.compile(r"`([\w.]*)`")
_STATUSES = {
    "timed-out": "took too long and was stopped",
    "out-of-memory": "needed too much memory and was stopped",
    "crashed": "ended the kernel",
    "quit": "ended the kernel",
    "cancelled": "was cancelled",
}


def tool_answer(outcome: Outcome, what: str) -> CallToolResult:
    """The answer of a tool.

    Raises:
        ToolError: when the function failed.
    """
    value = _value(outcome, what)
    text = outcome.result or ""
    table = value if isinstance(value, Mapping) else {}
    meta = table.get("_meta")
    if isinstance(table.get("Content"), list):
        content = [_item(one) for one in table["Content"]]
    elif isinstance(table.get("String"), str):
        content = [TextContent(spelled_out(table["String"]))]
    else:
        shown = value if isinstance(value, str) else text
        content = [TextContent(spelled_out(shown)), *_pictures(outcome)]
    return CallToolResult([*content], meta=_json(meta) if isinstance(meta, Mapping) else None)


def prompt_answer(outcome: Outcome, what: str) -> str:
    """The text of a prompt, also when the function failed."""
    try:
        answer = tool_answer(outcome, what)
    except ToolError as error:
        return str(error)
    return "".join(item.text for item in answer.content if isinstance(item, TextContent))


def _value(outcome: Outcome, what: str) -> object:
    """The result as data.

    Raises:
        ToolError: when it is a failure, or there is none.
    """
    if outcome.status in _STATUSES or outcome.result is None:
        said = _STATUSES.get(outcome.status, "could not be evaluated")
        raise ToolError(f"[Error] {what} {said}{_messages(outcome)}")
    source = parse(outcome.result)
    if source.problems or len(source.expressions) != 1:
        return Held(Atom("symbol", outcome.result))
    expression = source.expressions[0]
    if isinstance(expression, Atom) and expression.text in FAILURES:
        raise ToolError(f"[Error] {what} gave {expression.text}{_messages(outcome)}")
    if isinstance(expression, Node) and has_head(expression, "Failure"):
        raise ToolError(f"[Error] {failure_text(expression)}")
    try:
        return evaluate(expression)
    except DataError:
        return Held(expression)


def _messages(outcome: Outcome) -> str:
    """What the engine said meanwhile, for whoever looks for the reason."""
    found = [output.text for output in outcome.outputs if output.kind == "message"][:3]
    return "".join(f"\n{text}" for text in found)


def failure_text(failure: Node) -> str:
    """The message of a `Failure`, its template filled in."""
    tag, *rest = [evaluate(arg) for arg in failure.args] or [""]
    table = rest[0] if rest and isinstance(rest[0], Mapping) else {}
    for key in ("Message", "MessageTemplate"):
        template = table.get(key)
        if isinstance(template, str):
            return _filled(template, table.get("MessageParameters"))
    return str(tag.text if isinstance(tag, Held) else tag) or "The function failed"


def _filled(template: str, parameters: object) -> str:
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
            return _plain(named.get(name, found[0]))
        place = int(name) if name else place + 1
        return _plain(listed[place - 1]) if 0 < place <= len(listed) else found[0]

    return _SLOT.sub(fill, template)


def _plain(value: object) -> str:
    return value.text if isinstance(value, Held) else str(value)


def _item(given: object) -> Content:
    """An item of content as a function writes it: text, or a table with a type."""
    if not isinstance(given, Mapping):
        return TextContent(spelled_out(_plain(given)))
    table = {str(key).lower(): one for key, one in given.items()}
    data = table.get("data")
    if table.get("type") == "image" and isinstance(data, str):
        mime = table.get("mimetype")
        try:
            return ImageContent(base64.b64decode(data), mime if isinstance(mime, str) else PNG)
        except binascii.Error:
            return TextContent("(a picture that is no base64)")
    return TextContent(spelled_out(_plain(table.get("text", given))))


def _pictures(outcome: Outcome) -> Sequence[Content]:
    pictures = [output for output in outcome.outputs if output.kind == "picture"]
    drawn = draw([(picture.data, picture.mime) for picture in pictures]) if pictures else []
    return [ImageContent(png, PNG) for png in drawn if png is not None]


def _json(value: Any) -> Any:
    """A value without what JSON does not have."""
    if isinstance(value, Mapping):
        return {_plain(key): _json(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_json(one) for one in value]
    return value if isinstance(value, str | int | float | bool | None) else _plain(value)
