"""A Jupyter kernel of a server or gateway elsewhere: started over HTTP, spoken to by WebSocket.

tornado does both; it is what `jupyter_client` itself is built on.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import queue
import secrets
import threading
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit, urlunsplit

from paddock.kernels.kernel import KernelError

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from paddock.kernels.jupyter.link import JupyterMessage

GATEWAY_TIMEOUT_SECONDS = 30.0
"""How long a request over HTTP may take."""
MAX_MESSAGE_BYTES = 64 << 20


class GatewayKernelLink:
    """A kernel that was started at a gateway, and is deleted there in the end."""

    def __init__(self, url: str, name: str, token: str) -> None:
        """Start it.

        Raises:
            KernelError: when the gateway is not there, or refuses.
        """
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise KernelError(f"{url!r} is not the URL of a Jupyter gateway: it has to be http(s)")
        self._url = urlunsplit((parts.scheme, parts.netloc, parts.path.rstrip("/"), "", ""))
        self._headers = {"Authorization": f"token {token}"} if token else {}
        self._session_id = secrets.token_hex(16)
        self._messages: queue.SimpleQueue[JupyterMessage | None] = queue.SimpleQueue()
        self._is_open = True
        self._socket: Any = None
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._loop.run_forever, name="paddock-gateway", daemon=True
        )
        self._thread.start()
        self._kernel_id = ""
        try:
            self._kernel_id = str(self._run_coroutine(self._send_request("POST", "/api/kernels", {"name": name}))["id"])
            self._run_coroutine(self._connect())
        except Exception as error:  # noqa: BLE001 - of HTTP, of WebSocket, or what came is no answer
            self.close()
            raise KernelError(
                f"The Jupyter kernel {name} cannot be started at {self._url}: {error}",
                hint="look at the URL, and at the token in PADDOCK_JUPYTER_TOKEN",
            ) from None

    @property
    def is_alive(self) -> bool:
        """Whether the connection is open."""
        return self._is_open

    def send(self, kind: str, content: dict[str, object]) -> str:
        """Send a request."""
        request = secrets.token_hex(16)
        header = {
            "msg_id": request,
            "msg_type": kind,
            "session": self._session_id,
            "username": "paddock",
            "date": "",
            "version": "5.3",
        }
        message = {"header": header, "parent_header": {}, "metadata": {}, "content": content}
        text = json.dumps({**message, "channel": "shell", "buffers": []})
        try:
            self._run_coroutine(self._write_message(text))
        except Exception as error:
            raise OSError(f"the connection to {self._url} is closed") from error
        return request

    def receive(self, seconds: float) -> JupyterMessage:
        """The next message that the kernel publishes."""
        try:
            found = self._messages.get(timeout=seconds)
        except queue.Empty:
            raise TimeoutError from None
        if found is None:
            raise EOFError
        return found

    def interrupt(self) -> None:
        """Have the gateway interrupt it."""
        with contextlib.suppress(Exception):
            self._run_coroutine(self._send_request("POST", f"/api/kernels/{quote(self._kernel_id)}/interrupt", {}))

    def close(self) -> None:
        """Have the gateway end it."""
        self._is_open = False
        if self._loop.is_closed():
            return
        with contextlib.suppress(Exception):
            if self._socket is not None:
                self._loop.call_soon_threadsafe(self._socket.close)
            if self._kernel_id:
                self._run_coroutine(self._send_request("DELETE", f"/api/kernels/{quote(self._kernel_id)}", None))
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(GATEWAY_TIMEOUT_SECONDS)
        self._loop.close()

    def describe(self) -> dict[str, object]:
        """Where it is."""
        return {"gateway": self._url, "id": self._kernel_id}

    def _run_coroutine(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Do something in the thread of the connection."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(GATEWAY_TIMEOUT_SECONDS)

    async def _send_request(self, method: str, path: str, content: object) -> Any:
        from tornado.httpclient import AsyncHTTPClient  # noqa: PLC0415 - an extra

        response = await AsyncHTTPClient().fetch(
            f"{self._url}{path}",
            method=method,
            headers={**self._headers, "Content-Type": "application/json"},
            body=None if content is None else json.dumps(content),
            request_timeout=GATEWAY_TIMEOUT_SECONDS,
            follow_redirects=False,
        )
        return json.loads(response.body) if response.body else {}

    async def _connect(self) -> None:
        from tornado.httpclient import HTTPRequest  # noqa: PLC0415 - an extra
        from tornado.websocket import websocket_connect  # noqa: PLC0415 - as above

        path = f"/api/kernels/{quote(self._kernel_id)}/channels?session_id={self._session_id}"
        request = HTTPRequest(
            f"ws{self._url.removeprefix('http')}{path}",
            headers=self._headers,
            connect_timeout=GATEWAY_TIMEOUT_SECONDS,
            follow_redirects=False,
        )
        self._socket = await websocket_connect(
            request, on_message_callback=self._on_message, max_message_size=MAX_MESSAGE_BYTES
        )

    async def _write_message(self, text: str) -> None:
        await self._socket.write_message(text)

    def _on_message(self, text: str | bytes | None) -> None:
        """Have a message be received; None is the end of the connection."""
        if text is None:
            self._is_open = False
            self._messages.put(None)
            return
        with contextlib.suppress(ValueError, KeyError, TypeError):
            message = json.loads(text) if isinstance(text, str) else None
            if isinstance(message, dict) and message["channel"] == "iopub":
                self._messages.put(message)
