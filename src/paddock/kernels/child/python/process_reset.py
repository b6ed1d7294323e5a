"""Process repair after each cell: builtins, standard modules, streams, signal handling.

Code can replace builtins, remove standard modules or close the standard streams. Without a repair,
later cells could not be evaluated or report errors.
"""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found]  # importing `signal` is slow
import builtins
import io
import os
import sys

if sys.platform != "win32":
    import fcntl

from paddock.kernels.child.output_capture import get_file_identity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

_MIN_RECURSION_LIMIT = 1000
_STDLIB_DIRECTORY = os.path.dirname(os.__file__)
_REPLACEABLE_BUILTINS = frozenset({"input", "print"})
"""Builtins that people replace deliberately. Replacing them is harmless."""
_IGNORED_BUILTINS = frozenset({"_", "display", "__debug__"})


class NoQuestionsError(EOFError):
    """The code asks for input, but the process is not interactive."""

    __module__ = "builtins"  # so that tracebacks show the name without a module


def reject_input(prompt: object = "", /) -> NoReturn:
    """Replacement for `input` that raises an exception."""
    raise NoQuestionsError(
        f"input({str(prompt)!r}) cannot be answered: this Python is not interactive. "
        "Put the value into the code instead."
    )


def reject_breakpoint(*_args: object, **_options: object) -> NoReturn:
    """Replacement for `breakpoint` that raises an exception."""
    raise NoQuestionsError(
        "breakpoint() cannot be used: this Python is not interactive. Print the values instead."
    )


class ProcessReset:
    """The initial state of the process, and how to restore it."""

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
        self._identities = [get_file_identity(handle) for handle in range(3)]
        self._streams = (_open_reader(), _open_writer(1), _open_writer(2))
        self.prepare()

    def remember_modules(self) -> None:
        """Add the standard library modules that the last cell imported.

        Later cells need them too, so `restore` puts them back if user code removes them.
        """
        if len(sys.modules) == self._module_count:
            return
        self._module_count = len(sys.modules)
        for name, module in list(sys.modules.items()):
            if name not in self._modules and _is_stdlib_module(module):
                self._modules[name] = module

    def prepare(self) -> None:
        """Set up the standard streams and the interrupt handler for the next cell."""
        self.remember_modules()
        sys.stdin, sys.stdout, sys.stderr = self._streams
        if hasattr(signal, "SIGINT"):
            signal.signal(signal.SIGINT, signal.default_int_handler)

    def restore(self, emit: Callable[[str], None]) -> None:
        """Undo changes by the last cell that would break later ones.

        Args:
            emit: Function that shows the user a message about the changes.
        """
        # A trace function set by the code would also run for later cells, and for Paddock.
        sys.settrace(None)
        sys.setprofile(None)
        # With a lower recursion limit, even formatting an error could fail.
        if sys.getrecursionlimit() < _MIN_RECURSION_LIMIT:
            sys.setrecursionlimit(_MIN_RECURSION_LIMIT)
        changed = [f"builtins.{name}" for name in self._restore_builtins()]
        changed += [f"sys.modules[{name!r}]" for name in self._restore_modules()]
        closed = self._restore_streams()
        # The messages are emitted last, because emitting needs working streams and builtins.
        if changed:
            emit(f"Changed by the code, and restored: {', '.join(changed[:10])}")
        if closed:
            emit(f"Closed by the code, and reopened: {', '.join(closed)}")

    def _restore_builtins(self) -> list[str]:
        """Restore builtins that user code has replaced or deleted.

        Functions such as `print` that people replace deliberately are left alone.

        Returns:
            The names of the restored builtins.
        """
        current = vars(builtins)
        missing = object()
        changed_names = [
            name
            for name, original in self._builtins.items()
            if current.get(name, missing) is not original
            and not (name in _REPLACEABLE_BUILTINS and callable(current.get(name)))
        ]
        for name in changed_names:
            current[name] = self._builtins[name]
        return changed_names

    def _restore_modules(self) -> list[str]:
        """Restore standard modules that user code has replaced in or removed from `sys.modules`.

        Returns:
            The names of the restored modules.
        """
        if not isinstance(sys.modules, dict):  # user code may have replaced `sys.modules` itself
            return []
        changed_names = [
            name for name, module in self._modules.items() if sys.modules.get(name) is not module
        ]
        for name in changed_names:
            sys.modules[name] = self._modules[name]
        return changed_names

    def _restore_streams(self) -> list[str]:
        """Reopen standard streams that user code has closed.

        Closed descriptors are restored from duplicates made when the process started.

        Returns:
            The names of the closed streams, such as `standard output`, for a message.
        """
        closed_names = []
        for handle, name in enumerate(("standard input", "standard output", "standard error")):
            stream = self._streams[handle]
            # User code may have closed the descriptor, or opened another file under its number.
            is_lost = get_file_identity(handle) != self._identities[handle]
            if is_lost:
                os.dup2(self._output_copy if handle else self._input_copy, handle)
            if is_lost or stream.closed:
                closed_names.append(name)
        if any(stream.closed for stream in self._streams):
            self._streams = (_open_reader(), _open_writer(1), _open_writer(2))
        sys.stdin, sys.stdout, sys.stderr = self._streams
        return closed_names


def _is_stdlib_module(module: object) -> bool:
    origin = getattr(getattr(module, "__spec__", None), "origin", None) or ""
    if origin in ("built-in", "frozen"):
        return True
    return origin.startswith(_STDLIB_DIRECTORY) and "-packages" not in origin


def _duplicate_descriptor(handle: int) -> int:
    """Duplicate a descriptor under a high number, out of reach of code that closes low ones."""
    if sys.platform == "win32":
        return os.dup(handle)
    return fcntl.fcntl(handle, fcntl.F_DUPFD_CLOEXEC, 900)


def _open_reader() -> io.TextIOWrapper:
    return io.TextIOWrapper(io.FileIO(0, "r", closefd=False), encoding="utf-8", errors="replace")


def _open_writer(handle: int) -> io.TextIOWrapper:
    raw = io.BufferedWriter(io.FileIO(handle, "w", closefd=False))
    return io.TextIOWrapper(
        raw, encoding="utf-8", errors="backslashreplace", newline="\n", line_buffering=True
    )
