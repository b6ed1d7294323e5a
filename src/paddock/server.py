"""The server that authors write: an offering that can run itself, and hold others."""

from __future__ import annotations

from paddock.authoring.author_code import is_loading_author_code
from paddock.authoring.base_server import BaseServer
from paddock.serving.stdio import serve_stdio

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ssl
    from typing import Self, Unpack

    from paddock.client.connect_options import ConnectOptions
    from paddock.mounting.mounts import MountTarget
    from paddock.serving.http import HttpOptions


class Server(BaseServer):
    """A server that MCP clients can connect to; `Offering` says what it takes."""

    def run(
        self,
        http: str | None = None,
        *,
        tls: ssl.SSLContext | None = None,
        **options: Unpack[HttpOptions],
    ) -> None:
        """Serve standard input and output until the client leaves; or an address over HTTP.

        With `http="127.0.0.1:8642"` it serves that address until a signal or `stop` ends it; the
        further arguments are those of `HttpOptions`. Does nothing while the file that calls it is
        loaded for what it defines.
        """
        if is_loading_author_code():
            return
        if http is None:
            serve_stdio(self)
            return
        from paddock.serving.http import serve_http  # noqa: PLC0415 - asyncio is 45 ms

        serve_http(self, http, tls=tls, **options)

    def mount(
        self,
        target: MountTarget,
        prefix: str | None = None,
        *,
        separator: str = "_",
        list_timeout: float = 2.0,
        call_timeout: float = 300.0,
        **options: Unpack[ConnectOptions],
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
        from paddock.mounting.mounts import mount_server  # noqa: PLC0415 - most servers mount nothing

        limits = {"list_timeout": list_timeout, "call_timeout": call_timeout}
        mount_server(self, target, prefix, separator=separator, **limits, **options)
        return self

    def unmount(self, mounted: str | MountTarget) -> Self:
        """Undo `mount`, by the prefix or the target; the server itself."""
        from paddock.mounting.mounts import unmount_server  # noqa: PLC0415 - as above

        unmount_server(self, mounted)
        return self
