"""A Jupyter kernel that is installed on this machine, in a process that our keeper ends.

It is spoken to through sockets in a directory that only the user can enter, where the system has
such; else over the loopback interface.
"""

from __future__ import annotations

import contextlib
import os
import queue
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

from paddock.kernels import confinement
from paddock.kernels.engines.keeper import INTERRUPT_LINE, build_supervisor_command
from paddock.kernels.kernel import KernelError

if TYPE_CHECKING:
    from jupyter_client.kernelspec import KernelSpec

    from paddock.kernels.jupyter.link import JupyterMessage
    from paddock.kernels.limits import EvaluationLimits

_PYTHON_PROGRAM = re.compile(r"python[0-9.]*")
_END_TIMEOUT_SECONDS = 5.0
_SANDBOX_CODE = """\
import os, sys
sys.path += sys.argv.pop(1).split(os.pathsep)
memory = int(sys.argv.pop(1))
from paddock.kernels import confinement
confinement.confine(network=True)
if memory:
    import resource
    # Not the address space: some languages reserve far more of it than they use.
    resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
os.execv(sys.argv[1], sys.argv[1:])
"""


class LocalKernelLink:
    """A kernel that was started here."""

    def __init__(self, name: str, spec: KernelSpec, directory: str, limits: EvaluationLimits) -> None:
        """Start it.

        Raises:
            KernelError: when it cannot be started.
        """
        from jupyter_client.blocking.client import BlockingKernelClient  # noqa: PLC0415 - an extra
        from jupyter_client.connect import write_connection_file  # noqa: PLC0415 - as above

        self._is_interrupted_by_message = spec.interrupt_mode == "message"
        self._connection_directory = Path(tempfile.mkdtemp(prefix="paddock-"))
        file = self._connection_directory / "connection.json"
        has_files = sys.platform != "win32"
        write_connection_file(
            str(file),
            transport="ipc" if has_files else "tcp",
            ip=str(self._connection_directory / "s") if has_files else "127.0.0.1",
            kernel_name=name,
        )
        confinement.block_process_inspection()
        try:
            self._process = subprocess.Popen(  # noqa: S603 - the kernel that the user has installed
                _add_sandbox(build_supervisor_command(_build_command(spec, file)), limits),
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd=directory,
                env=_build_variables(spec),
                start_new_session=True,
                bufsize=0,
            )
        except OSError as error:
            shutil.rmtree(self._connection_directory, ignore_errors=True)
            raise KernelError(f"The Jupyter kernel {name} cannot be started: {error}") from None
        self._client: Any = BlockingKernelClient()
        self._client.load_connection_file(str(file))
        self._client.start_channels(stdin=False, hb=False)

    @property
    def is_alive(self) -> bool:
        """Whether its process is there."""
        return self._process.poll() is None

    def send(self, kind: str, content: dict[str, object]) -> str:
        """Send a request."""
        return self._send_message(self._client.shell_channel, kind, content)

    def receive(self, seconds: float) -> JupyterMessage:
        """The next message that the kernel publishes."""
        # What it answers besides is published as well; it must not pile up.
        with contextlib.suppress(queue.Empty):
            self._client.get_shell_msg(timeout=0)
        try:
            found: JupyterMessage = self._client.get_iopub_msg(timeout=seconds)
        except queue.Empty:
            raise TimeoutError from None
        return found

    def interrupt(self) -> None:
        """Interrupt it as its description says."""
        if self._is_interrupted_by_message:
            self._send_message(self._client.control_channel, "interrupt_request", {})
        elif self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.write(INTERRUPT_LINE)

    def close(self) -> None:
        """End it; the keeper does so when its input ends."""
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()
        try:
            self._process.wait(_END_TIMEOUT_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._client.stop_channels()
        shutil.rmtree(self._connection_directory, ignore_errors=True)

    def describe(self) -> dict[str, object]:
        """The process."""
        return {"guard": self._process.pid}

    def _send_message(self, channel: Any, kind: str, content: dict[str, object]) -> str:
        message = self._client.session.msg(kind, content)
        channel.send(message)
        found: str = message["header"]["msg_id"]
        return found


def _build_command(spec: KernelSpec, file: Path) -> list[str]:
    """The command of a kernel, as its description has it."""
    words = {"connection_file": str(file), "resource_dir": spec.resource_dir}
    command = [
        re.sub(r"\{([A-Za-z0-9_]+)\}", lambda found: words.get(found[1], found[0]), word)
        for word in spec.argv
    ]
    if _PYTHON_PROGRAM.fullmatch(command[0]) and _is_in_own_environment(spec):
        command[0] = sys.executable
    found = shutil.which(command[0])
    if found is None:
        raise KernelError(
            f"The Jupyter kernel {spec.display_name} cannot be started: "
            f"there is no program {command[0]}"
        )
    return [found, *command[1:]]


def _is_in_own_environment(spec: KernelSpec) -> bool:
    """Whether a kernel is installed in our own environment, whose Python it means."""
    return Path(spec.resource_dir).is_relative_to(sys.prefix)


def _add_sandbox(command: list[str], limits: EvaluationLimits) -> list[str]:
    """The same command with what can be forbidden to a program that needs sockets."""
    if sys.platform == "win32":
        return command
    packages = str(Path(__file__).parents[3])
    memory = str(limits.memory_bytes)
    return [sys.executable, "-I", "-S", "-c", _SANDBOX_CODE, packages, memory, *command]


def _build_variables(spec: KernelSpec) -> dict[str, str]:
    own = {name: Template(value).safe_substitute(os.environ) for name, value in spec.env.items()}
    return confinement.build_environment() | own
