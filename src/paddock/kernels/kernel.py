"""Kernel interface shared by all engines: limits, results and the class `Kernel`.

All calls block, and a kernel serves one thread at a time. Handlers call kernels through
`paddock.kernels.handler_calls`, so cancelling a handler cannot interrupt a call midway.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import msgspec

from paddock.errors import PaddockError

MEBIBYTE = 1 << 20
GIBIBYTE = 1 << 30
ROLLED_BACK_NOTE = "The session is as it was before this evaluation."
"""Part of `EvaluationResult.note` if the kernel was rolled back and can still be used."""
STATE_TIMEOUT_SECONDS = 20.0
"""Default time limit for saving or restoring a kernel's definitions."""
PROGRESS_INTERVAL_SECONDS = 1.0
MIN_SECONDS = 0.01
"""Time limit for a step that has no time left."""


class EvaluationLimits(msgspec.Struct, frozen=True):
    """Limits of one evaluation.

    An evaluation that exceeds its time or memory limit is stopped. Overlong output is truncated.
    """

    seconds: float = 60.0
    total_seconds: float | None = None
    """The caller's time limit, if `seconds` is only what remains of it.

    If an input contains multiple expressions, they are evaluated one after the other within a
    single time limit. Messages to the user state the full limit.
    """
    memory_bytes: int = 4 * GIBIBYTE
    """Maximum address space of the evaluating process. Not enforced on macOS and Windows."""
    output_bytes: int = 4 * MEBIBYTE
    """Total size of prints, messages and images. Output beyond it is dropped, with a note."""
    result_bytes: int = 16 * MEBIBYTE
    """Maximum length of the result text. If it is longer, its middle is removed."""
    network: bool = False
    """Whether the kernel may use the network. Takes effect when a kernel starts."""

    @property
    def user_time_limit(self) -> float:
        """The time limit set by the caller, in seconds."""
        return self.seconds if self.total_seconds is None else self.total_seconds

    def subtract_seconds(self, elapsed_seconds: float) -> EvaluationLimits:
        """Return the limits for the next step of a call, given the time already used.

        Args:
            elapsed_seconds: The time that the previous steps took.
        """
        return msgspec.structs.replace(
            self,
            seconds=max(self.seconds - elapsed_seconds, MIN_SECONDS),
            total_seconds=self.user_time_limit,
        )


EvaluationStatus = Literal[
    "done", "failed", "timed-out", "out-of-memory", "crashed", "quit", "cancelled"
]
"""Outcome of an evaluation.

"failed" means that the engine rejected the code, for example because of a syntax error that only
the engine detects. The error text is one of the outputs. After any status other than "done" and
"failed", the kernel is rolled back to its state before the evaluation, if it can do that.
"""


OutputKind = Literal["print", "message", "picture"]


class EvaluationOutput(msgspec.Struct, frozen=True, omit_defaults=True):
    """A printed text, engine message or image produced by an evaluation."""

    kind: OutputKind
    text: str = ""
    """The printed text without its final line break, or a message as `Symbol::tag: text`."""
    data: bytes = b""
    """The content of an image."""
    mime: str = ""
    """The media type of an image, such as `image/svg+xml` or `image/png`."""


class EvaluationResult(msgspec.Struct, frozen=True):
    """Result of one evaluation: its status, its value, and all other outputs in order."""

    status: EvaluationStatus
    result: str | None = None
    """The value as text (InputForm for Wolfram Language, `repr` for Python), if there is one."""
    outputs: tuple[EvaluationOutput, ...] = ()
    seconds: float = 0.0
    """Time spent in the engine."""
    peak_bytes: int = 0
    """Peak memory of the evaluating process, or 0 if unknown."""
    notes: tuple[str, ...] = ()
    """Sentences for the user, such as that the kernel was stopped, replaced or rolled back."""

    @property
    def note(self) -> str:
        """All notes as one text."""
        return " ".join(self.notes)

    @property
    def messages(self) -> list[str]:
        """The messages, as `Symbol::tag: text`."""
        return [output.text for output in self.outputs if output.kind == "message"]

    @property
    def prints(self) -> list[str]:
        """The printed texts."""
        return [output.text for output in self.outputs if output.kind == "print"]


class OutputImage(msgspec.Struct, frozen=True):
    """An image in the presented output of an evaluation."""

    data: bytes
    """The encoded image."""
    mime: str
    """The MIME type of the data."""
    label: str = "(An image that cannot be shown.)\n"
    """The text shown instead of the image by clients that cannot display it."""


OutputItem = str | OutputImage
"""Part of the presented output of an evaluation, which is a list of texts and images."""

COMPLETED_STATUSES: frozenset[EvaluationStatus] = frozenset({"done", "failed"})
"""Statuses of evaluations that were not stopped, so their changes are kept."""
KERNEL_ENDED_NOTE = "The kernel has ended."


class KernelError(PaddockError):
    """A kernel cannot be started, has ended, or cannot restore saved definitions."""

    code = "kernel"


CancelCheck = Callable[[], bool]


def never_cancelled() -> bool:
    """Return False, as the cancellation check for calls that cannot be cancelled."""
    return False


def ignore_progress(_seconds: float) -> None:
    """Discard a progress report."""


@dataclass(frozen=True, slots=True)
class EvaluationControl:
    """Callbacks that let a kernel's caller cancel an evaluation and follow its progress.

    The kernel polls for cancellation, because the thread of a kernel call must not be interrupted
    (see `paddock.kernels.handler_calls`).
    """

    is_cancelled: CancelCheck = never_cancelled
    """Polled several times per second. The call stops once it returns True."""
    on_progress: Callable[[float], None] = ignore_progress
    """Called about once per second with the seconds since the start of the call."""

    def shift(self, seconds: float) -> EvaluationControl:
        """Return a control for a later step of a call, which reports progress of the whole call.

        Args:
            seconds: The time between the start of the call and the start of the step.
        """
        return EvaluationControl(
            self.is_cancelled, lambda elapsed: self.on_progress(seconds + elapsed)
        )


DEFAULT_CONTROL = EvaluationControl()
"""Control for calls that cannot be cancelled and report no progress."""


StopCause = Literal["timed-out", "cancelled"]


class EvaluationWatch:
    """Time limit, cancellation and progress of a running evaluation.

    The loop that waits for a kernel calls `check` several times per second. When the evaluation has
    to stop, the watch interrupts it once. If the evaluation has not ended after a grace period,
    `check` returns False, and the loop must end the kernel.
    """

    def __init__(
        self,
        control: EvaluationControl,
        seconds: float,
        interrupt: Callable[[StopCause], float],
    ) -> None:
        """Start timing an evaluation.

        Args:
            control: The caller's callbacks for cancellation and progress.
            seconds: The time limit, after which the evaluation is interrupted.
            interrupt: Function that interrupts the evaluation. It returns the number of seconds to
                wait for the evaluation to end, or 0 if it cannot be interrupted.
        """
        self.cause: StopCause | None = None
        """The reason why the evaluation was interrupted, or None if it was not."""
        self._control = control
        self._seconds = seconds
        self._interrupt = interrupt
        self._give_up_at = float("inf")
        self._started_at = self._last_report_at = time.monotonic()

    @property
    def elapsed_seconds(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self._started_at

    def check(self) -> bool:
        """Report progress, and interrupt the evaluation if it has timed out or was cancelled.

        Called repeatedly while the evaluation runs.

        Returns:
            Whether to continue waiting. False means that the evaluation was interrupted but did not
            end within the grace period, so its kernel must be ended.
        """
        elapsed = self.elapsed_seconds
        if time.monotonic() - self._last_report_at >= PROGRESS_INTERVAL_SECONDS:
            self._last_report_at = time.monotonic()
            self._control.on_progress(elapsed)
        if self.cause is None:
            if elapsed > self._seconds:
                self.cause = "timed-out"
            elif self._control.is_cancelled():
                self.cause = "cancelled"
            if self.cause is not None:
                self._give_up_at = elapsed + self._interrupt(self.cause)
        return elapsed < self._give_up_at


def describe_stop(status: EvaluationStatus, limits: EvaluationLimits) -> str:
    """Return a sentence that explains to the user why an evaluation was stopped.

    The text is empty if, according to the status, the evaluation was not stopped.
    """
    match status:
        case "timed-out":
            return f"The evaluation took longer than {limits.user_time_limit:g} s and was stopped."
        case "out-of-memory":
            size = limits.memory_bytes / MEBIBYTE
            return f"The evaluation needed more memory than {size:.0f} MiB and was stopped."
        case "cancelled":
            return "The evaluation was cancelled."
    return ""


def describe_dropped_output(dropped_bytes: int, limits: EvaluationLimits) -> str:
    """Return a note about output that exceeded its limit, or an empty text if none did."""
    if not dropped_bytes:
        return ""
    limit = limits.output_bytes
    return f"{dropped_bytes} bytes of output beyond the limit of {limit} were dropped."


class Kernel(ABC):
    """A process that evaluates code, or a connection to one."""

    has_network = False
    """Whether the kernel was started with network access."""

    @property
    @abstractmethod
    def is_alive(self) -> bool:
        """Whether the kernel can evaluate. Once false, it stays false."""

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
            control: Callbacks that let the caller cancel the evaluation and follow its progress.
        """
        if control.is_cancelled():
            note = "The call was cancelled before the evaluation began."
            return EvaluationResult("cancelled", notes=(note,))
        if not self.is_alive:
            return EvaluationResult("crashed", notes=(KERNEL_ENDED_NOTE,))
        return self._evaluate(code, limits, control)

    @abstractmethod
    def _evaluate(
        self, code: str, limits: EvaluationLimits, control: EvaluationControl
    ) -> EvaluationResult:
        """Evaluate code, as `evaluate` describes.

        Implemented by each type of kernel. `evaluate` has already checked that the kernel is alive
        and that the call has not been cancelled.
        """

    def dump_state(
        self,
        seconds: float = STATE_TIMEOUT_SECONDS,
        is_cancelled: CancelCheck = never_cancelled,
    ) -> bytes | None:
        """Return all of the session's definitions, encoded for `restore`, or None if unavailable.

        A session saves them so that it can replace a lost kernel without evaluating all inputs
        again. Kernels that cannot save their state do not override this method.

        Args:
            seconds: The time limit. When it is exceeded, a kernel that can be rolled back returns
                None. Other kernels ignore it, because the only way to stop them is to end them.
            is_cancelled: Check for cancellation, which has the same effect as the time limit.
        """
        return None

    def restore(self, state: bytes) -> str:
        """Load session definitions that another kernel's `dump_state` returned.

        Returns:
            A description of the definitions that could not be restored, or an empty text.

        Raises:
            KernelError: The definitions cannot be restored.
        """
        raise KernelError("This kernel cannot load definitions")

    @abstractmethod
    def close(self) -> None:
        """End the kernel and all processes that it started. Later calls have no effect."""

    @abstractmethod
    def describe(self) -> dict[str, object]:
        """Return diagnostic data: the engine, process IDs, and sandbox restrictions."""
