"""Runs as markdown: what is inside a paragraph, so that it reads back as the same."""

from __future__ import annotations

import re
from itertools import groupby, zip_longest

from paddock.wolfram.notebooks.runs import PLAIN, Look, Run, joined
from paddock.wolfram.notebooks.spans import AUTOMATIC, spans

_ESCAPED = re.compile(r"[\\`$*_#|]|~(?=~)|(?<=~)~|\](?=\()|<(?=(?:https?|ftp|mailto|paclet):)")
_LINE_START = re.compile(
    r"^(?:([-+](?=\s|$)|-(?=-)|>|=(?=[=\s]*$))|(\d{1,9})([.)])(?=\s|$))", re.MULTILINE
)
_NOTHING = Run("")
_BRACKET = re.compile(r"(?<!\\)[\[\]]")
_EDGES = re.compile(r"(\s*)(.*?)(\s*)", re.DOTALL)
_MARKS = (("is_struck", "~~"), ("is_bold", "**"), ("is_italic", "*"))
_SAFE_TARGET = re.compile(r"[^\s()<>]+")


def phrases(runs: list[Run], *, in_table: bool = False) -> str:
    """The markdown of runs."""
    runs = joined(_tidied(runs))
    is_plain = len(runs) < 2 and all(run.look == PLAIN for run in runs)
    if not is_plain and _letters(spans(_written(runs))) != _letters(runs):
        # Some looks side by side have no form in markdown; the words count more.
        runs = joined(_without_emphasis(runs))
    text = _LINE_START.sub(_guarded, _written(runs, in_table=in_table).strip())
    return text.replace("\n", " " if in_table else "\\\n")


def escaped(text: str) -> str:
    """Text in which nothing means anything to markdown."""
    return _ESCAPED.sub(lambda found: "\\" + found[0], text)


def _guarded(found: re.Match[str]) -> str:
    """A beginning of a line that would mean a list or a quotation."""
    return f"\\{found[1]}" if found[1] else f"{found[2]}\\{found[3]}"


def _tidied(runs: list[Run]) -> list[Run]:
    """Blanks between looks have what both sides have in common, since no sign may stand there."""
    pieces: list[Run] = []
    for run in runs:
        edges = _EDGES.fullmatch(run.text)
        if run.kind != "text" or edges is None:
            pieces.append(run)
        else:
            pieces += [run._replace(text=part) for part in edges.groups() if part]
    last = len(pieces) - 1
    for place, piece in enumerate(pieces):
        if piece.look != PLAIN and piece.text.isspace():
            before = pieces[place - 1].look if place else PLAIN
            after = pieces[place + 1].look if place < last else PLAIN
            pieces[place] = piece._replace(look=_common(before, after))
    return pieces


def _common(one: Look, other: Look) -> Look:
    return Look(
        one.is_bold and other.is_bold,
        one.is_italic and other.is_italic,
        one.is_struck and other.is_struck,
        one.link if one.link == other.link else "",
    )


def _without_emphasis(runs: list[Run]) -> list[Run]:
    return [run._replace(look=Look(link=run.look.link)) for run in runs]


def _letters(runs: list[Run]) -> list[tuple[str, str, Look]]:
    """What must read back: each character that is no blank, with its look."""
    return [
        (letter, run.kind, run.look) for run in runs for letter in run.text if not letter.isspace()
    ]


def _written(runs: list[Run], *, in_table: bool = False) -> str:
    pieces: list[str] = []
    runs = [
        run._replace(text=f"${run.text}$") if _is_before_digit(run, after) else run
        for run, after in zip_longest(runs, runs[1:], fillvalue=_NOTHING)
    ]
    for link, group in groupby(runs, key=lambda run: run.look.link):
        inner = _emphasised(list(group), in_table=in_table)
        if link and pieces and pieces[-1].endswith("!"):
            # Together with the link it would be a picture.
            pieces[-1] = pieces[-1][:-1] + "\\!"
        pieces.append(_link(inner, link) if link else inner)
    return "".join(pieces)


def _is_before_digit(run: Run, after: Run) -> bool:
    """Whether one `$` would not end a formula: before a digit it is the sign of a currency."""
    return run.kind == "formula" and after.kind == "text" and after.text[:1].isdigit()


def _emphasised(runs: list[Run], *, in_table: bool) -> str:
    pieces: list[str] = []
    now: list[str] = []
    for run in runs:
        wanted = [mark for name, mark in _MARKS if getattr(run.look, name)]
        pieces += _closing(now, wanted)
        begun = [mark for mark in wanted if mark not in now]
        now += begun
        pieces += [*begun, _content(run, in_table=in_table)]
    return "".join([*pieces, *_closing(now, [])])


def _closing(now: list[str], wanted: list[str]) -> list[str]:
    """Close what is not wanted any more, and what stands inside of it."""
    at = next((place for place, mark in enumerate(now) if mark not in wanted), len(now))
    closed = now[at:][::-1]
    del now[at:]
    return closed


def _link(text: str, target: str) -> str:
    if text == escaped(target) and AUTOMATIC.fullmatch(f"<{target}>"):
        return f"<{target}>"
    safe = target if _SAFE_TARGET.fullmatch(target) else f"<{target}>"
    return f"[{text}]({safe})"


def _content(run: Run, *, in_table: bool) -> str:
    if run.kind == "text":
        text = escaped(run.text)
        return _BRACKET.sub(r"\\\g<0>", text) if run.look.link else text
    text = {"code": code_span, "formula": "${}$".format}.get(run.kind, str)(run.text)
    return text.replace("|", "\\|") if in_table else text


def code_span(text: str) -> str:
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
