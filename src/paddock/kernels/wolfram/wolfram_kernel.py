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

from paddock.kernels.kernel import (
    MEBIBYTE,
    PROGRESS_INTERVAL_SECONDS,
    EvaluationOutput,
    EvaluationResult,
    KernelError,
    ignore_progress,
    never_cancelled,
)
from paddock.kernels.sandbox import block_process_inspection
from paddock.kernels.wolfram.kernel_supervisor import (
    HAS_PROCESS_GROUPS,
    INTERRUPT_LINE,
    build_supervisor_command,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from paddock.kernels.kernel import EvaluationLimits, EvaluationStatus

START_TIMEOUT_SECONDS = 60.0
"""How long a kernel may take before it answers; the first start after an installation is slow."""
STATE_TIMEOUT_SECONDS = 30.0
STOP_GRACE_SECONDS = 2.0
"""How long a kernel may take to stop by itself, and again after it was interrupted."""
POLL_INTERVAL_SECONDS = 0.05
MIN_VERSION_NUMBER = 11.3
"""The first version whose prints can be told from its answers."""
MAX_LINE_BYTES = 64 * 1024 * 1024
_MAX_QUEUED_LINES = 10_000

_INTERRUPT_PROMPT = "Interrupt> "
"""How a kernel asks what an interrupt is to do; the answer to that is on its way."""

DriverMessage = dict[str, Any]
_NO_REPLY: DriverMessage = {"kind": "end", "status": "", "result": None}

STATE_KEPT_NOTE = "What it had done before is kept."
KERNEL_ENDED_NOTE = "The kernel has ended."


class WolframKernel:
    """A process that runs `driver.wl`."""

    def __init__(
        self, command: Sequence[str], environment: Mapping[str, str], limits: EvaluationLimits
    ) -> None:
        """Start it and wait until it answers.

        Raises:
            KernelError: when it does not.
        """
        self._command = list(command)
        self._has_network = limits.network
        self._lines: queue.Queue[bytes | None] = queue.Queue(_MAX_QUEUED_LINES)
        self._is_closed = False
        self._last_id = 0
        self._reply_marker = f"paddock-{secrets.token_hex(8)}"
        self._process = self._start_process(environment)
        self._reader = threading.Thread(target=self._read_lines, name="wolfram-kernel", daemon=True)
        self._reader.start()
        self._greeting = self._read_greeting()

    def _start_process(self, environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
        block_process_inspection()
        try:
            return subprocess.Popen(  # noqa: S603 - our own interpreter
                build_supervisor_command(self._command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=dict(environment),
                start_new_session=HAS_PROCESS_GROUPS,
            )
        except OSError as error:
            raise KernelError(f"The Wolfram kernel does not start: {error}") from error

    def _read_lines(self) -> None:
        """Put the kernel's lines where they are waited for; None is the end."""
        entry = self._process.stdout
        line: bytes | None = b""
        while line is not None and not self._is_closed:
            line = (entry.readline(MAX_LINE_BYTES) if entry is not None else b"") or None
            self._queue_line(line)

    def _queue_line(self, line: bytes | None) -> None:
        while not self._is_closed:
            with suppress(queue.Full):
                self._lines.put(line, timeout=PROGRESS_INTERVAL_SECONDS)
                return

    def _read_greeting(self) -> DriverMessage:
        """What the kernel says of itself."""
        said: list[str] = []
        deadline = time.monotonic() + START_TIMEOUT_SECONDS
        try:
            with suppress(OSError):  # it has ended already; what it said is still to be read
                self._send_request(
                    {"do": "hello", "mark": self._reply_marker, "network": self._has_network}
                )
            while time.monotonic() < deadline:
                line = self._get_line(POLL_INTERVAL_SECONDS)
                if line is None:
                    break
                stray, answer = self._split_line(line)
                if answer is not None and answer["kind"] == "hello":
                    return _require_supported_version(answer)
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
        limits: EvaluationLimits,
        *,
        is_cancelled: Callable[[], bool] = never_cancelled,
        on_wait: Callable[[float], None] = ignore_progress,
    ) -> EvaluationResult:
        """Evaluate one expression."""
        collected = _OutputCollector(limits.output_bytes)
        waiting = _EvaluationWatch(self, limits.seconds, is_cancelled, on_wait)
        began = time.monotonic()
        request = {
            "do": "evaluate",
            "code": code,
            "seconds": limits.seconds,
            "memory": limits.memory_bytes,
            "characters": limits.result_bytes,
        }
        end = self._run_request(request, collected, waiting.poll)
        seconds = end.get("microseconds", 0) / 1e6 or time.monotonic() - began
        status = waiting.resolve_status(end)
        notes = [
            collected.format_note(),
            _describe_status(status, limits),
            waiting.format_note(status),
        ]
        if not self.is_alive:
            self.close()
        return EvaluationResult(
            status=status,
            result=end["result"] if status in ("done", "failed") else None,
            outputs=tuple(collected.outputs),
            seconds=seconds,
            peak_bytes=end.get("bytes", 0),
            note=" ".join(note for note in notes if note),
        )

    def _run_request(
        self, request: DriverMessage, collected: _OutputCollector, step: Callable[[], bool]
    ) -> DriverMessage:
        """Send a request and collect until it has ended; `step` says whether to go on waiting."""
        if self._is_closed:
            return _NO_REPLY
        try:
            self._send_request(request)
        except OSError:
            return _NO_REPLY
        while step():
            line = self._get_line(POLL_INTERVAL_SECONDS)
            if line is None:
                return _NO_REPLY
            if not line:
                continue
            stray, answer = self._split_line(line)
            if stray:
                collected.add(EvaluationOutput("print", text=stray))
            if answer is not None and answer["id"] == self._last_id:
                if answer["kind"] == "end":
                    return answer
                collected.add(_parse_output(answer))
        return _NO_REPLY

    def _send_request(self, request: DriverMessage) -> None:
        self._last_id += 1
        # In ASCII, whatever encoding the kernel thinks that its input has.
        line = json.dumps({"id": self._last_id, **request}, ensure_ascii=True)
        self._write_line(line.encode("ascii") + b"\n")

    def _write_line(self, line: bytes) -> None:
        entry = self._process.stdin
        if entry is not None:
            entry.write(line)
            entry.flush()

    def _get_line(self, seconds: float) -> bytes | None:
        """The next line, nothing if there is none yet, None at the end."""
        try:
            return self._lines.get(timeout=seconds)
        except queue.Empty:
            return None if self._is_closed else b""

    def _split_line(self, line: bytes) -> tuple[str, DriverMessage | None]:
        """What somebody else has printed in a line, and the answer in it."""
        before, mark, rest = line.partition(f"{self._reply_marker} ".encode())
        stray = before.decode(errors="replace").rstrip("\r\n").removeprefix(_INTERRUPT_PROMPT)
        try:
            return stray, dict(json.loads(rest)) if mark else None
        except (TypeError, ValueError):
            return stray, None

    def interrupt(self) -> bool:
        """Ask the kernel to stop what it is doing; false where the system has no means to."""
        if not HAS_PROCESS_GROUPS:
            return False
        with suppress(OSError):
            self._write_line(INTERRUPT_LINE)
        return True

    def wait_for_exit_code(self) -> int | None:
        """How the process has ended; None when it has not."""
        with suppress(subprocess.TimeoutExpired):
            return self._process.wait(STOP_GRACE_SECONDS)
        return None

    def state(
        self,
        *,
        seconds: float = STATE_TIMEOUT_SECONDS,
        is_cancelled: Callable[[], bool] = never_cancelled,
    ) -> bytes | None:
        """The definitions and the history, for a kernel of the same version on the same system.

        It is not cancelled, and has its own time: it could not be stopped without being ended.
        """
        with tempfile.TemporaryDirectory(prefix="paddock-") as directory:
            file = Path(directory) / "state.mx"
            if not self._run_state_request({"do": "save", "file": str(file)}):
                return None
            try:
                return self._build_state_header() + file.read_bytes()
            except OSError:
                return None

    def restore(self, state: bytes) -> None:
        """Have the definitions that another kernel had.

        Raises:
            KernelError: when they cannot be restored.
        """
        if not state.startswith(self._build_state_header()):
            maker = state.partition(b"\n")[0].decode(errors="replace")[:100]
            raise KernelError(
                f"The state was saved by {maker!r}, and this is {self._build_state_header().decode().strip()!r}"
            )
        with tempfile.TemporaryDirectory(prefix="paddock-") as directory:
            file = Path(directory) / "state.mx"
            file.write_bytes(state[len(self._build_state_header()) :])
            if not self._run_state_request({"do": "restore", "file": str(file)}):
                raise KernelError("The Wolfram kernel cannot read the state that was saved")

    def _build_state_header(self) -> bytes:
        """The line that a state begins with: what wrote it, and so what can read it."""
        return f"wolfram {self._greeting['system']} {self._greeting['version']}\n".encode()

    def _run_state_request(self, request: DriverMessage) -> bool:
        deadline = time.monotonic() + STATE_TIMEOUT_SECONDS
        end = self._run_request(request, _OutputCollector(0), lambda: time.monotonic() < deadline)
        return bool(end["status"] == "done")

    def close(self) -> None:
        """End it, with all that it has started."""
        self._is_closed = True
        with suppress(OSError):
            if self._process.stdin is not None:
                self._process.stdin.close()  # which is what the keeper waits for
        try:
            self._process.wait(STOP_GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join(STOP_GRACE_SECONDS)
        if self._process.stdout is not None and not self._reader.is_alive():
            self._process.stdout.close()

    def describe(self) -> dict[str, object]:
        """What it is, for people who look for a fault."""
        return {
            "engine": "wolfram",
            "command": self._command,
            "keeper": self._process.pid,
            "process": self._greeting.get("process"),
            "version": self._greeting.get("version"),
            "confinement": "none: $AllowInternet is set, and the code can change it",
        }


class _OutputCollector:
    """What appears while code is evaluated, as much as is wanted of it."""

    def __init__(self, limit: int) -> None:
        self.outputs: list[EvaluationOutput] = []
        self._limit_bytes = self._remaining_bytes = limit
        self._dropped_bytes = 0

    def add(self, output: EvaluationOutput) -> None:
        size = len(output.text.encode()) + len(output.data)
        if self._dropped_bytes or size > self._remaining_bytes:
            self._dropped_bytes += size
        else:
            self._remaining_bytes -= size
            self.outputs.append(output)

    def format_note(self) -> str:
        if not self._dropped_bytes:
            return ""
        return f"{self._dropped_bytes} bytes of output beyond the limit of {self._limit_bytes} were dropped."


class _EvaluationWatch:
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
        self._started_at = self._last_report_at = time.monotonic()
        # The driver has the same limit and should be the first to say so.
        self._interrupt_at = self._started_at + seconds + STOP_GRACE_SECONDS
        self._kill_at = self._interrupt_at + STOP_GRACE_SECONDS
        self._is_interrupted = False
        self._was_cancelled = False

    def poll(self) -> bool:
        """Do what is due; whether to go on waiting."""
        now = time.monotonic()
        if now - self._last_report_at >= PROGRESS_INTERVAL_SECONDS:
            self._last_report_at = now
            self._on_wait(now - self._started_at)
        if not self._was_cancelled and self._is_cancelled():
            self._was_cancelled = True
            self._interrupt_at = now
        if not self._is_interrupted and now >= self._interrupt_at:
            self._is_interrupted = True
            self._kill_at = now + (STOP_GRACE_SECONDS if self._kernel.interrupt() else 0)
        if now >= self._kill_at:
            self._kernel.close()
            return False
        return True

    def resolve_status(self, end: DriverMessage) -> EvaluationStatus:
        """How the evaluation ended."""
        if self._is_interrupted:
            return "cancelled" if self._was_cancelled else "timed-out"
        if end["status"]:
            found: EvaluationStatus = end["status"]
            return found
        # The kernel has ended: by itself when it says that all is well.
        return "quit" if self._kernel.wait_for_exit_code() == 0 else "crashed"

    def format_note(self, status: EvaluationStatus) -> str:
        """What to say of the kernel's state."""
        if status in ("done", "failed"):
            return ""
        return STATE_KEPT_NOTE if self._kernel.is_alive else KERNEL_ENDED_NOTE


def _describe_status(status: EvaluationStatus, limits: EvaluationLimits) -> str:
    """What to say of an evaluation that has no value."""
    size = limits.memory_bytes / MEBIBYTE
    return {
        "timed-out": f"The evaluation took longer than {limits.user_time_limit:g} s and was stopped.",
        "out-of-memory": f"The evaluation wanted more memory than {size:.0f} MiB and was stopped.",
        "cancelled": "The evaluation was cancelled.",
    }.get(status, "")


def _require_supported_version(answer: DriverMessage) -> DriverMessage:
    if float(answer["number"]) < MIN_VERSION_NUMBER:
        raise KernelError(
            f"The Wolfram kernel is too old: {answer['version']}",
            hint=f"version {MIN_VERSION_NUMBER} or later is needed",
        )
    return answer


def _parse_output(answer: DriverMessage) -> EvaluationOutput:
    if answer["kind"] == "picture":
        return EvaluationOutput(
            "picture", data=base64.b64decode(answer["data"]), mime=answer["mime"]
        )
    return EvaluationOutput(answer["kind"], text=answer["text"])
