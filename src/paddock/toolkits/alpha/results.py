"""Results of Wolfram|Alpha: parsed from both APIs, and formatted as Markdown with images.

In the JSON of the Full Results API, the image of a pod shows the same as its text, so it is used
only if there is no text. Where the API documents a list, it may return a single object.

The text of the LLM API has sections: a line that ends with a colon, and what follows on it up to a
blank line.
"""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote_plus

import msgspec

from paddock.protocol.content import TextContent

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from paddock.protocol.content import ImageContent
    from paddock.toolkits.tool_options import ToolContent

PAGE_URL = "https://www.wolframalpha.com/input?i="
INVALID_APP_ID_CODE, MISSING_APP_ID_CODE = "1", "2"
_FENCE = "```"
_HEADING_PATTERN = re.compile(r"(?!https?:|image:)[^\n|]{1,120}:")
_IMAGE_PATTERN = re.compile(r"(?:image|\w[\w ]{0,30} image): ?(https?://\S+)", re.IGNORECASE)
_CODE_PATTERN = re.compile(r"Wolfram Language code: ?(\S.*)", re.IGNORECASE)
_OMITTED_SECTION_PATTERN = re.compile(r"(Query|Wolfram\|Alpha website result for .*):", re.DOTALL)
"""Sections that repeat the query, and the URL of its page."""
NO_RESULTS_TEXT = "No Results Found"
TIMED_OUT_TEXT = "Request timed out"
TRUNCATION_TEXT = "The rest is omitted because it is too long."


class RemoteImage(NamedTuple):
    """An image of a result that has not been downloaded."""

    url: str
    alt_text: str

    @property
    def markdown_link(self) -> str:
        """The image as a Markdown link."""
        alt = " ".join(self.alt_text.split()).replace("[", "(").replace("]", ")")
        return f"![{alt or 'Image'}]({self.url})"


ResultPiece = str | RemoteImage
"""Markdown text or an image. Pieces are separated by blank lines."""


class QueryResult(NamedTuple):
    """The result of a query."""

    query: str
    pieces: tuple[ResultPiece, ...]


class FullResult(NamedTuple):
    """The parsed response of the Full Results API."""

    pieces: tuple[ResultPiece, ...] = ()
    """Empty if the service did not understand the query."""
    suggestions: tuple[str, ...] = ()
    error: str = ""
    is_app_id_wrong: bool = False


def parse_full_results(body: bytes) -> FullResult | None:
    """Parse a response of the Full Results API, or return None if it has another form.

    No part of the response is trusted to have the documented type.
    """
    try:
        response = msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError):
        return None
    result = response.get("queryresult") if isinstance(response, dict) else None
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
    """Yield the pieces of all pods, with the assumptions before and missing parts after them."""
    pods = [piece for pod in _to_object_list(result.get("pods")) for piece in _convert_pod(pod)]
    if not pods:
        return
    yield from _describe_assumptions(result)
    yield from pods
    missing = _to_text(result.get("timedout"))
    if missing:
        yield f"Not included because of the time limit: {missing}"


def _convert_pod(pod: dict[str, Any]) -> Iterator[ResultPiece]:
    parts = [
        piece for subpod in _to_object_list(pod.get("subpods")) for piece in _convert_subpod(subpod)
    ]
    if parts:
        yield f"# {_to_text(pod.get('title')) or 'Result'}"
        yield from parts


def _convert_subpod(subpod: dict[str, Any]) -> Iterator[ResultPiece]:
    """Yield the title, the text or image, and the code of a subpod."""
    title, text = _to_text(subpod.get("title")), _to_text(subpod.get("plaintext"))
    image = subpod.get("img")
    url = _to_text(image.get("src")) if isinstance(image, dict) else ""
    code = _to_text(subpod.get("minput"))
    if title and (text or url or code):
        yield f"## {title}"
    if text:
        yield text
    # The image of a subpod shows the same as its text, so only one of them is needed.
    elif url and isinstance(image, dict):
        yield RemoteImage(url, _to_text(image.get("alt")) or _to_text(image.get("title")))
    if code:
        yield f"{_FENCE}wl\n{code}\n{_FENCE}"


def _describe_assumptions(result: dict[str, Any]) -> Iterator[str]:
    """Yield the assumptions of the service, and their alternatives."""
    for assumption in _to_object_list(result.get("assumptions")):
        entries = _to_object_list(assumption.get("values"))
        values = [value for entry in entries if (value := _to_text(entry.get("desc")))]
        if values:
            word = f' for "{_to_text(assumption.get("word"))}"' if assumption.get("word") else ""
            alternatives = f"; it could be {', '.join(values[1:])}" if values[1:] else ""
            yield f"Assumed{word}: {values[0]}{alternatives}"


def _list_suggestions(result: dict[str, Any]) -> Iterator[str]:
    """Yield the hints that the service gives for a query that it did not understand."""
    for entry in _to_object_list(result.get("didyoumeans")):
        yield _to_text(entry.get("val"))
    for entry in _to_object_list(result.get("tips")):
        yield _to_text(entry.get("text"))
    for key in ("languagemsg", "futuretopic"):
        for entry in _to_object_list(result.get(key)):
            yield _to_text(entry.get("english")) or _to_text(entry.get("msg"))


def _to_object_list(value: object) -> list[dict[str, Any]]:
    """Return the objects in a list, or in a value that should have been a list."""
    values = value if isinstance(value, list) else [value]
    return [item for item in values if isinstance(item, dict)]


def _to_text(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""


def parse_llm_text(text: str) -> tuple[ResultPiece, ...]:
    """Parse the text of the LLM API into pieces.

    Blocks are separated by blank lines. A block may begin with a heading that ends with a colon.
    """
    pieces: list[ResultPiece] = []
    for block in re.split(r"\n[ \t]*\n", text.replace("\r\n", "\n").strip()):
        lines = block.strip("\n").split("\n")
        if _OMITTED_SECTION_PATTERN.fullmatch(lines[0].strip()):
            continue
        heading = lines.pop(0).strip()[:-1] if _HEADING_PATTERN.fullmatch(lines[0].strip()) else ""
        if heading:
            pieces.append(f"# {heading}")
        pieces += _parse_section(lines, heading)
    return tuple(pieces)


def _parse_section(lines: list[str], heading: str) -> Iterator[ResultPiece]:
    """Yield the text, images and code of a section.

    Lines of text are collected until an image or code interrupts them. The None after the last line
    ends the text in the same way.
    """
    text: list[str] = []
    for line in [*lines, None]:
        image = _IMAGE_PATTERN.fullmatch(line.strip()) if line is not None else None
        code = _CODE_PATTERN.fullmatch(line.strip()) if line is not None else None
        if line is not None and not image and not code:
            text.append(line.rstrip())
            continue
        if any(text):
            yield "\n".join(text)
        text = []
        if image:
            yield RemoteImage(image[1], heading)
        elif code:
            yield f"{_FENCE}wl\n{code[1]}\n{_FENCE}"


def format_result(result: QueryResult, max_characters: int) -> list[ResultPiece]:
    """Return a result between tags that name the query and the URL of its page."""
    query = html.escape(result.query, quote=False).replace("'", "&#39;")
    start = f"<result query='{query}' url='{PAGE_URL}{quote_plus(result.query)}'>"
    return [start, *_truncate_pieces(result.pieces, max_characters), "</result>"]


def build_result_content(
    pieces: Sequence[ResultPiece], images: Mapping[str, ImageContent]
) -> ToolContent:
    """Convert pieces to content blocks.

    Adjacent text becomes one block. A downloaded image follows the text with its link.
    """
    content: ToolContent = []
    text = ""
    for piece in pieces:
        text += f"\n\n{piece.markdown_link if isinstance(piece, RemoteImage) else piece}"
        image = images.get(piece.url) if isinstance(piece, RemoteImage) else None
        if image is not None:
            content += [TextContent(text if content else text.lstrip("\n")), image]
            text = ""
    if text:
        content.append(TextContent(text if content else text.lstrip("\n")))
    return content


def join_pieces(pieces: Sequence[ResultPiece]) -> str:
    """Return pieces as one text, with images as links."""
    return "".join(
        item.text for item in build_result_content(pieces, {}) if isinstance(item, TextContent)
    )


def _truncate_pieces(pieces: Iterable[ResultPiece], max_characters: int) -> list[ResultPiece]:
    """Return the first pieces that fit, and a note if others do not.

    A text that does not fit completely is cut; an image is omitted.
    """
    fitting: list[ResultPiece] = []
    for piece in pieces:
        length = len(piece.markdown_link if isinstance(piece, RemoteImage) else piece)
        if length > max_characters:
            if isinstance(piece, str) and max_characters:
                fitting.append(piece[:max_characters])
            return [*fitting, TRUNCATION_TEXT]
        max_characters -= length
        fitting.append(piece)
    return fitting
