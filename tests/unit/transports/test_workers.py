import gc
import threading
import weakref

from paddock.transports.worker_pool import WorkerPool

PATIENCE = 20


class Work:
    """A request, as far as workers know it."""

    slow_tracker = None

    def run(self) -> bytes:
        return b"answer"


def test_an_idle_thread_does_not_keep_the_request_that_it_did_last() -> None:
    done = threading.Event()
    workers = WorkerPool(lambda request, answer: done.set())
    work = Work()
    last = weakref.ref(work)
    workers.submit(work)  # type: ignore[arg-type]  # it acts like a request
    assert done.wait(PATIENCE)
    del work
    pause = threading.Event()
    for _ in range(PATIENCE * 100):
        gc.collect()
        if last() is None:
            break
        pause.wait(0.01)
    workers.close()
    assert last() is None
