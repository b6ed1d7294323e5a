"""The engine that the tools of a server evaluate with, and kernels for a single task.

What the tool `WolframLanguageEvaluator` does: code evaluated in a session, as an answer.

Reading code and wording results is done by `paddock.kernels.wolfram.line_evaluator`, keeping sessions by
`paddock.kernels.sessions`. Loaded with the first call.
"""

from __future__ import annotations

import contextlib
from functools import cache
from os import environ
from typing import TYPE_CHECKING, Any, NamedTuple

from paddock.kernels.handler_calls import call_kernel
from paddock.kernels.kernel import EvaluationLimits
from paddock.kernels.sessions import get_shared_session_manager
from paddock.kernels.wolfram.engines import ENGINE_VARIABLE, choose_engine
from paddock.kernels.wolfram.line_evaluator import AnswerText, evaluate_line
from paddock.toolkits.content import build_content, create_reminder
from paddock.toolkits.session_evaluation import read_retention_policy, record_session
from paddock.toolkits.tool_options import (
    ENGINE_OPTION_NAME,
    MEMORY_OPTION_NAME,
    NETWORK_OPTION_NAME,
)
from paddock.wolfram import escape_private_characters

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from paddock.authoring.context import Context
    from paddock.kernels.engine import Engine
    from paddock.kernels.handler_calls import CancelCheck, ProgressCallback
    from paddock.kernels.kernel import Kernel
    from paddock.kernels.sessions import SessionStatus
    from paddock.kernels.wolfram.line_evaluator import LineEvaluation
    from paddock.toolkits.content import ToolContent


def get_configured_engine(ctx: Context) -> Engine:
    """The engine that the tool's option, or the environment, names; else the best there is.

    Raises:
        EngineError: when that one is not on this machine.
    """
    return get_engine_by_name(ctx.options.get(ENGINE_OPTION_NAME))


def get_engine_by_name(setting: str | None) -> Engine:
    """The same, for a setting that is known.

    Raises:
        EngineError: when that one is not on this machine.
    """
    return _get_cached_engine(setting, environ.get(ENGINE_VARIABLE))


@cache
def _get_cached_engine(setting: str | None, _variable: str | None) -> Engine:
    """Looked for once, since it means looking at many places."""
    return choose_engine(setting).engine


def acquire_kernel(engine: Engine, limits: EvaluationLimits) -> Kernel:
    """A kernel without any definitions, which is to be closed.

    Raises:
        KernelError: when it does not start.
    """
    return get_shared_session_manager().pool.acquire(engine, limits)


@contextlib.contextmanager
def open_kernel(engine: Engine, limits: EvaluationLimits) -> Iterator[Kernel]:
    """A kernel without any definitions, for the length of the block.

    Raises:
        KernelError: when it does not start.
    """
    kernel = acquire_kernel(engine, limits)
    try:
        yield kernel
    finally:
        kernel.close()


def describe_engine(engine: Engine) -> str:
    """What answers say about who evaluated."""
    named = f"{engine.title} {engine.version}".strip()
    return named if engine.name == "wolfram" else f"{named}, not by a Wolfram kernel"


SESSION_STATUS_NOTES = {
    "reused": "Nothing was saved under this session id: it is a new, empty session.",
    "resumed-new-kernel": (
        "The session goes on in a new kernel process. Its definitions and history were restored; "
        "loaded packages and other state may be missing."
    ),
}


class _WolframSessionInfo(NamedTuple):
    """What an answer says of its session; another call may have it by then."""

    id: str
    status: SessionStatus
    engine: Engine
    notes: tuple[str, ...]


def run_evaluation(ctx: Context, code: str, seconds: float, session: str | None) -> ToolContent:
    """The answer to code, which may take so many seconds; what the tool's options say counts.

    Raises:
        PaddockError: when there is no such engine, or its kernel does not start.
    """
    limits = EvaluationLimits(
        seconds=seconds,
        memory_bytes=ctx.options[MEMORY_OPTION_NAME],
        network=ctx.options[NETWORK_OPTION_NAME],
    )
    sessions = get_shared_session_manager()
    sessions.retention = read_retention_policy(ctx.options)

    def work(is_cancelled: CancelCheck, on_wait: ProgressCallback) -> ToolContent:
        engine = get_configured_engine(ctx)
        with sessions.open_session(
            session, engine, seconds=seconds, is_cancelled=is_cancelled, on_wait=on_wait
        ) as opened:
            found = evaluate_line(opened, code, limits, is_cancelled=is_cancelled, on_wait=on_wait)
            record_session(ctx, opened.id, engine)
            about = _WolframSessionInfo(
                opened.id, opened.status, opened.engine, tuple(opened.notes)
            )
        return [] if is_cancelled() else _format_answer(found, about, ctx.options)

    return call_kernel(ctx, work, seconds)


def _format_answer(
    evaluation: LineEvaluation, session: _WolframSessionInfo, options: Mapping[str, Any]
) -> ToolContent:
    items = [
        escape_private_characters(item.text) if isinstance(item, AnswerText) else item
        for item in evaluation.to_items(options["MaxCharacterCount"])
    ]
    pieces, notes = build_content(items, is_exported=options["ImageExportMethod"] == "Local")
    lines = [
        SESSION_STATUS_NOTES.get(session.status, ""),
        *session.notes,
        *evaluation.notes,
        *notes,
    ]
    lines += [
        f"Evaluated by {describe_engine(session.engine)}.",
        f'To go on in this session, with its definitions and history, use session="{session.id}".',
    ]
    return [*pieces, create_reminder([line for line in lines if line])]
