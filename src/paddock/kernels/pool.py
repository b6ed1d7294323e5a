"""Pool of kernels that are started before they are needed.

An engine's first session waits for its kernel. After that, one spare kernel per engine is started
in the background for the next session, unless the engine limits the number of running kernels.
"""

from __future__ import annotations

import contextlib
import threading
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from paddock.kernels.kernel import EvaluationLimits, KernelError

if TYPE_CHECKING:
    from paddock.kernels.engine import Engine
    from paddock.kernels.kernel import Kernel

SPARE_KERNELS = 1
SPARE_START_DELAY_SECONDS = 0.3
"""Delay between handing out a kernel and starting its replacement."""


class KernelPool:
    """Spare kernels by engine. Kernels with network access are never started in advance."""

    def __init__(self, *, spares: int = SPARE_KERNELS) -> None:
        self._spare_count = spares
        self._spares: defaultdict[tuple[str, str], list[Kernel]] = defaultdict(list)
        self._starting_counts: Counter[tuple[str, str]] = Counter()
        self._lock = threading.Lock()
        self._is_closed = False

    def acquire(self, engine: Engine, limits: EvaluationLimits) -> Kernel:
        """Return a running kernel for the caller's exclusive use. The caller must close it.

        This is a spare kernel if one was started in advance, or a new one otherwise. Afterwards,
        another spare kernel is started in the background.

        Raises:
            KernelError: The kernel does not start.
        """
        # Network access is decided when a kernel starts, and spares are started without it.
        if limits.network:
            return engine.start(limits)
        spare = self._pop_spare(engine)
        kernel = spare if spare is not None else engine.start(limits)
        self.prestart(engine)
        return kernel

    def prestart(self, engine: Engine) -> None:
        """Start spare kernels for an engine in the background, up to the configured number.

        The next session then gets a kernel without waiting for it to start. No spare is started for
        an engine without the capability `many`, because it might occupy the only licence.
        """
        if "many" not in engine.capabilities:
            return
        key = _get_engine_key(engine)
        with self._lock:
            existing_count = len(self._spares[key]) + self._starting_counts[key]
            missing_count = 0 if self._is_closed else max(0, self._spare_count - existing_count)
            self._starting_counts[key] += missing_count
        for _ in range(missing_count):
            # The start is delayed so that it does not compete with the current evaluation for the
            # CPU.
            timer = threading.Timer(SPARE_START_DELAY_SECONDS, self._start_spare, (engine,))
            timer.name = f"paddock-spare-{engine.name}"
            timer.daemon = True
            timer.start()

    def close(self) -> None:
        """End all spare kernels. Those that are still starting are ended once they have started."""
        with self._lock:
            self._is_closed = True
            spares = [kernel for kernels in self._spares.values() for kernel in kernels]
            self._spares.clear()
        for kernel in spares:
            kernel.close()

    def _pop_spare(self, engine: Engine) -> Kernel | None:
        """Remove a spare kernel from the pool and return it, or None if none is running.

        Spare kernels whose process has ended are discarded.
        """
        with self._lock:
            kernels = self._spares[_get_engine_key(engine)]
            while kernels:
                kernel = kernels.pop(0)
                if kernel.is_alive:
                    return kernel
                kernel.close()
        return None

    def _start_spare(self, engine: Engine) -> None:
        """Start a spare kernel and add it to the pool.

        Called in the thread of a timer that `prestart` has set.
        """
        if self._is_closed:
            return
        key = _get_engine_key(engine)
        kernel: Kernel | None = None
        # The error is ignored here. The next caller of `acquire` starts a kernel and then gets the
        # error.
        with contextlib.suppress(KernelError):
            kernel = engine.start(EvaluationLimits())
        with self._lock:
            self._starting_counts[key] -= 1
            if kernel is not None and not self._is_closed:
                self._spares[key].append(kernel)
                return
        # The pool was closed while the kernel was starting.
        if kernel is not None:
            kernel.close()


def _get_engine_key(engine: Engine) -> tuple[str, str]:
    """Return a key shared by interchangeable kernels: those with the same engine and directory."""
    return engine.name, engine.directory
