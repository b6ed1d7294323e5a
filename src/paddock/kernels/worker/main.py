"""How a worker starts: confined first, then the guard, then the engine in a process below it."""

from __future__ import annotations

import importlib
import os
import sys
from typing import TYPE_CHECKING, NoReturn

import msgspec

from paddock.kernels import confinement
from paddock.kernels.worker.orphans import adopt_orphans

if TYPE_CHECKING:
    from paddock.kernels.worker.interpreter import Interpreter


class Settings(msgspec.Struct):
    """What a worker is told on its command line."""

    interpreter: str
    """The module in `paddock.kernels.interpreters`, or any other with `interpreter()`."""
    network: bool = False
    is_alone: bool = False
    """Whether to do without other processes, as where there is no fork."""


def main() -> NoReturn:
    """Be a kernel; requests come on standard input, replies go to standard output."""
    settings = msgspec.json.decode(sys.argv[1], type=Settings)
    requests, replies = os.dup(0), os.dup(1)
    output, written = os.pipe()
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(written, 1)
    os.dup2(written, 2)
    os.close(nothing)
    os.close(written)
    kept = confinement.confine(network=settings.network)
    if settings.is_alone or not hasattr(os, "fork"):
        from paddock.kernels.worker.alone import be_alone  # noqa: PLC0415 - seldom, and threads

        be_alone(lambda: _make(settings), requests, replies, output, kept)
    _fork(settings, requests, replies, output, kept)


def _fork(
    settings: Settings, requests: int, replies: int, output: int, kept: list[str]
) -> NoReturn:
    """Be the guard, with the engine in processes below."""
    # Windows has not what these modules import.
    from paddock.kernels.worker.evaluating import Links, live  # noqa: PLC0415 - see above
    from paddock.kernels.worker.guard import Channels, Guard  # noqa: PLC0415 - see above

    adopt_orphans()
    first_orders, second_orders, notices = os.pipe(), os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        for handle in (requests, replies, output, notices[0], first_orders[1], second_orders[1]):
            os.close(handle)
        live(lambda: _make(settings), Links((first_orders[0], second_orders[0]), notices[1]))
    channels = Channels(
        requests,
        replies,
        (first_orders[1], second_orders[1]),
        (first_orders[0], second_orders[0]),
        notices[0],
        output,
    )
    os.close(notices[1])
    os.dup2(2, 1)
    Guard(channels, child, kept).run()


def _make(settings: Settings) -> Interpreter:
    module = importlib.import_module(settings.interpreter)
    found: Interpreter = module.interpreter()
    return found
