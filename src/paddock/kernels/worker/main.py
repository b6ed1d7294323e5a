"""Entry point of a worker: enters the sandbox, then starts the supervisor and the evaluator.

Importing modules takes most of a kernel's start time, so they are imported as late as possible:
after the fork, while the other process starts.
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

_WORKER_DIRECTORY = os.path.dirname(__file__)
_FOREIGN_PYTHON_SCRIPT = os.path.join(_WORKER_DIRECTORY, "..", "child", "foreign_python.py")
_SOURCE_ROOT = os.path.normpath(os.path.join(_WORKER_DIRECTORY, "..", "..", ".."))


class WorkerSettings:
    """Settings of a worker, passed on its command line.

    Attributes:
        interpreter: Name of a module with a function `interpreter()`.
        network: Whether network access is allowed.
        is_forkless: Whether to evaluate in this process, without a supervisor, as without `fork`.
        python: Path of the Python that runs the engine, or empty for Paddock's own.
        directory: Initial directory of the engine, or empty for the worker's.
    """

    def __init__(
        self,
        interpreter: str,
        *,
        network: bool = False,
        is_forkless: bool = False,
        python: str = "",
        directory: str = "",
    ) -> None:
        self.interpreter = interpreter
        self.network = network
        self.is_forkless = is_forkless
        self.python = python
        self.directory = directory

    def to_arguments(self) -> list[str]:
        """Return the settings as command line arguments."""
        flags = f"{'network' if self.network else ''} {'forkless' if self.is_forkless else ''}"
        return [self.interpreter, flags, self.python, self.directory]

    @classmethod
    def from_arguments(cls, arguments: list[str]) -> WorkerSettings:
        """Parse command line arguments that `to_arguments` returned."""
        interpreter, flags, python, directory = arguments
        return cls(
            interpreter,
            network="network" in flags,
            is_forkless="forkless" in flags,
            python=python,
            directory=directory,
        )


def main() -> NoReturn:
    """Run a worker.

    Requests arrive on standard input, and replies go to standard output.
    """
    settings = WorkerSettings.from_arguments(sys.argv[1:])
    requests, replies, output = claim_standard_streams()
    restrictions = sandbox.enter_sandbox(network=settings.network)
    if settings.is_forkless or not hasattr(os, "fork"):
        # This module is seldom needed. It imports threading, which other workers can do without.
        from paddock.kernels.child.forkless_worker import run_forkless

        run_forkless(lambda: _create_interpreter(settings), requests, replies, output, restrictions)
    _run_supervised(settings, requests, replies, output, restrictions)


def build_foreign_command(
    python: str, interpreter: str, handles: tuple[int, ...] = ()
) -> list[str]:
    """Build the command that runs an engine in another Python.

    Args:
        python: Path of that Python.
        interpreter: Name of the module to load.
        handles: Descriptors of the pipes to the supervisor, or none for a worker without one.
    """
    return [
        python,
        _FOREIGN_PYTHON_SCRIPT,
        _SOURCE_ROOT,
        interpreter,
        *(str(handle) for handle in handles),
    ]


def _run_supervised(
    settings: WorkerSettings, requests: int, replies: int, output: int, restrictions: list[str]
) -> NoReturn:
    """Fork the evaluator and become its supervisor."""
    # Orphans become children of this process, which can then find and kill them.
    adopt_orphans()
    first_orders, second_orders, notices = os.pipe(), os.pipe(), os.pipe()
    handles = (first_orders[0], second_orders[0], notices[1])
    if not settings.python:
        # Imported before the fork, so that the child shares the memory of these modules.
        import paddock.kernels.worker.supervisor  # noqa: F401 - see above
    child = os.fork()
    if child == 0:
        for handle in (requests, replies, output, notices[0], first_orders[1], second_orders[1]):
            os.close(handle)
        if settings.python:
            _exec_foreign_python(settings, handles)
        _run_own_evaluator(settings, handles)
    if settings.python:
        # msgspec uses typing_extensions if it finds it. Importing it takes longer than msgspec.
        sys.modules["typing_extensions"] = None  # type: ignore[assignment]  # makes the import fail
    # The module is not imported at the top, because it needs POSIX. The other Python also starts in
    # the meantime.
    from paddock.kernels.worker.supervisor import Supervisor, SupervisorChannels

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
    Supervisor(channels, child, restrictions).run()


def _run_own_evaluator(settings: WorkerSettings, handles: tuple[int, int, int]) -> NoReturn:
    # The module is not imported at the top, because it needs POSIX.
    from paddock.kernels.child.evaluator_process import SupervisorPipes, run_evaluator

    run_evaluator(lambda: _create_interpreter(settings), SupervisorPipes(handles[:2], handles[2]))


def _exec_foreign_python(settings: WorkerSettings, handles: tuple[int, int, int]) -> NoReturn:
    """Replace this process, which is the forked evaluator, by the user's Python.

    The pipes to the supervisor stay open across the exec. A failure is reported through the last of
    them.
    """
    try:
        for handle in handles:
            os.set_inheritable(handle, True)
        if settings.directory:
            os.chdir(settings.directory)
        command = build_foreign_command(settings.python, settings.interpreter, handles)
        os.execv(settings.python, command)  # the user's choice of interpreter
    except OSError as error:
        from paddock.kernels.worker.frames import StartupFailed, send_frame

        send_frame(handles[2], StartupFailed(str(error)))
        os._exit(1)


def _create_interpreter(settings: WorkerSettings) -> LanguageInterpreter:
    __import__(settings.interpreter)
    module_interpreter: LanguageInterpreter = sys.modules[settings.interpreter].interpreter()
    return module_interpreter
