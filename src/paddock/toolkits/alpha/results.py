"""Wolfram|Alpha results: parsed from both APIs, and formatted as Markdown with images.

In JSON from the Full Results API, a pod's image shows the same content as its text, so the image is
used only if there is no text. Where the API documents a list, it may return a single object.

Text from the LLM API has sections: a line that ends with a colon, and the lines after it up to a
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
"""Sections that repeat the query and the URL of its page."""
NO_RESULTS_TEXT = "No Results Found"
TIMED_OUT_TEXT = "Request timed out"
TRUNCATION_TEXT = "The rest is omitted because it is too long."


class RemoteImage(NamedTuple):
    """An image in a result that has not been downloaded."""

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
    """The parsed response of the Full Results API, one of the two Wolfram|Alpha APIs."""

    pieces: tuple[ResultPiece, ...] = ()
    """Markdown texts and images, in order. Empty if the service did not understand the query."""
    suggestions: tuple[str, ...] = ()
    """The service's hints for a query that it did not understand."""
    error: str = ""
    """The service's error message, or an empty string."""
    is_app_id_wrong: bool = False


def parse_full_results(body: bytes) -> FullResult | None:
    """Parse a JSON response from the Full Results API.

    Returns None if the response does not have the documented format. No part of the response is
    assumed to have the documented type.
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
    """Yield the pieces of a result: its assumptions, its pods, and a note on missing parts.

    A pod is a titled section of a Wolfram|Alpha result. Without pods, nothing is yielded.
    """
    pods = _to_object_list(result.get("pods"))
    pod_pieces = [piece for pod in pods for piece in _convert_pod(pod)]
    if not pod_pieces:
        return
    yield from _describe_assumptions(result)
    yield from pod_pieces
    missing_parts = _to_text(result.get("timedout"))
    if missing_parts:
        yield f"Not included because of the time limit: {missing_parts}"


def _convert_pod(pod: dict[str, Any]) -> Iterator[ResultPiece]:
    parts = [
        piece for subpod in _to_object_list(pod.get("subpods")) for piece in _convert_subpod(subpod)
    ]
    if parts:
        yield f"# {_to_text(pod.get('title')) or 'Result'}"
        yield from parts


def _convert_subpod(subpod: dict[str, Any]) -> Iterator[ResultPiece]:
    """Yield the title, the text or image, and the Wolfram Language code of a subpod.

    A subpod is one of the results in a section of a Wolfram|Alpha result.
    """
    title, text = _to_text(subpod.get("title")), _to_text(subpod.get("plaintext"))
    image_value = subpod.get("img")
    image = image_value if isinstance(image_value, dict) else {}
    url = _to_text(image.get("src"))
    code = _to_text(subpod.get("minput"))
    if title and (text or url or code):
        yield f"## {title}"
    if text:
        yield text
    # A subpod's image shows the same content as its text, so only one of them is needed.
    elif url:
        yield RemoteImage(url, _to_text(image.get("alt")) or _to_text(image.get("title")))
    if code:
        yield f"{_FENCE}wl\n{code}\n{_FENCE}"


def _describe_assumptions(result: dict[str, Any]) -> Iterator[str]:
    """Yield the service's assumptions, such as `Assumed for "pi": a constant; it could be …`.

    The first value of an assumption is the one that was assumed.
    """
    for assumption in _to_object_list(result.get("assumptions")):
        entries = _to_object_list(assumption.get("values"))
        values = [value for entry in entries if (value := _to_text(entry.get("desc")))]
        if values:
            word = f' for "{_to_text(assumption.get("word"))}"' if assumption.get("word") else ""
            alternatives = f"; it could be {', '.join(values[1:])}" if values[1:] else ""
            yield f"Assumed{word}: {values[0]}{alternatives}"


def _list_suggestions(result: dict[str, Any]) -> Iterator[str]:
    """Yield the hints that the service gives for a query that it did not understand.

    They are similar queries, tips, and messages about other languages and future topics.
    """
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
    """Parse a response from the LLM API into Markdown texts and images.

    Sections are separated by blank lines, and may begin with a heading that ends with a colon.
    Sections that repeat the query or link to the website are omitted.
    """
    pieces: list[ResultPiece] = []
    for block in re.split(r"\n[ \t]*\n", text.replace("\r\n", "\n").strip()):
        lines = block.strip("\n").split("\n")
        if _OMITTED_SECTION_PATTERN.fullmatch(lines[0].strip()):
            continue
        heading = ""
        if _HEADING_PATTERN.fullmatch(lines[0].strip()):
            heading = lines.pop(0).strip().removesuffix(":")
            pieces.append(f"# {heading}")
        pieces += _parse_section(lines, heading)
    return tuple(pieces)


def _parse_section(lines: list[str], heading: str) -> Iterator[ResultPiece]:
    """Yield the texts, images and code of a section in order.

    Consecutive lines of text become one piece. Images have no descriptions, so the section heading
    is used.
    """
    text_lines: list[str] = []
    for line in lines:
        image = _IMAGE_PATTERN.fullmatch(line.strip())
        code = _CODE_PATTERN.fullmatch(line.strip())
        if not image and not code:
            text_lines.append(line.rstrip())
            continue
        if any(text_lines):
            yield "\n".join(text_lines)
        text_lines = []
        if image:
            yield RemoteImage(image[1], heading)
        elif code:
            yield f"{_FENCE}wl\n{code[1]}\n{_FENCE}"
    if any(text_lines):
        yield "\n".join(text_lines)


def format_result(result: QueryResult, max_characters: int) -> list[ResultPiece]:
    """Return a result enclosed in tags that name the query and the URL of its page."""
    query = html.escape(result.query, quote=False).replace("'", "&#39;")
    start = f"<result query='{query}' url='{PAGE_URL}{quote_plus(result.query)}'>"
    return [start, *_truncate_pieces(result.pieces, max_characters), "</result>"]


def build_result_content(
    pieces: Sequence[ResultPiece], images: Mapping[str, ImageContent]
) -> ToolContent:
    """Convert the pieces of results to the content blocks of a tool result.

    Consecutive texts and links become one block. A downloaded image follows the text with its link.

    Args:
        pieces: Markdown texts and images.
        images: The downloaded images, keyed by URL. Other images remain links.
    """
    content: ToolContent = []
    pending_text = ""
    for piece in pieces:
        if isinstance(piece, str):
            pending_text += f"\n\n{piece}"
            continue
        pending_text += f"\n\n{piece.markdown_link}"
        image = images.get(piece.url)
        if image is not None:
            content += [TextContent(pending_text if content else pending_text.lstrip("\n")), image]
            pending_text = ""
    if pending_text:
        content.append(TextContent(pending_text if content else pending_text.lstrip("\n")))
    return content


def join_pieces(pieces: Sequence[ResultPiece]) -> str:
    """Join pieces into one text, with images as links."""
    return "".join(
        item.text for item in build_result_content(pieces, {}) if isinstance(item, TextContent)
    )


def _truncate_pieces(pieces: Iterable[ResultPiece], max_characters: int) -> list[ResultPiece]:
    """Return as many leading pieces as fit, followed by a note if any were left out.

    The first text that does not fit completely is cut.
    """
    fitting_pieces: list[ResultPiece] = []
    remaining = max_characters
    for piece in pieces:
        length = len(piece.markdown_link if isinstance(piece, RemoteImage) else piece)
        if length > remaining:
            if isinstance(piece, str) and remaining:
                fitting_pieces.append(piece[:remaining])
            return [*fitting_pieces, TRUNCATION_TEXT]
        remaining -= length
        fitting_pieces.append(piece)
    return fitting_pieces
