"""The process between a server and a Wolfram kernel, so that none outlives the other.

It runs as a program of its own, with nothing but the standard library.
What it reads from standard input goes to the kernel line by line; a line with `INTERRUPT` alone
stops what the kernel is doing. When the input ends, because the server has closed it or is gone,
the kernel and all that it has started are killed; when the kernel ends, so do the rest of them and
this. The kernel's answers do not pass through here: it has our standard output.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import IO, NoReturn

from paddock.kernels.child.process_tree import adopt_orphans, kill_descendants

INTERRUPT_LINE = b"\x03\n"
"""Not a request, and not text that a request could be."""
ABORT_LINE = b"a\n"
"""What the interrupt menu of a kernel takes as the wish to abort; the driver passes it over."""
HAS_PROCESS_GROUPS = hasattr(os, "killpg")
_BOOTSTRAP_CODE = """\
import sys
sys.path.append(sys.argv.pop(1))
from paddock.kernels.wolfram.kernel_supervisor import main
main(sys.argv[1:])
"""


def build_supervisor_command(command: list[str]) -> list[str]:
    """The command that starts a kernel with its keeper."""
    packages = str(Path(__file__).parents[3])
    # No site: nothing that it would find is needed, and it costs time.
    return [sys.executable, "-I", "-S", "-c", _BOOTSTRAP_CODE, packages, *command]


def _send_signal(kernel: subprocess.Popen[bytes], which: int) -> None:
    """Send a signal to the kernel and all that it has started."""
    with suppress(OSError):
        if HAS_PROCESS_GROUPS:
            os.killpg(kernel.pid, which)
        else:
            kernel.kill()


def _kill_kernel(kernel: subprocess.Popen[bytes]) -> None:
    _send_signal(kernel, getattr(signal, "SIGKILL", signal.SIGTERM))


def _forward_requests(requests: IO[bytes], kernel: subprocess.Popen[bytes]) -> None:
    """Hand on requests until there is nobody to hand them on for."""
    entry = kernel.stdin
    if entry is None:
        return
    with suppress(OSError):
        for line in requests:
            if line != INTERRUPT_LINE:
                entry.write(line)
            elif HAS_PROCESS_GROUPS:
                _send_signal(kernel, signal.SIGINT)
                entry.write(ABORT_LINE)
            entry.flush()
    _kill_kernel(kernel)


def main(command: list[str]) -> NoReturn:
    """Keep a kernel until it ends, or until our input does."""
    adopt_orphans()
    kernel = subprocess.Popen(  # noqa: S603 - the kernel that was found, or that the user named
        command,
        stdin=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=HAS_PROCESS_GROUPS,
    )
    # The end of the answers has to be the end of the kernel.
    with suppress(OSError):
        os.close(1)
    forwarding = threading.Thread(
        target=_forward_requests, args=(sys.stdin.buffer, kernel), daemon=True
    )
    forwarding.start()
    code = kernel.wait()
    _kill_kernel(kernel)
    kill_descendants()
    os._exit((code if code >= 0 else 128 - code) & 0xFF)  # the thread may be reading still
