"""Evaluation of Wolfram Language code in sessions, and kernels for single tasks."""

from __future__ import annotations

import contextlib
from functools import cache
from os import environ
from typing import TYPE_CHECKING

from paddock.kernels.sessions import get_shared_session_manager
from paddock.kernels.wolfram.answer_items import build_answer_items
from paddock.kernels.wolfram.engines import ENGINE_VARIABLE, choose_engine
from paddock.kernels.wolfram.line_evaluator import evaluate_line
from paddock.toolkits.session_evaluation import (
    evaluate_in_session,
    format_evaluation,
    record_session,
)
from paddock.toolkits.tool_options import ENGINE_OPTION_NAME, resolve_time_limit
from paddock.wolfram import escape_private_characters

if TYPE_CHECKING:
    from collections.abc import Generator

    from paddock.authoring.context import Context
    from paddock.kernels.engine import Engine
    from paddock.kernels.kernel import (
        EvaluationControl,
        EvaluationLimits,
        EvaluationResult,
        Kernel,
    )
    from paddock.kernels.sessions import EvaluationSession
    from paddock.toolkits.tool_options import ToolContent
    from paddock.toolkits.wolfram.tools import WolframEvaluatorArguments

RESUMED_NOTE = (
    "The session was resumed in a new kernel. Definitions and history were restored; loaded "
    "packages and other state may be missing."
)


def get_configured_engine(ctx: Context) -> Engine:
    """Return the engine that the tool's option or the environment names, or else the best one.

    Raises:
        EngineError: The named engine is not installed.
    """
    return get_engine_by_name(ctx.options.get(ENGINE_OPTION_NAME))


def get_engine_by_name(name: str | None) -> Engine:
    """Return the named engine, or else the environment's engine, or else the best one.

    Raises:
        EngineError: The named engine is not installed.
    """
    return _choose_cached_engine(name, environ.get(ENGINE_VARIABLE))


@cache
def _choose_cached_engine(name: str | None, _variable: str | None) -> Engine:
    # Cached because finding an engine reads many directories. `choose_engine` reads the variable,
    # so it must be part of the key.
    return choose_engine(name).engine


def acquire_kernel(engine: Engine, limits: EvaluationLimits) -> Kernel:
    """Return a kernel without definitions. The caller must close it.

    Raises:
        KernelError: The kernel does not start.
    """
    return get_shared_session_manager().pool.acquire(engine, limits)


@contextlib.contextmanager
def open_kernel(engine: Engine, limits: EvaluationLimits) -> Generator[Kernel]:
    """Provide a new Wolfram Language kernel for a `with` block, and close it afterwards.

    Raises:
        KernelError: The kernel does not start.
    """
    kernel = acquire_kernel(engine, limits)
    try:
        yield kernel
    finally:
        kernel.close()


def describe_engine(engine: Engine) -> str:
    """Return an engine's name for use in results, including a note if it is not Wolfram's."""
    title = f"{engine.title} {engine.version}".strip()
    return title if engine.name == "wolfram" else f"{title}, not by a Wolfram kernel"


def evaluate_wolfram_language(arguments: WolframEvaluatorArguments, ctx: Context) -> ToolContent:
    """Evaluate Wolfram Language code in a session, and return its output.

    The session is recorded as the caller's latest one so that the `SymbolDefinition` tool reads
    its definitions.

    Raises:
        PaddockError: The engine is not installed, or its kernel does not start.
    """
    time_limit_seconds = resolve_time_limit(arguments.code, arguments.time_constraint, ctx.options)

    def evaluate(
        session: EvaluationSession, limits: EvaluationLimits, control: EvaluationControl
    ) -> EvaluationResult:
        """Evaluate the code, and remember the session for symbol lookups."""
        result = evaluate_line(session, arguments.code, limits, control)
        record_session(ctx, session.id, session.engine)
        return result

    evaluation = evaluate_in_session(
        ctx, arguments.session, get_configured_engine(ctx), time_limit_seconds, evaluate
    )
    items = build_answer_items(
        evaluation.result, evaluation.line_number, ctx.options["MaxCharacterCount"]
    )
    return format_evaluation(
        [escape_private_characters(item) if isinstance(item, str) else item for item in items],
        evaluation,
        ctx.options,
        notes=evaluation.result.notes,
        engine_title=describe_engine(evaluation.engine),
        resumed_note=RESUMED_NOTE,
        continuation="To continue this session with its definitions and history, use "
        f'session="{evaluation.session_id}".',
    )
