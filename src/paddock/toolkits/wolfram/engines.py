"""The engine that the tools of a server evaluate with, and kernels for a single task."""

from __future__ import annotations

import contextlib
from functools import cache
from os import environ
from typing import TYPE_CHECKING

from paddock.kernels.engines.detection import ENGINE_VARIABLE, choose_engine
from paddock.kernels.sessions import shared_sessions
from paddock.toolkits.wolfram.options import ENGINE_OPTION

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.authoring.context import Context
    from paddock.kernels.engines.engine import Engine
    from paddock.kernels.kernel import Kernel
    from paddock.kernels.limits import Limits


def engine_for(ctx: Context) -> Engine:
    """The engine that the tool's option, or the environment, names; else the best there is.

    Raises:
        EngineError: when that one is not on this machine.
    """
    return engine_named(ctx.options.get(ENGINE_OPTION))


def engine_named(setting: str | None) -> Engine:
    """The same, for a setting that is known.

    Raises:
        EngineError: when that one is not on this machine.
    """
    return _chosen(setting, environ.get(ENGINE_VARIABLE))


@cache
def _chosen(setting: str | None, _variable: str | None) -> Engine:
    """Looked for once, since it means looking at many places."""
    return choose_engine(setting).engine


def take_kernel(engine: Engine, limits: Limits) -> Kernel:
    """A kernel without any definitions, which is to be closed.

    Raises:
        KernelError: when it does not start.
    """
    return shared_sessions().pool.take(engine, limits)


@contextlib.contextmanager
def fresh_kernel(engine: Engine, limits: Limits) -> Iterator[Kernel]:
    """A kernel without any definitions, for the length of the block.

    Raises:
        KernelError: when it does not start.
    """
    kernel = take_kernel(engine, limits)
    try:
        yield kernel
    finally:
        kernel.close()


def engine_title(engine: Engine) -> str:
    """What answers say about who evaluated."""
    named = f"{engine.title} {engine.version}".strip()
    return named if engine.name == "wolfram" else f"{named}, not by a Wolfram kernel"
