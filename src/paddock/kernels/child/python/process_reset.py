"""What code may break of its own process, put right after each evaluation, and told.

The functions that every module uses, the modules of the standard library, the standard streams and
the ways in which a process can be interrupted: without these nothing that follows could be
evaluated, or be told.
"""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found]  # `signal` itself takes time
import builtins
import io
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

_MIN_RECURSION_LIMIT = 1000
_STDLIB_DIRECTORY = os.path.dirname(os.__file__)  # noqa: PTH120 - pathlib takes time
_REPLACEABLE_BUILTINS = frozenset({"input", "print"})
"""What people put others in the place of, on purpose and without harm."""
_IGNORED_BUILTINS = frozenset({"_", "display", "__debug__"})


class NoQuestionsError(EOFError):
    """Code asked something, and nobody is there to answer."""

    __module__ = "builtins"  # as tracebacks show it


def reject_input(prompt: object = "", /) -> NoReturn:
    """Take the place of `input`."""
    raise NoQuestionsError(
        f"input({str(prompt)!r}) cannot be answered: nobody sits at this Python. "
        "Put the value into the code instead."
    )


def reject_breakpoint(*_args: object, **_options: object) -> NoReturn:
    """Take the place of `breakpoint`."""
    raise NoQuestionsError(
        "breakpoint() cannot be used: nobody sits at this Python. Print what you want to see."
    )


class ProcessReset:
    """How things were in the beginning, and making them so again."""

    def __init__(self) -> None:
        builtins.input = reject_input
        sys.breakpointhook = reject_breakpoint
        self._builtins = {
            name: value for name, value in vars(builtins).items() if name not in _IGNORED_BUILTINS
        }
        self._modules = dict(sys.modules)
        self._module_count = len(sys.modules)
        self._output_copy = _duplicate_descriptor(1)
        self._input_copy = _duplicate_descriptor(0)
        self._identities = [_get_identity(handle) for handle in range(3)]
        self._streams = (_open_reader(), _open_writer(1), _open_writer(2))
        self.prepare()

    def remember_modules(self) -> None:
        """Have the modules of the standard library that were loaded meanwhile count as well."""
        if len(sys.modules) == self._module_count:
            return
        self._module_count = len(sys.modules)
        for name, module in list(sys.modules.items()):
            if name not in self._modules and _is_stdlib_module(module):
                self._modules[name] = module

    def prepare(self) -> None:
        """Have the streams and the interrupt be ours, whatever the code before has left."""
        self.remember_modules()
        sys.stdin, sys.stdout, sys.stderr = self._streams
        if hasattr(signal, "SIGINT"):
            signal.signal(signal.SIGINT, signal.default_int_handler)

    def restore(self, emit: Callable[[str], None]) -> None:
        """Put right what is broken, and tell what it was."""
        sys.settrace(None)
        sys.setprofile(None)
        if sys.getrecursionlimit() < _MIN_RECURSION_LIMIT:
            sys.setrecursionlimit(_MIN_RECURSION_LIMIT)
        changed = [f"builtins.{name}" for name in self._restore_builtins()]
        changed += [f"sys.modules[{name!r}]" for name in self._restore_modules()]
        closed = self._restore_streams()
        for text in (
            f"Changed by the code, and set back: {', '.join(changed[:10])}" if changed else "",
            f"Closed by the code, and opened again: {', '.join(closed)}" if closed else "",
        ):
            if text:
                emit(text)

    def _restore_builtins(self) -> list[str]:
        now = vars(builtins)
        missing = object()
        changed = [
            name
            for name, value in self._builtins.items()
            if now.get(name, missing) is not value
            and not (name in _REPLACEABLE_BUILTINS and callable(now.get(name)))
        ]
        for name in changed:
            now[name] = self._builtins[name]
        return changed

    def _restore_modules(self) -> list[str]:
        if not isinstance(sys.modules, dict):
            return []
        changed = [
            name for name, value in self._modules.items() if sys.modules.get(name) is not value
        ]
        for name in changed:
            sys.modules[name] = self._modules[name]
        return changed

    def _restore_streams(self) -> list[str]:
        closed = []
        for handle, name in enumerate(("standard input", "standard output", "standard error")):
            stream = self._streams[handle]
            is_lost = _get_identity(handle) != self._identities[handle]
            if is_lost:
                os.dup2(self._output_copy if handle else self._input_copy, handle)
            if is_lost or stream.closed:
                closed.append(name)
        if any(stream.closed for stream in self._streams):
            self._streams = (_open_reader(), _open_writer(1), _open_writer(2))
        sys.stdin, sys.stdout, sys.stderr = self._streams
        return closed


def _is_stdlib_module(module: object) -> bool:
    origin = getattr(getattr(module, "__spec__", None), "origin", None) or ""
    if origin in ("built-in", "frozen"):
        return True
    return origin.startswith(_STDLIB_DIRECTORY) and "-packages" not in origin


def _duplicate_descriptor(handle: int) -> int:
    """The same file, where code that closes the first few hundred descriptors does not reach."""
    if sys.platform == "win32":
        return os.dup(handle)
    import fcntl  # noqa: PLC0415 - Windows has no such module

    return fcntl.fcntl(handle, fcntl.F_DUPFD_CLOEXEC, 900)


def _open_reader() -> io.TextIOWrapper:
    return io.TextIOWrapper(io.FileIO(0, "r", closefd=False), encoding="utf-8", errors="replace")


def _open_writer(handle: int) -> io.TextIOWrapper:
    raw = io.BufferedWriter(io.FileIO(handle, "w", closefd=False))
    return io.TextIOWrapper(
        raw, encoding="utf-8", errors="backslashreplace", newline="\n", line_buffering=True
    )


def _get_identity(handle: int) -> tuple[int, int] | None:
    try:
        found = os.fstat(handle)
    except OSError:
        return None
    return found.st_dev, found.st_ino
