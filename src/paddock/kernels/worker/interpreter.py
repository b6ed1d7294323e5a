"""What a worker wants of an engine: a small interface that each engine's module implements.

A module in `paddock.kernels.interpreters` has a function `interpreter() -> Interpreter`, which is
called once, in a process that the active ones are forked from. If an engine has a method `warm`,
each of these calls it before it waits for a job: memory that a fork shares is copied when it is
touched, and nobody waits for it then. Python 3.8 can read this module.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol


class ImageValue:
    """A picture that code made."""

    def __init__(self, data: bytes, mime: str) -> None:
        self.data = data
        self.mime = mime


class EvaluatedValue:
    """What an engine made of some code.

    `text` is the value's text, or None when there is none; `messages` are texts that the engine has
    printed and that are messages, each as it was printed; `is_failure` is whether the engine
    refused the code.
    """

    def __init__(
        self, text: str | None, messages: tuple[str, ...] = (), is_failure: bool = False
    ) -> None:
        self.text = text
        self.messages = messages
        self.is_failure = is_failure


if TYPE_CHECKING:

    class LanguageInterpreter(Protocol):
        """An engine in a process of its own."""

        @property
        def version(self) -> str:
            """The engine's version."""
            ...

        @property
        def is_interruptible(self) -> bool:
            """Whether SIGINT ends an evaluation soon; it then raises KeyboardInterrupt."""
            ...

        def evaluate(self, code: str, emit: Callable[[str | ImageValue], None]) -> EvaluatedValue:
            """Evaluate code. What is printed goes to the standard streams.

            `emit` puts a message (a string) or a picture in its place among what is printed. To end
            the process, raise SystemExit or really end it; both are taken back.
            """
            ...

        def state(self) -> bytes | None:
            """All definitions, or None when the engine cannot tell them."""
            ...

        def restore(self, state: bytes) -> str | None:
            """Take over what `state` gave in another process; say what of it is missing."""
            ...
