"""Kernels that are ready before they are needed."""

import threading
from collections.abc import Iterator

import msgspec
import pytest

from paddock.kernels.kernel import EvaluationLimits, Kernel, KernelError
from paddock.kernels.pool import KernelPool
from paddock.kernels.wolfram.engines import WoxiEngine

LIMITS = EvaluationLimits(seconds=30)
SECONDS = 30.0


class Counted(WoxiEngine, frozen=True, kw_only=True):
    """woxi, with what was started of it."""

    started: list[Kernel]
    has_started: threading.Semaphore

    def start(self, limits: EvaluationLimits) -> Kernel:
        """Start one, and say so."""
        kernel = super().start(limits)
        self.started.append(kernel)
        self.has_started.release()
        return kernel

    def wait(self) -> None:
        """Wait until one more has been started."""
        assert self.has_started.acquire(timeout=SECONDS)


@pytest.fixture
def counted() -> Iterator[Counted]:
    """The engine; all of its kernels are closed in the end."""
    engine = Counted(started=[], has_started=threading.Semaphore(0))
    yield engine
    for kernel in engine.started:
        kernel.close()


def test_the_second_kernel_exists_already(counted: Counted) -> None:
    pool = KernelPool()
    first = pool.acquire(counted, LIMITS)
    counted.wait()
    counted.wait()
    second = pool.acquire(counted, LIMITS)
    assert [first, second] == counted.started
    assert second.evaluate("1 + 1", LIMITS).result == "2"
    pool.close()


def test_a_spare_that_has_been_killed_is_not_given_out(counted: Counted) -> None:
    pool = KernelPool()
    pool.prestart(counted)
    counted.wait()
    counted.started[0].close()
    assert pool.acquire(counted, LIMITS).evaluate("1", LIMITS).result == "1"
    pool.close()


def test_a_kernel_with_the_network_is_not_a_spare(counted: Counted) -> None:
    pool = KernelPool()
    assert pool.acquire(counted, EvaluationLimits(network=True)).has_network
    assert len(counted.started) == 1
    pool.close()


def test_an_engine_that_needs_licences_has_no_spares(counted: Counted) -> None:
    pool = KernelPool()
    few = frozenset(counted.capabilities - {"many"})
    engine = msgspec.structs.replace(counted, name="licensed", capabilities=few)
    pool.prestart(engine)
    assert pool.acquire(engine, LIMITS) is counted.started[0]
    assert not [each for each in threading.enumerate() if each.name.endswith("licensed")]
    pool.close()


def test_closing_the_pool_ends_its_spares(counted: Counted) -> None:
    pool = KernelPool()
    pool.prestart(counted)
    counted.wait()
    pool.close()
    pool.prestart(counted)
    assert not counted.started[0].is_alive
    assert len(counted.started) == 1


def test_an_engine_that_does_not_start_says_so_to_whoever_needs_it() -> None:
    class Broken(WoxiEngine, frozen=True):
        def start(self, limits: EvaluationLimits) -> Kernel:
            raise KernelError("no engine here")

    pool = KernelPool()
    pool.prestart(Broken())
    with pytest.raises(KernelError, match="no engine here"):
        pool.acquire(Broken(), LIMITS)
    pool.close()
