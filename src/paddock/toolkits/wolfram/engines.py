"""The engine that the tools of a server evaluate with, and kernels for a single task."""

from __future__ import annotations

import contextlib
from functools import cache
from os import environ
from typing import TYPE_CHECKING

from paddock.kernels.engines.detection import ENGINE_VARIABLE, choose_engine
from paddock.kernels.sessions import get_shared_session_manager
from paddock.toolkits.wolfram.options import ENGINE_OPTION_NAME

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.authoring.context import Context
    from paddock.kernels.engines.engine import Engine
    from paddock.kernels.kernel import Kernel
    from paddock.kernels.limits import EvaluationLimits


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
