"""Which `*`, `_` and `~~` of a text open and close something, by the rules of CommonMark.

What is inside a paragraph of markdown: emphasis, code, formulas, links, and text.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, NamedTuple

from paddock.wolfram.notebooks.model import TextRun, TextStyle, merge_runs

if TYPE_CHECKING:
    from collections.abc import Callable


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


_TARGET = r"<[^<>\n]*+>|[^\s()<]*+(?:\([^\s()]*+\)[^\s()]*+)*+"
_TITLE = r"""(?:\s+(?:"[^"]*+"|'[^']*+'))?"""
_BRACKETED = r"\[(?:[^\[\]\\]|\\.)*+\]"
_INNER = rf"(?:[^\[\]\\`$]|\\.|`++[^`]++`++|\$[^$\n]*+\$|{_BRACKETED})*+"
LINK_PATTERN = re.compile(rf"\[({_INNER})\]\(\s*+({_TARGET}){_TITLE}\s*+\)", re.DOTALL)
IMAGE_PATTERN = re.compile(
    rf"!\[(?:[^\[\]\\]|\\.|{_BRACKETED})*+\]\(\s*+(?:{_TARGET}){_TITLE}\s*+\)"
)
AUTOLINK_PATTERN = re.compile(r"<((?:https?|ftp|mailto|paclet):[^\s<>]*+)>")
_TEX = r"(?:[^$\\]|\\.)++(?<=\S)"
FORMULA_PATTERN = re.compile(rf"\$\$(?=\S)({_TEX})\$\$|\$(?=[^\s$])({_TEX})\$(?!\d)", re.DOTALL)
_SPECIAL_CHARACTERS = re.compile(
    r"\\[!-/:-@\[-`{-~]|\\\n[ \t]*|[ ]{2,}\n[ \t]*|[ \t]*\n[ \t]*|`+|\$|!\[|\[|<|\*+|_+|~+"
)


def parse_inline(text: str, *, has_links: bool = True) -> list[TextRun]:
    """The runs of a paragraph."""
    return _InlineParser(text, has_links=has_links).parse()


class _InlineParser:
    def __init__(self, text: str, *, has_links: bool) -> None:
        self._text = text
        self._has_links = has_links
        self._runs: list[TextRun] = []
        self._delimiter_runs: list[DelimiterRun] = []
        self._tick_positions: dict[int, list[int]] | None = None

    def parse(self) -> list[TextRun]:
        text, at = self._text, 0
        while (found := _SPECIAL_CHARACTERS.search(text, at)) is not None:
            self._add_text(text[at : found.start()])
            at = self._parse_special(found)
        self._add_text(text[at:])
        return merge_runs(self._apply_emphasis())

    def _add_text(self, text: str) -> None:
        if text:
            self._runs.append(TextRun(text))

    def _parse_special(self, found: re.Match[str]) -> int:
        """Take what begins here, and say where it ends."""
        sign = found[0]
        if "\n" in sign:
            self._add_text("\n" if sign[0] == "\\" or sign.startswith("  ") else " ")
            return found.end()
        if sign[0] == "\\":
            self._add_text(sign[1])
            return found.end()
        take = _INLINE_PARSERS.get(sign[0])
        end = take(self, found) if take is not None else None
        if end is None:
            self._add_text(sign)
            end = found.end()
        return end

    def parse_code(self, found: re.Match[str]) -> int | None:
        """Code between equal numbers of back ticks."""
        end = self._find_closing_ticks(len(found[0]), found.end())
        if end is None:
            return None
        inner = self._text[found.end() : end].replace("\n", " ")
        if inner.startswith(" ") and inner.endswith(" ") and inner.strip():
            inner = inner[1:-1]
        self._runs.append(TextRun(inner, "code"))
        return end + len(found[0])

    def _find_closing_ticks(self, length: int, start: int) -> int | None:
        if self._tick_positions is None:
            self._tick_positions = {}
            for row in re.finditer("`+", self._text):
                self._tick_positions.setdefault(len(row[0]), []).append(row.start())
            for places in self._tick_positions.values():
                places.reverse()
        places = self._tick_positions.get(length, [])
        while places and places[-1] < start:
            places.pop()
        return places[-1] if places else None

    def parse_formula(self, found: re.Match[str]) -> int | None:
        formula = FORMULA_PATTERN.match(self._text, found.start())
        if formula is None:
            return None
        self._runs.append(TextRun(" ".join((formula[1] or formula[2]).split("\n")), "formula"))
        return formula.end()

    def parse_image(self, found: re.Match[str]) -> int | None:
        picture = IMAGE_PATTERN.match(self._text, found.start())
        if picture is None:
            return None
        self._runs.append(TextRun(picture[0], "raw"))
        return picture.end()

    def parse_link(self, found: re.Match[str]) -> int | None:
        link = LINK_PATTERN.match(self._text, found.start()) if self._has_links else None
        if link is None or not link[1].strip() or link[2] in ("", "<>"):
            return None
        target = link[2][1:-1] if link[2].startswith("<") else link[2]
        for run in parse_inline(link[1], has_links=False):
            self._runs.append(run._replace(style=run.style._replace(link=target)))
        return link.end()

    def parse_autolink(self, found: re.Match[str]) -> int | None:
        link = AUTOLINK_PATTERN.match(self._text, found.start()) if self._has_links else None
        if link is None:
            return None
        self._runs.append(TextRun(link[1], "text", TextStyle(link=link[1])))
        return link.end()

    def parse_emphasis(self, found: re.Match[str]) -> int | None:
        sign, text = found[0], self._text
        before = text[found.start() - 1 : found.start()] if found.start() else ""
        after = text[found.end() : found.end() + 1]
        self._delimiter_runs.append(
            DelimiterRun(sign[0], len(sign), len(self._runs), before, after)
        )
        self._runs.append(TextRun(sign))
        return found.end()

    def _apply_emphasis(self) -> list[TextRun]:
        found = find_emphasis(self._delimiter_runs)
        for sign in self._delimiter_runs:
            self._runs[sign.place] = TextRun(sign.sign * sign.left)
        return _apply_styles(self._runs, found)


def _apply_styles(pieces: list[TextRun], found: list[EmphasisSpan]) -> list[TextRun]:
    """Give each piece the looks of all stretches that it lies in."""
    changes: dict[int, list[tuple[str, int]]] = {}
    for stretch in found:
        changes.setdefault(stretch.begin + 1, []).append((stretch.style_name, 1))
        changes.setdefault(stretch.end, []).append((stretch.style_name, -1))
    if not changes:
        return pieces
    depth = {"is_bold": 0, "is_italic": 0, "is_struck": 0}
    runs = []
    for place, piece in enumerate(pieces):
        for name, step in changes.get(place, ()):
            depth[name] += step
        runs.append(piece._replace(style=_merge_style(piece.style, depth)))
    return runs


def _merge_style(look: TextStyle, depth: dict[str, int]) -> TextStyle:
    return TextStyle(
        look.is_bold or depth["is_bold"] > 0,
        look.is_italic or depth["is_italic"] > 0,
        look.is_struck or depth["is_struck"] > 0,
        look.link,
    )


_INLINE_PARSERS: dict[str, Callable[[_InlineParser, re.Match[str]], int | None]] = {
    "`": _InlineParser.parse_code,
    "$": _InlineParser.parse_formula,
    "!": _InlineParser.parse_image,
    "[": _InlineParser.parse_link,
    "<": _InlineParser.parse_autolink,
    "*": _InlineParser.parse_emphasis,
    "_": _InlineParser.parse_emphasis,
    "~": _InlineParser.parse_emphasis,
}
