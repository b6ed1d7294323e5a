"""The definitions of a woxi session as data, and back.

Values are as woxi tells them, definitions with patterns as the user wrote them
(`paddock.kernels.wolfram.woxi_definitions`). Small values are code. woxi reads a long list as
code at some 300 kB/s, so that long values are kept as WXF where woxi gets the same value back from
it. Values that woxi has no text for (plots, pictures, sounds) are left out.

woxi, in a worker.

woxi keeps one state for each thread, so everything happens in the thread that made it. Its own
`TimeConstrained` is checked only when an evaluation is over, and nothing interrupts one.
"""

from __future__ import annotations

import base64
import contextlib
import os
import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import woxi

from paddock.kernels.child.job_runner import EvaluatedValue, ImageValue

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from paddock.kernels.wolfram.woxi_definitions import WoxiDefinition


OPAQUE_VALUE = re.compile(r"-(?:Graphics|Graphics3D|Image|Sound|Video)-")
"""How woxi writes values that have no text."""
_DEFINITION_SEPARATOR = "\n \n"
_VALUE_DEFINITION = re.compile(r"([$\w`]+) = ")
_MAX_CODE_CHARACTERS = 2000
_DEFINING_SYNTAX = re.compile(
    r":=|Delayed|UpSet|TagSet|\^=|/:|=\.|Clear|Remove|Unset|Attributes|Options|::"
)


class WoxiSavedState(msgspec.Struct):
    """What is kept."""

    code: list[str]
    values: dict[str, bytes]
    written: list[str] = []


def may_define(code: str) -> bool:
    """Whether code may define what woxi does not tell, and so has to be kept."""
    return _DEFINING_SYNTAX.search(code) is not None


def dump_definitions(codes: Sequence[str]) -> bytes:
    """All definitions of this thread's session, after such code."""
    from paddock.kernels.wolfram.woxi_definitions import read_definitions  # noqa: PLC0415 - many kernels never save state

    kept, named = read_definitions(codes)
    kept = [each for each in kept if each.kind == "message" or _has_definition(each.symbol)]
    names = woxi.evaluate('StringRiffle[Names["Global`*"], ","]').result
    named |= {name for name in names.split(",") if name}
    named = {name for name in named if not _is_protected(name)}
    found = WoxiSavedState([], {}, [each.text for each in kept])
    for definition in _save_symbols(",".join(sorted(named))) if named else ():
        if _is_user_definition(definition, kept):
            continue
        value = (
            _VALUE_DEFINITION.match(definition) if len(definition) > _MAX_CODE_CHARACTERS else None
        )
        data = _serialize_value(value[1]) if value else None
        if value and data is not None:
            found.values[value[1]] = data
        elif not OPAQUE_VALUE.search(definition):
            found.code.append(definition)
    return msgspec.msgpack.encode(found)


def load_definitions(data: bytes) -> list[str]:
    """Define everything, and give the code of what was written by the user.

    What cannot be defined is left out, for the rest is worth having.
    """
    found = msgspec.msgpack.decode(data, type=WoxiSavedState)
    for definition in found.code:
        _evaluate_definition(definition)
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory, "value.wxf")
        for name, value in found.values.items():
            place.write_bytes(value)
            read = f'BinaryDeserialize[ByteArray[BinaryReadList["{place.as_posix()}"]]]'
            _evaluate_definition(f"{name} = {read};")
    for definition in found.written:
        _evaluate_definition(definition)
    return found.written


def _evaluate_definition(definition: str) -> None:
    with contextlib.suppress(woxi.WolframError):
        woxi.evaluate(definition)


def _has_definition(name: str) -> bool:
    """Whether a symbol still has a definition; the user may have cleared it."""
    kinds = ("OwnValues", "DownValues", "SubValues", "UpValues")
    lists = ", ".join(f"{kind}[{name}]" for kind in kinds)
    return woxi.evaluate(f"Join[{lists}] === {{}}").result != "True"


def _is_protected(name: str) -> bool:
    """Whether a symbol belongs to the engine, which lists some that it has added something to."""
    return woxi.evaluate(f"MemberQ[Attributes[{name}], Protected]").result == "True"


def _is_user_definition(definition: str, kept: list[WoxiDefinition]) -> bool:
    """Whether woxi tells a definition that is known better from what the user wrote."""
    left, mark, _ = definition.partition(" := ")
    is_delayed = bool(mark) and " = " not in left
    symbol = re.match(r"[$\w`]+", definition)
    kinds = {each.kind for each in kept if symbol and each.symbol == symbol[0]}
    return (
        bool(kinds) if is_delayed else "own" in kinds and bool(_VALUE_DEFINITION.match(definition))
    )


def _save_symbols(names: str) -> list[str]:
    """What woxi writes into a file for symbols."""
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory, "definitions.wl")
        woxi.evaluate(f'Save["{place.as_posix()}", {{{names}}}]')
        text = place.read_text("utf-8")
    return [part for part in text.split(_DEFINITION_SEPARATOR) if part.strip()]


def _serialize_value(name: str) -> bytes | None:
    """The value of a symbol as WXF, if that is all of it."""
    data = f"BinarySerialize[{name}]"
    with contextlib.suppress(woxi.WolframError, ValueError):
        if woxi.evaluate(f"BinaryDeserialize[{data}] === {name}").result == "True":
            return base64.b64decode(woxi.evaluate(f"BaseEncode[{data}]").result, validate=True)
    return None


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
_TABLE_TEXT_CODE = f"If[MemberQ[{{{', '.join(_TABLE_HEADS)}}}, Head[{_VALUE_SYMBOL}]], ToString[{_VALUE_SYMBOL}, InputForm], Null]"
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
    return (
        _SYMBOL_PATTERN.fullmatch(code.strip()) is not None
        or _TABLE_PATTERN.search(code) is not None
    )


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
    is_shown = (
        not result or result.startswith("Graph[<") or OPAQUE_VALUE.search(result + found.stdout)
    )
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
