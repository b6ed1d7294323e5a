"""What a result is made of, whichever service it came from: text and pictures, in their order.

The JSON of the Full Results API as Markdown: pods with headings, their text, or their pictures.

A pod's picture shows the same as its text, so it is taken only where there is no text. The service
gives one object where it could give a list; every list is read so.

The text of the LLM API as Markdown: its sections with headings, its pictures as such.

The text has sections, each a line that ends with a colon and what follows on it up to a blank line.

Results as a model reads them: blocks of Markdown, with pictures where they belong.
"""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from paddock.protocol.content import ImageContent, TextContent
from paddock.toolkits.alpha.service_urls import get_page_url

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence


class RemoteImage(NamedTuple):
    """A picture that is still where the service has it."""

    url: str
    alt_text: str

    @property
    def markdown_link(self) -> str:
        """The picture in Markdown."""
        alt = " ".join(self.alt_text.split()).replace("[", "(").replace("]", ")")
        return f"![{alt or 'Image'}]({self.url})"


ResultPiece = str | RemoteImage
"""Markdown, or a picture. Pieces are separated by blank lines."""


class QueryResult(NamedTuple):
    """What Wolfram|Alpha says about a query."""

    query: str
    pieces: tuple[ResultPiece, ...]


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
    parts = [
        piece for subpod in _to_object_list(pod.get("subpods")) for piece in _convert_subpod(subpod)
    ]
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


_HEADING_PATTERN = re.compile(r"(?!https?:|image:)[^\n|]{1,120}:")
_IMAGE_PATTERN = re.compile(r"(?:image|\w[\w ]{0,30} image): ?(https?://\S+)", re.IGNORECASE)
_CODE_PATTERN = re.compile(r"Wolfram Language code: ?(\S.*)", re.IGNORECASE)
_OMITTED_SECTION_PATTERN = re.compile(r"(Query|Wolfram\|Alpha website result for .*):", re.DOTALL)
"""The query is known, and so is the address of its page."""


def parse_llm_text(text: str) -> tuple[ResultPiece, ...]:
    """The pieces of an answer."""
    found: list[ResultPiece] = []
    for block in re.split(r"\n[ \t]*\n", text.replace("\r\n", "\n").strip()):
        lines = block.strip("\n").split("\n")
        if _OMITTED_SECTION_PATTERN.fullmatch(lines[0].strip()):
            continue
        heading = lines.pop(0).strip()[:-1] if _HEADING_PATTERN.fullmatch(lines[0].strip()) else ""
        if heading:
            found.append(f"# {heading}")
        found += _parse_section(lines, heading)
    return tuple(found)


def _parse_section(lines: list[str], heading: str) -> Iterator[ResultPiece]:
    text: list[str] = []
    for line in [*lines, None]:
        picture = _IMAGE_PATTERN.fullmatch(line.strip()) if line is not None else None
        code = _CODE_PATTERN.fullmatch(line.strip()) if line is not None else None
        if line is not None and not picture and not code:
            text.append(line.rstrip())
            continue
        if "".join(text).strip():
            yield "\n".join(text)
        text = []
        if picture:
            yield RemoteImage(picture[1], heading)
        elif code:
            yield f"```wl\n{code[1]}\n```"


ToolContent = list[TextContent | ImageContent]
NO_RESULTS_TEXT = "No Results Found"
TIMED_OUT_TEXT = "Request timed out"
TRUNCATION_TEXT = "The rest is left out, because it is too long."


def format_result(result: QueryResult, most_characters: int) -> list[ResultPiece]:
    """A result between tags that say what was asked and where a person sees it."""
    query = escape_query(result.query)
    start = f"<result query='{query}' url='{get_page_url(result.query)}'>"
    return [start, *_truncate_pieces(result.pieces, most_characters), "</result>"]


def escape_query(query: str) -> str:
    """A query as it may stand in an attribute."""
    return html.escape(query, quote=False).replace("'", "&#39;")


def build_result_content(
    pieces: Sequence[ResultPiece], pictures: Mapping[str, ImageContent]
) -> ToolContent:
    """Pieces as a client gets them; a picture follows on its link."""
    found: ToolContent = []
    text = ""
    for piece in pieces:
        text += f"\n\n{piece.markdown_link if isinstance(piece, RemoteImage) else piece}"
        picture = pictures.get(piece.url) if isinstance(piece, RemoteImage) else None
        if picture is not None:
            found += [TextContent(text if found else text.lstrip("\n")), picture]
            text = ""
    if text:
        found.append(TextContent(text if found else text.lstrip("\n")))
    return found


def join_pieces(pieces: Sequence[ResultPiece]) -> str:
    """Pieces as one text, with pictures as links."""
    return "".join(
        item.text for item in build_result_content(pieces, {}) if isinstance(item, TextContent)
    )


def _truncate_pieces(pieces: Iterable[ResultPiece], most: int) -> list[ResultPiece]:
    """The pieces from the beginning for which there is room."""
    kept: list[ResultPiece] = []
    for piece in pieces:
        most -= len(piece.markdown_link if isinstance(piece, RemoteImage) else piece)
        if most < 0:
            shown = piece[: most + len(piece)] if isinstance(piece, str) else ""
            return [*kept, *([shown] if shown else []), TRUNCATION_TEXT]
        kept.append(piece)
    return kept
