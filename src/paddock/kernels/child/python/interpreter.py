"""Evaluates code as the interactive Python does: statements, and the value of the last expression.

How values are shown is in `displaying`, how failures are in `failing`, what is put right after code
that broke its own process in `mending`, and what outlives the process in `saving`.
"""

from __future__ import annotations

import _ast
import builtins
import os
import sys

from paddock.kernels.child.job_runner import EvaluatedValue, ImageValue
from paddock.kernels.child.python.definitions import PythonDefinitions
from paddock.kernels.child.python.process_reset import ProcessReset
from paddock.kernels.child.python.state_pickle import dump_state, load_state
from paddock.kernels.child.python.tracebacks import format_traceback
from paddock.kernels.child.python.value_display import FigureBackend, iter_display_parts

TYPE_CHECKING = False
if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable
    from types import CodeType
    from typing import Any

    OutputEmitter = Callable[[str | ImageValue], None]

_PARSE_ONLY_FLAG = 0x400
_TOP_LEVEL_AWAIT_FLAG = 0x2000
_COROUTINE_FLAG = 0x80
_FUTURE_FLAGS = 0x1FE0000
"""What of the flags of code comes from `from __future__ import …`."""


def interpreter() -> PythonSessionInterpreter:
    """A Python without any names."""
    return PythonSessionInterpreter()


class PythonSessionInterpreter:
    """The names of a session, and how code is evaluated among them."""

    is_interruptible = True

    def __init__(self) -> None:
        self.version = ".".join(str(part) for part in sys.version_info[:3])
        main = type(sys)("__main__")
        sys.modules["__main__"] = main
        self._names = vars(main)
        self._names["__builtins__"] = builtins
        self._cell_number = 0
        self._uncached_sources: dict[str, str] = {}
        """Code whose lines `linecache` does not know yet."""
        self._future_flags = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._definitions = PythonDefinitions()
        self._figures = FigureBackend()
        self._process_reset = ProcessReset()

    def evaluate(self, code: str, emit: OutputEmitter) -> EvaluatedValue:
        """Evaluate code; the text of the value is as `repr` has it, or Markdown."""
        process = os.getpid()
        self._process_reset.prepare()
        self._cell_number += 1
        self._figures.emit = emit
        vars(builtins)["display"] = lambda *values: self._display_values(values, emit)
        self._names.pop("__warningregistry__", None)  # this line 1 is not the one before
        try:
            return self._evaluate_cell(code, f"<cell {self._cell_number}>", emit)
        except SystemExit:
            raise
        except BaseException as error:
            self._process_reset.restore(emit)
            self._register_sources()
            emit(format_traceback(error))
            if isinstance(error, (KeyboardInterrupt, MemoryError)):
                raise
            return EvaluatedValue(None, (), True)
        finally:
            if os.getpid() == process:
                self._process_reset.restore(emit)

    def warm(self) -> None:
        """Touch the memory that the next evaluation needs."""
        self._process_reset.prepare()
        tree: Any = compile("0", "<warm>", "exec", _PARSE_ONLY_FLAG | _TOP_LEVEL_AWAIT_FLAG, True)
        compile(tree, "<warm>", "exec", 0, True)
        self._process_reset.restore(lambda _text: None)
        if self._cell_number:  # nobody waits for the next one
            self._register_sources()

    def state(self) -> bytes | None:
        """What of the session can be had again in another process."""
        return dump_state(self._names, self._definitions, self._cell_number)

    def restore(self, state: bytes) -> str:
        """Have what was saved; say what is missing."""
        self._cell_number, missing = load_state(state, self._names, self._definitions)
        return missing

    def _evaluate_cell(self, code: str, name: str, emit: OutputEmitter) -> EvaluatedValue:
        tree, code = self._parse_code(code, name)
        statements = list(tree.body)
        last = None
        if (
            statements
            and isinstance(statements[-1], _ast.Expr)
            and not _has_trailing_semicolon(code)
        ):
            last = tree.body.pop()
        value = text = None
        try:
            if tree.body:
                self._run_tree(tree, name, "exec")
            if last is not None:
                expression: Any = _ast.Expression(last.value)
                value = self._run_tree(expression, name, "eval")
        finally:
            self._definitions.record(statements, self._names, code)
        if value is not None:
            vars(builtins)["_"] = value  # as the interactive Python does
            text = self._show_value(value, emit)
        self._figures.show_open_figures()
        return EvaluatedValue(text)

    def _parse_code(self, code: str, name: str) -> tuple[Any, str]:
        """The tree of some code, which may be indented as a whole."""
        flags = _PARSE_ONLY_FLAG | _TOP_LEVEL_AWAIT_FLAG | self._future_flags
        self._uncached_sources[name] = code
        if "import" in code or self._cell_number > 1:
            self._register_sources()
        try:
            return compile(code, name, "exec", flags, True), code
        except IndentationError:
            import textwrap  # noqa: PLC0415 - seldom

            dedented = textwrap.dedent(code)
            if dedented == code:
                raise
        self._uncached_sources[name] = dedented
        return compile(dedented, name, "exec", flags, True), dedented

    def _register_sources(self) -> None:
        """Have tracebacks and `inspect` find the lines of code.

        What they find them with takes time, which the first cell does without as long as it can.
        """
        import linecache  # noqa: PLC0415 - see above

        self._process_reset.remember_modules()
        for name, code in self._uncached_sources.items():
            lines = [f"{line}\n" for line in code.splitlines()]
            linecache.cache[name] = len(code), None, lines, name
        self._uncached_sources.clear()

    def _run_tree(self, tree: Any, name: str, mode: str) -> object:
        code: CodeType = compile(tree, name, mode, _TOP_LEVEL_AWAIT_FLAG | self._future_flags, True)
        self._future_flags |= code.co_flags & _FUTURE_FLAGS
        if not code.co_flags & _COROUTINE_FLAG:
            return eval(code, self._names)  # noqa: S307 - that is what this is for
        import asyncio  # noqa: PLC0415 - it takes time, and most code has no use for it

        if self._loop is None or self._loop.is_closed():
            self._loop = asyncio.new_event_loop()
        asyncio.set_event_loop(self._loop)
        return self._loop.run_until_complete(eval(code, self._names))  # noqa: S307 - as above

    def _show_value(self, value: object, emit: OutputEmitter) -> str | None:
        """Emit the pictures that a value is shown as, and give its text."""
        text = None
        for piece in iter_display_parts(value):
            if isinstance(piece, ImageValue):
                emit(piece)
            else:
                text = piece
        self._figures.close_figure(value)
        return text

    def _display_values(self, values: tuple[object, ...], emit: OutputEmitter) -> None:
        for value in values:
            text = self._show_value(value, emit)
            if text is not None:
                sys.stdout.write(f"{text}\n")


def _has_trailing_semicolon(code: str) -> bool:
    """Whether the value is not to be shown, as in notebooks."""
    return code.rstrip().endswith(";")
