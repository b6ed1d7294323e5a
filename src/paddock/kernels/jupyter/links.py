"""The way to a Jupyter kernel, wherever it runs.

A Jupyter kernel that is installed on this machine, in a process that our keeper ends.

It is spoken to through sockets in a directory that only the user can enter, where the system has
such; else over the loopback interface.

A Jupyter kernel of a server or gateway elsewhere: started over HTTP, spoken to by WebSocket.

tornado does both; it is what `jupyter_client` itself is built on.
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
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import quote, urlsplit, urlunsplit

from paddock.kernels import sandbox
from paddock.kernels.kernel import KernelError
from paddock.kernels.wolfram.kernel_supervisor import INTERRUPT_LINE, build_supervisor_command

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from jupyter_client.kernelspec import KernelSpec

    from paddock.kernels.kernel import EvaluationLimits


JupyterMessage = dict[str, Any]


class KernelLink(Protocol):
    """Takes requests to a kernel, and what it publishes back."""

    @property
    def is_alive(self) -> bool:
        """Whether the kernel is there, as far as that is known."""
        ...

    def send(self, kind: str, content: dict[str, object]) -> str:
        """Send a request; its id is what the messages that follow from it have as their parent's.

        Raises:
            OSError: when there is no way to the kernel any more.
        """
        ...

    def receive(self, seconds: float) -> JupyterMessage:
        """The next message that the kernel publishes.

        Raises:
            TimeoutError: when there is none in time.
            EOFError: when there will be none.
        """
        ...

    def interrupt(self) -> None:
        """Have the kernel stop what it is doing, if it heeds that."""
        ...

    def close(self) -> None:
        """End the kernel; may be called more than once."""
        ...

    def describe(self) -> dict[str, object]:
        """What is at the other end, for people who look for a fault."""
        ...


_PYTHON_PROGRAM = re.compile(r"python[0-9.]*")
_END_TIMEOUT_SECONDS = 5.0
_SANDBOX_CODE = """\
import os, sys
sys.path += sys.argv.pop(1).split(os.pathsep)
memory = int(sys.argv.pop(1))
from paddock.kernels import sandbox
sandbox.enter_sandbox(network=True)
if memory:
    import resource
    # Not the address space: some languages reserve far more of it than they use.
    resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
os.execv(sys.argv[1], sys.argv[1:])
"""


class LocalKernelLink:
    """A kernel that was started here."""

    def __init__(
        self, name: str, spec: KernelSpec, directory: str, limits: EvaluationLimits
    ) -> None:
        """Start it.

        Raises:
            KernelError: when it cannot be started.
        """
        from jupyter_client.blocking.client import BlockingKernelClient  # noqa: PLC0415 - an extra
        from jupyter_client.connect import write_connection_file  # noqa: PLC0415 - as above

        self._is_interrupted_by_message = spec.interrupt_mode == "message"
        self._connection_directory = Path(tempfile.mkdtemp(prefix="paddock-"))
        file = self._connection_directory / "connection.json"
        has_files = sys.platform != "win32"
        write_connection_file(
            str(file),
            transport="ipc" if has_files else "tcp",
            ip=str(self._connection_directory / "s") if has_files else "127.0.0.1",
            kernel_name=name,
        )
        sandbox.block_process_inspection()
        try:
            self._process = subprocess.Popen(  # noqa: S603 - the kernel that the user has installed
                _add_sandbox(build_supervisor_command(_build_command(spec, file)), limits),
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd=directory,
                env=_build_variables(spec),
                start_new_session=True,
                bufsize=0,
            )
        except OSError as error:
            shutil.rmtree(self._connection_directory, ignore_errors=True)
            raise KernelError(f"The Jupyter kernel {name} cannot be started: {error}") from None
        self._client: Any = BlockingKernelClient()
        self._client.load_connection_file(str(file))
        self._client.start_channels(stdin=False, hb=False)

    @property
    def is_alive(self) -> bool:
        """Whether its process is there."""
        return self._process.poll() is None

    def send(self, kind: str, content: dict[str, object]) -> str:
        """Send a request."""
        return self._send_message(self._client.shell_channel, kind, content)

    def receive(self, seconds: float) -> JupyterMessage:
        """The next message that the kernel publishes."""
        # What it answers besides is published as well; it must not pile up.
        with contextlib.suppress(queue.Empty):
            self._client.get_shell_msg(timeout=0)
        try:
            found: JupyterMessage = self._client.get_iopub_msg(timeout=seconds)
        except queue.Empty:
            raise TimeoutError from None
        return found

    def interrupt(self) -> None:
        """Interrupt it as its description says."""
        if self._is_interrupted_by_message:
            self._send_message(self._client.control_channel, "interrupt_request", {})
        elif self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.write(INTERRUPT_LINE)

    def close(self) -> None:
        """End it; the keeper does so when its input ends."""
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()
        try:
            self._process.wait(_END_TIMEOUT_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._client.stop_channels()
        shutil.rmtree(self._connection_directory, ignore_errors=True)

    def describe(self) -> dict[str, object]:
        """The process."""
        return {"guard": self._process.pid}

    def _send_message(self, channel: Any, kind: str, content: dict[str, object]) -> str:
        message = self._client.session.msg(kind, content)
        channel.send(message)
        found: str = message["header"]["msg_id"]
        return found


def _build_command(spec: KernelSpec, file: Path) -> list[str]:
    """The command of a kernel, as its description has it."""
    words = {"connection_file": str(file), "resource_dir": spec.resource_dir}
    command = [
        re.sub(r"\{([A-Za-z0-9_]+)\}", lambda found: words.get(found[1], found[0]), word)
        for word in spec.argv
    ]
    if _PYTHON_PROGRAM.fullmatch(command[0]) and _is_in_own_environment(spec):
        command[0] = sys.executable
    found = shutil.which(command[0])
    if found is None:
        raise KernelError(
            f"The Jupyter kernel {spec.display_name} cannot be started: "
            f"there is no program {command[0]}"
        )
    return [found, *command[1:]]


def _is_in_own_environment(spec: KernelSpec) -> bool:
    """Whether a kernel is installed in our own environment, whose Python it means."""
    return Path(spec.resource_dir).is_relative_to(sys.prefix)


def _add_sandbox(command: list[str], limits: EvaluationLimits) -> list[str]:
    """The same command with what can be forbidden to a program that needs sockets."""
    if sys.platform == "win32":
        return command
    packages = str(Path(__file__).parents[3])
    memory = str(limits.memory_bytes)
    return [sys.executable, "-I", "-S", "-c", _SANDBOX_CODE, packages, memory, *command]


def _build_variables(spec: KernelSpec) -> dict[str, str]:
    own = {name: Template(value).safe_substitute(os.environ) for name, value in spec.env.items()}
    return sandbox.build_environment() | own


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
            self._kernel_id = str(
                self._run_coroutine(self._send_request("POST", "/api/kernels", {"name": name}))[
                    "id"
                ]
            )
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
            self._run_coroutine(
                self._send_request("POST", f"/api/kernels/{quote(self._kernel_id)}/interrupt", {})
            )

    def close(self) -> None:
        """Have the gateway end it."""
        self._is_open = False
        if self._loop.is_closed():
            return
        with contextlib.suppress(Exception):
            if self._socket is not None:
                self._loop.call_soon_threadsafe(self._socket.close)
            if self._kernel_id:
                self._run_coroutine(
                    self._send_request("DELETE", f"/api/kernels/{quote(self._kernel_id)}", None)
                )
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
