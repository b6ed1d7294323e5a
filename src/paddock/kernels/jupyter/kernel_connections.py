"""Jupyter kernels in a local process, and on a server or gateway.

A local kernel is reached through Unix domain sockets in a private directory, or on Windows through
the loopback interface. A kernel on a gateway is started over HTTP and reached through a WebSocket.
Both use tornado, which `jupyter_client` is built on as well.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import queue
import re
import secrets
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit, urlunsplit

from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.connect import write_connection_file
from jupyter_client.kernelspec import KernelSpec, KernelSpecManager, NoSuchKernel
from tornado.httpclient import AsyncHTTPClient, HTTPRequest
from tornado.websocket import websocket_connect

from paddock.kernels import sandbox
from paddock.kernels.child_process import (
    build_python_command,
    build_supervised_command,
    end_process,
)
from paddock.kernels.jupyter.kernel import JupyterKernel, JupyterMessage
from paddock.kernels.kernel import KernelError
from paddock.kernels.wolfram.kernel_supervisor import INTERRUPT_LINE
from paddock.suggestions import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from paddock.kernels.kernel import EvaluationLimits


_PYTHON_PROGRAM = re.compile(r"python[0-9.]*")
_END_TIMEOUT_SECONDS = 5.0
GATEWAY_TIMEOUT_SECONDS = 30.0
"""Time limit for an HTTP request."""
MAX_MESSAGE_BYTES = 64 << 20


class LocalJupyterKernel(JupyterKernel):
    """A Jupyter kernel in a process on this machine."""

    def __init__(self, name: str, directory: str, limits: EvaluationLimits) -> None:
        """Start an installed kernel in the sandbox, and connect to it.

        Args:
            name: The name of the kernel spec, such as `python3`.
            directory: The initial working directory of the kernel.
            limits: The sandbox limits.

        Raises:
            KernelError: The kernel cannot be started.
        """
        super().__init__(name)
        spec = _get_kernel_spec(name)
        self._is_interrupted_by_message = spec.interrupt_mode == "message"
        self._connection_directory = Path(tempfile.mkdtemp(prefix="paddock-"))
        file = self._connection_directory / "connection.json"
        # Unix sockets are preferred over TCP ports. They are in a directory that other users cannot
        # access, so only this user can connect to the kernel.
        has_unix_sockets = sys.platform != "win32"
        write_connection_file(
            str(file),
            transport="ipc" if has_unix_sockets else "tcp",
            ip=str(self._connection_directory / "s") if has_unix_sockets else "127.0.0.1",
            kernel_name=name,
        )
        sandbox.block_process_inspection()
        try:
            self._process = subprocess.Popen(
                _add_sandbox(build_supervised_command(_build_command(spec, file)), limits),
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd=directory,
                env=_build_variables(spec),
                start_new_session=True,
                bufsize=0,
            )
        except OSError as error:
            # The directory contains the connection key, and nothing else removes it.
            shutil.rmtree(self._connection_directory, ignore_errors=True)
            raise KernelError(f"The Jupyter kernel {name} cannot be started: {error}") from None
        self._client: Any = BlockingKernelClient()
        self._client.load_connection_file(str(file))
        self._client.start_channels(stdin=False, hb=False)

    @property
    def is_alive(self) -> bool:
        """Whether the kernel is open and its supervisor process is running."""
        return not self._is_closed and self._process.poll() is None

    def _send_request(self, kind: str, content: dict[str, object]) -> str:
        return self._send_message(self._client.shell_channel, kind, content)

    def _receive_message(self, seconds: float) -> JupyterMessage | None:
        """Return the next message that the kernel publishes, or None if none arrives in time."""
        # Replies on the shell channel only repeat published messages. They are read and discarded
        # so that they do not accumulate.
        with contextlib.suppress(queue.Empty):
            self._client.get_shell_msg(timeout=0)
        message: JupyterMessage | None = None
        with contextlib.suppress(queue.Empty):
            message = self._client.get_iopub_msg(timeout=seconds)
        return message

    def _interrupt_cell(self) -> None:
        # The kernel spec requires either a message or a signal.
        if self._is_interrupted_by_message:
            self._send_message(self._client.control_channel, "interrupt_request", {})
        elif self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.write(INTERRUPT_LINE)

    def close(self) -> None:
        """End the kernel."""
        self._is_closed = True
        end_process(self._process, _END_TIMEOUT_SECONDS)
        self._client.stop_channels()
        shutil.rmtree(self._connection_directory, ignore_errors=True)

    def describe(self) -> dict[str, object]:
        """Return the supervisor's process ID."""
        return {**super().describe(), "guard": self._process.pid}

    def _send_message(self, channel: Any, kind: str, content: dict[str, object]) -> str:
        """Send a message on a channel and return its ID."""
        message = self._client.session.msg(kind, content)
        channel.send(message)
        message_id: str = message["header"]["msg_id"]
        return message_id


def _get_kernel_spec(name: str) -> KernelSpec:
    """Return the kernel spec of an installed kernel.

    Raises:
        KernelError: No kernel has this name.
    """
    manager = KernelSpecManager()
    try:
        return manager.get_kernel_spec(name)
    except NoSuchKernel:
        installed = sorted(manager.find_kernel_specs())
        raise KernelError(
            f"There is no Jupyter kernel {name!r}. Installed kernels: "
            f"{', '.join(installed) or 'none'}",
            hint=did_you_mean(name, installed) or None,
        ) from None


def _build_command(spec: KernelSpec, file: Path) -> list[str]:
    """Build the command that starts a kernel from its kernel spec, the JSON file that describes it.

    The file's arguments contain placeholders such as `{connection_file}`, which are replaced.

    Args:
        spec: The kernel spec.
        file: The connection file, which contains the addresses and the key of the connection.

    Raises:
        OSError: The program does not exist.
    """
    variables = {"connection_file": str(file), "resource_dir": spec.resource_dir}
    command = [
        re.sub(r"\{([A-Za-z0-9_]+)\}", lambda match: variables.get(match[1], match[0]), word)
        for word in spec.argv
    ]
    if _PYTHON_PROGRAM.fullmatch(command[0]) and _is_in_own_environment(spec):
        command[0] = sys.executable
    program = shutil.which(command[0])
    if program is None:
        raise OSError(f"the program {command[0]!r} does not exist")
    return [program, *command[1:]]


def _is_in_own_environment(spec: KernelSpec) -> bool:
    """Return whether a kernel belongs to Paddock's environment.

    The program `python` in its kernel spec then means this interpreter.
    """
    return Path(spec.resource_dir).is_relative_to(sys.prefix)


def _add_sandbox(command: list[str], limits: EvaluationLimits) -> list[str]:
    """Prefix a command with a script that enters the sandbox without network restrictions."""
    if sys.platform == "win32":
        return command
    memory = str(limits.memory_bytes)
    return build_python_command("paddock.kernels.sandbox:main", memory, *command)


def _build_variables(spec: KernelSpec) -> dict[str, str]:
    variables = {
        name: Template(value).safe_substitute(os.environ) for name, value in spec.env.items()
    }
    return sandbox.build_environment() | variables


class GatewayJupyterKernel(JupyterKernel):
    """A kernel on a Jupyter server or gateway, where it is deleted when it is closed."""

    def __init__(self, url: str, name: str, token: str) -> None:
        """Start a kernel on a Jupyter gateway, a server that runs kernels, and connect to it.

        Args:
            url: The URL of the gateway.
            name: The name of the kernel spec, such as `python3`.
            token: The token for the gateway, or empty if it does not require one.

        Raises:
            KernelError: The gateway cannot be reached or refuses the request.
        """
        super().__init__(name)
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise KernelError(
                f"{url!r} is not the URL of a Jupyter gateway: expected http or https"
            )
        self._url = urlunsplit((parts.scheme, parts.netloc, parts.path.rstrip("/"), "", ""))
        self._headers = {"Authorization": f"token {token}"} if token else {}
        self._session_id = secrets.token_hex(16)
        self._messages: queue.SimpleQueue[JupyterMessage | None] = queue.SimpleQueue()
        self._is_connected = True
        self._socket: Any = None
        # Tornado's clients need an event loop, but kernel methods are called from threads without
        # one. The loop therefore runs in its own thread.
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._loop.run_forever, name="paddock-gateway", daemon=True
        )
        self._thread.start()
        self._kernel_id = ""
        try:
            kernel = self._run_coroutine(
                self._send_http_request("POST", "/api/kernels", {"name": name})
            )
            self._kernel_id = str(kernel["id"])
            self._run_coroutine(self._connect())
        except Exception as error:  # noqa: BLE001 - errors of HTTP and WebSocket, and invalid replies
            self.close()
            raise KernelError(
                f"The Jupyter kernel {name} cannot be started at {self._url}: {error}",
                hint="check the URL, and the token in PADDOCK_JUPYTER_TOKEN",
            ) from None

    @property
    def is_alive(self) -> bool:
        """Whether the connection is open."""
        return not self._is_closed and self._is_connected

    def _send_request(self, kind: str, content: dict[str, object]) -> str:
        """Send a request on the shell channel through the gateway's WebSocket.

        See `JupyterKernel._send_request`.
        """
        request_id = secrets.token_hex(16)
        header = {
            "msg_id": request_id,
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
        return request_id

    def _receive_message(self, seconds: float) -> JupyterMessage | None:
        """Return the next message that the kernel publishes, or None if none arrives in time."""
        try:
            message = self._messages.get(timeout=seconds)
        except queue.Empty:
            return None
        if message is None:
            raise ConnectionError(f"the connection to {self._url} was closed")
        return message

    def _interrupt_cell(self) -> None:
        with contextlib.suppress(Exception):
            self._run_coroutine(
                self._send_http_request(
                    "POST", f"/api/kernels/{quote(self._kernel_id)}/interrupt", {}
                )
            )

    def close(self) -> None:
        """Delete the kernel on the gateway, close the connection, and stop the event loop.

        Errors are ignored, because the gateway may no longer be reachable.
        """
        self._is_closed = True
        if self._loop.is_closed():
            return
        with contextlib.suppress(Exception):
            if self._socket is not None:
                self._loop.call_soon_threadsafe(self._socket.close)
            if self._kernel_id:
                self._run_coroutine(
                    self._send_http_request(
                        "DELETE", f"/api/kernels/{quote(self._kernel_id)}", None
                    )
                )
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(GATEWAY_TIMEOUT_SECONDS)
        self._loop.close()

    def describe(self) -> dict[str, object]:
        """Return the URL and the kernel's ID."""
        return {**super().describe(), "gateway": self._url, "id": self._kernel_id}

    def _run_coroutine(self, coroutine: Coroutine[Any, Any, Any]) -> Any:
        """Run a coroutine in the event loop's thread and return its result."""
        future = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        return future.result(GATEWAY_TIMEOUT_SECONDS)

    async def _send_http_request(self, method: str, path: str, content: object) -> Any:
        """Send an HTTP request to the gateway and return its JSON response, decoded."""
        # Redirects are not followed, because they could send the token to another host.
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
        """Open the WebSocket that relays all messages from and to the kernel."""
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
        """Queue a message published by the kernel for `_receive_message`.

        Messages from other channels and invalid messages are ignored.

        Args:
            text: The message as JSON, or None if the connection was closed.
        """
        if text is None:
            self._is_connected = False
            self._messages.put(None)
            return
        with contextlib.suppress(ValueError, KeyError, TypeError):
            message = json.loads(text) if isinstance(text, str) else None
            if isinstance(message, dict) and message["channel"] == "iopub":
                self._messages.put(message)
