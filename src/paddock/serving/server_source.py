"""What can be served, as far as serving needs to know it.

Loaded before the first answer, so it needs nothing but the interpreter.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import Protocol

    from paddock.authoring.base_server import BaseServer
    from paddock.protocol.server_metadata import ServerMetadata

    class ServerSource(Protocol):
        """A server that is loaded behind the first answer."""

        label: str
        """What the user calls it."""
        metadata: ServerMetadata
        has_certain_metadata: bool
        """Whether the facts will still be so when it is loaded."""
        on_load: Callable[[BaseServer], object] | None
        """What is to be done with the server once it is loaded."""

        def load(self) -> BaseServer:
            """Load the server, or load it anew.

            Raises:
                PaddockError: when it cannot be.
            """

        def list_files(self) -> list[Path]:
            """The files whose change is a reason to load it anew, as far as they are known."""

        def unload_modules(self) -> None:
            """Have its modules run anew when it is loaded the next time."""


PREFERRED_VARIABLE_NAMES = ("server", "mcp", "app")
"""What a server is called in a file that has several."""
