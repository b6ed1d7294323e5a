"""woxi, in a worker.

woxi keeps one state for each thread, so everything happens in the thread that made it. Its own
`TimeConstrained` is checked only when an evaluation is over, and nothing interrupts one.
"""

from __future__ import annotations

import contextlib
import os
import re
from typing import TYPE_CHECKING

import woxi

from paddock.kernels.interpreters.woxi_state import (
    OPAQUE,
    load_definitions,
    may_define,
    save_definitions,
)
from paddock.kernels.worker.interpreter import Picture, Value

if TYPE_CHECKING:
    from collections.abc import Callable

_UNCAUGHT = re.compile(r"Throw::nocatch: Uncaught (.*) returned to top level\.", re.DOTALL)
_PARSE_ERROR = "Parse error:"
_INPUT_FORM = "ToString[%, InputForm]"
_SVG = "image/svg+xml"
_TABLES = ("Column", "Grid", "MatrixForm", "Row", "TableForm", "TextGrid")
"""What woxi draws instead of writing it, though it is text."""
_TABLE = re.compile(rf"\b(?:{'|'.join(_TABLES)})\b")
_SYMBOL = re.compile(r"(?!\d)[$\w`]+")
_KEPT = "paddock`value"
"""Where a value is kept that woxi would otherwise have drawn and forgotten."""
_KEPT_TABLE = (
    f"If[MemberQ[{{{', '.join(_TABLES)}}}, Head[{_KEPT}]], ToString[{_KEPT}, InputForm], Null]"
)
_FONT = re.compile(r"<defs><style[^>]*>\s*@font-face.*?</style></defs>", re.DOTALL)
_BETWEEN = "\n\f\n"
_WITH_PICTURES = (
    "With[{value = %}, StringRiffle[Prepend["
    'Map[Function[part, ExportString[part, "SVG"]], Cases[{value}, part_ /; !StringQ[part] && '
    'StringMatchQ[ToString[part], {"-Graphics-", "-Graphics3D-", "-Image-"}], Infinity]], '
    f'ToString[value, InputForm]], "{_BETWEEN}"]]'
)
"""The text of a value, and the pictures in it."""


def interpreter() -> Woxi:
    """The engine, after a first evaluation, which takes longer than others."""
    woxi.evaluate("ToString[1 + 1, InputForm]")
    return Woxi()


class Woxi:
    """woxi as an interpreter."""

    version = woxi.__version__
    is_interruptible = False

    def __init__(self) -> None:
        self._codes: list[str] = []

    def evaluate(self, code: str, emit: Callable[[str | Picture], None]) -> Value:
        """Evaluate one expression; its text is in InputForm."""
        try:
            found = _evaluated(code)
        except woxi.WolframError as error:
            emit(_refusal(str(error)))
            return Value(None, is_failure=True)
        if may_define(code):
            self._codes.append(code)
        text, pictures = _shown(code, found)
        for picture in pictures:
            emit(Picture(picture.encode(), _SVG))
        if _is_kept(code):
            woxi.evaluate(f"{_KEPT} =.")
        if "Directory" in code:
            # Last of all, since it is the last result for woxi.
            _follow_directory()
        return Value(text, tuple(found.warnings))

    def state(self) -> bytes:
        """The definitions of all symbols."""
        return save_definitions(self._codes)

    def restore(self, state: bytes) -> None:
        """Define what another process had defined."""
        self._codes += load_definitions(state)


def _evaluated(code: str) -> woxi.EvaluationResult:
    """The result of some code, which woxi remembers as the last one.

    Without brackets it does not remember that of an atom, or of some functions (`MemberQ`).
    """
    keeping = f"{_KEPT} = " if _is_kept(code) else ""
    try:
        return woxi.evaluate(f"{keeping}({code}\n)", print_to_stdout=True)
    except woxi.WolframError as error:
        if not str(error).startswith(_PARSE_ERROR):
            raise
    return woxi.evaluate(code, print_to_stdout=True)


def _shown(code: str, found: woxi.EvaluationResult) -> tuple[str, list[str]]:
    """The text of a result, and its pictures."""
    is_kept = _is_kept(code)
    if is_kept and OPAQUE.fullmatch(found.result) and (table := _table()):
        return table, [found.graphics] if found.graphics and OPAQUE.search(table) else []
    if OPAQUE.search(found.result) and not OPAQUE.fullmatch(found.result):
        text, *pictures = woxi.evaluate(_WITH_PICTURES).result.split(_BETWEEN)
        return text, [_without_font(picture) for picture in pictures if picture.startswith("<")]
    picture = _picture(found, _KEPT if is_kept else "%")
    text = _input_form(found, is_string=code.lstrip().startswith('"'))
    return text, [picture] if picture else []


def _is_kept(code: str) -> bool:
    """Whether the value may be a table, so that it is worth keeping."""
    return _SYMBOL.fullmatch(code.strip()) is not None or _TABLE.search(code) is not None


def _table() -> str | None:
    """The text of the value that was kept, if it is a table."""
    text = woxi.evaluate(_KEPT_TABLE).result
    return text if text.startswith(_TABLES) else None


def _follow_directory() -> None:
    """Be in the directory that woxi believes to be in: it opens files from the process's own."""
    with contextlib.suppress(OSError):
        os.chdir(woxi.evaluate("Directory[]").result)


def _without_font(picture: str) -> str:
    """A drawing without the font that woxi puts into it: it is large, and not needed to draw."""
    return _FONT.sub("", picture)


def _picture(found: woxi.EvaluationResult, value: str) -> str | None:
    """The picture of a result; woxi also tells of those that were only made on the way to it."""
    result = found.result
    if not found.graphics and OPAQUE.fullmatch(result):
        # It was drawn by an earlier evaluation, and woxi does not draw it again by itself.
        drawn = woxi.evaluate(f'ExportString[{value}, "SVG"]').result
        return _without_font(drawn) if drawn.startswith("<") else None
    is_shown = not result or result.startswith("Graph[<") or OPAQUE.search(result + found.stdout)
    return found.graphics if is_shown else None


def _input_form(found: woxi.EvaluationResult, *, is_string: bool) -> str:
    result = found.result
    if (result in {"Null", "$Aborted"} and not is_string) or OPAQUE.fullmatch(result):
        return result
    if not result and not is_string:
        for warning in found.warnings:
            if uncaught := _UNCAUGHT.fullmatch(warning):
                return f"Hold[{uncaught[1]}]"
        return "Null" if found.graphics else '""'
    text = woxi.evaluate(_INPUT_FORM).result
    return result if text.startswith("ToString[") else text


def _refusal(text: str) -> str:
    """What woxi says about code that it cannot read or evaluate, as a message."""
    if text.startswith(_PARSE_ERROR):
        shown = text.split("\n  = expected", 1)[0].removeprefix(_PARSE_ERROR)
        return "Syntax::sntx: woxi cannot read this expression:" + shown
    return "General::engine: " + text.removeprefix("Evaluation error: ")
