"""Which `*`, `_` and `~~` of a text open and close something, by the rules of CommonMark."""

from __future__ import annotations

import unicodedata
from typing import NamedTuple

_MAX_OPENERS = 60
"""How many open signs are looked at for the partner of one that closes."""


class DelimiterRun:
    """A row of equal signs, and what it can do where it stands."""

    __slots__ = ("can_close", "can_open", "left", "length", "place", "sign")

    def __init__(self, sign: str, length: int, place: int, before: str, after: str) -> None:
        self.sign = sign
        self.length = self.left = length
        self.place = place
        """Which of the pieces of the text it is."""
        opens, closes = _is_flanking(before, after), _is_flanking(after, before)
        if sign == "_":
            self.can_open = opens and (not closes or _is_punctuation(before))
            self.can_close = closes and (not opens or _is_punctuation(after))
        else:
            self.can_open, self.can_close = opens, closes


class EmphasisSpan(NamedTuple):
    """What lies between two signs that belong together."""

    begin: int
    end: int
    style_name: str
    """`is_bold`, `is_italic` or `is_struck`."""


def find_emphasis(signs: list[DelimiterRun]) -> list[EmphasisSpan]:
    """Pairs of signs; `left` of each says how many of its characters are mere text."""
    found: list[EmphasisSpan] = []
    open_signs: list[DelimiterRun] = []
    for sign in signs:
        while sign.can_close and sign.left:
            at = _find_opener(open_signs, sign)
            if at is None:
                break
            opener = open_signs[at]
            del open_signs[at + 1 :]
            size = _get_match_length(opener, sign)
            found.append(EmphasisSpan(opener.place, sign.place, _get_style_name(sign.sign, size)))
            opener.left -= size
            sign.left -= size
            if not opener.left:
                open_signs.pop()
        if sign.can_open and sign.left:
            open_signs.append(sign)
    return found


def _get_match_length(opener: DelimiterRun, closer: DelimiterRun) -> int:
    return 2 if min(opener.left, closer.left) > 1 else 1


def _get_style_name(sign: str, size: int) -> str:
    if sign == "~":
        return "is_struck"
    return "is_bold" if size == 2 else "is_italic"


def _find_opener(open_signs: list[DelimiterRun], closer: DelimiterRun) -> int | None:
    for at in range(len(open_signs) - 1, max(-1, len(open_signs) - _MAX_OPENERS - 1), -1):
        opener = open_signs[at]
        if opener.sign == closer.sign and _can_pair(opener, closer):
            return at
    return None


def _can_pair(opener: DelimiterRun, closer: DelimiterRun) -> bool:
    if closer.sign == "~":
        return opener.left == closer.left == 2
    if not (opener.can_close or closer.can_open):
        return True
    # CommonMark, emphasis, rules 9 and 10.
    return (opener.length + closer.length) % 3 != 0 or (
        opener.length % 3 == 0 and closer.length % 3 == 0
    )


def _is_flanking(outside: str, inside: str) -> bool:
    """Whether signs between these characters hold to what is inside."""
    if not inside or inside.isspace():
        return False
    return (
        not _is_punctuation(inside) or not outside or outside.isspace() or _is_punctuation(outside)
    )


def _is_punctuation(letter: str) -> bool:
    return bool(letter) and unicodedata.category(letter)[0] in "PS"
