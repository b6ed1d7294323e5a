"""Interface for anything that can be loaded and served.

This module is loaded before msgspec, so it imports nothing outside the standard library.
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
        """A server that is loaded after the handshake has been answered."""

        label: str
        """Name of the target, as given by the user."""
        metadata: ServerMetadata
        has_certain_metadata: bool
        """Whether the metadata cannot change when the server is loaded."""
        on_load: Callable[[BaseServer], object] | None
        """Called with the server after each load."""

        def load(self) -> BaseServer:
            """Load the server, or load it again.

            Raises:
                PaddockError: The server cannot be loaded.
            """

        def list_files(self) -> list[Path]:
            """Return the source files that are known so far; a change of one triggers a reload."""

        def unload_modules(self) -> None:
            """Remove the server's modules, so that the next load imports them again."""


PREFERRED_VARIABLE_NAMES = ("server", "mcp", "app")
"""Conventional names for the server variable, for files that define multiple servers."""
