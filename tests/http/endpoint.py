"""MCP over HTTP by hand: what clients of both eras send, and a record of all that passes."""

import base64
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.behaviour.line import CLIENT
from tests.behaviour.wire import META_KEY, SESSION, STATELESS, Transcript, is_stateless
from tests.http.raw import Answer, Connection, Event, Headers, Json

ACCEPT = "application/json, text/event-stream"
NAMED_BY = {
    "tools/call": "name",
    "prompts/get": "name",
    "resources/read": "uri",
    "tasks/get": "taskId",
    "tasks/update": "taskId",
    "tasks/cancel": "taskId",
}


def stateless(
    method: str,
    params: Json | None = None,
    *,
    request_id: int | str = 1,
    capabilities: Json | None = None,
    **meta: Any,
) -> Json:
    """A request of the stateless era; `meta` goes into its `_meta`."""
    envelope = {
        f"{META_KEY}protocolVersion": STATELESS,
        f"{META_KEY}clientCapabilities": capabilities or {},
        f"{META_KEY}clientInfo": CLIENT,
        **meta,
    }
    whole = {**(params or {}), "_meta": envelope}
    return {"jsonrpc": "2.0", "id": request_id, "method": method, "params": whole}


def call(tool: str, arguments: Json | None = None, **options: Any) -> Json:
    """A call of a tool in the stateless era; options are those of `stateless`."""
    params = {"name": tool, "arguments": arguments or {}}
    return stateless("tools/call", params, **options)


def mirrored(message: object) -> dict[str, str | None]:
    """The headers that the stateless era wants for a message."""
    if not isinstance(message, dict) or not is_stateless(message):
        return {}
    headers: dict[str, str | None] = {
        "MCP-Protocol-Version": str(message["params"]["_meta"][f"{META_KEY}protocolVersion"]),
        "Mcp-Method": message["method"],
    }
    if message["method"] in NAMED_BY:
        headers["Mcp-Name"] = message["params"].get(NAMED_BY[message["method"]])
    return headers


def sentinel(text: str) -> str:
    """A text as the value of a header that cannot hold it as it is."""
    return f"=?base64?{base64.b64encode(text.encode()).decode()}?="


class HttpTranscript(Transcript):
    """What one client said and heard; what it was sent again counts once."""

    def __init__(self) -> None:
        super().__init__()
        self._known: set[str] = set()

    def heard_event(self, event: Event) -> None:
        if event.id is not None and event.data:
            if event.id in self._known:
                return
            self._known.add(event.id)
        if event.data:
            self.heard(event.data.encode())


class RecordedAnswer(Answer):
    """An answer whose messages are written down."""

    transcript: HttpTranscript
    _is_recorded = False

    @classmethod
    def of(cls, connection: Connection, transcript: HttpTranscript) -> "RecordedAnswer":
        plain = connection.answer()
        answer = cls(connection, plain.status, plain.headers)
        answer.transcript = transcript
        return answer

    def event(self) -> Event | None:
        event = super().event()
        if event is not None:
            self.transcript.heard_event(event)
        return event

    @property
    def json(self) -> object:
        found = super().json
        if not self._is_recorded:
            self._is_recorded = True
            self.transcript.heard(self.body)
        return found


class Endpoint:
    """One address where a server answers."""

    def __init__(self, port: int, path: str = "/mcp") -> None:
        self.port = port
        self.path = path
        self.transcripts: list[Transcript] = []
        self._connections: list[Connection] = []

    def connect(self, *, receive_buffer: int | None = None) -> Connection:
        connection = Connection(self.port, receive_buffer=receive_buffer)
        self._connections.append(connection)
        return connection

    def hang_up(self) -> None:
        """Close every connection."""
        for connection in self._connections:
            connection.close()

    def ask(
        self,
        method: str,
        headers: Headers,
        body: bytes | None = None,
        *,
        path: str | None = None,
        connection: Connection | None = None,
    ) -> Answer:
        """The answer to any HTTP request, which is not written down."""
        connection = connection or self.connect()
        connection.request(method, self.path if path is None else path, headers, body)
        return connection.answer()

    def post(
        self,
        message: object,
        headers: Headers | None = None,
        *,
        transcript: HttpTranscript | None = None,
        connection: Connection | None = None,
    ) -> Answer:
        """Post a message with the headers that it needs, changed by those that are given.

        A header that is given as None is left out. Each message is a conversation of its own,
        unless a transcript says which one it belongs to.
        """
        if transcript is None:
            transcript = HttpTranscript()
            self.transcripts.append(transcript)
        body = message if isinstance(message, bytes) else json.dumps(message).encode()
        transcript.said(body)
        usual: dict[str, str | None] = {"Accept": ACCEPT, "Content-Type": "application/json"}
        all_headers: Headers
        if isinstance(headers, list):
            all_headers = headers
        else:
            all_headers = {**usual, **mirrored(message), **(headers or {})}
        connection = connection or self.connect()
        connection.request("POST", self.path, all_headers, body)
        return RecordedAnswer.of(connection, transcript)

    def begin(self, message: Json) -> Connection:
        """Post a message and do not wait for anything."""
        connection = self.connect()
        usual = {"Accept": ACCEPT, "Content-Type": "application/json"}
        body = json.dumps(message).encode()
        connection.request("POST", self.path, {**usual, **mirrored(message)}, body)
        return connection

    def result(self, message: Json, headers: Headers | None = None) -> Json:
        """The result that a request is answered with."""
        answer = self.post(message, headers)
        messages = answer.messages()
        assert "result" in messages[-1], messages
        assert answer.status == 200
        result: Json = messages[-1]["result"]
        return result

    def text(self, message: Json, headers: Headers | None = None) -> str:
        """The text of the result of a tool."""
        result = self.result(message, headers)
        assert not result.get("isError"), result
        text: str = result["content"][0]["text"]
        return text

    def initialize(
        self,
        version: str = SESSION,
        *,
        capabilities: Json | None = None,
        headers: Headers | None = None,
    ) -> "Session":
        """Open a session."""
        return Session(self, version, capabilities or {}, headers)

    @contextmanager
    def listening(self, *, request_id: int | str = "ears", **wishes: object) -> Iterator[Answer]:
        """A stream of changes, whose first message has been read."""
        message = stateless("subscriptions/listen", {"notifications": wishes})
        message["id"] = request_id
        stream = self.post(message)
        assert stream.message()["method"] == "notifications/subscriptions/acknowledged"
        try:
            yield stream
        finally:
            stream.close()


class Session:
    """A client with a session."""

    def __init__(
        self, endpoint: Endpoint, version: str, capabilities: Json, headers: Headers | None
    ) -> None:
        self.endpoint = endpoint
        self.transcript = HttpTranscript()
        endpoint.transcripts.append(self.transcript)
        self._last_id = 0
        self._lock = threading.Lock()
        self.headers: dict[str, str | None] = dict(headers or {})
        params = {"protocolVersion": version, "capabilities": capabilities, "clientInfo": CLIENT}
        answer = self.post(self.frame("initialize", params))
        assert answer.status == 200, answer.body
        self.welcome: Json = answer.messages()[0]["result"]
        self.id = answer.header("mcp-session-id")
        assert self.id
        self.headers["Mcp-Session-Id"] = self.id
        self.headers["MCP-Protocol-Version"] = self.welcome["protocolVersion"]
        assert self.post({"jsonrpc": "2.0", "method": "notifications/initialized"}).status == 202

    def frame(self, method: str, params: Json | None = None) -> Json:
        with self._lock:
            self._last_id += 1
            request_id = self._last_id
        return {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params or {}}

    def post(
        self,
        message: object,
        headers: Headers | None = None,
        *,
        connection: Connection | None = None,
    ) -> Answer:
        return self.endpoint.post(
            message,
            {**self.headers, **dict(headers or {})},
            transcript=self.transcript,
            connection=connection,
        )

    def ask(self, method: str, params: Json | None = None) -> Answer:
        return self.post(self.frame(method, params))

    def call(self, tool: str, arguments: Json | None = None, **meta: object) -> Answer:
        params = {"name": tool, "arguments": arguments or {}, **({"_meta": meta} if meta else {})}
        return self.ask("tools/call", params)

    def text(self, tool: str, arguments: Json | None = None) -> str:
        answer = self.call(tool, arguments)
        text: str = answer.messages()[-1]["result"]["content"][0]["text"]
        return text

    def reply(self, question: Json, result: Json) -> None:
        answer = self.post({"jsonrpc": "2.0", "id": question["id"], "result": result})
        assert answer.status == 202, answer.body

    def listen(
        self, last_event_id: str | None = None, *, connection: Connection | None = None
    ) -> Answer:
        """The stream of what belongs to no request, or the rest of one that broke."""
        connection = connection or self.endpoint.connect()
        headers = {"Accept": "text/event-stream", **self.headers, "Last-Event-ID": last_event_id}
        connection.request("GET", self.endpoint.path, headers)
        return RecordedAnswer.of(connection, self.transcript)

    def delete(self) -> Answer:
        return self.endpoint.ask("DELETE", self.headers)
