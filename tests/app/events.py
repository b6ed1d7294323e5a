"""Reading a stream of server-sent events."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx


@dataclass
class Heard:
    """One event."""

    kind: str
    data: Any
    id: int | None


@contextmanager
def listening(http: httpx.Client, **headers: str) -> Iterator[Iterator[Heard]]:
    """The events that come, from the moment that the stream is open."""
    with http.stream("GET", "/api/events", headers=headers) as answer:
        assert answer.status_code == 200
        lines = answer.iter_lines()
        assert next(lines).startswith("retry:")
        yield _events(lines)


def _events(lines: Iterator[str]) -> Iterator[Heard]:
    fields: dict[str, str] = {}
    for line in lines:
        if line.startswith(":"):
            continue
        if line:
            name, _, value = line.partition(": ")
            fields[name] = value
        elif "event" in fields:
            number = int(fields["id"]) if "id" in fields else None
            yield Heard(fields["event"], json.loads(fields["data"]), number)
            fields = {}
