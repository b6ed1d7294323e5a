"""Evaluates code as the interactive Python does: statements, and the value of the last expression.

How values are shown is in `displaying`, how failures are in `failing`, what is put right after code
that broke its own process in `mending`, and what outlives the process in `saving`.
"""

from __future__ import annotations

import _ast
import builtins
import os
import sys

from paddock.kernels.interpreters.python.definitions import Definitions
from paddock.kernels.interpreters.python.displaying import pieces_of
from paddock.kernels.interpreters.python.failing import text_of
from paddock.kernels.interpreters.python.figures import Figures
from paddock.kernels.interpreters.python.mending import Mending
from paddock.kernels.interpreters.python.saving import restore, save
from paddock.kernels.worker.interpreter import Picture, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable
    from types import CodeType
    from typing import Any

    Emit = Callable[[str | Picture], None]

_ONLY_TREE = 0x400
_TOP_LEVEL_AWAIT = 0x2000
_COROUTINE = 0x80
_FUTURES = 0x1FE0000
"""What of the flags of code comes from `from __future__ import …`."""


def interpreter() -> Python:
    """A Python without any names."""
    return Python()


class Python:
    """The names of a session, and how code is evaluated among them."""

    is_interruptible = True

    def __init__(self) -> None:
        self.version = ".".join(str(part) for part in sys.version_info[:3])
        main = type(sys)("__main__")
        sys.modules["__main__"] = main
        self._names = vars(main)
        self._names["__builtins__"] = builtins
        self._number = 0
        self._sources: dict[str, str] = {}
        """Code whose lines `linecache` does not know yet."""
        self._futures = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._definitions = Definitions()
        self._figures = Figures()
        self._mending = Mending()

    def evaluate(self, code: str, emit: Emit) -> Value:
        """Evaluate code; the text of the value is as `repr` has it, or Markdown."""
        process = os.getpid()
        self._mending.begin()
        self._number += 1
        self._figures.emit = emit
        vars(builtins)["display"] = lambda *values: self._display(values, emit)
        self._names.pop("__warningregistry__", None)  # this line 1 is not the one before
        try:
            return self._evaluate(code, f"<cell {self._number}>", emit)
        except SystemExit:
            raise
        except BaseException as error:
            self._mending.end(emit)
            self._give_sources()
            emit(text_of(error))
            if isinstance(error, (KeyboardInterrupt, MemoryError)):
                raise
            return Value(None, (), True)
        finally:
            if os.getpid() == process:
                self._mending.end(emit)

    def warm(self) -> None:
        """Touch the memory that the next evaluation needs."""
        self._mending.begin()
        tree: Any = compile("0", "<warm>", "exec", _ONLY_TREE | _TOP_LEVEL_AWAIT, True)
        compile(tree, "<warm>", "exec", 0, True)
        self._mending.end(lambda _text: None)
        if self._number:  # nobody waits for the next one
            self._give_sources()

    def state(self) -> bytes | None:
        """What of the session can be had again in another process."""
        return save(self._names, self._definitions, self._number)

    def restore(self, state: bytes) -> str:
        """Have what was saved; say what is missing."""
        self._number, missing = restore(state, self._names, self._definitions)
        return missing

    def _evaluate(self, code: str, name: str, emit: Emit) -> Value:
        tree, code = self._parsed(code, name)
        statements = list(tree.body)
        last = None
        if statements and isinstance(statements[-1], _ast.Expr) and not _is_silenced(code):
            last = tree.body.pop()
        value = text = None
        try:
            if tree.body:
                self._run(tree, name, "exec")
            if last is not None:
                expression: Any = _ast.Expression(last.value)
                value = self._run(expression, name, "eval")
        finally:
            self._definitions.note(statements, self._names, code)
        if value is not None:
            vars(builtins)["_"] = value  # as the interactive Python does
            text = self._show(value, emit)
        self._figures.flush()
        return Value(text)

    def _parsed(self, code: str, name: str) -> tuple[Any, str]:
        """The tree of some code, which may be indented as a whole."""
        flags = _ONLY_TREE | _TOP_LEVEL_AWAIT | self._futures
        self._sources[name] = code
        if "import" in code or self._number > 1:
            self._give_sources()
        try:
            return compile(code, name, "exec", flags, True), code
        except IndentationError:
            import textwrap  # noqa: PLC0415 - seldom

            dedented = textwrap.dedent(code)
            if dedented == code:
                raise
        self._sources[name] = dedented
        return compile(dedented, name, "exec", flags, True), dedented

    def _give_sources(self) -> None:
        """Have tracebacks and `inspect` find the lines of code.

        What they find them with takes time, which the first cell does without as long as it can.
        """
        import linecache  # noqa: PLC0415 - see above

        self._mending.keep()
        for name, code in self._sources.items():
            lines = [f"{line}\n" for line in code.splitlines()]
            linecache.cache[name] = len(code), None, lines, name
        self._sources.clear()

    def _run(self, tree: Any, name: str, mode: str) -> object:
        code: CodeType = compile(tree, name, mode, _TOP_LEVEL_AWAIT | self._futures, True)
        self._futures |= code.co_flags & _FUTURES
        if not code.co_flags & _COROUTINE:
            return eval(code, self._names)  # noqa: S307 - that is what this is for
        import asyncio  # noqa: PLC0415 - it takes time, and most code has no use for it

        if self._loop is None or self._loop.is_closed():
            self._loop = asyncio.new_event_loop()
        asyncio.set_event_loop(self._loop)
        return self._loop.run_until_complete(eval(code, self._names))  # noqa: S307 - as above

    def _show(self, value: object, emit: Emit) -> str | None:
        """Emit the pictures that a value is shown as, and give its text."""
        text = None
        for piece in pieces_of(value):
            if isinstance(piece, Picture):
                emit(piece)
            else:
                text = piece
        self._figures.forget(value)
        return text

    def _display(self, values: tuple[object, ...], emit: Emit) -> None:
        for value in values:
            text = self._show(value, emit)
            if text is not None:
                sys.stdout.write(f"{text}\n")


def _is_silenced(code: str) -> bool:
    """Whether the value is not to be shown, as in notebooks."""
    return code.rstrip().endswith(";")
