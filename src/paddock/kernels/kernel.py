"""How much one evaluation may take.

What comes of one evaluation, in one shape for all languages.

What every kernel can do, whichever engine runs in it and wherever.

Calls block; a handler makes them from its thread. One thread uses a kernel at a time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol

import msgspec

from paddock.errors import PaddockError

if TYPE_CHECKING:
    from collections.abc import Callable


MEBIBYTE = 1 << 20
GIBIBYTE = 1 << 30


class EvaluationLimits(msgspec.Struct, frozen=True):
    """What an evaluation may take and reach; what exceeds it is stopped or cut."""

    seconds: float = 60.0
    total_seconds: float | None = None
    """What the caller has set, where `seconds` is what other evaluations have left of it."""
    memory_bytes: int = 4 * GIBIBYTE
    """Address space of the evaluating process, where the system can limit it."""
    output_bytes: int = 4 * MEBIBYTE
    """Prints, messages and pictures together; what comes after is dropped and told."""
    result_bytes: int = 16 * MEBIBYTE
    """The text of the value; a longer one is cut in its middle."""
    network: bool = False
    """Whether the kernel may use the network. It is decided when a kernel starts."""

    @property
    def user_time_limit(self) -> float:
        """The time limit that the caller knows."""
        return self.seconds if self.total_seconds is None else self.total_seconds


EvaluationStatus = Literal[
    "done", "failed", "timed-out", "out-of-memory", "crashed", "quit", "cancelled"
]
"""How an evaluation ended.

"failed" is for what the engine itself refuses, such as a syntax error that only it sees; its text
is among the outputs. After all but "done" and "failed" the state is the one before the evaluation.
"""

ROLLED_BACK_NOTE = "The session is as it was before this evaluation."
"""What the note of an outcome says when the kernel goes on with the state before."""

OutputKind = Literal["print", "message", "picture"]


class EvaluationOutput(msgspec.Struct, frozen=True):
    """Something that appeared while code was evaluated, in its place among the others."""

    kind: OutputKind
    text: str = ""
    """A print without its last line break, or a message as `Symbol::tag: text`."""
    data: bytes = b""
    """The content of a picture."""
    mime: str = ""
    """What a picture's content is, such as `image/svg+xml` or `image/png`."""


class EvaluationResult(msgspec.Struct, frozen=True):
    """What one evaluation came to."""

    status: EvaluationStatus
    result: str | None = None
    """The text of the value (InputForm, or repr), or None when there is no value."""
    outputs: tuple[EvaluationOutput, ...] = ()
    seconds: float = 0.0
    """Time within the engine."""
    peak_bytes: int = 0
    """The most memory that the evaluating process had, or 0 when that is not known."""
    note: str = ""
    """What the user must be told about the kernel: that it was replaced, or rolled back."""


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
        self,
        *,
        seconds: float = STATE_TIMEOUT_SECONDS,
        is_cancelled: Callable[[], bool] = never_cancelled,
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
