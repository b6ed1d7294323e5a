"""Evaluation of Python cells: statements, and the value of the last expression.

`value_display` formats values, and `tracebacks` formats exceptions. `process_reset` repairs the
process after each cell. `state_pickle` saves the session for another process.
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
from paddock.kernels.child.python.tracebacks import (
    add_source,
    format_traceback,
    import_traceback,
)
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
"""Compiler flags that correspond to `from __future__ import …`."""


def interpreter() -> PythonSessionInterpreter:
    """Create an interpreter without any user names."""
    return PythonSessionInterpreter()


class PythonSessionInterpreter:
    """Interpreter for one session.

    The session's names are those of the module `__main__`.
    """

    is_interruptible = True

    def __init__(self) -> None:
        self.version = ".".join(str(part) for part in sys.version_info[:3])
        # Pickle looks up the session's classes and functions in the module `__main__`.
        main = type(sys)("__main__")
        sys.modules["__main__"] = main
        self._names = vars(main)
        self._names["__builtins__"] = builtins
        self._cell_number = 0
        self._uncached_sources: dict[str, str] = {}
        """Code that has not been added to `linecache` yet, keyed by cell name."""
        self._future_flags = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._definitions = PythonDefinitions()
        self._figures = FigureBackend()
        self._process_reset = ProcessReset()

    def evaluate(self, code: str, emit: OutputEmitter) -> EvaluatedValue:
        """Evaluate a cell and return its value as text (its `repr`, or Markdown).

        If the code fails, its traceback is emitted as a message. Changes that could break later
        cells, for instance to `sys.stdout`, are undone in any case.

        Raises:
            SystemExit: The code called `exit`.
            KeyboardInterrupt: The evaluation was interrupted.
            MemoryError: The process reached its memory limit.
        """
        process = os.getpid()
        self._process_reset.prepare()
        self._cell_number += 1
        self._figures.emit = emit
        vars(builtins)["display"] = lambda *values: self._display_values(values, emit)
        # Python shows a warning only once per line number. Without this, a warning in line 1 of the
        # previous cell would hide one in line 1 of this cell.
        self._names.pop("__warningregistry__", None)
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
            # The code may have forked this process. Only the original process is restored.
            if os.getpid() == process:
                self._process_reset.restore(emit)

    def warm(self) -> None:
        """Prepare a newly forked process for its first evaluation, while no user is waiting.

        A forked process shares memory pages with its parent until it writes to them. Compiling an
        expression writes to the pages that the next evaluation needs, so they are copied now.
        """
        self._process_reset.prepare()
        tree: Any = compile("0", "<warm>", "exec", _PARSE_ONLY_FLAG | _TOP_LEVEL_AWAIT_FLAG, True)
        compile(tree, "<warm>", "exec", 0, True)
        self._process_reset.restore(lambda _text: None)
        # Before the first cell, the user is waiting for the session to start. That cell needs the
        # sources only for a traceback.
        if self._cell_number:
            self._register_sources()

    def dump_state(self) -> bytes | None:
        """Return the parts of the session that can be restored in another process."""
        return dump_state(self._names, self._definitions, self._cell_number)

    def restore(self, state: bytes) -> str:
        """Restore a saved session and describe what is missing."""
        self._cell_number, missing = load_state(state, self._names, self._definitions)
        return missing

    def _evaluate_cell(self, code: str, name: str, emit: OutputEmitter) -> EvaluatedValue:
        """Execute the statements of a cell, then evaluate its last expression and show the value.

        The value is not shown if the code ends with a semicolon, as in notebooks.
        """
        tree, code = self._parse_code(code, name)
        statements = list(tree.body)
        last = None
        is_shown = not code.rstrip().endswith(";")
        if is_shown and statements and isinstance(statements[-1], _ast.Expr):
            last = tree.body.pop()
        value = text = None
        try:
            if tree.body:
                self._run_tree(tree, name, "exec")
            if last is not None:
                expression: Any = _ast.Expression(last.value)
                value = self._run_tree(expression, name, "eval")
        finally:
            # Definitions are recorded even after an exception, because those before it took effect.
            self._definitions.record(statements, self._names, code)
        if value is not None:
            vars(builtins)["_"] = value  # as in an interactive Python session
            text = self._show_value(value, emit)
        self._figures.show_open_figures()
        return EvaluatedValue(text)

    def _parse_code(self, code: str, name: str) -> tuple[Any, str]:
        """Parse a cell's code, and return its syntax tree and the code that was parsed.

        If all lines are indented, as in an excerpt from a function, the code is dedented first.
        """
        flags = _PARSE_ONLY_FLAG | _TOP_LEVEL_AWAIT_FLAG | self._future_flags
        self._uncached_sources[name] = code
        if "import" in code or self._cell_number > 1:
            self._register_sources()
        try:
            return compile(code, name, "exec", flags, True), code
        except IndentationError:
            dedented = _dedent(code)
            if dedented == code:
                raise
        self._uncached_sources[name] = dedented
        return compile(dedented, name, "exec", flags, True), dedented

    def _register_sources(self) -> None:
        """Make the source lines of cells available to tracebacks and `inspect`.

        For the first cell, this is called as late as possible, because it imports the module
        `traceback`, which takes time.
        """
        import_traceback()
        self._process_reset.remember_modules()
        for name, code in self._uncached_sources.items():
            add_source(name, code)
        self._uncached_sources.clear()

    def _run_tree(self, tree: Any, name: str, mode: str) -> object:
        """Compile a syntax tree, run it in the session, and return its value.

        Code with a top-level `await` runs in the session's event loop. Imports from `__future__`
        also apply to all later cells, so their compiler flags are remembered.

        Args:
            tree: The syntax tree of some statements or one expression.
            name: The name of the cell, which tracebacks show as its file.
            mode: The mode of `compile`: `exec` for statements, `eval` for an expression.
        """
        code: CodeType = compile(tree, name, mode, _TOP_LEVEL_AWAIT_FLAG | self._future_flags, True)
        self._future_flags |= code.co_flags & _FUTURE_FLAGS
        if not code.co_flags & _COROUTINE_FLAG:
            return eval(code, self._names)  # evaluating user code is the purpose
        import asyncio  # slow to import, and rarely needed

        if self._loop is None or self._loop.is_closed():
            self._loop = asyncio.new_event_loop()
        asyncio.set_event_loop(self._loop)
        return self._loop.run_until_complete(eval(code, self._names))

    def _show_value(self, value: object, emit: OutputEmitter) -> str | None:
        """Emit the images that represent a value, and return its text if it has one.

        If the value is a matplotlib figure, it is closed so that it is not shown twice.
        """
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


def _dedent(code: str) -> str:
    """Remove the indentation common to all lines, as `textwrap.dedent` does.

    Importing `textwrap` takes longer than starting a kernel.
    """
    lines = code.split("\n")
    indentations = [line[: -len(line.lstrip())] for line in lines if line.strip()]
    width = len(os.path.commonprefix(indentations))  # noqa: RUF071 - prefixes of characters are meant
    return "\n".join(line[width:] if line.strip() else "" for line in lines)
