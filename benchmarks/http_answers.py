"""HTTP answers: where one ends, what it says, and whether it is the right one."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import Any

from benchmarks.http_messages import Calls
from benchmarks.program import ServerFailedError

_END_OF_HEAD = b"\r\n\r\n"
_LAST_CHUNK = b"0\r\n\r\n"
_STATUS_END = len("HTTP/1.1 200")
_MOST_FORMS = 1000


@dataclass(frozen=True)
class Answer:
    """An answer that has arrived whole."""

    status: int
    headers: dict[str, str]
    body: bytes

    def messages(self) -> list[dict[str, Any]]:
        """The JSON-RPC messages in the body, whether plain or as events."""
        texts = [self.body]
        if self.headers.get("content-type", "").startswith("text/event-stream"):
            lines = self.body.splitlines()
            texts = [line.removeprefix(b"data:") for line in lines if line.startswith(b"data:")]
        try:
            return [json.loads(text) for text in texts if text.strip()]
        except ValueError:
            raise ServerFailedError(f"status {self.status}: {self.body[:200]!r}") from None

    def message(self, message_id: int) -> dict[str, Any]:
        """The answer to one request."""
        found = [message for message in self.messages() if message.get("id") == message_id]
        if len(found) != 1:
            raise ServerFailedError(f"{len(found)} answers to one request: {self.body[:200]!r}")
        return found[0]


def is_whole(raw: bytes) -> bool:
    """Whether these bytes are all of one answer.

    One answer at a time is under way on a connection, so nothing can follow it.
    """
    end = raw.find(_END_OF_HEAD)
    if end < 0:
        return False
    status, headers = _head(raw[:end])
    size = headers.get("content-length")
    if size is not None:
        return len(raw) >= end + len(_END_OF_HEAD) + int(size)
    if "chunked" in headers.get("transfer-encoding", ""):
        return raw.endswith(_LAST_CHUNK)
    if status in (202, 204):
        return True
    raise ServerFailedError("an answer ends with its connection, which is not kept alive")


def parse(raw: bytes) -> Answer:
    """Take an answer apart."""
    end = raw.find(_END_OF_HEAD)
    status, headers = _head(raw[:end])
    body = raw[end + len(_END_OF_HEAD) :]
    if "chunked" in headers.get("transfer-encoding", ""):
        body = _unchunk(body)
    return Answer(status, headers, body)


def check_answers(calls: Calls, answers: Sequence[bytes]) -> None:
    """See that every answer of one client is the right one to its request.

    Raises:
        ServerFailedError: For the first that is not.
    """
    # Answers to one call differ in their id and little else, so each form is looked into once.
    known: set[bytes] = set()
    for message_id, raw in zip(cycle(calls.ids), answers, strict=False):
        body = raw[raw.find(_END_OF_HEAD) :]
        form = raw[:_STATUS_END] + body.replace(b"%d" % message_id, b"")
        if form in known:
            continue
        _check(calls, message_id, parse(raw))
        if len(known) < _MOST_FORMS:
            known.add(form)


def _check(calls: Calls, message_id: int, answer: Answer) -> None:
    if answer.status != 200:
        raise ServerFailedError(f"status {answer.status}: {answer.body[:200]!r}")
    complaint = calls.call.complaint(answer.message(message_id))
    if complaint:
        raise ServerFailedError(complaint)


def _head(head: bytes) -> tuple[int, dict[str, str]]:
    first, *lines = head.decode("latin-1").split("\r\n")
    return int(first.split()[1]), dict(_fields(lines))


def _fields(lines: Iterable[str]) -> Iterable[tuple[str, str]]:
    for line in lines:
        name, _, value = line.partition(":")
        yield name.lower(), value.strip()


def _unchunk(body: bytes) -> bytes:
    parts = []
    while body:
        size, _, rest = body.partition(b"\r\n")
        length = int(size.split(b";")[0], 16)
        parts.append(rest[:length])
        body = rest[length + 2 :]
    return b"".join(parts)
