"""Media types: what a client sends and what it is ready to take."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from paddock.protocol.http_headers import EVENT_STREAM_MEDIA_TYPE, JSON_MEDIA_TYPE


class AcceptedTypes(NamedTuple):
    """Which forms of an answer a client takes."""

    json: bool
    events: bool
    prefers_events: bool = False


@lru_cache(maxsize=256)
def parse_accept(header: bytes) -> AcceptedTypes:
    """What an Accept header allows; one that is missing allows everything."""
    if not header.strip():
        return AcceptedTypes(json=True, events=True)
    ranges = [_parse_media_range(part) for part in header.decode("latin-1").split(",")]
    json, events = _get_weight(ranges, JSON_MEDIA_TYPE), _get_weight(ranges, EVENT_STREAM_MEDIA_TYPE)
    named = [kind for kind, _ in ranges if kind in (JSON_MEDIA_TYPE, EVENT_STREAM_MEDIA_TYPE)]
    is_first = events == json > 0 and named[:1] == [EVENT_STREAM_MEDIA_TYPE]
    return AcceptedTypes(json > 0, events > 0, prefers_events=events > json or is_first)


@lru_cache(maxsize=256)
def is_json_content_type(header: bytes) -> bool:
    """Whether a Content-Type is JSON in UTF-8."""
    kind, *parameters = [part.strip().lower() for part in header.decode("latin-1").split(";")]
    charsets = [part[8:].strip('"') for part in parameters if part.startswith("charset=")]
    return kind == JSON_MEDIA_TYPE and all(charset in ("utf-8", "utf8") for charset in charsets)


def _parse_media_range(part: str) -> tuple[str, float]:
    kind, *parameters = [piece.strip().lower() for piece in part.split(";")]
    weight = 1.0
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip() == "q":
            try:
                weight = float(value)
            except ValueError:
                weight = 0.0
    return kind, weight


def _get_weight(ranges: list[tuple[str, float]], kind: str) -> float:
    """How much a type is wanted: the most specific range counts."""
    for name in (kind, kind.partition("/")[0] + "/*", "*/*"):
        found = [weight for given, weight in ranges if given == name]
        if found:
            return max(found)
    return 0.0
