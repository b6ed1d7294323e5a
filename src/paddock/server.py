"""The server that authors write: an offering that can run itself, and hold others."""

from __future__ import annotations

from paddock.authoring.offering import Offering
from paddock.serving.stdio import serve_stdio

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Self, Unpack

    from paddock.mounting.composition import Target
    from paddock.peer.settings import Options


class Server(Offering):
    """A server that MCP clients can connect to; `Offering` says what it takes."""

    def run(self) -> None:
        """Serve standard input and output until the client leaves."""
        serve_stdio(self)

    def mount(
        self,
        target: Target,
        prefix: str | None = None,
        *,
        separator: str = "_",
        list_timeout: float = 2.0,
        call_timeout: float = 300.0,
        **options: Unpack[Options],
    ) -> Self:
        """Offer everything that another server has as well; the server itself.

        Args:
            target: Another `Server`, an open `Peer`, or anything that `paddock.connect` takes.
            prefix: What stands before the names of its tools and prompts.
            separator: What stands between prefix and name.
            list_timeout: Seconds that the first list waits for a server elsewhere.
            call_timeout: Seconds that a call to it may take without a sign of life.
            options: Those of `paddock.connect`, less its callbacks. `timeout` is for connecting
                and for lists.

        Raises:
            DefinitionError: when names would collide, or the server would be mounted in itself.
        """
        from paddock.mounting import composition  # noqa: PLC0415 - most servers mount nothing
        from paddock.mounting.upstream import Limits  # noqa: PLC0415 - as above
        from paddock.peer.settings import DEFAULT_TIMEOUT  # noqa: PLC0415 - as above

        limits = Limits(list_timeout, call_timeout, options.get("timeout", DEFAULT_TIMEOUT))
        composition.mount(self, target, prefix, separator, limits, **options)
        return self

    def unmount(self, mounted: str | Target) -> Self:
        """Undo `mount`, by the prefix or the target; the server itself."""
        from paddock.mounting import composition  # noqa: PLC0415 - most servers mount nothing

        composition.unmount(self, mounted)
        return self
