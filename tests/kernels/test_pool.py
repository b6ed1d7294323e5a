"""Kernels that are ready before they are needed."""

import dataclasses
import threading
from collections.abc import Iterator

import pytest

from paddock.kernels.kernel import EvaluationLimits, Kernel, KernelError
from paddock.kernels.pool import KernelPool
from paddock.kernels.wolfram.engines import find_woxi

LIMITS = EvaluationLimits(seconds=30)
SECONDS = 30.0


class Counted:
    """woxi, with the kernels that were started."""

    def __init__(self) -> None:
        self.woxi = find_woxi()
        self.engine = dataclasses.replace(self.woxi, start=self.start)
        self.started: list[Kernel] = []
        self.has_started = threading.Semaphore(0)

    def start(self, limits: EvaluationLimits) -> Kernel:
        """Start a kernel and record it."""
        kernel = self.woxi.start(limits)
        self.started.append(kernel)
        self.has_started.release()
        return kernel

    def wait(self) -> None:
        """Wait until one more has been started."""
        assert self.has_started.acquire(timeout=SECONDS)


@pytest.fixture
def counted() -> Iterator[Counted]:
    """The engine; all of its kernels are closed in the end."""
    engine = Counted()
    yield engine
    for kernel in engine.started:
        kernel.close()


def test_the_second_kernel_exists_already(counted: Counted) -> None:
    pool = KernelPool()
    first = pool.acquire(counted.engine, LIMITS)
    counted.wait()
    counted.wait()
    second = pool.acquire(counted.engine, LIMITS)
    assert [first, second] == counted.started
    assert second.evaluate("1 + 1", LIMITS).result == "2"
    pool.close()


def test_a_spare_that_has_been_killed_is_not_given_out(counted: Counted) -> None:
    pool = KernelPool()
    pool.prestart(counted.engine)
    counted.wait()
    counted.started[0].close()
    assert pool.acquire(counted.engine, LIMITS).evaluate("1", LIMITS).result == "1"
    pool.close()


def test_a_kernel_with_the_network_is_not_a_spare(counted: Counted) -> None:
    pool = KernelPool()
    assert pool.acquire(counted.engine, EvaluationLimits(network=True)).has_network
    assert len(counted.started) == 1
    pool.close()


def test_an_engine_that_needs_licences_has_no_spares(counted: Counted) -> None:
    pool = KernelPool()
    few = counted.engine.capabilities - {"many"}
    engine = dataclasses.replace(counted.engine, name="licensed", capabilities=few)
    pool.prestart(engine)
    assert pool.acquire(engine, LIMITS) is counted.started[0]
    assert not [each for each in threading.enumerate() if each.name.endswith("licensed")]
    pool.close()


def test_closing_the_pool_ends_its_spares(counted: Counted) -> None:
    pool = KernelPool()
    pool.prestart(counted.engine)
    counted.wait()
    pool.close()
    pool.prestart(counted.engine)
    assert not counted.started[0].is_alive
    assert len(counted.started) == 1


def test_an_engine_that_does_not_start_is_reported_to_its_caller() -> None:
    def fail(_limits: EvaluationLimits) -> Kernel:
        raise KernelError("no engine here")

    broken = dataclasses.replace(find_woxi(), start=fail)
    pool = KernelPool()
    pool.prestart(broken)
    with pytest.raises(KernelError, match="no engine here"):
        pool.acquire(broken, LIMITS)
    pool.close()
