"""The way to a Jupyter kernel, wherever it runs."""

from __future__ import annotations

from typing import Any, Protocol

JupyterMessage = dict[str, Any]


class KernelLink(Protocol):
    """Takes requests to a kernel, and what it publishes back."""

    @property
    def is_alive(self) -> bool:
        """Whether the kernel is there, as far as that is known."""
        ...

    def send(self, kind: str, content: dict[str, object]) -> str:
        """Send a request; its id is what the messages that follow from it have as their parent's.

        Raises:
            OSError: when there is no way to the kernel any more.
        """
        ...

    def receive(self, seconds: float) -> JupyterMessage:
        """The next message that the kernel publishes.

        Raises:
            TimeoutError: when there is none in time.
            EOFError: when there will be none.
        """
        ...

    def interrupt(self) -> None:
        """Have the kernel stop what it is doing, if it heeds that."""
        ...

    def close(self) -> None:
        """End the kernel; may be called more than once."""
        ...

    def describe(self) -> dict[str, object]:
        """What is at the other end, for people who look for a fault."""
        ...
