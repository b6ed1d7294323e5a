"""What was found as Markdown that fits a budget: title, where it is from, text."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paddock.docsearch.page import PageHit

MAX_ANSWER_CHARACTERS = 12_000
"""Characters of an answer, unless the caller says otherwise."""
MIN_EXCERPT_CHARACTERS = 80
"""Characters of a text that is cut; below it the page is left out."""
TRUNCATION_MARK = " …"


def format_hits(hits: Sequence[PageHit], budget: int = MAX_ANSWER_CHARACTERS) -> str:
    """Pages below each other; texts are cut, and the last pages left out, where they do not fit.

    An early page may take what later ones leave, and each takes at most a fair share first.
    """
    parts: list[str] = []
    left = budget
    for place, hit in enumerate(hits):
        head = f"<result url='{_escape_attribute(hit.source)}'>\n\n# {_collapse_whitespace(hit.title)}\n\n"
        tail = "\n\n</result>"
        joint = 2 if parts else 0
        room = left - joint - len(head) - len(tail)
        waiting = len(hits) - place - 1
        fair = max(room // (waiting + 1), min(room, MIN_EXCERPT_CHARACTERS * 4)) if waiting else room
        text = _truncate_text(hit.text.strip(), max(fair, room - _count_characters(hits[place + 1 :])))
        if room < min(MIN_EXCERPT_CHARACTERS, len(hit.text)):
            break
        parts.append(head + text + tail)
        left -= joint + len(parts[-1])
    return "\n\n".join(parts)


def _count_characters(hits: Sequence[PageHit]) -> int:
    """Characters that pages would take if none were cut."""
    return sum(len(hit.text) + len(hit.title) + len(hit.source) + 40 for hit in hits)


def _truncate_text(text: str, room: int) -> str:
    """The beginning of a text, up to the end of a line or word; an open fence is closed."""
    if len(text) <= room:
        return text
    closing = "\n```"
    kept = text[: max(room - len(TRUNCATION_MARK) - len(closing), 0)]
    for sign in ("\n", " "):
        end = kept.rfind(sign)
        if end > len(kept) * 3 // 4:
            kept = kept[:end]
            break
    is_open = kept.count("```") % 2 == 1
    return kept.rstrip() + TRUNCATION_MARK + (closing if is_open else "")


def _collapse_whitespace(text: str) -> str:
    return " ".join(text.split())


def _escape_attribute(text: str) -> str:
    return _collapse_whitespace(text).replace("'", "%27")
