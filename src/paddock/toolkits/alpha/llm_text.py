"""The text of the LLM API as Markdown: its sections with headings, its pictures as such.

The text has sections, each a line that ends with a colon and what follows on it up to a blank line.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from paddock.toolkits.alpha.pieces import Picture, Piece

if TYPE_CHECKING:
    from collections.abc import Iterator

_HEADING = re.compile(r"(?!https?:|image:)[^\n|]{1,120}:")
_PICTURE = re.compile(r"(?:image|\w[\w ]{0,30} image): ?(https?://\S+)", re.IGNORECASE)
_CODE = re.compile(r"Wolfram Language code: ?(\S.*)", re.IGNORECASE)
_LEFT_OUT = re.compile(r"(Query|Wolfram\|Alpha website result for .*):", re.DOTALL)
"""The query is known, and so is the address of its page."""


def read_llm_text(text: str) -> tuple[Piece, ...]:
    """The pieces of an answer."""
    found: list[Piece] = []
    for block in re.split(r"\n[ \t]*\n", text.replace("\r\n", "\n").strip()):
        lines = block.strip("\n").split("\n")
        if _LEFT_OUT.fullmatch(lines[0].strip()):
            continue
        heading = lines.pop(0).strip()[:-1] if _HEADING.fullmatch(lines[0].strip()) else ""
        if heading:
            found.append(f"# {heading}")
        found += _body(lines, heading)
    return tuple(found)


def _body(lines: list[str], heading: str) -> Iterator[Piece]:
    text: list[str] = []
    for line in [*lines, None]:
        picture = _PICTURE.fullmatch(line.strip()) if line is not None else None
        code = _CODE.fullmatch(line.strip()) if line is not None else None
        if line is not None and not picture and not code:
            text.append(line.rstrip())
            continue
        if "".join(text).strip():
            yield "\n".join(text)
        text = []
        if picture:
            yield Picture(picture[1], heading)
        elif code:
            yield f"```wl\n{code[1]}\n```"
