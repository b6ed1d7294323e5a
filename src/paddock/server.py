"""The server that authors write: an offering that can run itself."""

from __future__ import annotations

from paddock.authoring.offering import Offering
from paddock.serving.stdio import serve_stdio


class Server(Offering):
    """A server that MCP clients can connect to; `Offering` says what it takes."""

    def run(self) -> None:
        """Serve standard input and output until the client leaves."""
        serve_stdio(self)
