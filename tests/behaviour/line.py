"""A raw connection to a server: frames in, frames out, nothing of Paddock in between.

Waits are bounded and never sleeps. Everything is recorded for `wire.Transcript`.
"""

import json
import queue
import threading
from collections import deque
from collections.abc import Callable
from typing import Any, Protocol

from tests.behaviour.wire import META_KEY, SESSION, STATELESS, Transcript

PATIENCE = 5.0
"""Seconds after which something that must happen is taken not to."""

CLIENT = {"name": "line", "version": "1.0.0"}

Json = dict[str, Any]
Answer = Callable[[str, Json], Json]
"""Plays the client's part: the answer to a question, by its method and parameters."""


class Channel(Protocol):
    def read(self) -> bytes: ...
    def write(self, data: bytes) -> None: ...
    def close(self) -> None: ...


class Line:
    """One connection, spoken by hand."""

    def __init__(
        self, channel: Channel, era: str = SESSION, capabilities: Json | None = None
    ) -> None:
        self.era = era
        self.capabilities = capabilities or {}
        self.transcript = Transcript()
        self._channel = channel
        self._arrived: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._fresh: deque[Json] = deque()
        self._backlog: list[Json] = []
        self._last_id = 0
        self._is_closed = False
        self._pumping = threading.Thread(target=self._pump, daemon=True)
        self._pumping.start()

    def open(self, version: str = SESSION) -> Json:
        """Open a session as a client does; the whole answer to `initialize`."""
        params = {
            "protocolVersion": version,
            "capabilities": self.capabilities,
            "clientInfo": CLIENT,
        }
        answer = self.answer(self.request("initialize", params))
        self.notify("notifications/initialized")
        return answer

    def write(self, data: bytes, recorded: Json | None = None) -> None:
        """Send bytes as they are: one line or several, each with its end.

        What cannot be read back (it is nested too deeply, say) is `recorded` as something else.
        """
        lines = data.split(b"\n") if recorded is None else [json.dumps(recorded).encode()]
        for line in lines:
            self.transcript.said(line)
        self._channel.write(data)

    def send(self, message: object) -> None:
        self.write(json.dumps(message).encode() + b"\n")

    def notify(self, method: str, params: Json | None = None) -> None:
        frame: Json = {"jsonrpc": "2.0", "method": method}
        self.send(frame if params is None else {**frame, "params": params})

    def frame(self, method: str, params: Json | None = None, **meta: object) -> Json:
        """A request in the line's era, with a new id; `meta` goes into its `_meta`."""
        self._last_id += 1
        params = dict(params or {})
        whole = {**(self.envelope() if self.era == STATELESS else {}), **meta}
        if whole:
            params["_meta"] = {**whole, **params.get("_meta", {})}
        return {"jsonrpc": "2.0", "id": self._last_id, "method": method, "params": params}

    def envelope(self) -> Json:
        """What every request of the stateless era carries."""
        return {
            f"{META_KEY}protocolVersion": STATELESS,
            f"{META_KEY}clientCapabilities": self.capabilities,
            f"{META_KEY}clientInfo": CLIENT,
        }

    def request(self, method: str, params: Json | None = None, **meta: object) -> int:
        """Send a request and do not wait for its answer; its id."""
        frame = self.frame(method, params, **meta)
        self.send(frame)
        request_id: int = frame["id"]
        return request_id

    def cancel(self, request_id: object) -> None:
        self.notify("notifications/cancelled", {"requestId": request_id})

    def answer(self, request_id: object) -> Json:
        """The whole answer to a request."""
        return self.take(
            lambda message: "method" not in message and message.get("id") == request_id,
            f"an answer to {request_id!r}",
        )

    def ask(self, method: str, params: Json | None = None, **meta: object) -> Json:
        """The whole answer to a new request."""
        return self.answer(self.request(method, params, **meta))

    def result(self, method: str, params: Json | None = None, **meta: object) -> Json:
        """The result of a new request, without what the era adds to every result."""
        return plain(self.ask(method, params, **meta))

    def error(self, method: str, params: Json | None = None, **meta: object) -> Json:
        """The error that a new request is answered with."""
        answer = self.ask(method, params, **meta)
        assert "error" in answer, answer
        error: Json = answer["error"]
        return error

    def begin_call(self, tool: str, arguments: Json | None = None, **meta: object) -> int:
        """Call a tool and do not wait for its result; the id of the request."""
        return self.request("tools/call", {"name": tool, "arguments": arguments or {}}, **meta)

    def call(self, tool: str, arguments: Json | None = None, **meta: object) -> Json:
        """The result of a tool, without what the era adds to every result."""
        return plain(self.answer(self.begin_call(tool, arguments, **meta)))

    def text(self, tool: str, arguments: Json | None = None, **meta: object) -> str:
        """The text of a tool's result, which is not an error."""
        return text_of(self.call(tool, arguments, **meta))

    def converse(self, method: str, params: Json, answer: Answer) -> Json:
        """The whole answer to a request during which the server asks questions."""
        if self.era == STATELESS:
            return self._converse_in_rounds(method, params, answer)
        request_id = self.request(method, params)
        while True:
            message = self.take(
                lambda m: m.get("id") == request_id if "method" not in m else "id" in m,
                f"a question or an answer to {request_id}",
            )
            if "method" not in message:
                return message
            self.reply(message, answer(message["method"], message["params"]))

    def _converse_in_rounds(self, method: str, params: Json, answer: Answer) -> Json:
        message = self.ask(method, params)
        while message.get("result", {}).get("resultType") == "input_required":
            result = message["result"]
            responses = {
                key: answer(asked["method"], asked["params"])
                for key, asked in result["inputRequests"].items()
            }
            again = {"inputResponses": responses, "requestState": result["requestState"]}
            message = self.ask(method, {**params, **again})
        return message

    def question(self) -> Json:
        """The next request that the server sends."""
        return self.take(lambda message: "method" in message and "id" in message, "a question")

    def reply(self, question: Json, result: Json) -> None:
        self.send({"jsonrpc": "2.0", "id": question["id"], "result": result})

    def notification(self, method: str) -> Json:
        """The parameters of the next notification of a method."""
        message = self.take(lambda message: message.get("method") == method, method)
        params: Json = message.get("params", {})
        return params

    def take(self, wanted: Callable[[Json], bool], what: str = "a message") -> Json:
        """The first message that is wanted; the others stay for later."""
        for index, message in enumerate(self._backlog):
            if wanted(message):
                return self._backlog.pop(index)
        while True:
            message = self._next(what)
            if wanted(message):
                return message
            self._backlog.append(message)

    def heard(self) -> list[Json]:
        """Every message that came and was not taken, once the server has answered a last one."""
        method = "server/discover" if self.era == STATELESS else "ping"
        assert "result" in self.ask(method)
        backlog, self._backlog = self._backlog, []
        return backlog

    def close(self) -> list[Json]:
        """End the connection; every message that came and was not taken."""
        if not self._is_closed:
            self._is_closed = True
            self._channel.close()
            while (line := self._get("the end of the connection")) is not None:
                self._store(line)
            self._backlog.extend(self._fresh)
        return self._backlog

    def join(self) -> None:
        """Wait until no one reads from the channel any more."""
        self._pumping.join(PATIENCE)

    def _next(self, what: str) -> Json:
        while not self._fresh:
            line = self._get(what)
            assert line is not None, f"the connection ended before {what}; got {self._backlog}"
            self._store(line)
        return self._fresh.popleft()

    def _store(self, line: bytes) -> None:
        self.transcript.heard(line)
        message = json.loads(line)
        self._fresh.extend(message if isinstance(message, list) else [message])

    def _get(self, what: str) -> bytes | None:
        try:
            return self._arrived.get(timeout=PATIENCE)
        except queue.Empty:
            raise TimeoutError(f"{what} did not come; got {self._backlog!r:.2000}") from None

    def _pump(self) -> None:
        parts: list[bytes] = []
        while chunk := self._channel.read():
            parts.append(chunk)
            if b"\n" in chunk:
                *lines, rest = b"".join(parts).split(b"\n")
                parts = [rest]
                for line in lines:
                    self._arrived.put(line)
        if rest := b"".join(parts):
            self._arrived.put(rest)
        self._arrived.put(None)


def plain(answer: Json) -> Json:
    """A result without what the stateless era adds to every one of them."""
    assert "result" in answer, answer
    result = dict(answer["result"])
    if "resultType" not in result:
        return result
    for key in ("resultType", "ttlMs", "cacheScope"):
        result.pop(key, None)
    meta = {k: v for k, v in result.pop("_meta", {}).items() if k != f"{META_KEY}serverInfo"}
    return {**result, "_meta": meta} if meta else result


def text_of(result: Json) -> str:
    """The text of a tool's result that is one text and no error."""
    assert not result.get("isError"), result
    (content,) = result["content"]
    text: str = content["text"]
    return text


def error_text(result: Json) -> str:
    """What a tool's error result says."""
    assert result.get("isError"), result
    (content,) = result["content"]
    text: str = content["text"]
    return text
