"""Formatting of tracebacks: all frames of user code, but only the last one of a library."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from traceback import FrameSummary, TracebackException
    from typing import Any

_CELL_PREFIX = "<cell "
"""Prefix of the file name of user code."""
_MAX_FRAMES = 20
_MAX_CHARACTERS = 8000
_PACKAGE_DIRECTORY = os.path.dirname(os.path.dirname(os.path.dirname(__file__)))
_STDLIB_DIRECTORY = os.path.dirname(os.__file__)
_MAGIC_PREFIXES = ("%", "!", "?")
_MAGIC_HINT = "(IPython's %magic, !command and name? are not part of Python and cannot be used.)\n"
_RUNNING_LOOP_TEXT = "cannot be called from a running event loop"
_ASYNC_HINT = "(Top-level await works here: write `await f()` instead of `asyncio.run(f())`.)\n"
_NETWORK_HINT = (
    "(Network access is disabled. The operator of the server can enable it: option AllowNetwork.)\n"
)


def import_traceback() -> Any:
    """Import `traceback` and thereby `linecache`, which takes longer than starting a kernel."""
    import traceback

    return traceback


def add_source(name: str, code: str) -> None:
    """Make the source lines of a cell available to tracebacks and `inspect`."""
    lines = [f"{line}\n" for line in code.splitlines()]
    import_traceback().linecache.cache[name] = len(code), None, lines, name


def format_traceback(error: BaseException) -> str:
    """Format the traceback of an exception that user code did not catch.

    Paddock and library frames are omitted, long texts are shortened in the middle, and hints are
    added for common mistakes.
    """
    try:
        text = "".join(_format_lines(error))
    except Exception as failure:  # user code may have changed `traceback` itself
        text = f"{type(error).__name__} (no traceback available: {type(failure).__name__})"
    if len(text) > _MAX_CHARACTERS:
        half = _MAX_CHARACTERS // 2
        text = f"{text[:half]}\n … {len(text) - 2 * half} characters …\n{text[-half:]}"
    return text.rstrip("\n")


def _format_lines(error: BaseException) -> list[str]:
    """Return the lines of a traceback, with a hint if the error shows a common mistake.

    Such mistakes are IPython magics (`%matplotlib inline`), starting a second event loop, and
    network access that the sandbox denies. The hints tell a model what to write instead.
    """
    traceback = import_traceback()
    if isinstance(error, SyntaxError) and not _has_user_frames(error):
        lines: list[str] = traceback.format_exception_only(type(error), error)
        source_line = (error.text or "").strip()
        if source_line.startswith(_MAGIC_PREFIXES) or source_line.endswith("?"):
            lines.append(_MAGIC_HINT)
        return lines
    formatted = traceback.TracebackException.from_exception(error)
    _trim_frames(formatted, set())
    lines = list(formatted.format())
    if isinstance(error, RuntimeError) and _RUNNING_LOOP_TEXT in str(error):
        lines.append(_ASYNC_HINT)
    if _is_network_denied(error):
        lines.append(_NETWORK_HINT)
    return lines


def _is_network_denied(error: BaseException) -> bool:
    """Return whether an error was raised because the sandbox denied network access.

    This is the case if the error, or one of the errors that caused it, is a PermissionError raised
    by the module `socket`.
    """
    pending: list[BaseException | None] = [error]
    seen: set[int] = set()
    while pending:
        exception = pending.pop()
        if exception is None or id(exception) in seen:
            continue
        seen.add(id(exception))
        frames = [frame for frame, _ in import_traceback().walk_tb(exception.__traceback__)]
        is_raised_by_socket = frames and frames[-1].f_globals.get("__name__") == "socket"
        if isinstance(exception, PermissionError) and is_raised_by_socket:
            return True
        # Libraries raise their own exceptions, with the original one as cause or context.
        pending += [exception.__cause__, exception.__context__]
    return False


def _has_user_frames(error: BaseException) -> bool:
    frames = (frame for frame, _ in import_traceback().walk_tb(error.__traceback__))
    return any(frame.f_code.co_filename.startswith(_CELL_PREFIX) for frame in frames)


def _trim_frames(formatted: TracebackException | None, seen: set[int]) -> None:
    """Remove Paddock and library frames from a traceback.

    Also trims the tracebacks of the exception's cause and context, and of the members of an
    exception group.

    Args:
        formatted: The traceback, which is changed.
        seen: IDs of the tracebacks that have already been trimmed.
    """
    # Exceptions can refer to each other in a cycle, so each must be visited only once.
    if formatted is None or id(formatted) in seen:
        return
    seen.add(id(formatted))
    stack = getattr(formatted, "stack", None)
    if stack is not None:
        stack[:] = _select_user_frames(list(stack))
    _trim_frames(formatted.__cause__, seen)
    _trim_frames(formatted.__context__, seen)
    for member in getattr(formatted, "exceptions", None) or ():
        _trim_frames(member, seen)


def _select_user_frames(frames: list[FrameSummary]) -> list[FrameSummary]:
    """Return the frames of a traceback that help the user find the error.

    These are the user code frames, starting with the first cell, and the last frame of each library
    that user code calls. If there are too many, those in the middle are omitted.
    """
    frames = [frame for frame in frames if not frame.filename.startswith(_PACKAGE_DIRECTORY)]
    is_cell = [frame.filename.startswith(_CELL_PREFIX) for frame in frames]
    first_cell_index = is_cell.index(True) if True in is_cell else 0
    frames = frames[first_cell_index:]
    user_frames = [
        frame
        for frame, callee in zip(frames, [*frames[1:], None])  # noqa: B905 - Python 3.8
        if not _is_library_frame(frame) or callee is None or not _is_library_frame(callee)
    ]
    if len(user_frames) > _MAX_FRAMES and not _is_repetition(user_frames):
        user_frames = user_frames[: _MAX_FRAMES // 2] + user_frames[-_MAX_FRAMES // 2 :]
    return user_frames


def _is_repetition(frames: list[FrameSummary]) -> bool:
    """Return whether most frames are the same few lines, which `traceback` prints only once."""
    lines = {(frame.filename, frame.lineno) for frame in frames}
    return len(lines) <= _MAX_FRAMES // 4


def _is_library_frame(frame: FrameSummary) -> bool:
    """Return whether a frame belongs to an installed package or the standard library."""
    file_name = frame.filename
    # Code generated by a library, such as NumPy or `dataclasses`, has no file.
    if file_name.startswith(("<frozen", "<__array", "<string")):
        return True
    if file_name.endswith((".pyx", ".pxi", ".pxd")):  # Cython
        return True
    directories = file_name.replace("\\", "/").split("/")
    return (
        "site-packages" in directories
        or "dist-packages" in directories
        or file_name.startswith(_STDLIB_DIRECTORY)
    )
