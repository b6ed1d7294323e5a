"""Markdown inline parser for code, formulas, images, links, and emphasis by CommonMark's rules."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, NamedTuple

from paddock.wolfram.notebooks.model import TextRun, TextStyle, merge_runs

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.wolfram.notebooks.model import Emphasis


_MAX_OPENERS = 60
"""Maximum number of openers searched for a closing delimiter's match, to avoid quadratic time."""
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


class DelimiterRun:
    """A row of identical emphasis characters in Markdown, such as `**`.

    Depending on the characters around it, the row can open emphasis, close it, or both.
    """

    __slots__ = ("can_close", "can_open", "character", "length", "remaining", "run_index")

    def __init__(
        self, character: str, length: int, run_index: int, before: str, after: str
    ) -> None:
        """Determine from the surrounding characters whether the row can open or close emphasis.

        Args:
            character: The emphasis character: `*`, `_` or `~`.
            length: The number of characters.
            run_index: The index of the text run that consists of these characters.
            before: The character before the row, or an empty string at the start of the text.
            after: The character after the row, or an empty string at the end of the text.
        """
        self.character = character
        self.length = length
        self.remaining = length
        """The number of characters not yet used for emphasis."""
        self.run_index = run_index
        is_left_flanking = _is_flanking(before, after)
        is_right_flanking = _is_flanking(after, before)
        self.can_open, self.can_close = is_left_flanking, is_right_flanking
        if character == "_":
            # CommonMark, emphasis, rules 2 and 4: `_` inside a word is not emphasis.
            self.can_open &= not is_right_flanking or _is_punctuation(before)
            self.can_close &= not is_left_flanking or _is_punctuation(after)


class EmphasisSpan(NamedTuple):
    """The runs between two matching delimiters."""

    begin: int
    end: int
    emphasis: Emphasis


def find_emphasis(delimiters: list[DelimiterRun]) -> list[EmphasisSpan]:
    """Find the emphasis between rows of emphasis characters, using CommonMark's algorithm.

    Each closing row is paired with the nearest matching opening row before it. Afterwards, the
    `remaining` characters of each row are plain text.
    """
    spans: list[EmphasisSpan] = []
    openers: list[DelimiterRun] = []
    for closer in delimiters:
        while closer.can_close and closer.remaining:
            opener_index = _find_opener(openers, closer)
            if opener_index is None:
                break
            opener = openers[opener_index]
            # Openers inside the new span cannot match anything after it.
            del openers[opener_index + 1 :]
            length = 2 if min(opener.remaining, closer.remaining) > 1 else 1
            emphasis = _get_emphasis(closer.character, length)
            spans.append(EmphasisSpan(opener.run_index, closer.run_index, emphasis))
            opener.remaining -= length
            closer.remaining -= length
            if not opener.remaining:
                openers.pop()
        if closer.can_open and closer.remaining:
            openers.append(closer)
    return spans


def _get_emphasis(character: str, length: int) -> Emphasis:
    """Return the emphasis for a pair of delimiters that use `length` characters each."""
    if character == "~":
        return "struck"
    return "bold" if length == 2 else "italic"


def _find_opener(openers: list[DelimiterRun], closer: DelimiterRun) -> int | None:
    """Return the index of the nearest opening delimiter that matches a closing one.

    Returns None if none of the nearest openers matches. The search is limited because it would
    otherwise take quadratic time.
    """
    first = max(0, len(openers) - _MAX_OPENERS)
    for index in range(len(openers) - 1, first - 1, -1):
        opener = openers[index]
        if opener.character == closer.character and _can_pair(opener, closer):
            return index
    return None


def _can_pair(opener: DelimiterRun, closer: DelimiterRun) -> bool:
    """Return whether two rows of the same emphasis character can enclose emphasis together.

    By CommonMark's rules 9 and 10 for emphasis, the lengths must not add up to a multiple of 3 if
    one of the rows can both open and close emphasis, unless both are multiples of 3.
    """
    if closer.character == "~":
        return opener.remaining == closer.remaining == 2
    if not (opener.can_close or closer.can_open):
        return True
    return (opener.length + closer.length) % 3 != 0 or (
        opener.length % 3 == 0 and closer.length % 3 == 0
    )


def _is_flanking(outside: str, inside: str) -> bool:
    """Return whether a delimiter between these characters is flanking toward `inside`."""
    if not inside or inside.isspace():
        return False
    return (
        not _is_punctuation(inside) or not outside or outside.isspace() or _is_punctuation(outside)
    )


def _is_punctuation(letter: str) -> bool:
    return bool(letter) and unicodedata.category(letter)[0] in "PS"


def parse_inline(text: str, *, has_links: bool = True) -> list[TextRun]:
    """Parse the Markdown in a paragraph into text runs, which are pieces of text in one style.

    Args:
        text: The Markdown text of the paragraph.
        has_links: False for link text, where links are plain text.
    """
    return _InlineParser(text, has_links=has_links).parse()


class _InlineParser:
    """Parser for a single paragraph.

    The first pass adds a text run for each construct, and one for each row of emphasis characters.
    The second pass (`_apply_emphasis`) pairs these rows and sets the styles of the runs between
    them.
    """

    def __init__(self, text: str, *, has_links: bool) -> None:
        self._text = text
        self._has_links = has_links
        self._runs: list[TextRun] = []
        self._delimiter_runs: list[DelimiterRun] = []
        self._tick_positions: dict[int, list[int]] | None = None

    def parse(self) -> list[TextRun]:
        text, position = self._text, 0
        while (match := _SPECIAL_CHARACTERS.search(text, position)) is not None:
            self._add_text(text[position : match.start()])
            position = self._parse_special(match)
        self._add_text(text[position:])
        return merge_runs(self._apply_emphasis())

    def _add_text(self, text: str) -> None:
        if text:
            self._runs.append(TextRun(text))

    def _parse_special(self, match: re.Match[str]) -> int:
        """Parse the construct that begins with characters such as `**` or `[`, and return its end.

        If the construct is incomplete, these characters are plain text.
        """
        characters = match[0]
        if "\n" in characters:
            # A backslash or two spaces before a line end make a hard line break.
            is_hard_break = characters[0] == "\\" or characters.startswith("  ")
            self._add_text("\n" if is_hard_break else " ")
        elif characters[0] == "\\":
            self._add_text(characters[1])
        elif characters[0] in "*_~":
            self._add_delimiter_run(match)
        elif characters[0] == "`":
            return self._parse_code(match)
        else:
            return self._parse_construct(match)
        return match.end()

    def _parse_construct(self, start: re.Match[str]) -> int:
        """Parse a formula, an image or a link, which begins with `$`, `![`, `[` or `<`.

        Returns the end of the construct. If it is incomplete, its first characters are plain text.
        """
        construct = _CONSTRUCTS[start[0][0]]
        if self._has_links or not construct.is_link:
            match = construct.pattern.match(self._text, start.start())
            runs = construct.make_runs(match) if match is not None else []
            if match is not None and runs:
                self._runs += runs
                return match.end()
        self._add_text(start[0])
        return start.end()

    def _parse_code(self, opening: re.Match[str]) -> int:
        """Parse a code span between rows of backticks of the same length, and return its end.

        Without a closing row, the opening row is plain text.
        """
        code_end = self._find_closing_ticks(len(opening[0]), opening.end())
        if code_end is None:
            self._add_text(opening[0])
            return opening.end()
        code = self._text[opening.end() : code_end].replace("\n", " ")
        # CommonMark, code spans: one space at each end is padding.
        if code.startswith(" ") and code.endswith(" ") and code.strip():
            code = code[1:-1]
        self._runs.append(TextRun(code, "code"))
        return code_end + len(opening[0])

    def _find_closing_ticks(self, length: int, start: int) -> int | None:
        """Return the position of the next row of exactly `length` backticks, or None.

        All rows in the paragraph are indexed once, because searching from every opening row would
        take quadratic time.
        """
        if self._tick_positions is None:
            self._tick_positions = {}
            for ticks in re.finditer("`+", self._text):
                self._tick_positions.setdefault(len(ticks[0]), []).append(ticks.start())
            # The positions are reversed, so those before the search start can be popped cheaply.
            for positions in self._tick_positions.values():
                positions.reverse()
        positions = self._tick_positions.get(length, [])
        while positions and positions[-1] < start:
            positions.pop()
        return positions[-1] if positions else None

    def _add_delimiter_run(self, match: re.Match[str]) -> None:
        """Record a row of emphasis characters such as `**` as both a text run and a delimiter.

        Only the complete paragraph determines which of its characters are emphasis or text.
        """
        characters, text = match[0], self._text
        before = text[match.start() - 1 : match.start()] if match.start() else ""
        after = text[match.end() : match.end() + 1]
        self._delimiter_runs.append(
            DelimiterRun(characters[0], len(characters), len(self._runs), before, after)
        )
        self._runs.append(TextRun(characters))

    def _apply_emphasis(self) -> list[TextRun]:
        """Pair the recorded delimiters and return the runs with their styles."""
        spans = find_emphasis(self._delimiter_runs)
        for delimiter in self._delimiter_runs:
            plain_text = delimiter.character * delimiter.remaining
            self._runs[delimiter.run_index] = TextRun(plain_text)
        return _apply_styles(self._runs, spans)


def _apply_styles(runs: list[TextRun], spans: list[EmphasisSpan]) -> list[TextRun]:
    """Return text runs with the emphasis of all spans that contain them.

    Spans can be nested, so the open spans of each kind of emphasis are counted from run to run.
    """
    # The changes in these counts before each run, by run index.
    depth_changes: dict[int, list[tuple[Emphasis, int]]] = {}
    for span in spans:
        depth_changes.setdefault(span.begin + 1, []).append((span.emphasis, 1))
        depth_changes.setdefault(span.end, []).append((span.emphasis, -1))
    if not depth_changes:
        return runs
    depths: dict[Emphasis, int] = {"bold": 0, "italic": 0, "struck": 0}
    styled_runs = []
    for index, run in enumerate(runs):
        for emphasis, change in depth_changes.get(index, ()):
            depths[emphasis] += change
        open_emphasis = {emphasis for emphasis, depth in depths.items() if depth > 0}
        style = run.style._replace(emphasis=run.style.emphasis | open_emphasis)
        styled_runs.append(run._replace(style=style))
    return styled_runs


class _InlineConstruct(NamedTuple):
    """A construct that a single pattern describes completely."""

    pattern: re.Pattern[str]
    make_runs: Callable[[re.Match[str]], list[TextRun]]
    """Returns the runs for a match, or an empty list if the match is plain text."""
    is_link: bool = False


def _make_formula_runs(match: re.Match[str]) -> list[TextRun]:
    tex = match[1] or match[2]
    return [TextRun(tex.replace("\n", " "), "formula")]


def _make_image_runs(match: re.Match[str]) -> list[TextRun]:
    return [TextRun(match[0], "raw")]


def _make_link_runs(match: re.Match[str]) -> list[TextRun]:
    """Return the text runs of a Markdown link, whose text can contain emphasis and code.

    The list is empty if the link lacks a text or a target.
    """
    text, target = match[1], match[2].removeprefix("<").removesuffix(">")
    if not text.strip() or not target:
        return []
    # CommonMark does not allow links within links.
    runs = parse_inline(text, has_links=False)
    return [run._replace(style=run.style._replace(link=target)) for run in runs]


def _make_autolink_runs(match: re.Match[str]) -> list[TextRun]:
    return [TextRun(match[1], style=TextStyle(link=match[1]))]


_CONSTRUCTS = {
    "$": _InlineConstruct(FORMULA_PATTERN, _make_formula_runs),
    "!": _InlineConstruct(IMAGE_PATTERN, _make_image_runs),
    "[": _InlineConstruct(LINK_PATTERN, _make_link_runs, is_link=True),
    "<": _InlineConstruct(AUTOLINK_PATTERN, _make_autolink_runs, is_link=True),
}
"""Constructs by their first character."""
