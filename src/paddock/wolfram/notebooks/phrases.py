"""Runs as markdown: what is inside a paragraph, so that it reads back as the same."""

from __future__ import annotations

import re
from itertools import groupby, zip_longest

from paddock.wolfram.notebooks.runs import PLAIN_STYLE, TextStyle, TextRun, merge_runs
from paddock.wolfram.notebooks.spans import AUTOLINK_PATTERN, parse_inline

_SPECIAL_CHARACTER = re.compile(r"[\\`$*_#|]|~(?=~)|(?<=~)~|\](?=\()|<(?=(?:https?|ftp|mailto|paclet):)")
_LINE_START = re.compile(
    r"^(?:([-+](?=\s|$)|-(?=-)|>|=(?=[=\s]*$))|(\d{1,9})([.)])(?=\s|$))", re.MULTILINE
)
_EMPTY_RUN = TextRun("")
_BRACKET = re.compile(r"(?<!\\)[\[\]]")
_SURROUNDING_BLANKS = re.compile(r"(\s*)(.*?)(\s*)", re.DOTALL)
_STYLE_MARKS = (("is_struck", "~~"), ("is_bold", "**"), ("is_italic", "*"))
_SAFE_TARGET = re.compile(r"[^\s()<>]+")


def format_runs(runs: list[TextRun], *, in_table: bool = False) -> str:
    """The markdown of runs."""
    runs = merge_runs(_normalize_blanks(runs))
    is_plain = len(runs) < 2 and all(run.style == PLAIN_STYLE for run in runs)
    if not is_plain and _list_letters(parse_inline(_write_runs(runs))) != _list_letters(runs):
        # Some looks side by side have no form in markdown; the words count more.
        runs = merge_runs(_strip_emphasis(runs))
    text = _LINE_START.sub(_escape_line_start, _write_runs(runs, in_table=in_table).strip())
    return text.replace("\n", " " if in_table else "\\\n")


def escape_markdown(text: str) -> str:
    """Text in which nothing means anything to markdown."""
    return _SPECIAL_CHARACTER.sub(lambda found: "\\" + found[0], text)


def _escape_line_start(found: re.Match[str]) -> str:
    """A beginning of a line that would mean a list or a quotation."""
    return f"\\{found[1]}" if found[1] else f"{found[2]}\\{found[3]}"


def _normalize_blanks(runs: list[TextRun]) -> list[TextRun]:
    """Blanks between looks have what both sides have in common, since no sign may stand there."""
    pieces: list[TextRun] = []
    for run in runs:
        edges = _SURROUNDING_BLANKS.fullmatch(run.text)
        if run.kind != "text" or edges is None:
            pieces.append(run)
        else:
            pieces += [run._replace(text=part) for part in edges.groups() if part]
    last = len(pieces) - 1
    for place, piece in enumerate(pieces):
        if piece.style != PLAIN_STYLE and piece.text.isspace():
            before = pieces[place - 1].style if place else PLAIN_STYLE
            after = pieces[place + 1].style if place < last else PLAIN_STYLE
            pieces[place] = piece._replace(style=_intersect_styles(before, after))
    return pieces


def _intersect_styles(one: TextStyle, other: TextStyle) -> TextStyle:
    return TextStyle(
        one.is_bold and other.is_bold,
        one.is_italic and other.is_italic,
        one.is_struck and other.is_struck,
        one.link if one.link == other.link else "",
    )


def _strip_emphasis(runs: list[TextRun]) -> list[TextRun]:
    return [run._replace(style=TextStyle(link=run.style.link)) for run in runs]


def _list_letters(runs: list[TextRun]) -> list[tuple[str, str, TextStyle]]:
    """What must read back: each character that is no blank, with its look."""
    return [
        (letter, run.kind, run.style) for run in runs for letter in run.text if not letter.isspace()
    ]


def _write_runs(runs: list[TextRun], *, in_table: bool = False) -> str:
    pieces: list[str] = []
    runs = [
        run._replace(text=f"${run.text}$") if _is_before_digit(run, after) else run
        for run, after in zip_longest(runs, runs[1:], fillvalue=_EMPTY_RUN)
    ]
    for link, group in groupby(runs, key=lambda run: run.style.link):
        inner = _write_emphasis(list(group), in_table=in_table)
        if link and pieces and pieces[-1].endswith("!"):
            # Together with the link it would be a picture.
            pieces[-1] = pieces[-1][:-1] + "\\!"
        pieces.append(_format_link(inner, link) if link else inner)
    return "".join(pieces)


def _is_before_digit(run: TextRun, after: TextRun) -> bool:
    """Whether one `$` would not end a formula: before a digit it is the sign of a currency."""
    return run.kind == "formula" and after.kind == "text" and after.text[:1].isdigit()


def _write_emphasis(runs: list[TextRun], *, in_table: bool) -> str:
    pieces: list[str] = []
    now: list[str] = []
    for run in runs:
        wanted = [mark for name, mark in _STYLE_MARKS if getattr(run.style, name)]
        pieces += _close_marks(now, wanted)
        begun = [mark for mark in wanted if mark not in now]
        now += begun
        pieces += [*begun, _format_content(run, in_table=in_table)]
    return "".join([*pieces, *_close_marks(now, [])])


def _close_marks(now: list[str], wanted: list[str]) -> list[str]:
    """Close what is not wanted any more, and what stands inside of it."""
    at = next((place for place, mark in enumerate(now) if mark not in wanted), len(now))
    closed = now[at:][::-1]
    del now[at:]
    return closed


def _format_link(text: str, target: str) -> str:
    if text == escape_markdown(target) and AUTOLINK_PATTERN.fullmatch(f"<{target}>"):
        return f"<{target}>"
    safe = target if _SAFE_TARGET.fullmatch(target) else f"<{target}>"
    return f"[{text}]({safe})"


def _format_content(run: TextRun, *, in_table: bool) -> str:
    if run.kind == "text":
        text = escape_markdown(run.text)
        return _BRACKET.sub(r"\\\g<0>", text) if run.style.link else text
    text = {"code": format_code_span, "formula": "${}$".format}.get(run.kind, str)(run.text)
    return text.replace("|", "\\|") if in_table else text


def format_code_span(text: str) -> str:
    """Code between back ticks: two, or more than it has in a row."""
    longest = max((len(row) for row in re.findall("`+", text)), default=0)
    ticks = "`" * (2 if longest != 2 else 3)
    while ticks in text:
        ticks += "`"
    text = text.replace("\n", " ")
    if not text.strip():
        return f"{ticks}{text}{ticks}"
    edge = " " if text.startswith(("`", " ")) or text.endswith(("`", " ")) else ""
    return f"{ticks}{edge}{text}{edge}{ticks}"
