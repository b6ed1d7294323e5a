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

from paddock.kernels.interpreters.mathics_text import PRINTED_SIGNS, SIGNS, value_text
from paddock.kernels.worker.interpreter import Picture, Value

if TYPE_CHECKING:
    from collections.abc import Callable

DISTRIBUTION = "Mathics3"
_DRAWN = {"System`Graphics", "System`Graphics3D", "System`Image"}
_NOT_DRAWN = "Graphics3D::undrawn: Mathics makes no picture of graphics in three dimensions."
_TEXTS = {"System`Definition", "System`FullDefinition", "System`Information"}
"""Heads of values that are there to be shown."""
_MOST_PICTURES = 50
_DEEPEST_PICTURE = 3
_RECURSION = (
    "$RecursionLimit::reclim2: The evaluation is nested too deeply for Mathics and was given up."
)


def interpreter() -> Mathics:
    """Import the engine and warm it up, once for all that are forked from here."""
    import_and_load_builtins()
    found = Mathics()
    # What is there now is never garbage: looking at it would copy it in every fork.
    gc.collect()
    gc.freeze()
    return found


class Mathics:
    """An engine in a process of its own."""

    is_interruptible = True

    def __init__(self) -> None:
        self.version = version(DISTRIBUTION)
        self._session = MathicsSession(add_builtin=True, catch_interrupt=False)
        self._evaluation = self._session.evaluation
        self._evaluation.parse_evaluate("1 + 1")

    def evaluate(self, code: str, emit: Callable[[str | Picture], None]) -> Value:
        """Evaluate one expression."""
        evaluation = self._evaluation
        evaluation.out = []
        evaluation.output = _Teller(emit)
        try:
            query = evaluation.parse(code)
            if query is None:
                return Value(None, is_failure=True)
            done = evaluation.evaluate(query, format="unformatted")
            evaluation.stopped = False  # or nothing more can be formatted or drawn
            value = SymbolNull if done.result is None else done.result
            is_form = done.form is not None or _head_name(value) in _TEXTS
            text = self._shown(value, emit, is_form=is_form)
        except RecursionError:
            emit(_RECURSION)
            return Value("$Aborted")
        finally:
            evaluation.stopped = False
        return Value(text)

    def _shown(self, value: Any, emit: Callable[[str | Picture], None], *, is_form: bool) -> str:
        if is_form:
            text: str = self._evaluation.format_output(value, "text")
            return text.strip("\n").translate(PRINTED_SIGNS)
        pictures: list[Any] = []
        shown = value_text(_without_pictures(value, pictures), self._name)
        for drawn in pictures:
            emit(self._picture(drawn))
        return shown

    def _name(self, name: str) -> str:
        short: str = self._session.definitions.shorten_name(name)
        return short

    def _picture(self, drawn: Any) -> Picture | str:
        """A drawing as SVG or PNG, or a message; Mathics cannot draw all that it can describe."""
        if _head_name(drawn) == "System`Graphics3D":
            return _NOT_DRAWN
        try:
            return _raster(drawn) if _head_name(drawn) == "System`Image" else self._svg(drawn)
        except Exception as error:  # noqa: BLE001 - a fault in drawing must not cost the value
            return f"General::undrawn: Mathics could not draw this ({type(error).__name__})."

    def _svg(self, drawn: Any) -> Picture | str:
        asked = Expression(Symbol("System`ExportString"), drawn, String("SVG"))
        found = asked.evaluate(self._evaluation)
        text = found.value.strip() if isinstance(found, String) else ""
        if not text.startswith("<svg"):
            return "General::undrawn: Mathics could not draw this."
        return Picture(text.encode(), "image/svg+xml")

    def state(self) -> bytes | None:
        """The user's definitions, for the same version only."""
        try:
            return self._header() + pickle.dumps(self._session.definitions.user)
        except Exception:  # noqa: BLE001 - what cannot be told is replayed
            return None

    def restore(self, state: bytes) -> None:
        """Have the definitions that another process had."""
        header = self._header()
        if not state.startswith(header):
            raise ValueError(f"The state is not of {header.decode().strip()}")
        definitions = self._session.definitions
        # The file is the user's own, and the code that made it could do whatever this could.
        definitions.user = pickle.loads(state[len(header) :])  # noqa: S301 - see above
        definitions.clear_cache()

    def _header(self) -> bytes:
        return f"mathics {self.version}\n".encode()


class _Teller:
    """Where Mathics puts what it prints and complains about, as it comes."""

    def __init__(self, emit: Callable[[str | Picture], None]) -> None:
        self._emit = emit

    def out(self, found: Any) -> None:
        """Hand on a print or a message."""
        if found.is_message:
            self._emit(f"{found.symbol}::{found.tag}: {found.text}".translate(SIGNS))
        else:
            print(found.text.translate(PRINTED_SIGNS), flush=True)  # noqa: T201 - it is captured

    def max_stored_size(self, _out: Any) -> int | None:
        """No limit of its own."""
        return None

    def clear(self, _wait: Any = None) -> None:
        """Nothing to clear."""

    def display(self, data: Any, _metadata: Any = None) -> None:
        """Nothing to display: pictures are taken from values."""


def _without_pictures(value: Any, pictures: list[Any], depth: int = 0) -> Any:
    """A value with a word for each picture in it, also in lists; the pictures in their order."""
    if _head_name(value) in _DRAWN and len(pictures) < _MOST_PICTURES:
        pictures.append(value)
        return Symbol(f"System`-{_head_name(value).removeprefix('System`')}-")
    is_list = _head_name(value) == "System`List" and len(value.elements) <= _MOST_PICTURES
    if is_list and depth < _DEEPEST_PICTURE:
        elements = [_without_pictures(element, pictures, depth + 1) for element in value.elements]
        return Expression(value.head, *elements)
    return value


def _raster(image: Any) -> Picture:
    """An image as PNG, which holds no numbers beyond whole ones."""
    file = io.BytesIO()
    picture = image.pil()
    if picture.mode == "F":
        picture = picture.point(lambda level: level * 255).convert("L")
    picture.save(file, "PNG")
    return Picture(file.getvalue(), "image/png")


def _head_name(value: Any) -> str:
    name: str = value.get_head_name()
    return name
