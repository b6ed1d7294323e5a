"""What a worker wants of an engine: a small interface that each engine's module implements.

A module in `paddock.kernels.interpreters` has a function `interpreter() -> Interpreter`, which is
called once, in a process that the active ones are forked from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable


class Picture(msgspec.Struct, frozen=True):
    """A picture that code made."""

    data: bytes
    mime: str


class Value(msgspec.Struct, frozen=True):
    """What an engine made of some code."""

    text: str | None
    """The value's text, or None when there is none."""
    messages: tuple[str, ...] = ()
    """Texts that the engine has printed and that are messages; each as it was printed."""
    is_failure: bool = False
    """Whether the engine refused the code."""


class Interpreter(Protocol):
    """An engine in a process of its own."""

    @property
    def version(self) -> str:
        """The engine's version."""
        ...

    @property
    def is_interruptible(self) -> bool:
        """Whether SIGINT ends an evaluation soon; it then raises KeyboardInterrupt."""
        ...

    def evaluate(self, code: str, emit: Callable[[str | Picture], None]) -> Value:
        """Evaluate code. What is printed goes to the standard streams.

        `emit` puts a message (a string) or a picture in its place among what is printed. To end the
        process, raise SystemExit or really end it; both are taken back.
        """
        ...

    def state(self) -> bytes | None:
        """All definitions, or None when the engine cannot tell them."""
        ...

    def restore(self, state: bytes) -> None:
        """Take over what `state` gave in another process."""
        ...
