"""A Wolfram kernel as a kernel of ours: requests and answers as lines, limits inside and outside.

`driver.wl` runs in the kernel and says what the lines are. It holds to the limits itself; when it
does not answer in time it is interrupted here, and then killed. What a session does about a kernel
that is gone is left to sessions.
"""

from __future__ import annotations

import base64
import json
import queue
import secrets
import subprocess
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paddock.kernels.confinement import hide_server
from paddock.kernels.engines.keeper import HAS_GROUPS, INTERRUPT, keeper_command
from paddock.kernels.kernel import WAIT_SECONDS, KernelError, ignore, never
from paddock.kernels.limits import MEBIBYTE
from paddock.kernels.outcome import Outcome, Output

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from paddock.kernels.limits import Limits
    from paddock.kernels.outcome import Status

START_SECONDS = 60.0
"""How long a kernel may take before it answers; the first start after an installation is slow."""
STATE_SECONDS = 30.0
GRACE_SECONDS = 2.0
"""How long a kernel may take to stop by itself, and again after it was interrupted."""
POLL_SECONDS = 0.05
OLDEST_NUMBER = 11.3
"""The first version whose prints can be told from its answers."""
LONGEST_LINE = 64 * 1024 * 1024
_WAITING_LINES = 10_000

_INTERRUPT_MENU = "Interrupt> "
"""How a kernel asks what an interrupt is to do; the answer to that is on its way."""

Answer = dict[str, Any]
_UNANSWERED: Answer = {"kind": "end", "status": "", "result": None}

STOPPED = "What it had done before is kept."
GONE = "The kernel has ended."


class WolframKernel:
    """A process that runs `driver.wl`."""

    def __init__(
        self, command: Sequence[str], environment: Mapping[str, str], limits: Limits
    ) -> None:
        """Start it and wait until it answers.

        Raises:
            KernelError: when it does not.
        """
        self._command = list(command)
        self._has_network = limits.network
        self._lines: queue.Queue[bytes | None] = queue.Queue(_WAITING_LINES)
        self._is_closed = False
        self._last_id = 0
        self._mark = f"paddock-{secrets.token_hex(8)}"
        self._process = self._started(environment)
        self._reader = threading.Thread(target=self._read, name="wolfram-kernel", daemon=True)
        self._reader.start()
        self._facts = self._greeted()

    def _started(self, environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
        hide_server()
        try:
            return subprocess.Popen(  # noqa: S603 - our own interpreter
                keeper_command(self._command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=dict(environment),
                start_new_session=HAS_GROUPS,
            )
        except OSError as error:
            raise KernelError(f"The Wolfram kernel does not start: {error}") from error

    def _read(self) -> None:
        """Put the kernel's lines where they are waited for; None is the end."""
        entry = self._process.stdout
        line: bytes | None = b""
        while line is not None and not self._is_closed:
            line = (entry.readline(LONGEST_LINE) if entry is not None else b"") or None
            self._put(line)

    def _put(self, line: bytes | None) -> None:
        while not self._is_closed:
            with suppress(queue.Full):
                self._lines.put(line, timeout=WAIT_SECONDS)
                return

    def _greeted(self) -> Answer:
        """What the kernel says of itself."""
        said: list[str] = []
        deadline = time.monotonic() + START_SECONDS
        try:
            with suppress(OSError):  # it has ended already; what it said is still to be read
                self._send({"do": "hello", "mark": self._mark, "network": self._has_network})
            while time.monotonic() < deadline:
                line = self._next(POLL_SECONDS)
                if line is None:
                    break
                stray, answer = self._split(line)
                if answer is not None and answer["kind"] == "hello":
                    return _checked(answer)
                said += [stray] if stray else []
        except KernelError:
            self.close()
            raise
        self.close()
        raise KernelError(
            f"The Wolfram kernel {self._command[0]} did not answer; it said: "
            f"{' '.join(said)[:500] or 'nothing'}",
            hint="start it in a terminal to see whether it is activated (wolframscript -activate), "
            "or choose another engine with PADDOCK_WOLFRAM_ENGINE",
        )

    @property
    def is_alive(self) -> bool:
        """Whether it can evaluate."""
        return not self._is_closed and self._process.poll() is None

    @property
    def has_network(self) -> bool:
        """Whether it was started with leave to use the network."""
        return self._has_network

    def evaluate(
        self,
        code: str,
        limits: Limits,
        *,
        is_cancelled: Callable[[], bool] = never,
        on_wait: Callable[[float], None] = ignore,
    ) -> Outcome:
        """Evaluate one expression."""
        collected = _Collected(limits.output_bytes)
        waiting = _Waiting(self, limits.seconds, is_cancelled, on_wait)
        began = time.monotonic()
        request = {
            "do": "evaluate",
            "code": code,
            "seconds": limits.seconds,
            "memory": limits.memory_bytes,
            "characters": limits.result_bytes,
        }
        end = self._ask(request, collected, waiting.step)
        seconds = end.get("microseconds", 0) / 1e6 or time.monotonic() - began
        status = waiting.status(end)
        notes = [collected.note(), _how(status, limits), waiting.note(status)]
        if not self.is_alive:
            self.close()
        return Outcome(
            status=status,
            result=end["result"] if status in ("done", "failed") else None,
            outputs=tuple(collected.outputs),
            seconds=seconds,
            peak_bytes=end.get("bytes", 0),
            note=" ".join(note for note in notes if note),
        )

    def _ask(self, request: Answer, collected: _Collected, step: Callable[[], bool]) -> Answer:
        """Send a request and collect until it has ended; `step` says whether to go on waiting."""
        if self._is_closed:
            return _UNANSWERED
        try:
            self._send(request)
        except OSError:
            return _UNANSWERED
        while step():
            line = self._next(POLL_SECONDS)
            if line is None:
                return _UNANSWERED
            if not line:
                continue
            stray, answer = self._split(line)
            if stray:
                collected.add(Output("print", text=stray))
            if answer is not None and answer["id"] == self._last_id:
                if answer["kind"] == "end":
                    return answer
                collected.add(_output(answer))
        return _UNANSWERED

    def _send(self, request: Answer) -> None:
        self._last_id += 1
        # In ASCII, whatever encoding the kernel thinks that its input has.
        line = json.dumps({"id": self._last_id, **request}, ensure_ascii=True)
        self._write(line.encode("ascii") + b"\n")

    def _write(self, line: bytes) -> None:
        entry = self._process.stdin
        if entry is not None:
            entry.write(line)
            entry.flush()

    def _next(self, seconds: float) -> bytes | None:
        """The next line, nothing if there is none yet, None at the end."""
        try:
            return self._lines.get(timeout=seconds)
        except queue.Empty:
            return None if self._is_closed else b""

    def _split(self, line: bytes) -> tuple[str, Answer | None]:
        """What somebody else has printed in a line, and the answer in it."""
        before, mark, rest = line.partition(f"{self._mark} ".encode())
        stray = before.decode(errors="replace").rstrip("\r\n").removeprefix(_INTERRUPT_MENU)
        try:
            return stray, dict(json.loads(rest)) if mark else None
        except (TypeError, ValueError):
            return stray, None

    def interrupt(self) -> bool:
        """Ask the kernel to stop what it is doing; false where the system has no means to."""
        if not HAS_GROUPS:
            return False
        with suppress(OSError):
            self._write(INTERRUPT)
        return True

    def exit_code(self) -> int | None:
        """How the process has ended; None when it has not."""
        with suppress(subprocess.TimeoutExpired):
            return self._process.wait(GRACE_SECONDS)
        return None

    def state(
        self,
        *,
        seconds: float = STATE_SECONDS,
        is_cancelled: Callable[[], bool] = never,
    ) -> bytes | None:
        """The definitions and the history, for a kernel of the same version on the same system.

        It is not cancelled, and has its own time: it could not be stopped without being ended.
        """
        with tempfile.TemporaryDirectory(prefix="paddock-") as directory:
            file = Path(directory) / "state.mx"
            if not self._did({"do": "save", "file": str(file)}):
                return None
            try:
                return self._maker() + file.read_bytes()
            except OSError:
                return None

    def restore(self, state: bytes) -> None:
        """Have the definitions that another kernel had.

        Raises:
            KernelError: when they cannot be restored.
        """
        if not state.startswith(self._maker()):
            maker = state.partition(b"\n")[0].decode(errors="replace")[:100]
            raise KernelError(
                f"The state was saved by {maker!r}, and this is {self._maker().decode().strip()!r}"
            )
        with tempfile.TemporaryDirectory(prefix="paddock-") as directory:
            file = Path(directory) / "state.mx"
            file.write_bytes(state[len(self._maker()) :])
            if not self._did({"do": "restore", "file": str(file)}):
                raise KernelError("The Wolfram kernel cannot read the state that was saved")

    def _maker(self) -> bytes:
        """The line that a state begins with: what wrote it, and so what can read it."""
        return f"wolfram {self._facts['system']} {self._facts['version']}\n".encode()

    def _did(self, request: Answer) -> bool:
        deadline = time.monotonic() + STATE_SECONDS
        end = self._ask(request, _Collected(0), lambda: time.monotonic() < deadline)
        return bool(end["status"] == "done")

    def close(self) -> None:
        """End it, with all that it has started."""
        self._is_closed = True
        with suppress(OSError):
            if self._process.stdin is not None:
                self._process.stdin.close()  # which is what the keeper waits for
        try:
            self._process.wait(GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join(GRACE_SECONDS)
        if self._process.stdout is not None and not self._reader.is_alive():
            self._process.stdout.close()

    def describe(self) -> dict[str, object]:
        """What it is, for people who look for a fault."""
        return {
            "engine": "wolfram",
            "command": self._command,
            "keeper": self._process.pid,
            "process": self._facts.get("process"),
            "version": self._facts.get("version"),
            "confinement": "none: $AllowInternet is set, and the code can change it",
        }


class _Collected:
    """What appears while code is evaluated, as much as is wanted of it."""

    def __init__(self, limit: int) -> None:
        self.outputs: list[Output] = []
        self._limit = self._left = limit
        self._dropped = 0

    def add(self, output: Output) -> None:
        size = len(output.text.encode()) + len(output.data)
        if self._dropped or size > self._left:
            self._dropped += size
        else:
            self._left -= size
            self.outputs.append(output)

    def note(self) -> str:
        if not self._dropped:
            return ""
        return f"{self._dropped} bytes of output beyond the limit of {self._limit} were dropped."


class _Waiting:
    """How long an evaluation is waited for, and what is done when that is over."""

    def __init__(
        self,
        kernel: WolframKernel,
        seconds: float,
        is_cancelled: Callable[[], bool],
        on_wait: Callable[[float], None],
    ) -> None:
        self._kernel = kernel
        self._is_cancelled = is_cancelled
        self._on_wait = on_wait
        self._began = self._told = time.monotonic()
        # The driver has the same limit and should be the first to say so.
        self._interrupt_at = self._began + seconds + GRACE_SECONDS
        self._kill_at = self._interrupt_at + GRACE_SECONDS
        self._is_interrupted = False
        self._was_cancelled = False

    def step(self) -> bool:
        """Do what is due; whether to go on waiting."""
        now = time.monotonic()
        if now - self._told >= WAIT_SECONDS:
            self._told = now
            self._on_wait(now - self._began)
        if not self._was_cancelled and self._is_cancelled():
            self._was_cancelled = True
            self._interrupt_at = now
        if not self._is_interrupted and now >= self._interrupt_at:
            self._is_interrupted = True
            self._kill_at = now + (GRACE_SECONDS if self._kernel.interrupt() else 0)
        if now >= self._kill_at:
            self._kernel.close()
            return False
        return True

    def status(self, end: Answer) -> Status:
        """How the evaluation ended."""
        if self._is_interrupted:
            return "cancelled" if self._was_cancelled else "timed-out"
        if end["status"]:
            found: Status = end["status"]
            return found
        # The kernel has ended: by itself when it says that all is well.
        return "quit" if self._kernel.exit_code() == 0 else "crashed"

    def note(self, status: Status) -> str:
        """What to say of the kernel's state."""
        if status in ("done", "failed"):
            return ""
        return STOPPED if self._kernel.is_alive else GONE


def _how(status: Status, limits: Limits) -> str:
    """What to say of an evaluation that has no value."""
    size = limits.memory_bytes / MEBIBYTE
    return {
        "timed-out": f"The evaluation took longer than {limits.seconds_given:g} s and was stopped.",
        "out-of-memory": f"The evaluation wanted more memory than {size:.0f} MiB and was stopped.",
        "cancelled": "The evaluation was cancelled.",
    }.get(status, "")


def _checked(answer: Answer) -> Answer:
    if float(answer["number"]) < OLDEST_NUMBER:
        raise KernelError(
            f"The Wolfram kernel is too old: {answer['version']}",
            hint=f"version {OLDEST_NUMBER} or later is needed",
        )
    return answer


def _output(answer: Answer) -> Output:
    if answer["kind"] == "picture":
        return Output("picture", data=base64.b64decode(answer["data"]), mime=answer["mime"])
    return Output(answer["kind"], text=answer["text"])
