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
    OPAQUE_VALUE,
    load_definitions,
    may_define,
    dump_definitions,
)
from paddock.kernels.worker.interpreter import ImageValue, EvaluatedValue

if TYPE_CHECKING:
    from collections.abc import Callable

_UNCAUGHT_THROW = re.compile(r"Throw::nocatch: Uncaught (.*) returned to top level\.", re.DOTALL)
_PARSE_ERROR = "Parse error:"
_INPUT_FORM_CODE = "ToString[%, InputForm]"
_SVG_MIME_TYPE = "image/svg+xml"
_TABLE_HEADS = ("Column", "Grid", "MatrixForm", "Row", "TableForm", "TextGrid")
"""What woxi draws instead of writing it, though it is text."""
_TABLE_PATTERN = re.compile(rf"\b(?:{'|'.join(_TABLE_HEADS)})\b")
_SYMBOL_PATTERN = re.compile(r"(?!\d)[$\w`]+")
_VALUE_SYMBOL = "paddock`value"
"""Where a value is kept that woxi would otherwise have drawn and forgotten."""
_TABLE_TEXT_CODE = (
    f"If[MemberQ[{{{', '.join(_TABLE_HEADS)}}}, Head[{_VALUE_SYMBOL}]], ToString[{_VALUE_SYMBOL}, InputForm], Null]"
)
_FONT_STYLE = re.compile(r"<defs><style[^>]*>\s*@font-face.*?</style></defs>", re.DOTALL)
_IMAGE_SEPARATOR = "\n\f\n"
_TEXT_AND_IMAGES_CODE = (
    "With[{value = %}, StringRiffle[Prepend["
    'Map[Function[part, ExportString[part, "SVG"]], Cases[{value}, part_ /; !StringQ[part] && '
    'StringMatchQ[ToString[part], {"-Graphics-", "-Graphics3D-", "-Image-"}], Infinity]], '
    f'ToString[value, InputForm]], "{_IMAGE_SEPARATOR}"]]'
)
"""The text of a value, and the pictures in it."""


def interpreter() -> WoxiInterpreter:
    """The engine, after a first evaluation, which takes longer than others."""
    woxi.evaluate("ToString[1 + 1, InputForm]")
    return WoxiInterpreter()


class WoxiInterpreter:
    """woxi as an interpreter."""

    version = woxi.__version__
    is_interruptible = False

    def __init__(self) -> None:
        self._definition_codes: list[str] = []

    def evaluate(self, code: str, emit: Callable[[str | ImageValue], None]) -> EvaluatedValue:
        """Evaluate one expression; its text is in InputForm."""
        try:
            found = _evaluate_code(code)
        except woxi.WolframError as error:
            emit(_format_error(str(error)))
            return EvaluatedValue(None, is_failure=True)
        if may_define(code):
            self._definition_codes.append(code)
        text, pictures = _format_result(code, found)
        for picture in pictures:
            emit(ImageValue(picture.encode(), _SVG_MIME_TYPE))
        if _may_be_table(code):
            woxi.evaluate(f"{_VALUE_SYMBOL} =.")
        if "Directory" in code:
            # Last of all, since it is the last result for woxi.
            _sync_working_directory()
        return EvaluatedValue(text, tuple(found.warnings))

    def state(self) -> bytes:
        """The definitions of all symbols."""
        return dump_definitions(self._definition_codes)

    def restore(self, state: bytes) -> None:
        """Define what another process had defined."""
        self._definition_codes += load_definitions(state)


def _evaluate_code(code: str) -> woxi.EvaluationResult:
    """The result of some code, which woxi remembers as the last one.

    Without brackets it does not remember that of an atom, or of some functions (`MemberQ`).
    """
    keeping = f"{_VALUE_SYMBOL} = " if _may_be_table(code) else ""
    try:
        return woxi.evaluate(f"{keeping}({code}\n)", print_to_stdout=True)
    except woxi.WolframError as error:
        if not str(error).startswith(_PARSE_ERROR):
            raise
    return woxi.evaluate(code, print_to_stdout=True)


def _format_result(code: str, found: woxi.EvaluationResult) -> tuple[str, list[str]]:
    """The text of a result, and its pictures."""
    is_kept = _may_be_table(code)
    if is_kept and OPAQUE_VALUE.fullmatch(found.result) and (table := _get_table_text()):
        return table, [found.graphics] if found.graphics and OPAQUE_VALUE.search(table) else []
    if OPAQUE_VALUE.search(found.result) and not OPAQUE_VALUE.fullmatch(found.result):
        text, *pictures = woxi.evaluate(_TEXT_AND_IMAGES_CODE).result.split(_IMAGE_SEPARATOR)
        return text, [_strip_font(picture) for picture in pictures if picture.startswith("<")]
    picture = _find_image(found, _VALUE_SYMBOL if is_kept else "%")
    text = _get_input_form(found, is_string=code.lstrip().startswith('"'))
    return text, [picture] if picture else []


def _may_be_table(code: str) -> bool:
    """Whether the value may be a table, so that it is worth keeping."""
    return _SYMBOL_PATTERN.fullmatch(code.strip()) is not None or _TABLE_PATTERN.search(code) is not None


def _get_table_text() -> str | None:
    """The text of the value that was kept, if it is a table."""
    text = woxi.evaluate(_TABLE_TEXT_CODE).result
    return text if text.startswith(_TABLE_HEADS) else None


def _sync_working_directory() -> None:
    """Be in the directory that woxi believes to be in: it opens files from the process's own."""
    with contextlib.suppress(OSError):
        os.chdir(woxi.evaluate("Directory[]").result)


def _strip_font(picture: str) -> str:
    """A drawing without the font that woxi puts into it: it is large, and not needed to draw."""
    return _FONT_STYLE.sub("", picture)


def _find_image(found: woxi.EvaluationResult, value: str) -> str | None:
    """The picture of a result; woxi also tells of those that were only made on the way to it."""
    result = found.result
    if not found.graphics and OPAQUE_VALUE.fullmatch(result):
        # It was drawn by an earlier evaluation, and woxi does not draw it again by itself.
        drawn = woxi.evaluate(f'ExportString[{value}, "SVG"]').result
        return _strip_font(drawn) if drawn.startswith("<") else None
    is_shown = not result or result.startswith("Graph[<") or OPAQUE_VALUE.search(result + found.stdout)
    return found.graphics if is_shown else None


def _get_input_form(found: woxi.EvaluationResult, *, is_string: bool) -> str:
    result = found.result
    if (result in {"Null", "$Aborted"} and not is_string) or OPAQUE_VALUE.fullmatch(result):
        return result
    if not result and not is_string:
        for warning in found.warnings:
            if uncaught := _UNCAUGHT_THROW.fullmatch(warning):
                return f"Hold[{uncaught[1]}]"
        return "Null" if found.graphics else '""'
    text = woxi.evaluate(_INPUT_FORM_CODE).result
    return result if text.startswith("ToString[") else text


def _format_error(text: str) -> str:
    """What woxi says about code that it cannot read or evaluate, as a message."""
    if text.startswith(_PARSE_ERROR):
        shown = text.split("\n  = expected", 1)[0].removeprefix(_PARSE_ERROR)
        return "Syntax::sntx: woxi cannot read this expression:" + shown
    return "General::engine: " + text.removeprefix("Evaluation error: ")
