"""How a value is shown: as pictures, as Markdown, or as text.

Notebooks have methods for that (`_repr_png_` and others), which many libraries offer; data frames
become tables that are short enough to be read.
"""

from __future__ import annotations

import sys

from paddock.kernels.interpreters.python.figures import render_figure
from paddock.kernels.interpreters.python.tables import format_data_frame
from paddock.kernels.worker.interpreter import ImageValue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_IMAGE_METHODS = (
    ("_repr_png_", "image/png", b"\x89PNG"),
    ("_repr_jpeg_", "image/jpeg", b"\xff\xd8"),
    ("_repr_svg_", "image/svg+xml", b""),
)
"""Methods, what they give, and how that begins: a client may end a talk over what is no picture."""
_MAX_LINE_CHARACTERS = 100
_MAX_PRETTY_CHARACTERS = 20_000


def iter_display_parts(value: object) -> Iterator[str | ImageValue]:
    """The pictures that a value is shown as, and one text at most."""
    table = format_data_frame(value)
    if table is not None:
        yield table
        return
    if _is_figure(value):
        yield render_figure(value)
        return
    bundle = _get_mime_bundle(value)
    picture = _get_image(value, bundle)
    if picture is not None:
        yield picture
    else:
        yield _get_markdown(value, bundle) or _format_text(value)


def _is_figure(value: object) -> bool:
    figure: Any = sys.modules.get("matplotlib.figure")
    return figure is not None and isinstance(value, figure.Figure)


def _get_image(value: object, bundle: dict[str, Any]) -> ImageValue | None:
    for method, mime, beginning in _IMAGE_METHODS:
        data = bundle.get(mime)
        if data is None:
            data = _call_method(value, method)
        if isinstance(data, tuple) and data:  # with metadata
            data = data[0]
        if isinstance(data, str):
            data = data.encode() if mime == "image/svg+xml" else _decode_base64(data)
        if isinstance(data, bytes) and data and data.startswith(beginning):
            return ImageValue(data, mime)
    return None


def _decode_base64(data: str) -> bytes:
    import base64  # noqa: PLC0415 - seldom

    return base64.b64decode(data)


def _get_markdown(value: object, bundle: dict[str, Any]) -> str | None:
    for mime, method in (("text/markdown", "_repr_markdown_"), ("text/latex", "")):
        text = bundle.get(mime) or (_call_method(value, method) if method else None)
        if isinstance(text, tuple) and text:
            text = text[0]
        if isinstance(text, str) and text:
            return text
    return None


def _format_text(value: object) -> str:
    text = repr(value)
    if type(value) in (dict, list, tuple, set, frozenset) and _MAX_LINE_CHARACTERS < len(text) < _MAX_PRETTY_CHARACTERS:
        import pprint  # noqa: PLC0415 - seldom

        return pprint.pformat(value, width=_MAX_LINE_CHARACTERS, sort_dicts=False)
    if text.startswith("<") and " object at 0x" in text:  # which says nothing
        html = _call_method(value, "_repr_html_")
        if isinstance(html, str) and html:
            from html.parser import HTMLParser  # noqa: PLC0415 - seldom

            return _strip_tags(html, HTMLParser) or text
    return text


def _strip_tags(html: str, parser: Any) -> str:
    """The text of some HTML."""
    pieces: list[str] = []

    class HtmlTextExtractor(parser):  # type: ignore[misc]  # it is imported when it is needed
        hidden = 0

        def handle_starttag(self, tag: str, attrs: object) -> None:
            self.hidden += tag in ("style", "script")
            if tag in ("br", "p", "div", "tr", "li", "h1", "h2", "h3", "h4"):
                pieces.append("\n")
            elif tag in ("td", "th"):
                pieces.append(" ")

        def handle_endtag(self, tag: str) -> None:
            self.hidden -= tag in ("style", "script")

        def handle_data(self, data: str) -> None:
            if self.hidden <= 0:
                pieces.append(_collapse_spaces(data))

    HtmlTextExtractor().feed(html)
    lines = [line.strip() for line in "".join(pieces).splitlines()]
    return "\n".join(line for line in lines if line)


def _collapse_spaces(text: str) -> str:
    """The text with single spaces."""
    words = " ".join(text.split())
    before = " " if text[:1].isspace() else ""
    return before + words + (" " if words and text[-1:].isspace() else "")


def _get_mime_bundle(value: object) -> dict[str, Any]:
    found = _call_method(value, "_repr_mimebundle_")
    if isinstance(found, tuple) and found:
        found = found[0]
    return found if isinstance(found, dict) else {}


def _call_method(value: object, name: str) -> Any:
    """What a method gives that a value's class may have; None when it fails."""
    if isinstance(value, type):
        return None
    method = getattr(type(value), name, None)
    if method is None:
        return None
    try:
        return method(value)
    except Exception:  # noqa: BLE001 - then it is shown in another way
        return None
