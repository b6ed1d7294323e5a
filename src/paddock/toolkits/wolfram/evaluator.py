"""Evaluation of Wolfram Language code in sessions, and kernels for single tasks."""

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
    from paddock.kernels.kernel import EvaluationControl, Kernel
    from paddock.kernels.sessions import SessionStatus
    from paddock.kernels.wolfram.line_evaluator import LineEvaluation
    from paddock.toolkits.content import ToolContent


def get_configured_engine(ctx: Context) -> Engine:
    """Return the engine that the tool's option or the environment names, else the best one.

    Raises:
        EngineError: The named engine is not installed.
    """
    return get_engine_by_name(ctx.options.get(ENGINE_OPTION_NAME))


def get_engine_by_name(name: str | None) -> Engine:
    """Return the named engine, else that of the environment, else the best one.

    Raises:
        EngineError: The named engine is not installed.
    """
    return _choose_cached_engine(name, environ.get(ENGINE_VARIABLE))


@cache
def _choose_cached_engine(name: str | None, _variable: str | None) -> Engine:
    # Cached, because finding an engine reads many directories. `choose_engine` reads the variable,
    # so it must be part of the key.
    return choose_engine(name).engine


def acquire_kernel(engine: Engine, limits: EvaluationLimits) -> Kernel:
    """Return a kernel without definitions, which the caller must close.

    Raises:
        KernelError: The kernel does not start.
    """
    return get_shared_session_manager().pool.acquire(engine, limits)


@contextlib.contextmanager
def open_kernel(engine: Engine, limits: EvaluationLimits) -> Iterator[Kernel]:
    """Provide a kernel without definitions, and close it at the end of the block.

    Raises:
        KernelError: The kernel does not start.
    """
    kernel = acquire_kernel(engine, limits)
    try:
        yield kernel
    finally:
        kernel.close()


def describe_engine(engine: Engine) -> str:
    """Return the name of an engine for results, which say if it is not Wolfram's."""
    title = f"{engine.title} {engine.version}".strip()
    return title if engine.name == "wolfram" else f"{title}, not by a Wolfram kernel"


SESSION_STATUS_NOTES = {
    "reused": "Nothing was saved under this session id: it is a new, empty session.",
    "resumed-new-kernel": (
        "The session was resumed in a new kernel. Definitions and history were restored; loaded "
        "packages and other state may be missing."
    ),
}


class _WolframSessionInfo(NamedTuple):
    """The session of an evaluation, copied before another call can change it."""

    id: str
    status: SessionStatus
    engine: Engine
    notes: tuple[str, ...]


def run_evaluation(ctx: Context, code: str, seconds: float, session: str | None) -> ToolContent:
    """Evaluate code in a session and return its output.

    Args:
        ctx: The context of the call, with the tool's options.
        code: The code to evaluate.
        seconds: The time limit.
        session: The id of the session to continue. Defaults to a new session.

    Raises:
        PaddockError: The engine is not installed, or its kernel does not start.
    """
    limits = EvaluationLimits(
        seconds=seconds,
        memory_bytes=ctx.options[MEMORY_OPTION_NAME],
        network=ctx.options[NETWORK_OPTION_NAME],
    )
    sessions = get_shared_session_manager()
    sessions.retention = read_retention_policy(ctx.options)

    def work(control: EvaluationControl) -> ToolContent:
        engine = get_configured_engine(ctx)
        with sessions.open_session(
            session, engine, seconds=seconds, control=control
        ) as opened_session:
            evaluation = evaluate_line(opened_session, code, limits, control)
            record_session(ctx, opened_session.id, engine)
            session_info = _WolframSessionInfo(
                opened_session.id,
                opened_session.status,
                opened_session.engine,
                tuple(opened_session.notes),
            )
        return (
            [] if control.is_cancelled() else _format_answer(evaluation, session_info, ctx.options)
        )

    return call_kernel(ctx, work, seconds)


def _format_answer(
    evaluation: LineEvaluation, session: _WolframSessionInfo, options: Mapping[str, Any]
) -> ToolContent:
    items = [
        escape_private_characters(item.text) if isinstance(item, AnswerText) else item
        for item in evaluation.to_items(options["MaxCharacterCount"])
    ]
    content, notes = build_content(items, is_exported=options["ImageExportMethod"] == "Local")
    lines = [
        SESSION_STATUS_NOTES.get(session.status, ""),
        *session.notes,
        *evaluation.notes,
        *notes,
    ]
    lines += [
        f"Evaluated by {describe_engine(session.engine)}.",
        f'To continue this session with its definitions and history, use session="{session.id}".',
    ]
    return [*content, create_reminder([line for line in lines if line])]
