"""Real kernels, each test with its own; nothing of them is left afterwards."""

import gc
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from paddock.directories import DATA_DIRECTORY_VARIABLE
from paddock.kernels.engine import Engine
from paddock.kernels.kernel import EvaluationLimits
from paddock.kernels.sessions import SessionManager
from paddock.kernels.wolfram.engines import find_woxi
from paddock.kernels.worker.worker_kernel import WorkerKernel


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A new user, also for the processes that are started."""
    place = tmp_path / "home"
    place.mkdir()
    monkeypatch.setenv("HOME", str(place))
    monkeypatch.setenv(DATA_DIRECTORY_VARIABLE, str(tmp_path / "data"))
    return place


@pytest.fixture
def engine() -> Engine:
    """The engine that is always there for tests."""
    return find_woxi()


@pytest.fixture
def start(engine: Engine) -> Iterator[Callable[[EvaluationLimits], WorkerKernel]]:
    """Starts kernels, which are closed in the end."""
    kernels: list[WorkerKernel] = []

    def begin(limits: EvaluationLimits) -> WorkerKernel:
        kernel = engine.start(limits)
        assert isinstance(kernel, WorkerKernel)
        kernels.append(kernel)
        return kernels[-1]

    yield begin
    for kernel in kernels:
        kernel.close()


@pytest.fixture
def kernel(start: Callable[[EvaluationLimits], WorkerKernel]) -> WorkerKernel:
    """A kernel with the usual limits."""
    return start(EvaluationLimits())


@pytest.fixture
def open_sessions() -> Iterator[Callable[[], SessionManager]]:
    """Opens the sessions of the user as another server would, several times if need be."""
    opened: list[SessionManager] = []

    def begin() -> SessionManager:
        opened.append(SessionManager())
        return opened[-1]

    yield begin
    for sessions in opened:
        sessions.close()
    gc.collect()  # a pipe that was not closed warns here, in the test that left it


@pytest.fixture
def sessions(open_sessions: Callable[[], SessionManager]) -> SessionManager:
    """The sessions of the user."""
    return open_sessions()
