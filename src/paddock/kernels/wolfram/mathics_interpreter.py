"""Mathics3 as the interpreter of a worker.

Only kernel processes import this module, because Mathics is licensed under the GPL. Each process
has one Mathics session. SIGINT ends an evaluation with KeyboardInterrupt, and `Quit[]` with
SystemExit. The worker handles both.
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
_GRAPHICS3D_MESSAGE = "Graphics3D::undrawn: Mathics cannot render graphics in three dimensions."
_TEXT_HEADS = {"System`Definition", "System`FullDefinition", "System`Information"}
"""Heads of values that are formatted for display, not as code."""
_MAX_IMAGES = 50
_MAX_IMAGE_DEPTH = 3
_RECURSION_MESSAGE = (
    "$RecursionLimit::reclim2: The evaluation is nested too deeply for Mathics and was stopped."
)


def interpreter() -> MathicsInterpreter:
    """Load Mathics and return its interpreter, in the process that all others are forked from."""
    import_and_load_builtins()
    mathics = MathicsInterpreter()
    # The loaded objects are excluded from garbage collection. The collector would write to their
    # memory pages, so each forked process would need its own copy of them.
    gc.collect()
    gc.freeze()
    return mathics


class MathicsInterpreter:
    """Mathics as a `LanguageInterpreter`."""

    is_interruptible = True

    def __init__(self) -> None:
        self.version = version(DISTRIBUTION)
        self._session = MathicsSession(add_builtin=True, catch_interrupt=False)
        self._evaluation = self._session.evaluation
        self._evaluation.parse_evaluate("1 + 1")

    def evaluate(self, code: str, emit: Callable[[str | ImageValue], None]) -> EvaluatedValue:
        """Evaluate one expression and return its value as text in InputForm.

        Args:
            code: The expression.
            emit: Function that is called with each message and image.
        """
        evaluation = self._evaluation
        evaluation.out = []
        evaluation.output = _OutputForwarder(emit)
        try:
            query = evaluation.parse(code)
            if query is None:
                return EvaluatedValue(None, is_failure=True)
            result = evaluation.evaluate(query, format="unformatted")
            evaluation.stopped = False  # otherwise Mathics neither formats nor draws the value
            value = SymbolNull if result.result is None else result.result
            is_form = result.form is not None or _get_head_name(value) in _TEXT_HEADS
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
        """Return the text of a value, and emit its graphics as images.

        Args:
            value: The value, a Mathics expression.
            emit: Function that is called with each image.
            is_form: Whether the value has an output form such as `TableForm`, which is formatted by
                Mathics. All other values are formatted in InputForm.
        """
        if is_form:
            text: str = self._evaluation.format_output(value, "text")
            return text.strip("\n").translate(PRINT_REPLACEMENTS)
        graphics: list[Any] = []
        formatted = format_value(_replace_graphics(value, graphics), self._shorten_name)
        for graphic in graphics:
            emit(self._render_graphics(graphic))
        return formatted

    def _shorten_name(self, name: str) -> str:
        short_name: str = self._session.definitions.shorten_name(name)
        return short_name

    def _render_graphics(self, graphic: Any) -> ImageValue | str:
        """Render a plot expression as SVG, or an image expression as PNG.

        Returns a message for the user if Mathics cannot render it.
        """
        head = _get_head_name(graphic)
        if head == "System`Graphics3D":
            return _GRAPHICS3D_MESSAGE
        try:
            return _encode_png(graphic) if head == "System`Image" else self._render_svg(graphic)
        except Exception as error:  # noqa: BLE001 - an error in rendering must not lose the value
            return f"General::undrawn: Mathics could not render this ({type(error).__name__})."

    def _render_svg(self, graphic: Any) -> ImageValue | str:
        export = Expression(Symbol("System`ExportString"), graphic, String("SVG"))
        result = export.evaluate(self._evaluation)
        text = result.value.strip() if isinstance(result, String) else ""
        if not text.startswith("<svg"):
            return "General::undrawn: Mathics could not render this."
        return ImageValue(text.encode(), "image/svg+xml")

    def dump_state(self) -> bytes | None:
        """Return the user's definitions, which the same version of Mathics can load."""
        try:
            return self._build_state_header() + pickle.dumps(self._session.definitions.user)
        except Exception:  # noqa: BLE001 - the session replays what cannot be pickled
            return None

    def restore(self, state: bytes) -> None:
        """Load definitions that `dump_state` returned in another process.

        Raises:
            ValueError: The definitions were saved by another version of Mathics.
        """
        header = self._build_state_header()
        if not state.startswith(header):
            raise ValueError(f"The state was not saved by {header.decode().strip()}")
        definitions = self._session.definitions
        # Unpickling can run code. The file belongs to the user, and the code that produced it ran
        # with the same rights as this process.
        definitions.user = pickle.loads(state[len(header) :])  # noqa: S301 - see above
        definitions.clear_cache()

    def _build_state_header(self) -> bytes:
        return f"mathics {self.version}\n".encode()


class _OutputForwarder:
    """Receiver for Mathics' printed texts and messages, with the methods that Mathics calls."""

    def __init__(self, emit: Callable[[str | ImageValue], None]) -> None:
        self._emit = emit

    def out(self, output: Any) -> None:
        """Print a text, or emit a message as `Symbol::tag: text`."""
        if output.is_message:
            text = f"{output.symbol}::{output.tag}: {output.text}"
            self._emit(text.translate(MESSAGE_REPLACEMENTS))
        else:
            print(output.text.translate(PRINT_REPLACEMENTS), flush=True)  # noqa: T201 - the worker captures it

    def max_stored_size(self, _out: Any) -> int | None:
        """Return None: there is no limit besides the worker's."""
        return None

    def clear(self, _wait: Any = None) -> None:
        """Do nothing."""

    def display(self, data: Any, _metadata: Any = None) -> None:
        """Do nothing, because images are taken from values."""


def _replace_graphics(value: Any, graphics: list[Any], depth: int = 0) -> Any:
    """Replace plots and images in a value with placeholders such as `-Graphics-`.

    Args:
        value: The value, which may be graphics or a list that contains graphics.
        graphics: A list to which the replaced graphics are appended.
        depth: The value's nesting depth in lists, which is limited.
    """
    if _get_head_name(value) in _GRAPHICS_HEADS and len(graphics) < _MAX_IMAGES:
        graphics.append(value)
        return Symbol(f"System`-{_get_head_name(value).removeprefix('System`')}-")
    is_list = _get_head_name(value) == "System`List" and len(value.elements) <= _MAX_IMAGES
    if is_list and depth < _MAX_IMAGE_DEPTH:
        elements = [_replace_graphics(element, graphics, depth + 1) for element in value.elements]
        return Expression(value.head, *elements)
    return value


def _encode_png(image: Any) -> ImageValue:
    """Encode a Mathics `Image` expression as PNG."""
    file = io.BytesIO()
    pil_image = image.pil()
    if pil_image.mode == "F":  # floating-point channels, which PNG does not have
        pil_image = pil_image.point(lambda level: level * 255).convert("L")
    pil_image.save(file, "PNG")
    return ImageValue(file.getvalue(), "image/png")


def _get_head_name(value: Any) -> str:
    name: str = value.get_head_name()
    return name
