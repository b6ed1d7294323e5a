"""A language model on this machine that agents can be pointed at.

It calls the tool `ready` if it is offered one of that name, in whatever form the agent gives it,
and then ends the conversation. What it was offered is kept for the test to see.
"""

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.clients.model_answers import Call, Offer, form_of

Json = dict[str, Any]

TOOL = "ready"
RESULT = "ready at last"
SEARCHES, INVOKER = ("tool_search", "ToolSearch"), "tool_call"
"""Tools by which some agents let a model find and call the others."""
FOUND = re.compile(r'"name\\*": ?\\*"([\w-]*ready)\\*"')
TRIES = 50
"""Some agents begin before their servers are connected, and a search then finds nothing yet."""


class FakeModel(ThreadingHTTPServer):
    """Answers as OpenAI, Anthropic and Google do, in the form of the request."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.offered: set[str] = set()
        self.tool_results: list[str] = []
        self.told: list[str] = []
        """All requests, as they were."""
        self.requests = 0
        self.calls = 0

    @property
    def url(self) -> str:
        """Where it is reached."""
        return f"http://127.0.0.1:{self.server_port}"

    def forget(self) -> None:
        """Forget everything so far."""
        self.offered.clear()
        self.tool_results.clear()
        self.told.clear()
        self.requests = self.calls = 0

    def answer(self, request: Json, offers: list[Offer]) -> Call | None:
        """What to call next, if anything."""
        self.requests += 1
        self.told.append(json.dumps(request, ensure_ascii=False))
        self.offered.update(offer.name for offer in offers)
        if RESULT in json.dumps(request):
            self.tool_results.append(RESULT)
        if self.tool_results or self.calls == TRIES:
            return None
        call = _choose(offers, json.dumps(request))
        self.calls += call is not None
        return call


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


def _choose(offers: list[Offer], request: str) -> Call | None:
    wanted = [offer for offer in offers if TOOL in re.split("[_-]+", offer.name)]
    if wanted:
        return Call(wanted[0], {})
    found = FOUND.search(request)
    by_name = {offer.name: offer for offer in offers}
    if found and INVOKER in by_name:
        return Call(by_name[INVOKER], {"name": found[1], "arguments": {}})
    searches = [by_name[name] for name in SEARCHES if name in by_name]
    return Call(searches[0], {"query": TOOL}) if searches else None


class _Handler(BaseHTTPRequestHandler):
    server: FakeModel

    def do_GET(self) -> None:
        self._send("application/json", json.dumps({"data": [{"id": "fake"}]}))

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        path = self.path.partition("?")[0]
        form = form_of(path)
        call = self.server.answer(request, list(form.offers(request)))
        if request.get("stream") or "stream" in path:
            self._send("text/event-stream", form.stream(call))
        else:
            self._send("application/json", json.dumps(form.whole(call)))

    def _send(self, kind: str, body: str) -> None:
        data = body.encode()
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_arguments: object) -> None:
        """Say nothing."""
