"""The server as a process: how it is started, what Linux says about it, and how it ends."""

import asyncio
import os
import re
import signal
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
START_SECONDS = 30
_READY = re.compile(rb"http://127\.0\.0\.1:(\d+)/mcp")


class ServerProcess:
    """A server under load."""

    def __init__(self, process: asyncio.subprocess.Process, port: int, head: bytes) -> None:
        self._process = process
        self._said = bytearray(head)
        self._reading = asyncio.ensure_future(self._read())
        self.port = port
        self.pid = process.pid

    @classmethod
    async def start(cls, carrier: str, session_seconds: int = 20) -> "ServerProcess":
        """Start it and wait until it can be called."""
        paths = [str(ROOT / "src"), str(ROOT), os.environ.get("PYTHONPATH", "")]
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "soak.server", "--carrier", carrier),
            stderr=asyncio.subprocess.PIPE,
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join(filter(None, paths)),
                "SOAK_SESSION_SECONDS": str(session_seconds),
            },
        )
        stderr = process.stderr
        if stderr is None:
            raise RuntimeError("The server has no standard error")
        head = await asyncio.wait_for(stderr.readline(), START_SECONDS)
        ready = _READY.search(head)
        if ready is None:
            raise RuntimeError(f"The server said {head!r} instead of where it is")
        self = cls(process, int(ready[1]), head)
        await self._wait_for_port()
        return self

    async def _wait_for_port(self) -> None:
        for _ in range(START_SECONDS * 50):
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", self.port)
            except OSError:
                await asyncio.sleep(0.02)
            else:
                writer.close()
                return
        raise RuntimeError("The server does not listen")

    @property
    def said(self) -> str:
        """What it has written to its standard error."""
        return self._said.decode(errors="replace")

    def resident_kb(self) -> int:
        """The resident memory, of the children as well."""
        return sum(_status(pid, "VmRSS") for pid in self._pids())

    def descriptors(self) -> int:
        """Open files, sockets and pipes."""
        return sum(len(list(Path(f"/proc/{pid}/fd").iterdir())) for pid in self._pids())

    def threads(self) -> int:
        """Running threads."""
        return sum(_status(pid, "Threads") for pid in self._pids())

    def terminate(self) -> None:
        """Ask it to end."""
        self._process.send_signal(signal.SIGTERM)

    async def ended(self, seconds: float) -> int:
        """Its exit code.

        Raises:
            TimeoutError: when it does not end in time.
        """
        code = await asyncio.wait_for(self._process.wait(), seconds)
        await self._reading
        return code

    async def kill(self) -> None:
        """End it whatever happens."""
        if self._process.returncode is None:
            self._process.kill()
            await self._process.wait()
        await self._reading

    async def _read(self) -> None:
        while self._process.stderr is not None:
            part = await self._process.stderr.read(65536)
            if not part:
                return
            self._said += part

    def _pids(self) -> list[int]:
        children = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text(encoding="ascii")
        return [self.pid, *map(int, children.split())]


def _status(pid: int, key: str) -> int:
    for line in Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines():
        if line.startswith(key + ":"):
            return int(line.split()[1])
    raise ProcessLookupError(pid)
