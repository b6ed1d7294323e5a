"""What a stream needs of whatever carries its bytes, and of whoever answers its lines."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    from paddock.protocol.request import Request

    class Channel(Protocol):
        """Bytes in both directions."""

        @property
        def descriptor(self) -> int | None:
            """The file descriptor that an event loop can wait for; None where it cannot."""

        @property
        def is_writing(self) -> bool:
            """Whether a write is under way."""

        @property
        def written_bytes(self) -> int:
            """How many bytes of large writes have gone out: whether a slow reader still reads."""

        def has_data(self) -> bool:
            """Whether `read` would return at once."""

        def read(self) -> bytes:
            """The next bytes; blocks until there are some, and is empty at the end."""

        def write(self, data: bytes) -> None:
            """Send all of the data. May be called by several threads."""

        def close(self) -> None:
            """Let go of what the channel holds."""

    FinishRequest = Callable[[Request, bytes | None], None]
    """Takes the answer of a request whose work was run elsewhere."""
