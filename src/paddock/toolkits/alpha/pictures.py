"""The pictures of results: fetched all at once, within one budget of number, bytes and time.

What cannot be had in time stays a link. Only what is a picture by its first bytes is passed on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paddock.protocol.model.content import ImageContent
from paddock.toolkits.alpha.fetching import ByteBudget, FetchResponse, FetchRequest, fetch_all
from paddock.toolkits.alpha.pieces import RemoteImage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from paddock.toolkits.alpha.pieces import ResultPiece
    from paddock.toolkits.alpha.places import ServiceUrls

_HTTP_OK = 200
_TAIL_BYTES = 16
_IMAGE_SIGNATURES = (
    ("image/png", b"\x89PNG\r\n\x1a\n", b"IEND"),
    ("image/gif", b"GIF8", b";"),
    ("image/jpeg", b"\xff\xd8\xff", b"\xff\xd9"),
)
"""How files of a kind begin, and what stands at their end."""


def fetch_images(
    pieces: Iterable[ResultPiece],
    places: ServiceUrls,
    options: Mapping[str, Any],
    is_cancelled: Callable[[], bool],
) -> dict[str, ImageContent]:
    """The pictures among pieces that could be had, by their URLs."""
    urls = dict.fromkeys(piece.url for piece in pieces if isinstance(piece, RemoteImage))
    chosen = [url for url in urls if places.allows_image(url)][: options["MaxImageCount"]]
    if not chosen:
        return {}
    allowance = ByteBudget(options["MaxImageBytes"])
    wanted = [
        FetchRequest(url, allowance, allows_redirect=places.get_redirect_rule(url), is_configured_url=places.is_configured_url)
        for url in chosen
    ]
    answers = fetch_all(wanted, options["ImageTimeConstraint"], is_cancelled)
    found = {}
    for url, answer in zip(chosen, answers, strict=True):
        mime = _detect_image_type(answer.body) if isinstance(answer, FetchResponse) else ""
        if isinstance(answer, FetchResponse) and answer.status == _HTTP_OK and mime:
            found[url] = ImageContent(answer.body, mime)
    return found


def _detect_image_type(data: bytes) -> str:
    """What kind of whole picture some data is; nothing for other data, and for uncommon kinds."""
    for mime, start, end in _IMAGE_SIGNATURES:
        if data.startswith(start) and end in data[-_TAIL_BYTES:]:
            return mime
    return "image/webp" if data[:4] == b"RIFF" and data[8:12] == b"WEBP" else ""
