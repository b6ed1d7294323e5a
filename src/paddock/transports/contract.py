"""What a stream needs of whatever carries its bytes, and of whoever answers its lines."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from paddock.protocol.request import Request

    class Channel(Protocol):
        """Bytes in both directions."""

        def read(self) -> bytes:
            """The next bytes; blocks until there are some, and is empty at the end."""

        def write(self, data: bytes) -> None:
            """Send all of the data. May be called by several threads."""

        def close(self) -> None:
            """Let go of what the channel holds."""

    class Finish(Protocol):
        """Takes the answer of a request whose work was run elsewhere."""

        def __call__(self, request: Request, answer: bytes | None) -> None: ...
