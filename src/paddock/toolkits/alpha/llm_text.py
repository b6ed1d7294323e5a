"""The text of the LLM API as Markdown: its sections with headings, its pictures as such.

The text has sections, each a line that ends with a colon and what follows on it up to a blank line.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from paddock.toolkits.alpha.pieces import RemoteImage, ResultPiece

if TYPE_CHECKING:
    from collections.abc import Iterator

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
