"""Kernel interface shared by all engines: limits, results and the `Kernel` protocol.

All calls block, and a kernel serves one thread at a time. Handlers call kernels through
`paddock.kernels.handler_calls`, so that cancelling the handler cannot interrupt a call midway.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol

import msgspec

from paddock.errors import PaddockError

MEBIBYTE = 1 << 20
GIBIBYTE = 1 << 30
ROLLED_BACK_NOTE = "The session is as it was before this evaluation."
"""Part of `EvaluationResult.note` if the kernel was rolled back and can still be used."""
STATE_TIMEOUT_SECONDS = 20.0
"""Default time limit for saving or restoring the definitions of a kernel."""
PROGRESS_INTERVAL_SECONDS = 1.0


class EvaluationLimits(msgspec.Struct, frozen=True):
    """Limits of one evaluation. Exceeding one stops the evaluation or truncates its output."""

    seconds: float = 60.0
    total_seconds: float | None = None
    """The caller's time limit, if `seconds` is only the remainder of it.

    The expressions of one input share a time limit. Messages to the user name the full limit.
    """
    memory_bytes: int = 4 * GIBIBYTE
    """Address space of the evaluating process. Not enforced on macOS and Windows."""
    output_bytes: int = 4 * MEBIBYTE
    """Total size of prints, messages and images. Output beyond it is dropped, with a note."""
    result_bytes: int = 16 * MEBIBYTE
    """Maximum length of the result text. The middle of a longer text is removed."""
    network: bool = False
    """Whether the kernel may use the network. Takes effect when a kernel starts."""

    @property
    def user_time_limit(self) -> float:
        """The time limit that the caller has set, in seconds."""
        return self.seconds if self.total_seconds is None else self.total_seconds


EvaluationStatus = Literal[
    "done", "failed", "timed-out", "out-of-memory", "crashed", "quit", "cancelled"
]
"""Outcome of an evaluation.

"failed" means that the engine rejected the code, for example because of a syntax error that only
the engine detects. The error text is one of the outputs. After any status other than "done" and
"failed", the kernel is rolled back to its state before the evaluation, if it can do that.
"""


OutputKind = Literal["print", "message", "picture"]


class EvaluationOutput(msgspec.Struct, frozen=True):
    """A print, message or image that an evaluation produced, in order of appearance."""

    kind: OutputKind
    text: str = ""
    """The printed text without its final line break, or a message as `Symbol::tag: text`."""
    data: bytes = b""
    """The content of an image."""
    mime: str = ""
    """The media type of an image, such as `image/svg+xml` or `image/png`."""


class EvaluationResult(msgspec.Struct, frozen=True):
    """Result of one evaluation."""

    status: EvaluationStatus
    result: str | None = None
    """The value as text (InputForm for Wolfram Language, `repr` for Python), if there is one."""
    outputs: tuple[EvaluationOutput, ...] = ()
    seconds: float = 0.0
    """Time spent in the engine."""
    peak_bytes: int = 0
    """Peak memory of the evaluating process, or 0 if unknown."""
    note: str = ""
    """Information for the user, such as that the kernel was stopped, replaced or rolled back."""


CANCELLED_RESULT = EvaluationResult(
    "cancelled", note="The call was cancelled before the evaluation began."
)


class KernelError(PaddockError):
    """A kernel cannot be started, has ended, or cannot restore saved definitions."""

    code = "kernel"


def never_cancelled() -> bool:
    """Return False: the call cannot be cancelled."""
    return False


def ignore_progress(_seconds: float) -> None:
    """Discard a progress report."""


@dataclass(frozen=True, slots=True)
class EvaluationControl:
    """Means of the caller to cancel a call and to follow its progress.

    Cancellation is polled, because the thread of a kernel call must not be interrupted (see
    `paddock.kernels.handler_calls`).
    """

    is_cancelled: Callable[[], bool] = never_cancelled
    """Polled several times per second. The call stops once it returns True."""
    on_progress: Callable[[float], None] = ignore_progress
    """Called about once per second, with the seconds since the start of the call."""

    def shift(self, seconds: float) -> EvaluationControl:
        """Return a control for a step that begins `seconds` after the start of the call."""
        return EvaluationControl(
            self.is_cancelled, lambda elapsed: self.on_progress(seconds + elapsed)
        )


DEFAULT_CONTROL = EvaluationControl()
"""Control of a call that cannot be cancelled and reports no progress."""


class ProgressTimer:
    """Clock of a running call.

    Loops that wait for a kernel call `tick` often. It reports progress only once per
    `PROGRESS_INTERVAL_SECONDS`.
    """

    def __init__(self, control: EvaluationControl) -> None:
        self._control = control
        self._started_at = self._last_report_at = time.monotonic()

    def tick(self) -> float:
        """Report progress if it is due, and return the seconds since the start."""
        now = time.monotonic()
        if now - self._last_report_at >= PROGRESS_INTERVAL_SECONDS:
            self._last_report_at = now
            self._control.on_progress(now - self._started_at)
        return now - self._started_at


def describe_stop(status: EvaluationStatus, limits: EvaluationLimits) -> str:
    """Return a note on why an evaluation was stopped, or an empty text if it was not."""
    match status:
        case "timed-out":
            return f"The evaluation took longer than {limits.user_time_limit:g} s and was stopped."
        case "out-of-memory":
            size = limits.memory_bytes / MEBIBYTE
            return f"The evaluation needed more memory than {size:.0f} MiB and was stopped."
        case "cancelled":
            return "The evaluation was cancelled."
    return ""


class Kernel(Protocol):
    """A process that evaluates code, or a connection to one."""

    @property
    def is_alive(self) -> bool:
        """Whether the kernel can evaluate. Once false, it stays false."""
        ...

    @property
    def has_network(self) -> bool:
        """Whether the kernel was started with network access."""
        ...

    def evaluate(
        self,
        code: str,
        limits: EvaluationLimits,
        control: EvaluationControl = DEFAULT_CONTROL,
    ) -> EvaluationResult:
        """Evaluate one Wolfram Language expression or one cell of another language.

        Errors in the code are part of the result and are never raised. If the kernel has ended, or
        ends during the evaluation, the status is "crashed" and `is_alive` is false from then on.

        Args:
            code: The code to evaluate.
            limits: Resource limits for this evaluation.
            control: Cancellation of the evaluation, and reports of its progress.
        """
        ...

    def dump_state(
        self,
        *,
        seconds: float = STATE_TIMEOUT_SECONDS,
        is_cancelled: Callable[[], bool] = never_cancelled,
    ) -> bytes | None:
        """Return all definitions in a form that `restore` accepts, or None if unavailable.

        Kernels that can roll back also return None on a timeout or cancellation. Other kernels
        ignore both, because stopping them would end them.

        Sessions save this state, so that a lost kernel can be replaced without evaluating
        everything again.
        """
        ...

    def restore(self, state: bytes) -> str | None:
        """Load definitions that `dump_state` of another kernel returned.

        Returns a description of the definitions that are missing, if there are any.

        Raises:
            KernelError: The definitions cannot be restored.
        """
        ...

    def close(self) -> None:
        """End the kernel and all processes that it started. Further calls have no effect."""
        ...

    def describe(self) -> dict[str, object]:
        """Return diagnostic data: the engine, process IDs, and restrictions of the sandbox."""
        ...
