"""How a worker starts: confined first, then the guard, then the engine in a process below it."""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import msgspec

from paddock.kernels import confinement
from paddock.kernels.worker.orphans import adopt_orphans
from paddock.kernels.worker.pipes import take_streams

if TYPE_CHECKING:
    from paddock.kernels.worker.interpreter import Interpreter

_ROOT = Path(__file__).parents[3]
_ELSEWHERE = Path(__file__).with_name("elsewhere.py")


class Settings(msgspec.Struct):
    """What a worker is told on its command line."""

    interpreter: str
    """The module in `paddock.kernels.interpreters`, or any other with `interpreter()`."""
    network: bool = False
    is_alone: bool = False
    """Whether to do without other processes, as where there is no fork."""
    python: str = ""
    """The Python that the engine runs in; empty for this one."""
    directory: str = ""
    """Where the engine begins; empty for where the worker does."""


def main() -> NoReturn:
    """Be a kernel; requests come on standard input, replies go to standard output."""
    settings = msgspec.json.decode(sys.argv[1], type=Settings)
    requests, replies, output = take_streams()
    kept = confinement.confine(network=settings.network)
    if settings.is_alone or not hasattr(os, "fork"):
        from paddock.kernels.worker.alone import be_alone  # noqa: PLC0415 - seldom, and threads

        be_alone(lambda: _make(settings), requests, replies, output, kept)
    _fork(settings, requests, replies, output, kept)


def command_elsewhere(python: str, interpreter: str, handles: tuple[int, ...] = ()) -> list[str]:
    """The command for an engine in another Python; without handles, for one that is alone."""
    return [python, str(_ELSEWHERE), str(_ROOT), interpreter, *(str(each) for each in handles)]


def _fork(
    settings: Settings, requests: int, replies: int, output: int, kept: list[str]
) -> NoReturn:
    """Be the guard, with the engine in processes below."""
    adopt_orphans()
    first_orders, second_orders, notices = os.pipe(), os.pipe(), os.pipe()
    handles = (first_orders[0], second_orders[0], notices[1])
    if not settings.python:
        # All of it, so that the processes below share what is imported.
        importlib.import_module("paddock.kernels.worker.guard")
    child = os.fork()
    if child == 0:
        for handle in (requests, replies, output, notices[0], first_orders[1], second_orders[1]):
            os.close(handle)
        if settings.python:
            _run_elsewhere(settings, handles)
        _run_here(settings, handles)
    # Windows has not what this module imports, and the other Python starts meanwhile.
    from paddock.kernels.worker.guard import Channels, Guard  # noqa: PLC0415 - see above

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


def _run_here(settings: Settings, handles: tuple[int, int, int]) -> NoReturn:
    from paddock.kernels.worker.evaluating import Links, live  # noqa: PLC0415 - as in _fork

    live(lambda: _make(settings), Links(handles[:2], handles[2]))


def _run_elsewhere(settings: Settings, handles: tuple[int, int, int]) -> NoReturn:
    try:
        for handle in handles:
            os.set_inheritable(handle, True)
        if settings.directory:
            os.chdir(settings.directory)
        command = command_elsewhere(settings.python, settings.interpreter, handles)
        os.execv(settings.python, command)  # noqa: S606 - the Python that was chosen
    except OSError as error:
        from paddock.kernels.worker.frames import Fault, send  # noqa: PLC0415 - seldom

        send(handles[2], Fault(str(error)))
        os._exit(1)


def _make(settings: Settings) -> Interpreter:
    module = importlib.import_module(settings.interpreter)
    found: Interpreter = module.interpreter()
    return found
