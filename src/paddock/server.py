"""The server that authors write: an offering that can run itself."""

from __future__ import annotations

from paddock.authoring.offering import Offering
from paddock.serving.stdio import serve_stdio

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ssl
    from typing import Unpack

    from paddock.serving.http import HttpOptions


class Server(Offering):
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
        further arguments are those of `HttpOptions`.
        """
        if http is None:
            serve_stdio(self)
            return
        from paddock.serving.http import serve_http  # noqa: PLC0415 - asyncio is 45 ms

        serve_http(self, http, tls=tls, **options)
