"""Tracebacks with the lines of the user's own code, and of libraries only the last one."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from traceback import FrameSummary, TracebackException

_MAX_FRAMES = 20
_MAX_CHARACTERS = 8000
_PACKAGE_DIRECTORY = os.path.dirname(os.path.dirname(os.path.dirname(__file__)))  # noqa: PTH120 - pathlib takes time
_STDLIB_DIRECTORY = os.path.dirname(os.__file__)  # noqa: PTH120 - as above
_MAGIC_PREFIXES = ("%", "!", "?")
_MAGIC_HINT = "(IPython's %magic, !command and name? are not part of Python and cannot be used.)\n"
_RUNNING_LOOP_TEXT = "cannot be called from a running event loop"
_ASYNC_HINT = "(Top-level await works here: write `await f()` instead of `asyncio.run(f())`.)\n"
_NETWORK_HINT = (
    "(There is no network here. Whoever runs the server can allow it: option AllowNetwork.)\n"
)


def format_traceback(error: BaseException) -> str:
    """What is told of an exception that nobody caught."""
    try:
        text = "".join(_format_lines(error))
    except Exception as fault:  # noqa: BLE001 - code may have changed what this is made with
        text = f"{type(error).__name__} (its traceback cannot be told: {type(fault).__name__})"
    if len(text) > _MAX_CHARACTERS:
        half = _MAX_CHARACTERS // 2
        text = f"{text[:half]}\n … {len(text) - 2 * half} characters …\n{text[-half:]}"
    return text.rstrip("\n")


def _format_lines(error: BaseException) -> list[str]:
    import traceback  # noqa: PLC0415 - it takes time, and most code does not fail

    if isinstance(error, SyntaxError) and not _has_user_frames(error):
        lines = traceback.format_exception_only(type(error), error)
        line = (error.text or "").strip()
        if line.startswith(_MAGIC_PREFIXES) or line.endswith("?"):
            lines.append(_MAGIC_HINT)
        return lines
    told = traceback.TracebackException.from_exception(error)
    _trim_frames(told, set())
    lines = list(told.format())
    if isinstance(error, RuntimeError) and _RUNNING_LOOP_TEXT in str(error):
        lines.append(_ASYNC_HINT)
    if _is_network_denied(error):
        lines.append(_NETWORK_HINT)
    return lines


def _is_network_denied(error: BaseException) -> bool:
    """Whether a socket was refused, whatever a library has made of that."""
    waiting: list[BaseException | None] = [error]
    seen: set[int] = set()
    while waiting:
        one = waiting.pop()
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        trace = one.__traceback__
        while trace is not None and trace.tb_next is not None:
            trace = trace.tb_next
        module = trace.tb_frame.f_globals.get("__name__") if trace is not None else None
        if isinstance(one, PermissionError) and module == "socket":
            return True
        waiting += [one.__cause__, one.__context__]
    return False


def _has_user_frames(error: BaseException) -> bool:
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename.startswith("<cell "):
            return True
        trace = trace.tb_next
    return False


def _trim_frames(told: TracebackException | None, seen: set[int]) -> None:
    """Leave out what is not the user's, here and in the causes."""
    if told is None or id(told) in seen:
        return
    seen.add(id(told))
    stack = getattr(told, "stack", None)
    if stack is not None:
        stack[:] = _select_user_frames(list(stack))
    _trim_frames(told.__cause__, seen)
    _trim_frames(told.__context__, seen)
    for each in getattr(told, "exceptions", None) or ():
        _trim_frames(each, seen)


def _select_user_frames(frames: list[FrameSummary]) -> list[FrameSummary]:
    frames = [frame for frame in frames if not frame.filename.startswith(_PACKAGE_DIRECTORY)]
    first = next((index for index, frame in enumerate(frames) if _is_cell_frame(frame)), 0)
    frames = frames[first:]
    kept = [
        frame
        for frame, follower in zip(frames, [*frames[1:], None])  # noqa: B905 - Python 3.8
        if not _is_library_frame(frame) or follower is None or not _is_library_frame(follower)
    ]
    if len(kept) > _MAX_FRAMES and not _is_repetition(kept):
        kept = kept[: _MAX_FRAMES // 2] + kept[-_MAX_FRAMES // 2 :]
    return kept


def _is_repetition(frames: list[FrameSummary]) -> bool:
    """Whether most are the same line, which is told in one line anyway."""
    places = {(frame.filename, frame.lineno) for frame in frames}
    return len(places) <= _MAX_FRAMES // 4


def _is_cell_frame(frame: FrameSummary) -> bool:
    return frame.filename.startswith("<cell ")


def _is_library_frame(frame: FrameSummary) -> bool:
    name = frame.filename
    if name.startswith(("<frozen", "<__array", "<string")):
        return True
    if name.endswith((".pyx", ".pxi", ".pxd")):
        return True
    parts = name.replace("\\", "/").split("/")
    return (
        "site-packages" in parts or "dist-packages" in parts or name.startswith(_STDLIB_DIRECTORY)
    )
