"""Real kernels, each test with its own; nothing of them is left afterwards."""

import gc
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from paddock.directories import DATA_VARIABLE
from paddock.kernels.engines.woxi import Woxi, find_woxi
from paddock.kernels.limits import Limits
from paddock.kernels.sessions import Sessions
from paddock.kernels.worker_kernel import WorkerKernel


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A new user, also for the processes that are started."""
    place = tmp_path / "home"
    place.mkdir()
    monkeypatch.setenv("HOME", str(place))
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path / "data"))
    return place


@pytest.fixture
def engine() -> Woxi:
    """The engine that is always there for tests."""
    return find_woxi()


@pytest.fixture
def start(engine: Woxi) -> Iterator[Callable[[Limits], WorkerKernel]]:
    """Starts kernels, which are closed in the end."""
    kernels: list[WorkerKernel] = []

    def begin(limits: Limits) -> WorkerKernel:
        kernel = engine.start(limits)
        assert isinstance(kernel, WorkerKernel)
        kernels.append(kernel)
        return kernels[-1]

    yield begin
    for kernel in kernels:
        kernel.close()


@pytest.fixture
def kernel(start: Callable[[Limits], WorkerKernel]) -> WorkerKernel:
    """A kernel with the usual limits."""
    return start(Limits())


@pytest.fixture
def open_sessions() -> Iterator[Callable[[], Sessions]]:
    """Opens the sessions of the user as another server would, several times if need be."""
    opened: list[Sessions] = []

    def begin() -> Sessions:
        opened.append(Sessions())
        return opened[-1]

    yield begin
    for sessions in opened:
        sessions.close()
    gc.collect()  # a pipe that was not closed warns here, in the test that left it


@pytest.fixture
def sessions(open_sessions: Callable[[], Sessions]) -> Sessions:
    """The sessions of the user."""
    return open_sessions()
