"""The JSON of the Full Results API as Markdown: pods with headings, their text, or their pictures.

A pod's picture shows the same as its text, so it is taken only where there is no text. The service
gives one object where it could give a list; every list is read so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from paddock.toolkits.alpha.pieces import RemoteImage, ResultPiece

if TYPE_CHECKING:
    from collections.abc import Iterator

INVALID_APP_ID_CODE, MISSING_APP_ID_CODE = "1", "2"
_FENCE = "```"


class FullResult(NamedTuple):
    """What the service has to say."""

    pieces: tuple[ResultPiece, ...] = ()
    """Nothing, when it did not understand the query."""
    suggestions: tuple[str, ...] = ()
    error: str = ""
    is_app_id_wrong: bool = False


def parse_full_results(body: bytes) -> FullResult | None:
    """What an answer says, or nothing when it is no such answer."""
    try:
        found = msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError):
        return None
    result = found.get("queryresult") if isinstance(found, dict) else None
    if not isinstance(result, dict):
        return None
    error = result.get("error")
    if error:
        details = error if isinstance(error, dict) else {}
        code = str(details.get("code", ""))
        return FullResult(
            error=_to_text(details.get("msg")) or "an error without a text",
            is_app_id_wrong=code in (INVALID_APP_ID_CODE, MISSING_APP_ID_CODE),
        )
    return FullResult(tuple(_convert_result(result)), tuple(_list_suggestions(result)))


def _convert_result(result: dict[str, Any]) -> Iterator[ResultPiece]:
    pods = [piece for pod in _to_object_list(result.get("pods")) for piece in _convert_pod(pod)]
    if not pods:
        return
    yield from _describe_assumptions(result)
    yield from pods
    missing = _to_text(result.get("timedout"))
    if missing:
        yield f"Not in time for this answer: {missing}"


def _convert_pod(pod: dict[str, Any]) -> Iterator[ResultPiece]:
    parts = [piece for subpod in _to_object_list(pod.get("subpods")) for piece in _convert_subpod(subpod)]
    if parts:
        yield f"# {_to_text(pod.get('title')) or 'Result'}"
        yield from parts


def _convert_subpod(subpod: dict[str, Any]) -> Iterator[ResultPiece]:
    title, text = _to_text(subpod.get("title")), _to_text(subpod.get("plaintext"))
    image = subpod.get("img")
    url = _to_text(image.get("src")) if isinstance(image, dict) else ""
    code = _to_text(subpod.get("minput"))
    if title and (text or url or code):
        yield f"## {title}"
    if text:
        yield text
    elif url and isinstance(image, dict):
        yield RemoteImage(url, _to_text(image.get("alt")) or _to_text(image.get("title")))
    if code:
        yield f"{_FENCE}wl\n{code}\n{_FENCE}"


def _describe_assumptions(result: dict[str, Any]) -> Iterator[str]:
    """What the service took for granted, and what else could have been meant."""
    for one in _to_object_list(result.get("assumptions")):
        values = [_to_text(value.get("desc")) for value in _to_object_list(one.get("values"))]
        values = [value for value in values if value]
        if values:
            word = f' for "{_to_text(one.get("word"))}"' if one.get("word") else ""
            others = f"; it could be {', '.join(values[1:])}" if values[1:] else ""
            yield f"Assumed{word}: {values[0]}{others}"


def _list_suggestions(result: dict[str, Any]) -> Iterator[str]:
    for one in _to_object_list(result.get("didyoumeans")):
        yield _to_text(one.get("val"))
    for one in _to_object_list(result.get("tips")):
        yield _to_text(one.get("text"))
    for key in ("languagemsg", "futuretopic"):
        for one in _to_object_list(result.get(key)):
            yield _to_text(one.get("english")) or _to_text(one.get("msg"))


def _to_object_list(value: object) -> list[dict[str, Any]]:
    """A list of objects, whether it came as one or as its only element."""
    values = value if isinstance(value, list) else [value]
    return [one for one in values if isinstance(one, dict)]


def _to_text(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""
