"""What comes of one evaluation, in one shape for all languages."""

from __future__ import annotations

from typing import Literal

import msgspec

EvaluationStatus = Literal["done", "failed", "timed-out", "out-of-memory", "crashed", "quit", "cancelled"]
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
