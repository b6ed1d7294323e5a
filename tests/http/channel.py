"""A client over HTTP that can be connected to like one on a line.

Each message is posted on its own, in a session once there is one; everything that comes back, on
whichever stream, is read as one sequence of lines. So what is tested on a line can be tested over
HTTP as well.
"""

import json
import queue
import threading

from tests.http.endpoint import ACCEPT, Endpoint, mirrored
from tests.http.raw import Answer, Connection, Json


class HttpChannel:
    """The two directions of a conversation over HTTP."""

    def __init__(self, endpoint: Endpoint, headers: dict[str, str | None] | None = None) -> None:
        self._endpoint = endpoint
        self._headers: dict[str, str | None] = {
            "Accept": ACCEPT,
            "Content-Type": "application/json",
            **(headers or {}),
        }
        self._heard: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._open: set[Connection] = set()
        self._is_closed = False

    def read(self) -> bytes:
        return self._heard.get()

    def write(self, data: bytes) -> None:
        for line in filter(None, data.split(b"\n")):
            message = json.loads(line)
            if isinstance(message, dict) and message.get("method") == "initialize":
                self._initialize(line)
                continue
            connection = self._post(line, message)
            if b'"id"' in line and b'"method"' in line:
                threading.Thread(target=self._follow, args=(connection,), daemon=True).start()
            else:
                self._follow(connection)

    def close(self) -> None:
        with self._lock:
            self._is_closed = True
            leaving, self._open = self._open, set()
        for connection in leaving:
            connection.shut_down()
        self._heard.put(b"")

    def _initialize(self, line: bytes) -> None:
        connection = self._post(line, {})
        answer = connection.answer()
        session_id = answer.header("mcp-session-id")
        self._heard.put(answer.body + b"\n")
        if session_id is not None:
            self._headers["Mcp-Session-Id"] = session_id
            self._listen()

    def _listen(self) -> None:
        connection = self._connect()
        headers = {**self._headers, "Accept": "text/event-stream"}
        connection.request("GET", self._endpoint.path, headers)
        threading.Thread(target=self._follow, args=(connection,), daemon=True).start()

    def _post(self, line: bytes, message: Json) -> Connection:
        connection = self._connect()
        headers = {**self._headers, **mirrored(message)}
        connection.request("POST", self._endpoint.path, headers, line)
        return connection

    def _connect(self) -> Connection:
        connection = self._endpoint.connect()
        connection.wait_long()
        with self._lock:
            self._open.add(connection)
        return connection

    def _follow(self, connection: Connection) -> None:
        """Pass on everything that an answer brings."""
        try:
            self._pass_on(connection.answer())
        except (OSError, ConnectionError):
            if not self._is_closed:
                raise
        with self._lock:
            self._open.discard(connection)
        connection.close()

    def _pass_on(self, answer: Answer) -> None:
        if answer.kind == "text/event-stream":
            for event in answer.events():
                if event.data:
                    self._heard.put(event.data.encode() + b"\n")
        elif answer.body:
            self._heard.put(answer.body + b"\n")
