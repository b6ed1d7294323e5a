"""The `Server` class, which authors use to declare, run and compose MCP servers."""

from __future__ import annotations

from paddock.authoring.author_code import is_loading_author_code
from paddock.authoring.base_server import BaseServer
from paddock.lazy_modules import LazyModule
from paddock.serving.stdio import serve_stdio

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ssl
    from typing import Self, Unpack

    from paddock.client.connect_options import ConnectOptions
    from paddock.mounting import mounts
    from paddock.mounting.mounts import MountTarget
    from paddock.serving.http import HttpOptions
else:  # saves 30 ms for servers that mount nothing
    mounts = LazyModule("paddock.mounting.mounts")


class Server(BaseServer):
    """An MCP server. `BaseServer` documents the constructor's arguments."""

    def run(
        self,
        http: str | None = None,
        *,
        tls: ssl.SSLContext | None = None,
        **options: Unpack[HttpOptions],
    ) -> None:
        """Serve over stdin and stdout until the client disconnects, or over HTTP.

        Does nothing while Paddock is importing the calling file to read its definitions.

        Args:
            http: An address such as `127.0.0.1:8642`. The server runs until a signal or `stop`.
            tls: The TLS configuration of that address.
            options: Other HTTP settings, as in `HttpOptions`.
        """
        if is_loading_author_code():
            return
        if http is None:
            serve_stdio(self)
            return
        from paddock.serving.http import serve_http  # asyncio is 45 ms

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
        """Add the tools, prompts and resources of another server. Returns this server.

        Args:
            target: Another `Server`, an open `Peer`, or anything that `paddock.connect` accepts.
            prefix: Prefix for the names of its tools and prompts.
            separator: Text between the prefix and the name.
            list_timeout: Seconds that the first list request waits for a remote server.
            call_timeout: Seconds without progress after which a call to a remote server fails.
            options: Options of `paddock.connect` except its callbacks. `timeout` applies to
                connecting and to list requests.

        Raises:
            DefinitionError: Two items would get the same name, or the server would contain itself.
        """
        timeouts = {"list_timeout": list_timeout, "call_timeout": call_timeout}
        mounts.mount_server(self, target, prefix, separator=separator, **timeouts, **options)
        return self

    def unmount(self, mounted: str | MountTarget) -> Self:
        """Remove a mounted server, given its prefix or target. Returns this server."""
        mounts.unmount_server(self, mounted)
        return self
