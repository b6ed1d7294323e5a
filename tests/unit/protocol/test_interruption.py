"""Work that does not stop when it is reported to is reported again."""

import threading

import pytest

from paddock.protocol import thread_interrupt
from paddock.protocol.thread_interrupt import InterruptRetrier


class Stubborn:
    """Stops when it has been reported often enough."""

    def __init__(self, times: int) -> None:
        self._times = times
        self.is_done = False
        self.has_stopped = threading.Event()

    def interrupt(self) -> None:
        self._times -= 1
        self.is_done = self._times == 0
        if self.is_done:
            self.has_stopped.set()


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thread_interrupt, "RETRY_SECONDS", 0.01)
    monkeypatch.setattr(thread_interrupt, "MAX_RETRY_SECONDS", 0.02)
    monkeypatch.setattr(thread_interrupt, "CHECK_INTERVAL_SECONDS", 0.005)


def test_it_is_interrupted_until_it_is_done() -> None:
    insistence, works = InterruptRetrier(), [Stubborn(times) for times in (1, 2, 3)]
    for work in works:
        insistence.retry_until_done(work)
    for work in works:
        assert work.has_stopped.wait(10)


def test_what_comes_later_is_handled_as_well() -> None:
    insistence = InterruptRetrier()
    for _ in range(3):
        work = Stubborn(1)
        insistence.retry_until_done(work)
        assert work.has_stopped.wait(10)
