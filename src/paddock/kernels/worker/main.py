"""How a worker starts: confined first, then the guard, then the engine in a process below it.

Little is imported before another Python is started: that takes as long as everything else together.
"""

from __future__ import annotations

import os
import sys

from paddock.kernels import sandbox
from paddock.kernels.child.process_tree import adopt_orphans
from paddock.kernels.child.standard_streams import claim_standard_streams

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    from paddock.kernels.child.job_runner import LanguageInterpreter

_WORKER_DIRECTORY = os.path.dirname(__file__)  # noqa: PTH120 - pathlib takes time
_FOREIGN_PYTHON_SCRIPT = os.path.join(_WORKER_DIRECTORY, "..", "child", "foreign_python.py")  # noqa: PTH118 - as above
_SOURCE_ROOT = os.path.normpath(os.path.join(_WORKER_DIRECTORY, "..", "..", ".."))  # noqa: PTH118 - as above


class WorkerSettings:
    """What a worker is told on its command line.

    `interpreter` is the module in `paddock.kernels.child.python`, or any other with
    `interpreter()`; `is_alone` is whether to do without other processes, as where there is no fork;
    `python` is the Python that the engine runs in, empty for this one; `directory` is where the
    engine begins, empty for where the worker does.
    """

    def __init__(
        self,
        interpreter: str,
        *,
        network: bool = False,
        is_alone: bool = False,
        python: str = "",
        directory: str = "",
    ) -> None:
        self.interpreter = interpreter
        self.network = network
        self.is_alone = is_alone
        self.python = python
        self.directory = directory

    def to_arguments(self) -> list[str]:
        """These settings as arguments of a command."""
        flags = f"{'network' if self.network else ''} {'alone' if self.is_alone else ''}"
        return [self.interpreter, flags, self.python, self.directory]

    @classmethod
    def from_arguments(cls, arguments: list[str]) -> WorkerSettings:
        """What such arguments say."""
        interpreter, flags, python, directory = arguments
        return cls(
            interpreter,
            network="network" in flags,
            is_alone="alone" in flags,
            python=python,
            directory=directory,
        )


def main() -> NoReturn:
    """Be a kernel; requests come on standard input, replies go to standard output."""
    settings = WorkerSettings.from_arguments(sys.argv[1:])
    requests, replies, output = claim_standard_streams()
    kept = sandbox.enter_sandbox(network=settings.network)
    if settings.is_alone or not hasattr(os, "fork"):
        from paddock.kernels.child.forkless_worker import run_forkless  # noqa: PLC0415 - seldom, and threads

        run_forkless(lambda: _create_interpreter(settings), requests, replies, output, kept)
    _run_supervised(settings, requests, replies, output, kept)


def build_foreign_command(
    python: str, interpreter: str, handles: tuple[int, ...] = ()
) -> list[str]:
    """The command for an engine in another Python; without handles, for one that is alone."""
    return [
        python,
        _FOREIGN_PYTHON_SCRIPT,
        _SOURCE_ROOT,
        interpreter,
        *(str(each) for each in handles),
    ]


def _run_supervised(
    settings: WorkerSettings, requests: int, replies: int, output: int, kept: list[str]
) -> NoReturn:
    """Be the guard, with the engine in processes below."""
    adopt_orphans()
    first_orders, second_orders, notices = os.pipe(), os.pipe(), os.pipe()
    handles = (first_orders[0], second_orders[0], notices[1])
    if not settings.python:
        # All of it, so that the processes below share what is imported.
        import paddock.kernels.worker.supervisor  # noqa: F401, PLC0415 - see above
    child = os.fork()
    if child == 0:
        for handle in (requests, replies, output, notices[0], first_orders[1], second_orders[1]):
            os.close(handle)
        if settings.python:
            _exec_foreign_python(settings, handles)
        _run_own_evaluator(settings, handles)
    if settings.python:
        # msgspec finds in `typing` what it would take of this, which takes longer than msgspec.
        sys.modules["typing_extensions"] = None  # type: ignore[assignment]  # as if it was not there
    # Windows has not what this module imports, and the other Python starts meanwhile.
    from paddock.kernels.worker.supervisor import Supervisor, SupervisorChannels  # noqa: PLC0415 - see above

    channels = SupervisorChannels(
        requests,
        replies,
        (first_orders[1], second_orders[1]),
        (first_orders[0], second_orders[0]),
        notices[0],
        output,
    )
    os.close(notices[1])
    os.dup2(2, 1)
    Supervisor(channels, child, kept).run()


def _run_own_evaluator(settings: WorkerSettings, handles: tuple[int, int, int]) -> NoReturn:
    from paddock.kernels.child.evaluator_process import SupervisorPipes, run_evaluator  # noqa: PLC0415 - as in _fork

    run_evaluator(lambda: _create_interpreter(settings), SupervisorPipes(handles[:2], handles[2]))


def _exec_foreign_python(settings: WorkerSettings, handles: tuple[int, int, int]) -> NoReturn:
    try:
        for handle in handles:
            os.set_inheritable(handle, True)
        if settings.directory:
            os.chdir(settings.directory)
        command = build_foreign_command(settings.python, settings.interpreter, handles)
        os.execv(settings.python, command)  # noqa: S606 - the Python that was chosen
    except OSError as error:
        from paddock.kernels.worker.frames import StartupFailed, send_frame  # noqa: PLC0415 - seldom

        send_frame(handles[2], StartupFailed(str(error)))
        os._exit(1)


def _create_interpreter(settings: WorkerSettings) -> LanguageInterpreter:
    __import__(settings.interpreter)
    found: LanguageInterpreter = sys.modules[settings.interpreter].interpreter()
    return found
