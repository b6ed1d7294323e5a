"""A stand-in for Wolfram|Alpha on this machine, which follows what is documented of both services.

What a query is says how the answer goes wrong: see `_BAD_DAYS`.
"""

import json
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from struct import pack
from typing import Any
from urllib.parse import parse_qs, urlsplit

APP_ID = "SECRET-APPID42"
LLM, FULL = "/api/v1/llm-api", "/v2/query"


def _chunk(kind: bytes, data: bytes) -> bytes:
    return pack(">I", len(data)) + kind + data + pack(">I", zlib.crc32(kind + data))


PNG = (
    b"\x89PNG\r\n\x1a\n"
    + _chunk(b"IHDR", pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
    + _chunk(b"IDAT", zlib.compress(b"\0\0"))
    + _chunk(b"IEND", b"")
)


class StandIn:
    """The service, and what it was asked."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, dict[str, str], str | None]] = []
        """Path, parameters and the header Authorization of each request."""
        self.is_asked = threading.Event()
        self.is_over = threading.Event()
        """Ends what is slow."""
        self.elsewhere = ""
        """A URL of another server."""
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.server.daemon_threads = True

    @property
    def url(self) -> str:
        """Its base URL."""
        return f"http://127.0.0.1:{self.server.server_port}"

    @property
    def paths(self) -> list[str]:
        """The paths of all requests, sorted, since pictures are fetched at the same time."""
        return sorted(path for path, _, _ in self.requests)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        stand_in = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                parts = urlsplit(self.path)
                stand_in.is_asked.set()
                given = {key: values[0] for key, values in parse_qs(parts.query).items()}
                authorization = self.headers.get("Authorization")
                stand_in.requests.append((parts.path, given, authorization))
                if parts.path in (LLM, FULL):
                    _answer(self, stand_in, parts.path, given, authorization)
                else:
                    _picture(self, stand_in, parts.path)

            def log_message(self, *_: Any) -> None:
                """Say nothing."""

        return Handler


@contextmanager
def running() -> Iterator[StandIn]:
    """A stand-in that answers until the end of the block."""
    stand_in = StandIn()
    thread = threading.Thread(target=stand_in.server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield stand_in
    finally:
        stand_in.is_over.set()
        stand_in.server.shutdown()
        thread.join()
        stand_in.server.server_close()


def send(
    handler: BaseHTTPRequestHandler,
    status: int,
    body: bytes,
    mime: str = "text/plain;charset=utf-8",
    **headers: str,
) -> None:
    """A whole answer."""
    handler.send_response(status)
    handler.send_header("Content-Type", mime)
    handler.send_header("Content-Length", str(len(body)))
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.end_headers()
    handler.wfile.write(body)


def _answer(
    handler: BaseHTTPRequestHandler,
    stand_in: StandIn,
    path: str,
    given: dict[str, str],
    authorization: str | None,
) -> None:
    app_id = given.get("appid") or (authorization or "").removeprefix("Bearer ")
    query = given.get("input", "")
    if _has_bad_day(handler, stand_in, query):
        return
    if path == LLM:
        _answer_briefly(handler, stand_in, query, app_id)
    else:
        body = json.dumps({"queryresult": _full(stand_in, query, app_id, given)}).encode()
        send(handler, 200, body, "application/json")


def _answer_briefly(
    handler: BaseHTTPRequestHandler, stand_in: StandIn, query: str, app_id: str
) -> None:
    if app_id != APP_ID:
        word = "1: Invalid appid" if app_id else "2: Appid missing"
        send(handler, 403, f"Error {word}".encode())
    elif not query:
        send(handler, 400, b"No input parameter")
    elif query == "gibberish":
        send(handler, 501, b"Wolfram|Alpha did not understand your input. Try: population of x")
    else:
        send(handler, 200, _llm_text(stand_in, query).encode())


def _llm_text(stand_in: StandIn, query: str) -> str:
    return f"""\
Query:
"{query}"

Input interpretation:
France | population

Result:
68.5 million people (world rank: 20th) (2024 estimate)
Wolfram Language code: Entity["Country", "France"]["Population"]

Recent population history:
image: {stand_in.url}/files/history.png

Wolfram|Alpha website result for "{query}":
https://www.wolframalpha.com/input?i=population+of+France
"""


def _full(stand_in: StandIn, query: str, app_id: str, given: dict[str, str]) -> dict[str, Any]:
    if app_id != APP_ID:
        return {"success": False, "error": {"code": "1", "msg": "Invalid appid"}}
    if query == "gibberish":
        meant = {"score": "0.3", "level": "low", "val": "gibbon"}
        return {"success": False, "error": False, "numpods": 0, "didyoumeans": meant}
    result: dict[str, Any] = {"title": "", "plaintext": "68.5 million people", "img": {"src": "x"}}
    if "minput" in given["format"]:
        result["minput"] = 'Entity["Country", "France"]["Population"]'
    picture = {"src": f"{stand_in.url}/files/history.png", "alt": "Population [people]"}
    return {
        "success": True,
        "error": False,
        "timedout": "Demographics",
        "pods": [
            {"title": "Input", "subpods": [{"title": "", "plaintext": "France | population"}]},
            {"title": "Result", "subpods": [result]},
            {
                "title": "History",
                "subpods": {"title": "long term", "plaintext": "", "img": picture},
            },
            {"title": "Empty", "subpods": [{"title": "", "plaintext": ""}]},
        ],
        "assumptions": {
            "type": "Clash",
            "word": "France",
            "values": [{"desc": "a country"}, {"desc": "a given name"}],
        },
    }


def _has_bad_day(handler: BaseHTTPRequestHandler, stand_in: StandIn, query: str) -> bool:
    """Whether the query is one that goes wrong, which is done then."""
    kind, _, detail = query.partition(" ")
    if kind == "status":
        send(handler, int(detail), b"words of the service")
    elif kind == "quota":
        send(handler, 403, b"Your usage limit is exceeded for this month")
    elif kind == "html":
        send(handler, 200, b"<html>Sign in to the Wi-Fi</html>", "text/html")
    elif kind == "echo":
        send(handler, 400, f"bad: {APP_ID}".encode())
    elif kind == "broken":
        send(handler, 200, b'{"queryresult": [', "application/json")
    elif kind == "redirect":
        send(handler, 302, b"", Location=stand_in.elsewhere)
    elif kind == "huge":
        send(handler, 200, b"x" * (5 << 20))
    elif kind in ("cut", "slow", "dripping"):
        _unfinished(handler, stand_in, kind)
    else:
        return False
    return True


def _unfinished(handler: BaseHTTPRequestHandler, stand_in: StandIn, kind: str) -> None:
    """An answer that does not come to its end in time."""
    handler.send_response(200)
    handler.send_header("Content-Type", "text/plain")
    handler.send_header("Content-Length", "100000")
    handler.end_headers()
    handler.wfile.write(b"Result:\nthe begin")
    handler.wfile.flush()
    if kind == "slow":
        stand_in.is_over.wait(30)
    try:
        while kind == "dripping" and not stand_in.is_over.wait(0.02):
            handler.wfile.write(b".")
    except OSError:
        pass  # it was hung up on us
    handler.close_connection = True


def _picture(handler: BaseHTTPRequestHandler, stand_in: StandIn, path: str) -> None:
    name = path.rpartition("/")[2]
    if name in ("history.png", "other.png"):
        send(handler, 200, PNG, "image/png")
    elif name == "cut-off.png":
        send(handler, 200, PNG[:30], "image/png")
    elif name == "page.png":
        send(handler, 200, b"<html>none</html>", "image/png")
    elif name == "near.png":
        send(handler, 302, b"", Location="/files/history.png")
    elif name == "away.png":
        send(handler, 302, b"", Location=stand_in.elsewhere)
    elif name == "slow.png":
        _unfinished(handler, stand_in, "slow")
    elif name == "large.png":
        send(handler, 200, PNG[:-12] + b"\0" * 200_000 + PNG[-12:], "image/png")
    else:
        send(handler, 404, b"not found")
