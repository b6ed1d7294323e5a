"""What a language model says on the wire, in the four forms that agents understand.

Each form reads the names of the tools from a request and writes an answer that either calls one
of them without arguments or says goodbye.
"""

import itertools
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]

FAREWELL = "That is all."
_NUMBERS = itertools.count(1)


@dataclass(frozen=True)
class Offer:
    """A tool that an agent lets its model call; some agents put tools into namespaces."""

    name: str
    namespace: str | None = None


@dataclass(frozen=True)
class Call:
    """What the model wants to have called."""

    offer: Offer
    arguments: Json
    id: str = field(default_factory=lambda: f"call_{next(_NUMBERS)}")


@dataclass(frozen=True)
class Form:
    """One vendor's requests and answers."""

    offers: Callable[[Json], Iterator[Offer]]
    whole: Callable[[Call | None], Json]
    steps: Callable[[Call | None], Iterator[Json]]
    has_event_names: bool = False
    ending: str = ""

    def stream(self, call: Call | None) -> str:
        """The answer as a stream of events."""
        return "".join(map(self._event, self.steps(call))) + self.ending

    def _event(self, step: Json) -> str:
        name = f"event: {step['type']}\n" if self.has_event_names else ""
        return f"{name}data: {json.dumps(step)}\n\n"


def _chat_offers(request: Json) -> Iterator[Offer]:
    for tool in request.get("tools") or ():
        yield Offer(tool.get("function", tool)["name"])


def _chat_message(call: Call | None) -> Json:
    if call is None:
        return {"role": "assistant", "content": FAREWELL}
    function = {"name": call.offer.name, "arguments": json.dumps(call.arguments)}
    calls = [{"index": 0, "id": call.id, "type": "function", "function": function}]
    return {"role": "assistant", "content": None, "tool_calls": calls}


_CHAT: Json = {"id": "chat_1", "created": 1, "model": "fake"}
_CHAT_USAGE = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}


def _chat_whole(call: Call | None) -> Json:
    reason = "tool_calls" if call else "stop"
    choice = {"index": 0, "message": _chat_message(call), "finish_reason": reason}
    return {**_CHAT, "object": "chat.completion", "choices": [choice], "usage": _CHAT_USAGE}


def _chat_steps(call: Call | None) -> Iterator[Json]:
    base = {**_CHAT, "object": "chat.completion.chunk"}
    reason = "tool_calls" if call else "stop"
    first = {"index": 0, "delta": _chat_message(call), "finish_reason": None}
    yield {**base, "choices": [first]}
    yield {**base, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}
    yield {**base, "choices": [], "usage": _CHAT_USAGE}


def _anthropic_message(call: Call | None) -> Json:
    block: Json = {"type": "text", "text": FAREWELL}
    if call:
        name = call.offer.name
        block = {"type": "tool_use", "id": call.id, "name": name, "input": call.arguments}
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "fake",
        "usage": {"input_tokens": 1, "output_tokens": 1},
        "content": [block],
        "stop_reason": "tool_use" if call else "end_turn",
    }


def _anthropic_steps(call: Call | None) -> Iterator[Json]:
    message = _anthropic_message(call)
    [block] = message["content"]
    empty = {**block, "input": {}} if call else {**block, "text": ""}
    delta = {"type": "text_delta", "text": FAREWELL}
    if call:
        delta = {"type": "input_json_delta", "partial_json": json.dumps(call.arguments)}
    yield {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}}
    yield {"type": "content_block_start", "index": 0, "content_block": empty}
    yield {"type": "content_block_delta", "index": 0, "delta": delta}
    yield {"type": "content_block_stop", "index": 0}
    reason = {"stop_reason": message["stop_reason"]}
    yield {"type": "message_delta", "delta": reason, "usage": message["usage"]}
    yield {"type": "message_stop"}


def _responses_offers(request: Json) -> Iterator[Offer]:
    for tool in request.get("tools") or ():
        for inner in tool.get("tools", ()):
            yield Offer(inner["name"], tool["name"])
        if tool["type"] == "function":
            yield Offer(tool["name"])


def _responses_item(call: Call | None) -> Json:
    if call is None:
        text = {"type": "output_text", "text": FAREWELL, "annotations": []}
        return {"type": "message", "role": "assistant", "id": "msg_1", "content": [text]}
    named = {"name": call.offer.name, "arguments": json.dumps(call.arguments)}
    item = {"type": "function_call", "id": "fc_1", "call_id": call.id, **named}
    return {**item, "namespace": call.offer.namespace} if call.offer.namespace else item


def _responses_whole(call: Call | None) -> Json:
    return {
        "id": "resp_1",
        "object": "response",
        "status": "completed",
        "model": "fake",
        "output": [_responses_item(call)],
        "usage": {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2},
    }


def _responses_steps(call: Call | None) -> Iterator[Json]:
    whole, item = _responses_whole(call), _responses_item(call)
    beginning = {**whole, "status": "in_progress", "output": []}
    yield {"type": "response.created", "response": beginning}
    yield {"type": "response.output_item.added", "output_index": 0, "item": item}
    yield {"type": "response.output_item.done", "output_index": 0, "item": item}
    yield {"type": "response.completed", "response": whole}


def _gemini_offers(request: Json) -> Iterator[Offer]:
    for tool in request.get("tools") or ():
        for function in tool.get("functionDeclarations", ()):
            yield Offer(function["name"])


def _gemini_whole(call: Call | None) -> Json:
    part: Json = {"text": FAREWELL}
    if call:
        part = {"functionCall": {"name": call.offer.name, "args": call.arguments}}
    content = {"role": "model", "parts": [part]}
    return {
        "candidates": [{"content": content, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
    }


def _gemini_steps(call: Call | None) -> Iterator[Json]:
    yield _gemini_whole(call)


CHAT_COMPLETIONS = Form(_chat_offers, _chat_whole, _chat_steps, ending="data: [DONE]\n\n")
MESSAGES = Form(_chat_offers, _anthropic_message, _anthropic_steps, has_event_names=True)
RESPONSES = Form(_responses_offers, _responses_whole, _responses_steps, has_event_names=True)
GENERATE_CONTENT = Form(_gemini_offers, _gemini_whole, _gemini_steps)


def form_of(path: str) -> Form:
    """The form that a request is in, by the path that it is sent to."""
    if "enerateContent" in path:
        return GENERATE_CONTENT
    if "/messages" in path:
        return MESSAGES
    return RESPONSES if path.endswith("/responses") else CHAT_COMPLETIONS
