"""Tracebacks with the lines of the user's own code, and of libraries only the last one."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from traceback import FrameSummary, TracebackException

_MOST_FRAMES = 20
_MOST_CHARACTERS = 8000
_HERE = os.path.dirname(os.path.dirname(os.path.dirname(__file__)))  # noqa: PTH120 - pathlib takes time
_STANDARD = os.path.dirname(os.__file__)  # noqa: PTH120 - as above
_MAGICS = ("%", "!", "?")
_MAGIC_HINT = "(IPython's %magic, !command and name? are not part of Python and cannot be used.)\n"
_RUNNING = "cannot be called from a running event loop"
_ASYNC_HINT = "(Top-level await works here: write `await f()` instead of `asyncio.run(f())`.)\n"
_NETWORK_HINT = (
    "(There is no network here. Whoever runs the server can allow it: option AllowNetwork.)\n"
)


def text_of(error: BaseException) -> str:
    """What is told of an exception that nobody caught."""
    try:
        text = "".join(_lines(error))
    except Exception as fault:  # noqa: BLE001 - code may have changed what this is made with
        text = f"{type(error).__name__} (its traceback cannot be told: {type(fault).__name__})"
    if len(text) > _MOST_CHARACTERS:
        half = _MOST_CHARACTERS // 2
        text = f"{text[:half]}\n … {len(text) - 2 * half} characters …\n{text[-half:]}"
    return text.rstrip("\n")


def _lines(error: BaseException) -> list[str]:
    import traceback  # noqa: PLC0415 - it takes time, and most code does not fail

    if isinstance(error, SyntaxError) and not _has_own_frames(error):
        lines = traceback.format_exception_only(type(error), error)
        line = (error.text or "").strip()
        if line.startswith(_MAGICS) or line.endswith("?"):
            lines.append(_MAGIC_HINT)
        return lines
    told = traceback.TracebackException.from_exception(error)
    _trim(told, set())
    lines = list(told.format())
    if isinstance(error, RuntimeError) and _RUNNING in str(error):
        lines.append(_ASYNC_HINT)
    if _lacks_network(error):
        lines.append(_NETWORK_HINT)
    return lines


def _lacks_network(error: BaseException) -> bool:
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


def _has_own_frames(error: BaseException) -> bool:
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename.startswith("<cell "):
            return True
        trace = trace.tb_next
    return False


def _trim(told: TracebackException | None, seen: set[int]) -> None:
    """Leave out what is not the user's, here and in the causes."""
    if told is None or id(told) in seen:
        return
    seen.add(id(told))
    stack = getattr(told, "stack", None)
    if stack is not None:
        stack[:] = _of_user(list(stack))
    _trim(told.__cause__, seen)
    _trim(told.__context__, seen)
    for each in getattr(told, "exceptions", None) or ():
        _trim(each, seen)


def _of_user(frames: list[FrameSummary]) -> list[FrameSummary]:
    frames = [frame for frame in frames if not frame.filename.startswith(_HERE)]
    first = next((index for index, frame in enumerate(frames) if _is_cell(frame)), 0)
    frames = frames[first:]
    kept = [
        frame
        for frame, follower in zip(frames, [*frames[1:], None])  # noqa: B905 - Python 3.8
        if not _is_of_library(frame) or follower is None or not _is_of_library(follower)
    ]
    if len(kept) > _MOST_FRAMES and not _is_repetition(kept):
        kept = kept[: _MOST_FRAMES // 2] + kept[-_MOST_FRAMES // 2 :]
    return kept


def _is_repetition(frames: list[FrameSummary]) -> bool:
    """Whether most are the same line, which is told in one line anyway."""
    places = {(frame.filename, frame.lineno) for frame in frames}
    return len(places) <= _MOST_FRAMES // 4


def _is_cell(frame: FrameSummary) -> bool:
    return frame.filename.startswith("<cell ")


def _is_of_library(frame: FrameSummary) -> bool:
    name = frame.filename
    if name.startswith(("<frozen", "<__array", "<string")):
        return True
    if name.endswith((".pyx", ".pxi", ".pxd")):
        return True
    parts = name.replace("\\", "/").split("/")
    return "site-packages" in parts or "dist-packages" in parts or name.startswith(_STANDARD)
