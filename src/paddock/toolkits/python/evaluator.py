"""What came of Python code, in reading order: prints, pictures, the value or the failure.

What the tool `PythonEvaluator` does: code evaluated in a session, as an answer.

Keeping sessions is done by `paddock.kernels.sessions`. Loaded with the first call.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from os import environ
from typing import TYPE_CHECKING, Any, NamedTuple

from paddock.authoring.handler_errors import ToolError
from paddock.kernels.handler_calls import call_kernel
from paddock.kernels.jupyter.engine import JupyterEngine
from paddock.kernels.kernel import EvaluationLimits
from paddock.kernels.python_engine import PythonEngine
from paddock.kernels.sessions import get_shared_session_manager
from paddock.toolkits.content import build_content, create_reminder
from paddock.toolkits.paths import get_working_directory
from paddock.toolkits.python.interpreters import choose_interpreter
from paddock.toolkits.session_evaluation import read_retention_policy
from paddock.toolkits.tool_options import (
    GATEWAY_OPTION_NAME,
    KERNEL_OPTION_NAME,
    MEMORY_OPTION_NAME,
    NETWORK_OPTION_NAME,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from paddock.authoring.context import Context
    from paddock.kernels.engine import Engine
    from paddock.kernels.handler_calls import CancelCheck, ProgressCallback
    from paddock.kernels.kernel import EvaluationResult
    from paddock.kernels.sessions import SessionStatus
    from paddock.toolkits.content import ToolContent
    from paddock.toolkits.python.interpreters import PythonInterpreter


FINISHED_STATUSES = frozenset({"done", "failed"})
_NO_OUTPUT_TEXT = "(The code ran; it printed nothing, and its last statement has no value.)"


@dataclass(frozen=True, slots=True)
class PythonFigure:
    """A picture in an answer."""

    data: bytes
    mime: str
    label: str = "(A picture that cannot be shown.)\n"


def build_answer_items(
    outcome: EvaluationResult, line: int, limit: int
) -> tuple[list[str | PythonFigure], str]:
    """The answer, with texts of at most `limit` characters, and what is told beside it."""
    items: list[str | PythonFigure] = []
    for output in outcome.outputs:
        if output.kind == "picture":
            items.append(PythonFigure(output.data, output.mime))
        else:
            items.append(f"{truncate_middle(output.text, limit)}\n")
    if outcome.status not in FINISHED_STATUSES:
        items.append(f"[{outcome.note}]\n")
        return items, ""
    if outcome.result is not None:
        text = truncate_middle(outcome.result, limit)
        items.append(f"Out[{line}]: " + (f"\n{text}" if "\n" in text else text))
    if not items:
        items.append(_NO_OUTPUT_TEXT)
    return items, outcome.note


def truncate_middle(text: str, limit: int) -> str:
    """A text without its middle, if it is longer than that."""
    if len(text) <= limit:
        return text
    head, tail = text[: limit - limit // 4], text[len(text) - limit // 4 :]
    return f"{head}\n… {len(text) - limit} characters are left out …\n{tail}"


SESSION_STATUS_NOTES = {
    "reused": "Nothing was saved under this session id: it is a new, empty session.",
    "resumed-new-kernel": (
        "The session goes on in a new process, with what had been saved of it: modules, functions, "
        "classes and values. Open files, connections and threads are gone."
    ),
}
MAX_TRACKED_SESSIONS = 1000
JUPYTER_TOKEN_VARIABLE = "PADDOCK_JUPYTER_TOKEN"  # noqa: S105 - its name, not the token
_engines_lock = threading.Lock()
_session_engines: dict[str, Engine] = {}
"""With what each session was evaluated last, so that it goes on with that."""


class _PythonSessionInfo(NamedTuple):
    """What an answer says of its session; another call may have it by then."""

    id: str
    line: int
    status: SessionStatus
    engine_title: str
    notes: tuple[str, ...]


class EvaluationRequest(NamedTuple):
    """What a call asks to be evaluated with."""

    session: str | None
    interpreter: str | None
    kernel: str | None


def run_evaluation(
    ctx: Context, code: str, seconds: float, wanted: EvaluationRequest
) -> ToolContent:
    """The answer to code, which may take so many seconds; what the tool's options say counts.

    Raises:
        PaddockError: when there is no such interpreter, or its kernel does not start.
    """
    limits = EvaluationLimits(
        seconds=seconds,
        memory_bytes=ctx.options[MEMORY_OPTION_NAME],
        network=ctx.options[NETWORK_OPTION_NAME],
    )
    engine = _select_engine(ctx, wanted)
    sessions = get_shared_session_manager()
    sessions.retention = read_retention_policy(ctx.options)

    def work(is_cancelled: CancelCheck, on_wait: ProgressCallback) -> ToolContent:
        with sessions.open_session(
            wanted.session, engine, seconds=seconds, is_cancelled=is_cancelled, on_wait=on_wait
        ) as opened:
            line = opened.next_line
            found = opened.evaluate(code, limits, is_cancelled=is_cancelled, on_wait=on_wait)
            _record_engine(opened.id, engine)
            about = _PythonSessionInfo(
                opened.id, line, opened.status, engine.title, tuple(opened.notes)
            )
        return [] if is_cancelled() else _format_answer(found, about, ctx.options)

    return call_kernel(ctx, work, seconds)


def _select_engine(ctx: Context, wanted: EvaluationRequest) -> Engine:
    """What is named, else what the session was evaluated with, else the Python of the project."""
    known = _session_engines.get(wanted.session or "")
    if known is not None and not wanted.interpreter and not wanted.kernel:
        return known
    directory = str(get_working_directory(ctx))
    kernel = wanted.kernel or (None if wanted.interpreter else ctx.options[KERNEL_OPTION_NAME])
    if kernel:
        gateway = ctx.options[GATEWAY_OPTION_NAME] or ""
        place = f" at {gateway}" if gateway else ""
        token = environ.get(JUPYTER_TOKEN_VARIABLE, "") if gateway else ""
        return JupyterEngine(
            kernel, f"the Jupyter kernel {kernel}{place}", directory, gateway, token
        )
    found = _find_saved_interpreter(ctx, wanted) or choose_interpreter(ctx, wanted.interpreter)
    return PythonEngine(
        str(found.path),
        found.version,
        directory,
        f"Python {found.version}, {found.path} ({found.origin})",
    )


def _find_saved_interpreter(ctx: Context, wanted: EvaluationRequest) -> PythonInterpreter | None:
    """The Python that a session was saved with before this process began, if it may be used."""
    if wanted.interpreter or not wanted.session:
        return None
    language, _, path = (
        get_shared_session_manager().get_saved_engine_name(wanted.session) or ""
    ).partition(" ")
    if language != "python" or not path:
        return None
    try:
        found = choose_interpreter(ctx, path)
    except ToolError:  # it is gone, or lies where tools may not go any more
        return None
    return found._replace(origin="as before in this session")


def _record_engine(session: str, engine: Engine) -> None:
    with _engines_lock:
        _session_engines.pop(session, None)
        _session_engines[session] = engine
        while len(_session_engines) > MAX_TRACKED_SESSIONS:
            del _session_engines[next(iter(_session_engines))]


def _format_answer(
    outcome: EvaluationResult, session: _PythonSessionInfo, options: Mapping[str, Any]
) -> ToolContent:
    items, told = build_answer_items(outcome, session.line, options["MaxCharacterCount"])
    pieces, notes = build_content(items, is_exported=options["ImageExportMethod"] == "Local")
    lines = [SESSION_STATUS_NOTES.get(session.status, ""), *session.notes, told, *notes]
    lines += [
        f"Evaluated by {session.engine_title}.",
        f'To go on in this session, with all its names, use session="{session.id}".',
    ]
    return [*pieces, create_reminder([line for line in lines if line])]
