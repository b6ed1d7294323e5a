"""Supervisor process between the server and a Wolfram or Jupyter kernel.

It runs as a separate program that uses only the standard library. Lines from its standard input go
to the kernel, except for `INTERRUPT_LINE`, which interrupts the running evaluation. When the input
ends, because the server closed it or is gone, the kernel and all its processes are killed. When the
kernel ends, so do its other processes and the supervisor. The kernel's output does not pass through
here, because the kernel inherits standard output.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from typing import IO, NoReturn

from paddock.kernels.child.process_tree import kill_descendants
from paddock.kernels.sandbox import adopt_orphans

INTERRUPT_LINE = b"\x03\n"
"""A line that is not a request and cannot occur in one."""
ABORT_LINE = b"a\n"
"""Reply to a kernel's interrupt menu that aborts the evaluation. The driver ignores it."""
HAS_PROCESS_GROUPS = hasattr(os, "killpg")


def _send_signal(kernel: subprocess.Popen[bytes], number: int) -> None:
    """Send a signal to the kernel and the processes in its group."""
    with suppress(OSError):
        if HAS_PROCESS_GROUPS:
            os.killpg(kernel.pid, number)
        else:
            kernel.kill()


def _kill_kernel(kernel: subprocess.Popen[bytes]) -> None:
    _send_signal(kernel, getattr(signal, "SIGKILL", signal.SIGTERM))


def _forward_requests(requests: IO[bytes], kernel: subprocess.Popen[bytes]) -> None:
    """Forward server requests to the kernel until standard input ends, then kill the kernel.

    The line `INTERRUPT_LINE` is not forwarded. It interrupts the running evaluation. Runs in its
    own thread.

    Args:
        requests: This process's standard input.
        kernel: The kernel process.
    """
    kernel_input = kernel.stdin
    if kernel_input is None:
        return
    with suppress(OSError):
        for line in requests:
            if line != INTERRUPT_LINE:
                kernel_input.write(line)
            elif HAS_PROCESS_GROUPS:
                _send_signal(kernel, signal.SIGINT)
                kernel_input.write(ABORT_LINE)
            kernel_input.flush()
    _kill_kernel(kernel)


def main() -> NoReturn:
    """Run the kernel whose command is in `sys.argv`, and forward requests to it.

    This process exits with the kernel's exit code. If standard input ends first, because the server
    is gone, the kernel is killed. Other processes started by user code are killed in both cases.
    """
    # Background processes of user code become children of this process, so it can kill them.
    adopt_orphans()
    kernel = subprocess.Popen(
        sys.argv[1:],
        stdin=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=HAS_PROCESS_GROUPS,
    )
    # The server notices that the kernel has ended only if no other process keeps the pipe open.
    with suppress(OSError):
        os.close(1)
    forwarding = threading.Thread(
        target=_forward_requests, args=(sys.stdin.buffer, kernel), daemon=True
    )
    forwarding.start()
    code = kernel.wait()
    _kill_kernel(kernel)
    kill_descendants()
    # As in a shell, the exit code after a signal is 128 plus its number. `os._exit` is used because
    # it does not wait for the thread, which may still be reading.
    os._exit((code if code >= 0 else 128 - code) & 0xFF)
