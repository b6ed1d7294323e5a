"""What a kernel cannot reach."""

import socket
import sys
from collections.abc import Callable, Iterator

import pytest

from paddock.kernels.limits import Limits
from paddock.kernels.worker_kernel import WorkerKernel

LIMITS = Limits(seconds=60)
ATTEMPT = """Run["{python} -c 'import socket; socket.create_connection(
(\\"127.0.0.1\\", {port}), 10); print(\\"connected\\")' 2>&1 | tail -n 1"]"""


@pytest.fixture
def port() -> Iterator[int]:
    """Where somebody listens on this machine."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


def attempt(kernel: WorkerKernel, port: int, limits: Limits) -> str:
    """What a program that the kernel starts says when it connects."""
    code = ATTEMPT.format(python=sys.executable, port=port).replace("\n", " ")
    outcome = kernel.evaluate(code, limits)
    assert outcome.status == "done"
    return outcome.outputs[0].text


@pytest.mark.skipif(sys.platform != "linux", reason="needs seccomp")
def test_a_kernel_has_no_network(kernel: WorkerKernel, port: int) -> None:
    assert attempt(kernel, port, LIMITS) == "PermissionError: [Errno 13] Permission denied"


@pytest.mark.skipif(sys.platform != "linux", reason="needs seccomp")
def test_an_engine_itself_has_no_network(kernel: WorkerKernel, port: int) -> None:
    outcome = kernel.evaluate(f'Import["http://127.0.0.1:{port}/"]', Limits(seconds=20))
    assert outcome.status == "failed"


def test_a_kernel_has_the_network_when_that_is_allowed(
    start: Callable[[Limits], WorkerKernel], port: int
) -> None:
    limits = Limits(network=True)
    kernel = start(limits)
    assert attempt(kernel, port, limits) == "connected"
    assert kernel.has_network


@pytest.mark.skipif(sys.platform != "linux", reason="needs seccomp")
def test_a_kernel_says_how_it_is_confined(kernel: WorkerKernel) -> None:
    assert kernel.describe()["confinement"] == [
        "no-core-dumps",
        "open-files",
        "no-new-privileges",
        "no-network",
    ]


def test_the_environment_of_the_server_is_not_seen(
    monkeypatch: pytest.MonkeyPatch, start: Callable[[Limits], WorkerKernel]
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    monkeypatch.setenv("LC_NUMERIC", "C")
    outcome = start(Limits()).evaluate('Run["env"]', LIMITS)
    names = {line.partition("=")[0] for line in outcome.outputs[0].text.splitlines()}
    assert "OPENAI_API_KEY" not in names
    assert {"HOME", "LC_NUMERIC", "PATH"} <= names
    assert not any(name.startswith("PYTHON") for name in names)
