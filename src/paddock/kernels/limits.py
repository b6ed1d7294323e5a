"""How much one evaluation may take."""

from __future__ import annotations

import msgspec

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
