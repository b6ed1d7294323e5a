"""Mathics3 as a worker uses it. Imported in child processes only: Mathics is under the GPL.

One session for the life of the process. SIGINT ends an evaluation by KeyboardInterrupt, and
`Quit[]` by SystemExit, both of which the worker understands.
"""

from __future__ import annotations

import gc
import io
import pickle
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from mathics.core.atoms import String
from mathics.core.expression import Expression
from mathics.core.load_builtin import import_and_load_builtins
from mathics.core.symbols import Symbol, SymbolNull
from mathics.session import MathicsSession

from paddock.kernels.child.job_runner import EvaluatedValue, ImageValue
from paddock.kernels.wolfram.mathics_expressions import (
    MESSAGE_REPLACEMENTS,
    PRINT_REPLACEMENTS,
    format_value,
)

if TYPE_CHECKING:
    from collections.abc import Callable

DISTRIBUTION = "Mathics3"
_GRAPHICS_HEADS = {"System`Graphics", "System`Graphics3D", "System`Image"}
_GRAPHICS3D_MESSAGE = (
    "Graphics3D::undrawn: Mathics makes no picture of graphics in three dimensions."
)
_TEXT_HEADS = {"System`Definition", "System`FullDefinition", "System`Information"}
"""Heads of values that are there to be shown."""
_MAX_IMAGES = 50
_MAX_IMAGE_DEPTH = 3
_RECURSION_MESSAGE = (
    "$RecursionLimit::reclim2: The evaluation is nested too deeply for Mathics and was given up."
)


def interpreter() -> MathicsInterpreter:
    """Import the engine and warm it up, once for all that are forked from here."""
    import_and_load_builtins()
    found = MathicsInterpreter()
    # What is there now is never garbage: looking at it would copy it in every fork.
    gc.collect()
    gc.freeze()
    return found


class MathicsInterpreter:
    """An engine in a process of its own."""

    is_interruptible = True

    def __init__(self) -> None:
        self.version = version(DISTRIBUTION)
        self._session = MathicsSession(add_builtin=True, catch_interrupt=False)
        self._evaluation = self._session.evaluation
        self._evaluation.parse_evaluate("1 + 1")

    def evaluate(self, code: str, emit: Callable[[str | ImageValue], None]) -> EvaluatedValue:
        """Evaluate one expression."""
        evaluation = self._evaluation
        evaluation.out = []
        evaluation.output = _OutputForwarder(emit)
        try:
            query = evaluation.parse(code)
            if query is None:
                return EvaluatedValue(None, is_failure=True)
            done = evaluation.evaluate(query, format="unformatted")
            evaluation.stopped = False  # or nothing more can be formatted or drawn
            value = SymbolNull if done.result is None else done.result
            is_form = done.form is not None or _get_head_name(value) in _TEXT_HEADS
            text = self._format_value(value, emit, is_form=is_form)
        except RecursionError:
            emit(_RECURSION_MESSAGE)
            return EvaluatedValue("$Aborted")
        finally:
            evaluation.stopped = False
        return EvaluatedValue(text)

    def _format_value(
        self, value: Any, emit: Callable[[str | ImageValue], None], *, is_form: bool
    ) -> str:
        if is_form:
            text: str = self._evaluation.format_output(value, "text")
            return text.strip("\n").translate(PRINT_REPLACEMENTS)
        pictures: list[Any] = []
        shown = format_value(_replace_graphics(value, pictures), self._shorten_name)
        for drawn in pictures:
            emit(self._render_graphics(drawn))
        return shown

    def _shorten_name(self, name: str) -> str:
        short: str = self._session.definitions.shorten_name(name)
        return short

    def _render_graphics(self, drawn: Any) -> ImageValue | str:
        """A drawing as SVG or PNG, or a message; Mathics cannot draw all that it can describe."""
        if _get_head_name(drawn) == "System`Graphics3D":
            return _GRAPHICS3D_MESSAGE
        try:
            return (
                _encode_png(drawn)
                if _get_head_name(drawn) == "System`Image"
                else self._render_svg(drawn)
            )
        except Exception as error:  # noqa: BLE001 - a fault in drawing must not cost the value
            return f"General::undrawn: Mathics could not draw this ({type(error).__name__})."

    def _render_svg(self, drawn: Any) -> ImageValue | str:
        asked = Expression(Symbol("System`ExportString"), drawn, String("SVG"))
        found = asked.evaluate(self._evaluation)
        text = found.value.strip() if isinstance(found, String) else ""
        if not text.startswith("<svg"):
            return "General::undrawn: Mathics could not draw this."
        return ImageValue(text.encode(), "image/svg+xml")

    def state(self) -> bytes | None:
        """The user's definitions, for the same version only."""
        try:
            return self._build_state_header() + pickle.dumps(self._session.definitions.user)
        except Exception:  # noqa: BLE001 - what cannot be told is replayed
            return None

    def restore(self, state: bytes) -> None:
        """Have the definitions that another process had."""
        header = self._build_state_header()
        if not state.startswith(header):
            raise ValueError(f"The state is not of {header.decode().strip()}")
        definitions = self._session.definitions
        # The file is the user's own, and the code that made it could do whatever this could.
        definitions.user = pickle.loads(state[len(header) :])  # noqa: S301 - see above
        definitions.clear_cache()

    def _build_state_header(self) -> bytes:
        return f"mathics {self.version}\n".encode()


class _OutputForwarder:
    """Where Mathics puts what it prints and complains about, as it comes."""

    def __init__(self, emit: Callable[[str | ImageValue], None]) -> None:
        self._emit = emit

    def out(self, found: Any) -> None:
        """Hand on a print or a message."""
        if found.is_message:
            self._emit(f"{found.symbol}::{found.tag}: {found.text}".translate(MESSAGE_REPLACEMENTS))
        else:
            print(found.text.translate(PRINT_REPLACEMENTS), flush=True)  # noqa: T201 - it is captured

    def max_stored_size(self, _out: Any) -> int | None:
        """No limit of its own."""
        return None

    def clear(self, _wait: Any = None) -> None:
        """Nothing to clear."""

    def display(self, data: Any, _metadata: Any = None) -> None:
        """Nothing to display: pictures are taken from values."""


def _replace_graphics(value: Any, pictures: list[Any], depth: int = 0) -> Any:
    """A value with a word for each picture in it, also in lists; the pictures in their order."""
    if _get_head_name(value) in _GRAPHICS_HEADS and len(pictures) < _MAX_IMAGES:
        pictures.append(value)
        return Symbol(f"System`-{_get_head_name(value).removeprefix('System`')}-")
    is_list = _get_head_name(value) == "System`List" and len(value.elements) <= _MAX_IMAGES
    if is_list and depth < _MAX_IMAGE_DEPTH:
        elements = [_replace_graphics(element, pictures, depth + 1) for element in value.elements]
        return Expression(value.head, *elements)
    return value


def _encode_png(image: Any) -> ImageValue:
    """An image as PNG, which holds no numbers beyond whole ones."""
    file = io.BytesIO()
    picture = image.pil()
    if picture.mode == "F":
        picture = picture.point(lambda level: level * 255).convert("L")
    picture.save(file, "PNG")
    return ImageValue(file.getvalue(), "image/png")


def _get_head_name(value: Any) -> str:
    name: str = value.get_head_name()
    return name
