"""A web server on this machine that says what a test wants it to."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import NamedTuple


class Answer(NamedTuple):
    """What is stated to a request."""

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = {}
    is_endless: bool = False
    """Whether the body comes again and again."""


class Web:
    """What is served, by paths, and what has been asked for."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.answers: dict[str, Answer] = {}
        self.asked: list[str] = []

    def put(self, path: str, body: bytes) -> str:
        """Serve some bytes; the URL."""
        self.answers[path] = Answer(body)
        return f"{self.url}{path}"

    def put_directory(self, directory: Path) -> None:
        """Serve the files of a directory."""
        for file in directory.iterdir():
            self.put(f"/{file.name}", file.read_bytes())

    def redirect(self, path: str, target: str) -> str:
        """Lead somewhere else; the URL."""
        self.answers[path] = Answer(status=302, headers={"Location": target})
        return f"{self.url}{path}"


@contextmanager
def serving() -> Iterator[Web]:
    """A web server for as long as it is needed."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            web.asked.append(self.path)
            answer = web.answers.get(self.path, Answer(b"gone", 404))
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            if not answer.is_endless:
                self.send_header("Content-Length", str(len(answer.body)))
            self.end_headers()
            with suppress(OSError):  # no one listens any more
                self.wfile.write(answer.body)
                while answer.is_endless:
                    self.wfile.write(answer.body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as it is called there
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    web = Web(f"http://127.0.0.1:{server.server_port}")
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield web
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
