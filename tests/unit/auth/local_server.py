"""A small HTTP server on this machine that answers as a test tells it to."""

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple

Answer = tuple[int, Mapping[str, str], bytes]


class Asked(NamedTuple):
    """A request that the server got."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


def nothing(_: Asked) -> Answer:
    return 404, {}, b"{}"


class _Listener(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 100
    """More than ever come at once: the system makes others wait for a second."""


class LocalServer:
    """Answers paths with what is set for them, and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self.answers: dict[str, Callable[[Asked], Answer]] = {}
        self._http = _Listener(("127.0.0.1", 0), self._handler())
        self.url = f"http://127.0.0.1:{self._http.server_port}"

    def set(self, path: str, document: object, status: int = 200, **headers: str) -> None:
        """Answer a path with JSON, or with bytes as they are."""
        body = document if isinstance(document, bytes) else json.dumps(document).encode()
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.answers[path] = lambda _: (status, named, body)

    def paths(self) -> list[str]:
        """What it was asked for, in order."""
        return [one.path for one in self.asked]

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                length = int(self.headers.get("Content-Length") or 0)
                asked = Asked(
                    self.command, self.path, dict(self.headers.items()), self.rfile.read(length)
                )
                server.asked.append(asked)
                answer = server.answers.get(self.path, nothing)
                status, headers, body = answer(asked)
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_POST(self) -> None:
                self.do_GET()

            def log_message(self, *_: object) -> None:
                pass

        return Handler

    def start(self) -> None:
        # Often, because closing waits for the next look.
        threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True).start()

    def stop(self) -> None:
        self._http.shutdown()
        self._http.server_close()


@contextmanager
def local_server() -> Iterator[LocalServer]:
    server = LocalServer()
    server.start()
    try:
        yield server
    finally:
        server.stop()
