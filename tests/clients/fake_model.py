"""A language model on this machine that agents can be pointed at.

It calls the tool `ready` if it is offered one of that name, in whatever form the agent gives it,
and then ends the conversation. What it was offered is kept for the test to see.
"""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Json = dict[str, Any]

TOOL = "ready"
FAREWELL = "That is all."


class FakeModel(ThreadingHTTPServer):
    """Answers as OpenAI's chat completions do and as Anthropic's messages do."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.offered: set[str] = set()
        self.tool_results: list[str] = []

    @property
    def url(self) -> str:
        """Where it is reached."""
        return f"http://127.0.0.1:{self.server_port}"


@contextmanager
def fake_model() -> Iterator[FakeModel]:
    """A model that is there as long as the block runs."""
    model = FakeModel()
    thread = threading.Thread(target=model.serve_forever, daemon=True)
    thread.start()
    try:
        yield model
    finally:
        model.shutdown()
        model.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    server: FakeModel

    def do_GET(self) -> None:
        self._send("application/json", json.dumps({"data": [{"id": "fake"}]}))

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        answer = _messages if self.path.startswith("/v1/messages") else _completion
        self._note(request)
        tool = self._tool_to_call()
        if request.get("stream"):
            self._send("text/event-stream", answer(tool, is_stream=True))
        else:
            self._send("application/json", answer(tool, is_stream=False))

    def _note(self, request: Json) -> None:
        for tool in request.get("tools", ()):
            self.server.offered.add(tool.get("function", tool)["name"])
        said = json.dumps(request.get("messages", ()))
        if "ready at last" in said:
            self.server.tool_results.append("ready at last")

    def _tool_to_call(self) -> str | None:
        if self.server.tool_results:
            return None
        return next((name for name in sorted(self.server.offered) if name.endswith(TOOL)), None)

    def _send(self, kind: str, body: str) -> None:
        data = body.encode()
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_arguments: object) -> None:
        """Say nothing."""


def _completion(tool: str | None, *, is_stream: bool) -> str:
    if tool:
        call = {"index": 0, "id": "call_1", "type": "function"}
        calls = [{**call, "function": {"name": tool, "arguments": "{}"}}]
        message: Json = {"role": "assistant", "content": None, "tool_calls": calls}
    else:
        message = {"role": "assistant", "content": FAREWELL}
    reason = "tool_calls" if tool else "stop"
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    base: Json = {"id": "chat_1", "created": 1, "model": "fake"}
    if not is_stream:
        choice = {"index": 0, "message": message, "finish_reason": reason}
        return json.dumps(
            {**base, "object": "chat.completion", "choices": [choice], "usage": usage}
        )
    base["object"] = "chat.completion.chunk"
    steps: list[Json] = [
        {**base, "choices": [{"index": 0, "delta": message, "finish_reason": None}]},
        {**base, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}]},
        {**base, "choices": [], "usage": usage},
    ]
    return "".join(f"data: {json.dumps(step)}\n\n" for step in steps) + "data: [DONE]\n\n"


def _messages(tool: str | None, *, is_stream: bool) -> str:
    block: Json = {"type": "text", "text": FAREWELL}
    if tool:
        block = {"type": "tool_use", "id": "toolu_1", "name": tool, "input": {}}
    reason = "tool_use" if tool else "end_turn"
    usage = {"input_tokens": 1, "output_tokens": 1}
    message: Json = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "fake",
        "usage": usage,
    }
    if not is_stream:
        return json.dumps({**message, "content": [block], "stop_reason": reason})
    empty = {**block, "text": ""} if "text" in block else block
    delta = (
        {"type": "input_json_delta", "partial_json": "{}"}
        if tool
        else {"type": "text_delta", "text": FAREWELL}
    )
    steps: list[Json] = [
        {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}},
        {"type": "content_block_start", "index": 0, "content_block": empty},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": usage},
        {"type": "message_stop"},
    ]
    return "".join(f"event: {step['type']}\ndata: {json.dumps(step)}\n\n" for step in steps)
