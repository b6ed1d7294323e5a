"""Kernels that are started before they are needed.

The first kernel of an engine is waited for; from then on one more is kept ready for the next
session, started in the background, where the engine may run in any number.
"""

from __future__ import annotations

import contextlib
import threading
from typing import TYPE_CHECKING

from paddock.kernels.kernel import EvaluationLimits, KernelError

if TYPE_CHECKING:
    from paddock.kernels.engine import Engine
    from paddock.kernels.kernel import Kernel

SPARE_KERNELS = 1
SPARE_START_DELAY_SECONDS = 0.3
"""How long after a kernel was taken the next one is started."""

_EngineKey = tuple[str, str]


class KernelPool:
    """Spare kernels, by engine; those with leave to use the network are started when asked for."""

    def __init__(self, *, spares: int = SPARE_KERNELS) -> None:
        self._spare_count = spares
        self._spares: dict[_EngineKey, list[Kernel]] = {}
        self._starting_counts: dict[_EngineKey, int] = {}
        self._lock = threading.Lock()
        self._is_closed = False

    def acquire(self, engine: Engine, limits: EvaluationLimits) -> Kernel:
        """A kernel that nobody else uses; the caller closes it.

        Raises:
            KernelError: when none can be started.
        """
        if limits.network:
            return engine.start(limits)
        spare = self._pop_spare(engine)
        kernel = spare if spare is not None else engine.start(limits)
        self.prestart(engine)
        return kernel

    def prestart(self, engine: Engine) -> None:
        """Start what is missing of an engine's spares, in the background.

        An engine that does not run in any number has none: each may use up a licence.
        """
        if "many" not in engine.capabilities:
            return
        with self._lock:
            waiting = len(
                self._spares.get(_get_engine_key(engine), ())
            ) + self._starting_counts.get(_get_engine_key(engine), 0)
            missing = 0 if self._is_closed else max(0, self._spare_count - waiting)
            self._starting_counts[_get_engine_key(engine)] = (
                self._starting_counts.get(_get_engine_key(engine), 0) + missing
            )
        for _ in range(missing):
            # Later, so that it does not take processor time from the answer that is waited for.
            timer = threading.Timer(SPARE_START_DELAY_SECONDS, self._start_spare, (engine,))
            timer.name = f"paddock-spare-{engine.name}"
            timer.daemon = True
            timer.start()

    def close(self) -> None:
        """End all spares, also those that are being started."""
        with self._lock:
            self._is_closed = True
            spares = [kernel for kernels in self._spares.values() for kernel in kernels]
            self._spares.clear()
        for kernel in spares:
            kernel.close()

    def _pop_spare(self, engine: Engine) -> Kernel | None:
        with self._lock:
            kernels = self._spares.get(_get_engine_key(engine), [])
            while kernels:
                kernel = kernels.pop(0)
                if kernel.is_alive:
                    return kernel
                kernel.close()
        return None

    def _start_spare(self, engine: Engine) -> None:
        kernel: Kernel | None = None
        if self._is_closed:
            return
        # Whoever needs the next kernel starts it, and is told why it does not start.
        with contextlib.suppress(KernelError):
            kernel = engine.start(EvaluationLimits())
        with self._lock:
            self._starting_counts[_get_engine_key(engine)] -= 1
            if kernel is not None and not self._is_closed:
                self._spares.setdefault(_get_engine_key(engine), []).append(kernel)
                return
        if kernel is not None:
            kernel.close()


def _get_engine_key(engine: Engine) -> _EngineKey:
    """What tells kernels apart: the engine, and the directory that they begin in if it has one."""
    return engine.name, getattr(engine, "directory", "")
