"""woxi as a worker's interpreter, and the saving of its definitions.

woxi keeps one state per thread, so everything runs in the main thread. It cannot be interrupted,
and checks `TimeConstrained` only after an evaluation.

Saved states contain values as woxi writes them, and definitions with patterns as the user wrote
them (`woxi_definitions`). woxi parses long lists at only about 300 kB/s, so long values are saved
as WXF if they survive a round trip. Values without a text form (plots, images, sounds) are not
saved.
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
"""Placeholders that woxi writes for values without a text form."""
_DEFINITION_SEPARATOR = "\n \n"
_VALUE_DEFINITION = re.compile(r"([$\w`]+) = ")
_MAX_CODE_CHARACTERS = 2000
_DEFINING_SYNTAX = re.compile(
    r":=|Delayed|UpSet|TagSet|\^=|/:|=\.|Clear|Remove|Unset|Attributes|Options|::"
)
"""Code that may make definitions that woxi cannot list, and is therefore recorded."""
_UNCAUGHT_THROW = re.compile(r"Throw::nocatch: Uncaught (.*) returned to top level\.", re.DOTALL)
_PARSE_ERROR = "Parse error:"
_INPUT_FORM_CODE = "ToString[%, InputForm]"
_SVG_MIME_TYPE = "image/svg+xml"
_TABLE_HEADS = ("Column", "Grid", "MatrixForm", "Row", "TableForm", "TextGrid")
"""Heads of text layouts, which woxi returns as images."""
_TABLE_PATTERN = re.compile(rf"\b(?:{'|'.join(_TABLE_HEADS)})\b")
_SYMBOL_PATTERN = re.compile(r"(?!\d)[$\w`]+")
_VALUE_SYMBOL = "paddock`value"
"""Symbol that holds a value that woxi would otherwise only draw."""
_TABLE_TEXT_CODE = (
    f"If[MemberQ[{{{', '.join(_TABLE_HEADS)}}}, Head[{_VALUE_SYMBOL}]], "
    f"ToString[{_VALUE_SYMBOL}, InputForm], Null]"
)
_FONT_STYLE = re.compile(r"<defs><style[^>]*>\s*@font-face.*?</style></defs>", re.DOTALL)
_IMAGE_SEPARATOR = "\n\f\n"
_TEXT_AND_IMAGES_CODE = (
    "With[{value = %}, StringRiffle[Prepend["
    'Map[Function[part, ExportString[part, "SVG"]], Cases[{value}, part_ /; !StringQ[part] && '
    'StringMatchQ[ToString[part], {"-Graphics-", "-Graphics3D-", "-Image-"}], Infinity]], '
    f'ToString[value, InputForm]], "{_IMAGE_SEPARATOR}"]]'
)
"""Code that returns the text of the last value, followed by the images in it."""


class WoxiSavedState(msgspec.Struct):
    """A session's saved definitions.

    Attributes:
        code: Definitions listed by woxi as code.
        values: Long values keyed by symbol, in WXF, a binary format that loads faster than code.
        written: Definitions that woxi cannot list, as written by the user.
    """

    code: list[str]
    values: dict[str, bytes]
    written: list[str] = []


def dump_definitions(codes: Sequence[str]) -> bytes:
    """Return all of this session's definitions, encoded for `load_definitions`.

    The engine woxi can list values and simple definitions. Others are saved as the user wrote them.

    Args:
        codes: The code of evaluations that may have made definitions that woxi cannot list.
    """
    from paddock.kernels.wolfram.woxi_definitions import read_definitions  # noqa: PLC0415 - many kernels never save state

    definitions, defined_names = read_definitions(codes)
    definitions = [
        definition
        for definition in definitions
        if definition.kind == "message" or _has_definition(definition.symbol)
    ]
    names = woxi.evaluate('StringRiffle[Names["Global`*"], ","]').result
    defined_names |= {name for name in names.split(",") if name}
    symbols = sorted(name for name in defined_names if not _is_protected(name))
    state = WoxiSavedState([], {}, [definition.text for definition in definitions])
    for code in _list_definitions(symbols):
        if _is_user_definition(code, definitions):
            continue
        value = _VALUE_DEFINITION.match(code) if len(code) > _MAX_CODE_CHARACTERS else None
        serialized_value = _serialize_value(value[1]) if value else None
        if value and serialized_value is not None:
            state.values[value[1]] = serialized_value
        elif not OPAQUE_VALUE.search(code):
            state.code.append(code)
    return msgspec.msgpack.encode(state)


def load_definitions(data: bytes) -> list[str]:
    """Load definitions that `dump_definitions` returned in another process.

    Definitions that fail are skipped so that the others can be restored.

    Returns:
        The restored definitions that woxi cannot list. The caller passes them to
        `dump_definitions` again.
    """
    state = msgspec.msgpack.decode(data, type=WoxiSavedState)
    for definition in state.code:
        _evaluate_definition(definition)
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "value.wxf")
        for name, value in state.values.items():
            path.write_bytes(value)
            value_code = f'BinaryDeserialize[ByteArray[BinaryReadList["{path.as_posix()}"]]]'
            _evaluate_definition(f"{name} = {value_code};")
    for definition in state.written:
        _evaluate_definition(definition)
    return state.written


def _evaluate_definition(definition: str) -> None:
    with contextlib.suppress(woxi.WolframError):
        woxi.evaluate(definition)


def _has_definition(name: str) -> bool:
    """Return whether a symbol still has a definition, which user code may have cleared."""
    kinds = ("OwnValues", "DownValues", "SubValues", "UpValues")
    lists = ", ".join(f"{kind}[{name}]" for kind in kinds)
    return woxi.evaluate(f"Join[{lists}] === {{}}").result != "True"


def _is_protected(name: str) -> bool:
    """Return whether a symbol belongs to woxi, which also lists its own modified symbols."""
    return woxi.evaluate(f"MemberQ[Attributes[{name}], Protected]").result == "True"


def _is_user_definition(code: str, definitions: list[WoxiDefinition]) -> bool:
    """Return whether the user's own source text of a definition listed by woxi is known.

    Args:
        code: The definition as listed by woxi, such as `f[x_] := x^2`.
        definitions: The definitions as written by the user.
    """
    symbol = re.match(r"[$\w`]+", code)
    user_kinds = {
        definition.kind for definition in definitions if symbol and definition.symbol == symbol[0]
    }
    left, operator, _ = code.partition(" := ")
    is_delayed = operator and " = " not in left
    if is_delayed:
        return bool(user_kinds)
    return "own" in user_kinds and bool(_VALUE_DEFINITION.match(code))


def _list_definitions(symbols: list[str]) -> list[str]:
    """Return the definitions of the given symbols as code, as written by woxi's `Save` function.

    Args:
        symbols: The names of the symbols.
    """
    if not symbols:
        return []
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "definitions.wl")
        woxi.evaluate(f'Save["{path.as_posix()}", {{{",".join(symbols)}}}]')
        text = path.read_text("utf-8")
    return [definition for definition in text.split(_DEFINITION_SEPARATOR) if definition.strip()]


def _serialize_value(name: str) -> bytes | None:
    """Return the value of a symbol as WXF, or None if woxi does not read the same value back."""
    data = f"BinarySerialize[{name}]"
    with contextlib.suppress(woxi.WolframError, ValueError):
        if woxi.evaluate(f"BinaryDeserialize[{data}] === {name}").result == "True":
            return base64.b64decode(woxi.evaluate(f"BaseEncode[{data}]").result, validate=True)
    return None


def interpreter() -> WoxiInterpreter:
    """Load woxi and perform its first evaluation, which is slower than others."""
    woxi.evaluate("ToString[1 + 1, InputForm]")
    return WoxiInterpreter()


class WoxiInterpreter:
    """Wolfram Language interpreter that uses the engine woxi, a Rust library."""

    version = woxi.__version__
    is_interruptible = False

    def __init__(self) -> None:
        self._definition_codes: list[str] = []

    def evaluate(self, code: str, emit: Callable[[str | ImageValue], None]) -> EvaluatedValue:
        """Evaluate one expression, and return its value as text in InputForm.

        Args:
            code: The expression.
            emit: Function that is called with each image, and with the message of an error.
        """
        try:
            result = _evaluate_code(code)
        except woxi.WolframError as error:
            emit(_format_error(str(error)))
            return EvaluatedValue(None, is_failure=True)
        if _DEFINING_SYNTAX.search(code):
            self._definition_codes.append(code)
        text, images = _format_result(code, result)
        for image in images:
            emit(ImageValue(image.encode(), _SVG_MIME_TYPE))
        if _may_be_table(code):
            woxi.evaluate(f"{_VALUE_SYMBOL} =.")
        if "Directory" in code:
            # This comes last, because the evaluation overwrites woxi's last result.
            _sync_working_directory()
        return EvaluatedValue(text, tuple(result.warnings))

    def dump_state(self) -> bytes:
        """Return all of the session's definitions, encoded for `restore`."""
        return dump_definitions(self._definition_codes)

    def restore(self, state: bytes) -> None:
        """Load definitions that `dump_state` returned in another process."""
        self._definition_codes += load_definitions(state)


def _evaluate_code(code: str) -> woxi.EvaluationResult:
    """Evaluate code so that its value can be formatted again afterwards, as `%`.

    The code is put in parentheses, because woxi otherwise does not remember the values of atoms and
    some functions, such as `MemberQ`. A value that may be a table is also assigned to a symbol,
    because woxi would otherwise only draw it.
    """
    assignment = f"{_VALUE_SYMBOL} = " if _may_be_table(code) else ""
    try:
        return woxi.evaluate(f"{assignment}({code}\n)", print_to_stdout=True)
    except woxi.WolframError as error:
        if not str(error).startswith(_PARSE_ERROR):
            raise
    return woxi.evaluate(code, print_to_stdout=True)


def _format_result(code: str, result: woxi.EvaluationResult) -> tuple[str, list[str]]:
    """Return a result's text in InputForm, and its images as SVG.

    Args:
        code: The evaluated code.
        result: The result from woxi.
    """
    is_stored = _may_be_table(code)
    if is_stored and OPAQUE_VALUE.fullmatch(result.result) and (table := _get_table_text()):
        return table, [result.graphics] if result.graphics and OPAQUE_VALUE.search(table) else []
    if OPAQUE_VALUE.search(result.result) and not OPAQUE_VALUE.fullmatch(result.result):
        # The value contains images, for instance in a list. woxi returns only a placeholder for
        # each, so they are exported separately.
        text, *images = woxi.evaluate(_TEXT_AND_IMAGES_CODE).result.split(_IMAGE_SEPARATOR)
        return text, [_strip_font(image) for image in images if image.startswith("<")]
    image = _find_image(result, _VALUE_SYMBOL if is_stored else "%")
    text = _get_input_form(result, is_string=code.lstrip().startswith('"'))
    return text, [image] if image else []


def _may_be_table(code: str) -> bool:
    """Return whether the value may be a table, which must be stored to get its text."""
    return (
        _SYMBOL_PATTERN.fullmatch(code.strip()) is not None
        or _TABLE_PATTERN.search(code) is not None
    )


def _get_table_text() -> str | None:
    """Return the text of the stored value if it is a table."""
    text = woxi.evaluate(_TABLE_TEXT_CODE).result
    return text if text.startswith(_TABLE_HEADS) else None


def _sync_working_directory() -> None:
    """Change to the directory that woxi reports.

    woxi opens files relative to the working directory of the process.
    """
    with contextlib.suppress(OSError):
        os.chdir(woxi.evaluate("Directory[]").result)


def _strip_font(svg: str) -> str:
    """Remove an image's embedded font.

    The font is large, and viewers draw the text without it.
    """
    return _FONT_STYLE.sub("", svg)


def _find_image(result: woxi.EvaluationResult, value: str) -> str | None:
    """Return the image of a result as SVG, or None if its value is not an image.

    Args:
        result: The result from woxi, which may also contain the image of an intermediate value.
        value: Code that evaluates to the value of the result.
    """
    text = result.result
    if not result.graphics and OPAQUE_VALUE.fullmatch(text):
        # The image was drawn by an earlier evaluation. To draw it again, woxi must export it.
        svg = woxi.evaluate(f'ExportString[{value}, "SVG"]').result
        return _strip_font(svg) if svg.startswith("<") else None
    is_shown = not text or text.startswith("Graph[<") or OPAQUE_VALUE.search(text + result.stdout)
    return result.graphics if is_shown else None


def _get_input_form(result: woxi.EvaluationResult, *, is_string: bool) -> str:
    """Return the value of the last evaluation in InputForm, which can be evaluated again.

    The text that woxi returns is in another form, so most values need a second evaluation.

    Args:
        result: The result of the last evaluation.
        is_string: Whether the code is a string, whose text may look like another value.
    """
    text = result.result
    if (text in {"Null", "$Aborted"} and not is_string) or OPAQUE_VALUE.fullmatch(text):
        return text
    if not text and not is_string:
        for warning in result.warnings:
            if uncaught := _UNCAUGHT_THROW.fullmatch(warning):
                return f"Hold[{uncaught[1]}]"
        return "Null" if result.graphics else '""'
    input_form = woxi.evaluate(_INPUT_FORM_CODE).result
    # woxi returns the call itself if it cannot convert the value.
    return text if input_form.startswith("ToString[") else input_form


def _format_error(text: str) -> str:
    """Convert a woxi error to message text."""
    if text.startswith(_PARSE_ERROR):
        excerpt = text.split("\n  = expected", 1)[0].removeprefix(_PARSE_ERROR)
        return "Syntax::sntx: woxi cannot parse this expression:" + excerpt
    return "General::engine: " + text.removeprefix("Evaluation error: ")
