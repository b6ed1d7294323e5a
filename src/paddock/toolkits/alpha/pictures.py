"""The pictures of results: fetched all at once, within one budget of number, bytes and time.

What cannot be had in time stays a link. Only what is a picture by its first bytes is passed on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paddock.protocol.model.content import ImageContent
from paddock.toolkits.alpha.fetching import Allowance, Answer, Wanted, fetch_all
from paddock.toolkits.alpha.pieces import Picture

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from paddock.toolkits.alpha.pieces import Piece
    from paddock.toolkits.alpha.places import Places

_GOOD = 200
_TAIL = 16
_KINDS = (
    ("image/png", b"\x89PNG\r\n\x1a\n", b"IEND"),
    ("image/gif", b"GIF8", b";"),
    ("image/jpeg", b"\xff\xd8\xff", b"\xff\xd9"),
)
"""How files of a kind begin, and what stands at their end."""


def fetch_pictures(
    pieces: Iterable[Piece],
    places: Places,
    options: Mapping[str, Any],
    is_cancelled: Callable[[], bool],
) -> dict[str, ImageContent]:
    """The pictures among pieces that could be had, by their URLs."""
    urls = dict.fromkeys(piece.url for piece in pieces if isinstance(piece, Picture))
    chosen = [url for url in urls if places.may_have_picture(url)][: options["MaxImageCount"]]
    if not chosen:
        return {}
    allowance = Allowance(options["MaxImageBytes"])
    wanted = [
        Wanted(url, allowance, follows=places.followed_from(url), is_own=places.is_own)
        for url in chosen
    ]
    answers = fetch_all(wanted, options["ImageTimeConstraint"], is_cancelled)
    found = {}
    for url, answer in zip(chosen, answers, strict=True):
        mime = _mime_of(answer.body) if isinstance(answer, Answer) else ""
        if isinstance(answer, Answer) and answer.status == _GOOD and mime:
            found[url] = ImageContent(answer.body, mime)
    return found


def _mime_of(data: bytes) -> str:
    """What kind of whole picture some data is; nothing for other data, and for uncommon kinds."""
    for mime, start, end in _KINDS:
        if data.startswith(start) and end in data[-_TAIL:]:
            return mime
    return "image/webp" if data[:4] == b"RIFF" and data[8:12] == b"WEBP" else ""
