"""What a kernel cannot reach."""

import ctypes
import os
import shlex
import socket
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from paddock.kernels.kernel import EvaluationLimits
from paddock.kernels.worker.worker_kernel import WorkerKernel
from paddock.wolfram import quote_string

LIMITS = EvaluationLimits(seconds=60)
REFUSED = "PermissionError: [Errno 13] Permission denied"
ATTEMPT = """Run["{python} -c 'import socket; socket.create_connection(
(\\"127.0.0.1\\", {port}), 10); print(\\"connected\\")' 2>&1 | tail -n 1"]"""


def has_landlock() -> bool:
    """Whether this system can keep processes of the same user apart."""
    if sys.platform != "linux":
        return False
    version: int = ctypes.CDLL(None).syscall(444, None, 0, 1)
    return version >= 2


def run_python(kernel: WorkerKernel, program: str, limits: EvaluationLimits = LIMITS) -> str:
    """The last line of what a Python program says that the kernel starts."""
    command = shlex.join([sys.executable, "-c", program]) + " 2>&1 | tail -n 1"
    outcome = kernel.evaluate(f"Run[{quote_string(command)}]", limits)
    assert outcome.status == "done"
    return outcome.outputs[0].text


@pytest.fixture
def port() -> Iterator[int]:
    """Where someone listens on this machine."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


def attempt(kernel: WorkerKernel, port: int, limits: EvaluationLimits) -> str:
    """What a program that the kernel starts says when it connects."""
    code = ATTEMPT.format(python=sys.executable, port=port).replace("\n", " ")
    outcome = kernel.evaluate(code, limits)
    assert outcome.status == "done"
    return outcome.outputs[0].text


@pytest.mark.skipif(sys.platform != "linux", reason="needs seccomp")
def test_a_kernel_has_no_network(kernel: WorkerKernel, port: int) -> None:
    assert attempt(kernel, port, LIMITS) == REFUSED


@pytest.mark.skipif(sys.platform != "linux", reason="needs seccomp")
def test_an_engine_itself_has_no_network(kernel: WorkerKernel, port: int) -> None:
    outcome = kernel.evaluate(f'Import["http://127.0.0.1:{port}/"]', EvaluationLimits(seconds=20))
    assert outcome.status == "failed"


def test_a_kernel_has_the_network_when_that_is_allowed(
    start: Callable[[EvaluationLimits], WorkerKernel], port: int
) -> None:
    limits = EvaluationLimits(network=True)
    kernel = start(limits)
    assert attempt(kernel, port, limits) == "connected"
    assert kernel.has_network


@pytest.mark.skipif(sys.platform != "linux", reason="needs seccomp")
def test_a_kernel_describes_its_sandbox(kernel: WorkerKernel) -> None:
    assert kernel.describe()["confinement"] == [
        "no-core-dumps",
        "open-files",
        "no-new-privileges",
        *(["own-domain"] if has_landlock() else []),
        "no-tracing",
        "no-network",
    ]


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize("file", ["environ", "mem"])
@pytest.mark.parametrize("network", [False, True])
def test_the_memory_of_the_server_cannot_be_read(
    start: Callable[[EvaluationLimits], WorkerKernel], file: str, network: bool
) -> None:
    limits = EvaluationLimits(network=network)
    said = run_python(start(limits), f"open('/proc/{os.getpid()}/{file}', 'rb').read(1)", limits)
    assert said.startswith(REFUSED)


@pytest.mark.skipif(not has_landlock(), reason="needs Landlock")
def test_nothing_is_forbidden_of_the_kernels_own_processes_and_files(
    kernel: WorkerKernel, tmp_path: Path
) -> None:
    program = f"""
import os, pathlib, signal, socket
pathlib.Path('/proc/self/environ').read_bytes()
here = pathlib.Path({str(tmp_path)!r})
(here / 'a').mkdir()
(here / 'f').write_text('x')
(here / 'f').rename(here / 'a' / 'f')
socket.socketpair()
child = os.fork()
if not child:
    signal.pause()
os.kill(child, 9)
print(os.wait()[1])
"""
    assert run_python(kernel, program) == "9"


@pytest.mark.skipif(sys.platform != "linux", reason="needs seccomp")
@pytest.mark.parametrize("network", [False, True])
def test_other_processes_cannot_be_traced(
    start: Callable[[EvaluationLimits], WorkerKernel], network: bool
) -> None:
    limits = EvaluationLimits(network=network)
    program = "import ctypes; print(ctypes.CDLL(None).ptrace(0, 0, 0, 0))"
    assert run_python(start(limits), program, limits) == "-1"


@pytest.mark.skipif(sys.platform != "linux", reason="needs seccomp")
def test_a_kernel_reaches_no_socket_of_a_local_file(kernel: WorkerKernel, tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "agent"))
        listener.listen()
        said = run_python(
            kernel, f"import socket; socket.socket(1).connect({str(tmp_path / 'agent')!r})"
        )
    assert said == REFUSED


def test_the_environment_of_the_server_is_not_seen(
    monkeypatch: pytest.MonkeyPatch, start: Callable[[EvaluationLimits], WorkerKernel]
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    monkeypatch.setenv("LC_NUMERIC", "C")
    outcome = start(EvaluationLimits()).evaluate('Run["env"]', LIMITS)
    names = {line.partition("=")[0] for line in outcome.outputs[0].text.splitlines()}
    assert "OPENAI_API_KEY" not in names
    assert {"HOME", "LC_NUMERIC", "PATH"} <= names
    assert not any(name.startswith("PYTHON") for name in names)
