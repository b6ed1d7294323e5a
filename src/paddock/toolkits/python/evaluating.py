"""What the tool `PythonEvaluator` does: code evaluated in a session, as an answer.

Keeping sessions is done by `paddock.kernels.sessions`. Loaded with the first call.
"""

from __future__ import annotations

import threading
from os import environ
from typing import TYPE_CHECKING, Any, NamedTuple

from paddock.authoring.failures import ToolError
from paddock.kernels.calls import call_kernel
from paddock.kernels.engines.python import PythonEngine
from paddock.kernels.jupyter.engine import JupyterEngine
from paddock.kernels.limits import Limits
from paddock.kernels.sessions import shared_sessions
from paddock.toolkits.contents import contents, reminder
from paddock.toolkits.keeping import keeping_of
from paddock.toolkits.limits import MEMORY_OPTION, NETWORK_OPTION
from paddock.toolkits.paths import working_directory
from paddock.toolkits.python.interpreters import choose_interpreter
from paddock.toolkits.python.options import GATEWAY_OPTION, KERNEL_OPTION
from paddock.toolkits.python.wording import items_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from paddock.authoring.context import Context
    from paddock.kernels.calls import IsCancelled, OnWait
    from paddock.kernels.engines.engine import Engine
    from paddock.kernels.outcome import Outcome
    from paddock.kernels.sessions import SessionStatus
    from paddock.toolkits.contents import Content
    from paddock.toolkits.python.interpreters import Interpreter

STATUS_TEXTS = {
    "reused": "Nothing was saved under this session id: it is a new, empty session.",
    "resumed-new-kernel": (
        "The session goes on in a new process, with what had been saved of it: modules, functions, "
        "classes and values. Open files, connections and threads are gone."
    ),
}
MOST_SESSIONS = 1000
TOKEN_VARIABLE = "PADDOCK_JUPYTER_TOKEN"  # noqa: S105 - its name, not the token
_lock = threading.Lock()
_engines: dict[str, Engine] = {}
"""With what each session was evaluated last, so that it goes on with that."""


class _About(NamedTuple):
    """What an answer says of its session; another call may have it by then."""

    id: str
    line: int
    status: SessionStatus
    python: str
    notes: tuple[str, ...]


class Wanted(NamedTuple):
    """What a call asks to be evaluated with."""

    session: str | None
    interpreter: str | None
    kernel: str | None


def answer(ctx: Context, code: str, seconds: float, wanted: Wanted) -> Content:
    """The answer to code, which may take so many seconds; what the tool's options say counts.

    Raises:
        PaddockError: when there is no such interpreter, or its kernel does not start.
    """
    limits = Limits(
        seconds=seconds,
        memory_bytes=ctx.options[MEMORY_OPTION],
        network=ctx.options[NETWORK_OPTION],
    )
    engine = _engine_for(ctx, wanted)
    sessions = shared_sessions()
    sessions.keeping = keeping_of(ctx.options)

    def work(is_cancelled: IsCancelled, on_wait: OnWait) -> Content:
        with sessions.using(
            wanted.session, engine, seconds=seconds, is_cancelled=is_cancelled, on_wait=on_wait
        ) as opened:
            line = opened.line
            found = opened.evaluate(code, limits, is_cancelled=is_cancelled, on_wait=on_wait)
            _note(opened.id, engine)
            about = _About(opened.id, line, opened.status, engine.title, tuple(opened.notes))
        return [] if is_cancelled() else _worded(found, about, ctx.options)

    return call_kernel(ctx, work, seconds)


def _engine_for(ctx: Context, wanted: Wanted) -> Engine:
    """What is named, else what the session was evaluated with, else the Python of the project."""
    known = _engines.get(wanted.session or "")
    if known is not None and not wanted.interpreter and not wanted.kernel:
        return known
    directory = str(working_directory(ctx))
    kernel = wanted.kernel or (None if wanted.interpreter else ctx.options[KERNEL_OPTION])
    if kernel:
        gateway = ctx.options[GATEWAY_OPTION] or ""
        place = f" at {gateway}" if gateway else ""
        token = environ.get(TOKEN_VARIABLE, "") if gateway else ""
        return JupyterEngine(
            kernel, f"the Jupyter kernel {kernel}{place}", directory, gateway, token
        )
    found = _saved_interpreter(ctx, wanted) or choose_interpreter(ctx, wanted.interpreter)
    return PythonEngine(
        str(found.path),
        found.version,
        directory,
        f"Python {found.version}, {found.path} ({found.origin})",
    )


def _saved_interpreter(ctx: Context, wanted: Wanted) -> Interpreter | None:
    """The Python that a session was saved with before this process began, if it may be used."""
    if wanted.interpreter or not wanted.session:
        return None
    language, _, path = (shared_sessions().saved_by(wanted.session) or "").partition(" ")
    if language != "python" or not path:
        return None
    try:
        found = choose_interpreter(ctx, path)
    except ToolError:  # it is gone, or lies where tools may not go any more
        return None
    return found._replace(origin="as before in this session")


def _note(session: str, engine: Engine) -> None:
    with _lock:
        _engines.pop(session, None)
        _engines[session] = engine
        while len(_engines) > MOST_SESSIONS:
            del _engines[next(iter(_engines))]


def _worded(outcome: Outcome, session: _About, options: Mapping[str, Any]) -> Content:
    items, told = items_of(outcome, session.line, options["MaxCharacterCount"])
    pieces, notes = contents(items, is_exported=options["ImageExportMethod"] == "Local")
    lines = [STATUS_TEXTS.get(session.status, ""), *session.notes, told, *notes]
    lines += [
        f"Evaluated by {session.python}.",
        f'To go on in this session, with all its names, use session="{session.id}".',
    ]
    return [*pieces, reminder([line for line in lines if line])]
