"""Starting and ending processes that are supervised on behalf of the server."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from pathlib import Path
from typing import IO, TYPE_CHECKING

from paddock.kernels import sandbox
from paddock.kernels.child.process_tree import KERNEL_ID_VARIABLE
from paddock.kernels.kernel import KernelError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_SOURCE_ROOT = str(Path(__file__).parents[2])
_BOOTSTRAP_CODE = """\
import os, sys
sys.path += sys.argv.pop(1).split(os.pathsep)
from {module} import {function}
{function}()
"""


def build_python_command(
    reference: str, *arguments: str, search_path: Sequence[str] = (_SOURCE_ROOT,)
) -> list[str]:
    """Return the command that calls a function in a new process using this Python.

    Args:
        reference: The function as `module:function`, for instance
            `paddock.kernels.sandbox:main`. It is called without arguments.
        arguments: Arguments that the function receives in `sys.argv[1:]`.
        search_path: Directories to import modules from, besides the standard library.
    """
    module, _, function = reference.partition(":")
    code = _BOOTSTRAP_CODE.format(module=module, function=function)
    # -S skips the module `site`, which slows down the start. It would only add directories to
    # `sys.path`, and `search_path` contains all that are needed.
    return [sys.executable, "-I", "-S", "-c", code, os.pathsep.join(search_path), *arguments]


def build_supervised_command(command: Sequence[str]) -> list[str]:
    """Return the command that runs a Wolfram or Jupyter kernel under a supervisor process."""
    return build_python_command("paddock.kernels.wolfram.kernel_supervisor:main", *command)


def start_process(
    command: Sequence[str],
    title: str,
    *,
    kernel_id: str,
    variables: Mapping[str, str] | None = None,
    directory: Path | None = None,
) -> subprocess.Popen[bytes]:
    """Start a kernel process, with pipes for its standard streams.

    The process gets a minimal environment, and is the leader of a new POSIX session.
    `process_tree.kill_kernel` uses this session and `kernel_id` to find all descendants of the
    process.

    Args:
        command: The program and its arguments.
        title: The name of the program, for error messages.
        kernel_id: A unique ID, which is added to the environment of the process and its
            descendants.
        variables: Additional environment variables.
        directory: The initial working directory. Defaults to the server's.

    Raises:
        KernelError: The process cannot be started.
    """
    environment = sandbox.build_environment() | dict(variables or {})
    try:
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment | {KERNEL_ID_VARIABLE: kernel_id},
            cwd=directory,
            start_new_session=True,
            bufsize=0,
        )
    except OSError as error:
        raise KernelError(f"{title} cannot be started: {error}") from None


def end_process(process: subprocess.Popen[bytes], grace_seconds: float) -> None:
    """End a supervisor process and wait until it has exited.

    When its standard input is closed, the supervisor ends its kernel and exits. If it does not exit
    within the grace period, it is killed.
    """
    if process.stdin is not None:
        with contextlib.suppress(OSError):
            process.stdin.close()
    try:
        process.wait(grace_seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def require_pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    """Return a standard stream of a process that was started with a pipe for it."""
    if pipe is None:
        raise TypeError("the process must be started with a pipe for this stream")
    return pipe
