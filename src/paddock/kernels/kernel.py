"""What every kernel can do, whichever engine runs in it and wherever.

Calls block; a handler makes them from its thread. One thread uses a kernel at a time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from paddock.errors import PaddockError

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.kernels.limits import EvaluationLimits
    from paddock.kernels.outcome import EvaluationResult

PROGRESS_INTERVAL_SECONDS = 1.0
"""How often `on_wait` is called while an evaluation runs."""

STATE_TIMEOUT_SECONDS = 20.0
"""How long telling or taking over definitions may take."""


class KernelError(PaddockError):
    """A kernel cannot be started, or is gone."""

    code = "kernel"


def never_cancelled() -> bool:
    """Say that a call is not cancelled."""
    return False


def ignore_progress(_seconds: float) -> None:
    """Take no notice of how long an evaluation has been running."""


class Kernel(Protocol):
    """An evaluating child process."""

    @property
    def is_alive(self) -> bool:
        """Whether it can evaluate; one that is not alive never comes back."""
        ...

    @property
    def has_network(self) -> bool:
        """Whether it was started with leave to use the network, as the limits asked for."""
        ...

    def evaluate(
        self,
        code: str,
        limits: EvaluationLimits,
        *,
        is_cancelled: Callable[[], bool] = never_cancelled,
        on_wait: Callable[[float], None] = ignore_progress,
    ) -> EvaluationResult:
        """Evaluate one expression, or for Python one cell; never raises for what the code does.

        `is_cancelled` is asked several times a second; `on_wait` is called about once a second with
        the seconds since the beginning. When the kernel ended with the evaluation, or was gone
        already, the outcome is "crashed" and `is_alive` is false from then on.
        """
        ...

    def state(
        self, *, seconds: float = STATE_TIMEOUT_SECONDS, is_cancelled: Callable[[], bool] = never_cancelled
    ) -> bytes | None:
        """What `restore` of another kernel of this engine takes; None if it cannot say.

        Those that go back to the state before also give None when it takes longer, or is cancelled.
        """
        ...

    def restore(self, state: bytes) -> str | None:
        """Have the definitions that another kernel had; say what of them is missing.

        Raises:
            KernelError: when they cannot be restored.
        """
        ...

    def close(self) -> None:
        """End it, with every process that it started; may be called more than once."""
        ...

    def describe(self) -> dict[str, object]:
        """What it is, for people who look for a fault: engine, process ids, confinement."""
        ...
