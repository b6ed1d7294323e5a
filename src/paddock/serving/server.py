"""The server that authors write: an offering that can run itself."""

from __future__ import annotations

from paddock.authoring.offering import Offering
from paddock.serving.stdio import serve_stdio


class Server(Offering):
    __doc__ = Offering.__doc__

    def run(self) -> None:
        """Serve standard input and output until the client leaves."""
        serve_stdio(self)
