"""What is inside a paragraph of markdown: emphasis, code, formulas, links, and text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from paddock.wolfram.notebooks.emphasis import Sign, stretches
from paddock.wolfram.notebooks.runs import Look, Run, joined

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.wolfram.notebooks.emphasis import Stretch

_TARGET = r"<[^<>\n]*+>|[^\s()<]*+(?:\([^\s()]*+\)[^\s()]*+)*+"
_TITLE = r"""(?:\s+(?:"[^"]*+"|'[^']*+'))?"""
_BRACKETED = r"\[(?:[^\[\]\\]|\\.)*+\]"
_INNER = rf"(?:[^\[\]\\`$]|\\.|`++[^`]++`++|\$[^$\n]*+\$|{_BRACKETED})*+"
LINK = re.compile(rf"\[({_INNER})\]\(\s*+({_TARGET}){_TITLE}\s*+\)", re.DOTALL)
PICTURE = re.compile(rf"!\[(?:[^\[\]\\]|\\.|{_BRACKETED})*+\]\(\s*+(?:{_TARGET}){_TITLE}\s*+\)")
AUTOMATIC = re.compile(r"<((?:https?|ftp|mailto|paclet):[^\s<>]*+)>")
_TEX = r"(?:[^$\\]|\\.)++(?<=\S)"
FORMULA = re.compile(rf"\$\$(?=\S)({_TEX})\$\$|\$(?=[^\s$])({_TEX})\$(?!\d)", re.DOTALL)
_SPECIAL = re.compile(
    r"\\[!-/:-@\[-`{-~]|\\\n[ \t]*|[ ]{2,}\n[ \t]*|[ \t]*\n[ \t]*|`+|\$|!\[|\[|<|\*+|_+|~+"
)


def spans(text: str, *, has_links: bool = True) -> list[Run]:
    """The runs of a paragraph."""
    return _Spans(text, has_links=has_links).read()


class _Spans:
    def __init__(self, text: str, *, has_links: bool) -> None:
        self._text = text
        self._has_links = has_links
        self._pieces: list[Run] = []
        self._signs: list[Sign] = []
        self._ticks: dict[int, list[int]] | None = None

    def read(self) -> list[Run]:
        text, at = self._text, 0
        while (found := _SPECIAL.search(text, at)) is not None:
            self._add(text[at : found.start()])
            at = self._take(found)
        self._add(text[at:])
        return joined(self._with_looks())

    def _add(self, text: str) -> None:
        if text:
            self._pieces.append(Run(text))

    def _take(self, found: re.Match[str]) -> int:
        """Take what begins here, and say where it ends."""
        sign = found[0]
        if "\n" in sign:
            self._add("\n" if sign[0] == "\\" or sign.startswith("  ") else " ")
            return found.end()
        if sign[0] == "\\":
            self._add(sign[1])
            return found.end()
        take = _TAKERS.get(sign[0])
        end = take(self, found) if take is not None else None
        if end is None:
            self._add(sign)
            end = found.end()
        return end

    def code(self, found: re.Match[str]) -> int | None:
        """Code between equal numbers of back ticks."""
        end = self._closing_ticks(len(found[0]), found.end())
        if end is None:
            return None
        inner = self._text[found.end() : end].replace("\n", " ")
        if inner.startswith(" ") and inner.endswith(" ") and inner.strip():
            inner = inner[1:-1]
        self._pieces.append(Run(inner, "code"))
        return end + len(found[0])

    def _closing_ticks(self, length: int, start: int) -> int | None:
        if self._ticks is None:
            self._ticks = {}
            for row in re.finditer("`+", self._text):
                self._ticks.setdefault(len(row[0]), []).append(row.start())
            for places in self._ticks.values():
                places.reverse()
        places = self._ticks.get(length, [])
        while places and places[-1] < start:
            places.pop()
        return places[-1] if places else None

    def formula(self, found: re.Match[str]) -> int | None:
        formula = FORMULA.match(self._text, found.start())
        if formula is None:
            return None
        self._pieces.append(Run(" ".join((formula[1] or formula[2]).split("\n")), "formula"))
        return formula.end()

    def picture(self, found: re.Match[str]) -> int | None:
        picture = PICTURE.match(self._text, found.start())
        if picture is None:
            return None
        self._pieces.append(Run(picture[0], "raw"))
        return picture.end()

    def link(self, found: re.Match[str]) -> int | None:
        link = LINK.match(self._text, found.start()) if self._has_links else None
        if link is None or not link[1].strip() or link[2] in ("", "<>"):
            return None
        target = link[2][1:-1] if link[2].startswith("<") else link[2]
        for run in spans(link[1], has_links=False):
            self._pieces.append(run._replace(look=run.look._replace(link=target)))
        return link.end()

    def automatic(self, found: re.Match[str]) -> int | None:
        link = AUTOMATIC.match(self._text, found.start()) if self._has_links else None
        if link is None:
            return None
        self._pieces.append(Run(link[1], "text", Look(link=link[1])))
        return link.end()

    def emphasis(self, found: re.Match[str]) -> int | None:
        sign, text = found[0], self._text
        before = text[found.start() - 1 : found.start()] if found.start() else ""
        after = text[found.end() : found.end() + 1]
        self._signs.append(Sign(sign[0], len(sign), len(self._pieces), before, after))
        self._pieces.append(Run(sign))
        return found.end()

    def _with_looks(self) -> list[Run]:
        found = stretches(self._signs)
        for sign in self._signs:
            self._pieces[sign.place] = Run(sign.sign * sign.left)
        return _apply(self._pieces, found)


def _apply(pieces: list[Run], found: list[Stretch]) -> list[Run]:
    """Give each piece the looks of all stretches that it lies in."""
    changes: dict[int, list[tuple[str, int]]] = {}
    for stretch in found:
        changes.setdefault(stretch.begin + 1, []).append((stretch.look, 1))
        changes.setdefault(stretch.end, []).append((stretch.look, -1))
    if not changes:
        return pieces
    depth = {"is_bold": 0, "is_italic": 0, "is_struck": 0}
    runs = []
    for place, piece in enumerate(pieces):
        for name, step in changes.get(place, ()):
            depth[name] += step
        runs.append(piece._replace(look=_with(piece.look, depth)))
    return runs


def _with(look: Look, depth: dict[str, int]) -> Look:
    return Look(
        look.is_bold or depth["is_bold"] > 0,
        look.is_italic or depth["is_italic"] > 0,
        look.is_struck or depth["is_struck"] > 0,
        look.link,
    )


_TAKERS: dict[str, Callable[[_Spans, re.Match[str]], int | None]] = {
    "`": _Spans.code,
    "$": _Spans.formula,
    "!": _Spans.picture,
    "[": _Spans.link,
    "<": _Spans.automatic,
    "*": _Spans.emphasis,
    "_": _Spans.emphasis,
    "~": _Spans.emphasis,
}
