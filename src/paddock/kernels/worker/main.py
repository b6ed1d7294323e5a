"""Entry point of a worker that runs its engine in a Python other than Paddock's.

The process enters the sandbox, forks, and starts the other Python in the fork. Importing modules
takes most of a kernel's start time, so the supervisor's modules are imported only after the fork,
while the other Python starts. `paddock.kernels.worker.supervisor` has the entry point for engines
in Paddock's own Python.
"""

from __future__ import annotations

import os
import sys

from paddock.kernels import sandbox
from paddock.kernels.child.plain_frames import PlainFrame, send_frame
from paddock.kernels.worker.worker_pipes import WorkerPipes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

_WORKER_DIRECTORY = os.path.dirname(__file__)
_FOREIGN_PYTHON_SCRIPT = os.path.join(_WORKER_DIRECTORY, "..", "child", "foreign_python.py")
_SOURCE_ROOT = os.path.normpath(os.path.join(_WORKER_DIRECTORY, "..", "..", ".."))


def main() -> NoReturn:
    """Run a worker whose engine runs in another Python, such as one in a virtual environment.

    This process forks and becomes the supervisor, while its child executes the other Python. The
    arguments in `sys.argv` are the path of the other Python, the engine's interpreter module, and
    the word `network` if network access is allowed.
    """
    python, interpreter, *flags = sys.argv[1:]
    pipes = WorkerPipes()
    restrictions = sandbox.enter_sandbox(network="network" in flags)
    # Orphans become children of this process, which can then find and kill them.
    sandbox.adopt_orphans()
    child_pid = os.fork()
    if child_pid == 0:
        pipes.close_supervisor_ends()
        _exec_foreign_python(python, interpreter, pipes)
    # msgspec imports typing_extensions if it is installed, which takes longer than msgspec itself.
    sys.modules["typing_extensions"] = None  # type: ignore[assignment]  # makes the import fail
    # The supervisor is imported after the fork so that the other Python starts in the meantime.
    from paddock.kernels.worker.supervisor import Supervisor

    Supervisor(pipes, child_pid, restrictions).run()


def build_foreign_command(
    python: str, interpreter: str, handles: tuple[int, ...] = ()
) -> list[str]:
    """Build the command that runs an engine in another Python, such as the user's.

    Args:
        python: The path of the other Python.
        interpreter: The name of the engine's interpreter module.
        handles: The descriptors of the pipes to the supervisor, if there is one.
    """
    arguments = [_FOREIGN_PYTHON_SCRIPT, _SOURCE_ROOT, interpreter]
    return [python, *arguments, *(str(handle) for handle in handles)]


def _exec_foreign_python(python: str, interpreter: str, pipes: WorkerPipes) -> NoReturn:
    """Replace this process, the fork that becomes the evaluator process, with the user's Python.

    The pipes to the supervisor remain open. If the program cannot be executed, a notice reports the
    error to the supervisor.
    """
    handles = (*pipes.order_readers, pipes.notice_writer)
    try:
        for handle in handles:
            os.set_inheritable(handle, True)
        command = build_foreign_command(python, interpreter, handles)
        os.execv(python, command)  # the user's choice of interpreter
    except OSError as error:
        send_frame(pipes.notice_writer, PlainFrame("startup-failed", text=str(error)))
        os._exit(1)
