"""Kernel from an installed Wolfram product, controlled through `driver.wl`.

Requests and replies are lines of text, in the format described in `driver.wl`. The driver enforces
the limits. A kernel that exceeds them without replying is interrupted and then killed. Starting a
new kernel is up to the session.
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

from paddock.kernels.child_process import build_supervised_command, end_process, require_pipe
from paddock.kernels.kernel import (
    COMPLETED_STATUSES,
    KERNEL_ENDED_NOTE,
    EvaluationOutput,
    EvaluationResult,
    EvaluationWatch,
    Kernel,
    KernelError,
    describe_dropped_output,
    describe_stop,
    never_cancelled,
)
from paddock.kernels.sandbox import block_process_inspection
from paddock.kernels.wolfram.kernel_supervisor import HAS_PROCESS_GROUPS, INTERRUPT_LINE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from paddock.kernels.kernel import (
        CancelCheck,
        EvaluationControl,
        EvaluationLimits,
        EvaluationStatus,
        StopCause,
    )

START_TIMEOUT_SECONDS = 60.0
"""Time limit for the first reply. The first start after an installation is slow."""
STATE_TIMEOUT_SECONDS = 30.0
STOP_GRACE_SECONDS = 2.0
"""Time that a kernel has to stop on its own, and again after an interrupt."""
POLL_INTERVAL_SECONDS = 0.05
MIN_VERSION_NUMBER = 11.3
"""The first version whose output can be separated from its replies."""
MAX_LINE_BYTES = 64 * 1024 * 1024
_MAX_QUEUED_LINES = 10_000

_INTERRUPT_PROMPT = "Interrupt> "
"""Prompt of an interrupted kernel. `kernel_supervisor` sends the reply."""

DriverMessage = dict[str, Any]
_FINAL_KINDS = frozenset({"hello", "end"})
"""Kinds of replies that are the last one to a request."""
_NO_REPLY: DriverMessage = {"kind": "end", "status": "", "result": None}
_MAX_GREETING_BYTES = 1 << 16
STATE_KEPT_NOTE = "Changes made before that were kept."


class WolframKernel(Kernel):
    """A Wolfram kernel process that runs `driver.wl`."""

    def __init__(
        self, command: Sequence[str], environment: Mapping[str, str], limits: EvaluationLimits
    ) -> None:
        """Start the kernel process and wait until it accepts requests.

        Args:
            command: The kernel program and its arguments.
            environment: The environment variables for the process.
            limits: Only the network access is used, because the other limits apply to a single
                evaluation.

        Raises:
            KernelError: The kernel does not start or does not reply.
        """
        self._command = list(command)
        self.has_network = limits.network
        self._lines: queue.Queue[bytes | None] = queue.Queue(_MAX_QUEUED_LINES)
        self._is_closed = False
        self._last_id = 0
        # The marker is random so that text printed by user code cannot be mistaken for a reply.
        self._reply_marker = f"paddock-{secrets.token_hex(8)}"
        self._process = self._start_process(environment)
        self._stdin = require_pipe(self._process.stdin)
        self._stdout = require_pipe(self._process.stdout)
        self._reader = threading.Thread(target=self._read_lines, name="wolfram-kernel", daemon=True)
        self._reader.start()
        self._greeting = self._read_greeting()

    def _start_process(self, environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
        """Start the kernel under a supervisor process, which ends it when the server is gone.

        Raises:
            KernelError: The process cannot be started.
        """
        block_process_inspection()
        try:
            return subprocess.Popen(
                build_supervised_command(self._command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=dict(environment),
                start_new_session=HAS_PROCESS_GROUPS,
            )
        except OSError as error:
            raise KernelError(f"The Wolfram kernel does not start: {error}") from error

    def _read_lines(self) -> None:
        """Queue the lines that the kernel writes, followed by None when its output ends.

        Runs in its own thread. The thread waits while the queue is full, so a large amount of
        output cannot exhaust the memory.
        """
        line: bytes | None = b""
        while line is not None:
            line = self._stdout.readline(MAX_LINE_BYTES) or None
            is_queued = False
            while not is_queued:
                if self._is_closed:
                    return
                with suppress(queue.Full):
                    self._lines.put(line, timeout=1.0)
                    is_queued = True

    def _read_greeting(self) -> DriverMessage:
        """Wait for the kernel's first reply and return its description of the kernel.

        The driver, Paddock's program within the kernel, receives the marker that its replies must
        begin with, and returns its process ID and version. If there is an error, the kernel is
        ended.

        Raises:
            KernelError: The kernel does not reply, or its version is too old.
        """
        collector = _OutputCollector(_MAX_GREETING_BYTES)
        deadline = time.monotonic() + START_TIMEOUT_SECONDS
        request = {"do": "hello", "mark": self._reply_marker, "network": self.has_network}
        greeting = self._run_request(request, collector, lambda: time.monotonic() < deadline)
        if greeting is _NO_REPLY:
            self.close()
            printed = " ".join(output.text for output in collector.outputs)
            raise KernelError(
                f"The Wolfram kernel {self._command[0]} did not answer; its output was: "
                f"{printed[:500] or 'empty'}",
                hint="start it in a terminal to see whether it is activated (wolframscript "
                "-activate), or choose another engine with PADDOCK_WOLFRAM_ENGINE",
            )
        if float(greeting["number"]) < MIN_VERSION_NUMBER:
            self.close()
            raise KernelError(
                f"The Wolfram kernel is too old: {greeting['version']}",
                hint=f"version {MIN_VERSION_NUMBER} or later is needed",
            )
        return greeting

    @property
    def is_alive(self) -> bool:
        """Whether the kernel can evaluate."""
        return not self._is_closed and self._process.poll() is None

    def _evaluate(
        self, code: str, limits: EvaluationLimits, control: EvaluationControl
    ) -> EvaluationResult:
        """Evaluate one expression, as `Kernel.evaluate` describes.

        Normally, the driver, Paddock's program within the kernel, enforces the limits. If it does
        not reply in time, the kernel is interrupted and finally ended.
        """
        collector = _OutputCollector(limits.output_bytes)
        watch = EvaluationWatch(control, limits.seconds + STOP_GRACE_SECONDS, self._interrupt)
        request = {
            "do": "evaluate",
            "code": code,
            "seconds": limits.seconds,
            "memory": limits.memory_bytes,
            "characters": limits.result_bytes,
        }
        reply = self._run_request(request, collector, watch.check)
        seconds = reply.get("microseconds", 0) / 1e6 or watch.elapsed_seconds
        if reply is _NO_REPLY and watch.cause is not None:
            self.close()  # the evaluation did not stop within the grace period
        status = watch.cause or reply["status"] or self._get_exit_status()
        is_completed = status in COMPLETED_STATUSES
        state_note = STATE_KEPT_NOTE if self.is_alive else KERNEL_ENDED_NOTE
        notes = [
            describe_dropped_output(collector.dropped_bytes, limits),
            describe_stop(status, limits),
            "" if is_completed else state_note,
        ]
        if not self.is_alive:
            self.close()
        return EvaluationResult(
            status=status,
            result=reply["result"] if is_completed else None,
            outputs=tuple(collector.outputs),
            seconds=seconds,
            peak_bytes=reply.get("bytes", 0),
            notes=tuple(filter(None, notes)),
        )

    def _run_request(
        self, request: DriverMessage, collector: _OutputCollector, poll: Callable[[], bool]
    ) -> DriverMessage:
        """Send a request to the driver in the kernel and wait for its final reply.

        Args:
            request: The request, without its ID.
            collector: The collector for outputs that precede the final reply.
            poll: Function that is called regularly. The wait ends once it returns False.

        Returns:
            The final reply, or `_NO_REPLY`, whose status is empty, if the kernel ended or `poll`
            returned False.
        """
        if self._is_closed:
            return _NO_REPLY
        self._last_id += 1
        # Requests are ASCII, because the kernel's input encoding is unknown.
        line = json.dumps({"id": self._last_id, **request}, ensure_ascii=True)
        # If the kernel has ended, the error is ignored here, because its output may still contain
        # the reason.
        with suppress(OSError):
            self._write_line(f"{line}\n".encode("ascii"))
        while poll() and not self._is_closed:
            try:
                output = self._lines.get(timeout=POLL_INTERVAL_SECONDS)
            except queue.Empty:
                continue
            if output is None:
                break
            text, reply = self._split_line(output)
            if text:
                collector.add(EvaluationOutput("print", text=text))
            # A kernel that was interrupted may still send replies to an earlier request.
            if reply is not None and reply["id"] == self._last_id:
                if reply["kind"] in _FINAL_KINDS:
                    return reply
                collector.add(_parse_output(reply))
        return _NO_REPLY

    def _write_line(self, line: bytes) -> None:
        self._stdin.write(line)
        self._stdin.flush()

    def _split_line(self, line: bytes) -> tuple[str, DriverMessage | None]:
        """Split a line of the kernel's output into printed text and a driver reply.

        Both arrive on the same stream, and a reply may follow printed text without a line break.
        The marker shows the start of a reply, which is None if the line does not contain one.
        """
        before, marker, content = line.partition(f"{self._reply_marker} ".encode())
        text = before.decode(errors="replace").rstrip("\r\n").removeprefix(_INTERRUPT_PROMPT)
        try:
            return text, dict(json.loads(content)) if marker else None
        except (TypeError, ValueError):
            return text, None

    def _interrupt(self, _cause: StopCause) -> float:
        """Interrupt the running evaluation and return how long it may take to end."""
        if not HAS_PROCESS_GROUPS:  # a system that cannot interrupt a process
            return 0.0
        with suppress(OSError):
            self._write_line(INTERRUPT_LINE)
        return STOP_GRACE_SECONDS

    def _get_exit_status(self) -> EvaluationStatus:
        """Return the status of an evaluation during which the kernel process ended.

        It is `quit` if the code ended the process deliberately, otherwise `crashed`.
        """
        with suppress(subprocess.TimeoutExpired):
            # An exit code of 0 means that the code ended the process deliberately.
            return "quit" if self._process.wait(STOP_GRACE_SECONDS) == 0 else "crashed"
        return "crashed"

    def dump_state(
        self,
        seconds: float = STATE_TIMEOUT_SECONDS,
        is_cancelled: CancelCheck = never_cancelled,
    ) -> bytes | None:
        """Return the session's definitions and history, or None if that fails.

        Only a Wolfram kernel of the same version on the same operating system can restore them.
        Both parameters are ignored, because the only way to stop the kernel is to end it.
        """
        with tempfile.TemporaryDirectory(prefix="paddock-") as directory:
            file = Path(directory) / "state.mx"
            if not self._run_state_request({"do": "save", "file": str(file)}):
                return None
            try:
                return self._build_state_header() + file.read_bytes()
            except OSError:
                return None

    def restore(self, state: bytes) -> str:
        """Load the definitions and history that another kernel's `dump_state` returned.

        Raises:
            KernelError: The definitions cannot be restored.
        """
        header = self._build_state_header()
        if not state.startswith(header):
            saved_by = state.partition(b"\n")[0].decode(errors="replace")[:100]
            kernel = header.decode().strip()
            raise KernelError(f"The state was saved by {saved_by!r}, but this kernel is {kernel!r}")
        with tempfile.TemporaryDirectory(prefix="paddock-") as directory:
            file = Path(directory) / "state.mx"
            file.write_bytes(state[len(header) :])
            if not self._run_state_request({"do": "restore", "file": str(file)}):
                raise KernelError("The Wolfram kernel cannot read the saved state")
        return ""

    def _build_state_header(self) -> bytes:
        """Return the first line of a state, which identifies the kernels that can read it."""
        return f"wolfram {self._greeting['system']} {self._greeting['version']}\n".encode()

    def _run_state_request(self, request: DriverMessage) -> bool:
        deadline = time.monotonic() + STATE_TIMEOUT_SECONDS
        end = self._run_request(request, _OutputCollector(0), lambda: time.monotonic() < deadline)
        return bool(end["status"] == "done")

    def close(self) -> None:
        """End the kernel and all its processes, and release its pipe and thread."""
        self._is_closed = True
        end_process(self._process, STOP_GRACE_SECONDS)
        self._reader.join(STOP_GRACE_SECONDS)
        # Closing the pipe would block until any thread that is still reading from it has finished.
        if not self._reader.is_alive():
            self._stdout.close()

    def describe(self) -> dict[str, object]:
        """Return diagnostic data about the kernel and its processes."""
        return {
            "engine": "wolfram",
            "command": self._command,
            "keeper": self._process.pid,
            "process": self._greeting.get("process"),
            "version": self._greeting.get("version"),
            "confinement": "none: $AllowInternet is set, but code can change it",
        }


class _OutputCollector:
    """Collector for an evaluation's outputs, up to a size limit.

    The first output that exceeds the limit and all later ones are dropped and their bytes counted.
    """

    def __init__(self, limit: int) -> None:
        self.outputs: list[EvaluationOutput] = []
        self.dropped_bytes = 0
        self._remaining_bytes = limit

    def add(self, output: EvaluationOutput) -> None:
        size = len(output.text.encode()) + len(output.data)
        if self.dropped_bytes or size > self._remaining_bytes:
            self.dropped_bytes += size
        else:
            self._remaining_bytes -= size
            self.outputs.append(output)


def _parse_output(reply: DriverMessage) -> EvaluationOutput:
    if reply["kind"] == "picture":
        return EvaluationOutput("picture", data=base64.b64decode(reply["data"]), mime=reply["mime"])
    return EvaluationOutput(reply["kind"], text=reply["text"])
